/* Bodies on the host.
 *
 * A body becomes a program once for a fold: its steps as operations (operations.h), with a
 * conversion before each step that reads another dtype than a value has. Elements are computed a
 * piece at a time, by the same loops as element-wise calls. The values of a piece stay in the L1
 * cache. Inputs whose elements lie apart or at any address are brought together on the way. */
#include "backend/host/forms/run_body.h"

#include "backend/host/forms/steps.h"
#include "core/array/dtype.h"

#include <string.h>

enum { PIECE_BYTES = 4096 };

/* Where an input's elements are, and how far apart. */
typedef struct place {
    char *at;
    int64_t stride;
} place;

/* --- Programs --- */

/* The value that a step reads: converted, where it has another dtype than the step's. */
static tni_value read_as(tni_expression_step *steps, int *count, int8_t *dtypes, int first,
                         tni_value value, tn_dtype dtype) {
    if ((tn_dtype)dtypes[value] == dtype) return value;
    for (int k = 0; k < *count; k++)
        if (steps[k].op == (int)TNI_OP_COPY && steps[k].from[0] == value &&
            (tn_dtype)dtypes[first + k] == dtype)
            return (tni_value)(first + k);
    steps[*count] = (tni_expression_step){(int16_t)TNI_OP_COPY, dtypes[value], 1, 1, {value}};
    dtypes[first + *count] = (int8_t)dtype;
    return (tni_value)(first + (*count)++);
}

static void find_steps(tni_body_program *p, tni_expression_step *steps, tni_steps *made) {
    const tni_body *body = p->body;
    tni_value values[TNI_BODY_INPUTS + TNI_BODY_STEPS];
    int count = 0, first = body->input_count;
    for (int k = 0; k < first; k++) {
        values[k] = (tni_value)k;
        p->dtypes[k] = (int8_t)body->dtypes[k];
    }
    for (int k = 0; k < body->step_count; k++) {
        const tni_body_step *step = &body->steps[k];
        tni_value from[TNI_EXPRESSION_FROM] = {0};
        for (int j = 0; j < step->count; j++)
            from[j] = read_as(steps, &count, p->dtypes, first, values[step->from[j]], step->dtype);
        steps[count] = (tni_expression_step){
            (int16_t)step->op, (int8_t)step->dtype, step->count, 1, {from[0], from[1]}};
        p->dtypes[first + count] = (int8_t)step->result;
        values[first + k] = (tni_value)(first + count++);
    }
    p->value_count = first + count;
    p->last = (tni_value)(p->value_count - 1);
    *made = (tni_steps){steps, count, first, p->dtypes, &p->last, 1};
}

void tni_host_body_prepare(tni_body_program *p, const tni_body *body) {
    tni_expression_step steps[TNI_BODY_VALUES];
    int16_t last_use[TNI_BODY_VALUES];
    bool placed[TNI_BODY_VALUES] = {false};
    tni_steps made;
    int64_t widest = 1;
    p->body = body;
    find_steps(p, steps, &made);
    if (tni_operations_find(&p->operations, &made)) return; /* never: steps have loops */
    tni_operations_join(&p->operations, &made);
    tni_operations_find_uses(last_use, p->value_count, &p->operations);
    memset(p->slots, 0xff, sizeof p->slots); /* TNI_NO_SLOT */
    placed[p->last] = true;
    p->slot_count =
        tni_operations_choose_slots(p->slots, 0, last_use, &p->operations, &made, placed);
    for (int value = 0; value < p->value_count; value++)
        if (widest < tni_dtype_size((tn_dtype)p->dtypes[value]))
            widest = tni_dtype_size((tn_dtype)p->dtypes[value]);
    p->piece = PIECE_BYTES / widest;
    p->is_joined = p->operations.count < made.count;
    p->scatter = tni_cast_find((tn_dtype)p->dtypes[p->last], (tn_dtype)p->dtypes[p->last]);
}

/* --- Running --- */

/* An input's elements moved to where loops can read them. */
static void gather(tn_dtype dtype, place *input, char *to, int64_t n) {
    int64_t size = tni_dtype_size(dtype);
    bool repeats = input->stride == 0;
    tni_cast_find(dtype, dtype)((char *[]){input->at, to}, (int64_t[]){input->stride, size},
                                repeats ? 1 : n);
    *input = (place){to, repeats ? 0 : size};
}

typedef struct piece {
    _Alignas(64) char slots[TNI_BODY_VALUES][PIECE_BYTES];
    char gathered[TNI_BODY_INPUTS][PIECE_BYTES];
    char last[PIECE_BYTES];
} piece;

/* All operations for n elements, which are one piece. */
static void run_piece(const tni_body_program *p, piece *room, const place *inputs, char *to,
                      int64_t to_stride, int64_t n) {
    char *values[TNI_BODY_VALUES];
    int64_t strides[TNI_BODY_VALUES];
    int first = p->body->input_count;
    for (int k = 0; k < first; k++) {
        tn_dtype dtype = p->body->dtypes[k];
        place input = inputs[k];
        bool is_apart = input.stride != 0 && input.stride != tni_dtype_size(dtype);
        if (p->body->is_unaligned || (is_apart && n >= TNI_STEPS_LEAST) ||
            (is_apart && p->is_joined))
            gather(dtype, &input, room->gathered[k], n);
        values[k] = input.at;
        strides[k] = input.stride;
    }
    for (int value = first; value < p->value_count; value++) {
        values[value] = p->slots[value] != TNI_NO_SLOT ? room->slots[p->slots[value]] : NULL;
        strides[value] = tni_dtype_size((tn_dtype)p->dtypes[value]);
    }
    int64_t size = strides[p->last];
    bool scatters = to_stride != size && n > 1;
    values[p->last] = scatters ? room->last : to;
    tni_operations_run(&p->operations, values, strides, n);
    if (scatters) p->scatter((char *[]){room->last, to}, (int64_t[]){size, to_stride}, n);
}

/* n elements that each input has at one stride. */
static void run_line(const tni_body_program *p, place *inputs, char *to, int64_t to_stride,
                     int64_t n) {
    piece room;
    for (int64_t now; n > 0; n -= now, to += now * to_stride) {
        now = n < p->piece ? n : p->piece;
        run_piece(p, &room, inputs, to, to_stride, now);
        for (int k = 0; k < p->body->input_count; k++)
            inputs[k].at += now * inputs[k].stride;
    }
}

/* The inputs' places at element `first` and their strides from one element to the next but
 * step - 1; returns how many elements, up to n, are reached so. */
static int64_t find_line(const tni_body *body, place *inputs, int64_t first, int64_t step,
                         int64_t n) {
    int64_t extent = 1, reached = 1;
    if (n == 1) step = 1; /* the step of a single element means nothing */
    for (int k = 0; k < body->input_count; k++)
        inputs[k] = (place){
            (char *)(uintptr_t)(body->inputs[k] ? body->inputs[k] : (const char *)body->values[k]),
            0};
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

void tni_host_body_run(const tni_body_program *p, char *to, int64_t to_stride, int64_t first,
                       int64_t step, int64_t n) {
    place inputs[TNI_BODY_INPUTS];
    for (int64_t now; n > 0; n -= now, first += now * step, to += now * to_stride) {
        now = find_line(p->body, inputs, first, step, n);
        run_line(p, inputs, to, to_stride, now);
    }
}
