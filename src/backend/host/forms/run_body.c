/* Bodies on the host.
 *
 * Elements are computed a piece at a time, step by step, by the same loops as element-wise calls.
 * The values of a piece stay in the L1 cache. Inputs that are stored in another dtype than a step
 * reads, or whose elements lie apart or at any address, are brought together on the way. */
#include "backend/host/forms/run_body.h"

#include "backend/host/forms/steps.h"
#include "core/array/dtype.h"

enum { PIECE_BYTES = 4096 };

/* Where a value's elements are, and how far apart. */
typedef struct place {
    char *at;
    int64_t stride;
    tn_dtype dtype;
} place;

typedef struct piece {
    _Alignas(64) char values[TNI_BODY_STEPS][PIECE_BYTES];
    char together[TNI_BODY_OPERANDS][PIECE_BYTES];
    char aligned[TNI_BODY_INPUTS][PIECE_BYTES];
} piece;

static int64_t piece_count(const tni_body *body) {
    int64_t widest = 1;
    for (int k = 0; k < body->input_count; k++)
        widest =
            widest < tni_dtype_size(body->dtypes[k]) ? tni_dtype_size(body->dtypes[k]) : widest;
    for (int k = 0; k < body->step_count; k++) {
        int64_t in = tni_dtype_size(body->steps[k].dtype),
                out = tni_dtype_size(body->steps[k].result);
        widest = widest < in ? in : widest;
        widest = widest < out ? out : widest;
    }
    return PIECE_BYTES / widest;
}

/* An operand as the loop of T reads it: where it lies, or brought together. */
static place operand(place from, tn_dtype dtype, char *together, int64_t n) {
    int64_t size = tni_dtype_size(dtype);
    bool is_apart = from.stride != 0 && from.stride != size && n >= TNI_STEPS_LEAST;
    if (from.dtype == dtype && !is_apart) return from;
    int64_t count = from.stride == 0 ? 1 : n;
    tni_cast_find(from.dtype, dtype)((char *[]){from.at, together}, (int64_t[]){from.stride, size},
                                     count);
    return (place){together, from.stride == 0 ? 0 : size, dtype};
}

/* The inputs' elements moved to where loops can read them. */
static void align(const tni_body *body, piece *p, place *values, int64_t n) {
    for (int k = 0; k < body->input_count; k++) {
        int64_t size = tni_dtype_size(body->dtypes[k]);
        bool repeats = values[k].stride == 0;
        tni_cast_find(body->dtypes[k], body->dtypes[k])((char *[]){values[k].at, p->aligned[k]},
                                                        (int64_t[]){values[k].stride, size},
                                                        repeats ? 1 : n);
        values[k].at = p->aligned[k];
        values[k].stride = repeats ? 0 : size;
    }
}

/* All steps for n elements, which are one piece. */
static void run_piece(const tni_body *body, piece *p, place *values, char *to, int64_t to_stride,
                      int64_t n) {
    for (int k = 0; k < body->step_count; k++) {
        const tni_body_step *step = &body->steps[k];
        place *value = &values[body->input_count + k];
        char *arguments[TNI_BODY_OPERANDS + 1];
        int64_t strides[TNI_BODY_OPERANDS + 1];
        bool is_last = k == body->step_count - 1;
        for (int j = 0; j < step->count; j++) {
            place from = operand(values[step->from[j]], step->dtype, p->together[j], n);
            arguments[j] = from.at;
            strides[j] = from.stride;
        }
        value->at = is_last ? to : p->values[k];
        value->stride = is_last ? to_stride : tni_dtype_size(step->result);
        value->dtype = step->result;
        arguments[step->count] = value->at;
        strides[step->count] = value->stride;
        tni_loop_find(step->op, step->dtype)(arguments, strides, n);
    }
}

/* n elements that each input has at one stride. */
static void run_line(const tni_body *body, const place *inputs, char *to, int64_t to_stride,
                     int64_t n) {
    const int64_t most = piece_count(body);
    piece p;
    place values[TNI_BODY_INPUTS + TNI_BODY_STEPS];
    for (int64_t done = 0; done < n; done += most) {
        for (int k = 0; k < body->input_count; k++) {
            values[k] = inputs[k];
            values[k].at += done * inputs[k].stride;
        }
        int64_t now = n - done < most ? n - done : most;
        if (body->is_unaligned) align(body, &p, values, now);
        run_piece(body, &p, values, to + done * to_stride, to_stride, now);
    }
}

/* The inputs' places at element `first` and their strides from one element to the next but
 * step - 1; returns how many elements, up to n, are reached so. */
static int64_t find_line(const tni_body *body, place *inputs, int64_t first, int64_t step,
                         int64_t n) {
    int64_t extent = 1, reached = 1;
    if (n == 1) step = 1; /* the step of a single element means nothing */
    for (int k = 0; k < body->input_count; k++)
        inputs[k] = (place){(char *)(uintptr_t)body->inputs[k], 0, body->dtypes[k]};
    for (int axis = body->ndim - 1; axis >= 0; axis--) {
        int64_t size = body->shape[axis], index = axis > 0 ? first % size : first;
        if (axis > 0) first /= size;
        bool walks = step % extent == 0;
        int64_t by = walks ? step / extent : 0;
        int64_t along = walks ? (size - index + by - 1) / by : 0;
        for (int k = 0; k < body->input_count; k++) {
            inputs[k].at += index * body->strides[k][axis];
            if (along > reached) inputs[k].stride = by * body->strides[k][axis];
        }
        if (along > reached) reached = along;
        extent *= size;
    }
    return reached < n ? reached : n;
}

void tni_host_body_run(const tni_body *body, char *to, int64_t to_stride, int64_t first,
                       int64_t step, int64_t n) {
    place inputs[TNI_BODY_INPUTS];
    for (int64_t now; n > 0; n -= now, first += now * step, to += now * to_stride) {
        now = find_line(body, inputs, first, step, n);
        run_line(body, inputs, to, to_stride, now);
    }
}
