/* Bodies on the host.
 *
 * A body becomes a program once for a fold: its steps as operations (operations.h). Elements are
 * computed a piece at a time, by the same loops as element-wise calls. The values of a piece stay
 * in the L1 cache. Inputs whose elements lie apart or at any address are brought together on the
 * way. */
#include "backend/host/forms/run_body.h"

#include "backend/host/forms/steps.h"
#include "core/array/dtype.h"

#include <string.h>

/* Of one value in a piece; of all, more of which make pieces shorter; the room that there is. */
enum { PIECE_BYTES = 4096, PIECES_BYTES = 64 << 10, ROOM_BYTES = 128 << 10, LEAST_BYTES = 256 };
_Static_assert(ROOM_BYTES / (TNI_BODY_VALUES + TNI_BODY_INPUTS + 1) >= LEAST_BYTES,
               "no room for a piece of the longest body");

/* Where an input's elements are, and how far apart. */
typedef struct place {
    char *at;
    int64_t stride;
} place;

/* --- Programs --- */

void tni_host_body_prepare(tni_body_program *p, const tni_body *body, uint8_t fold) {
    int16_t last_use[TNI_BODY_VALUES];
    bool placed[TNI_BODY_VALUES] = {false};
    int64_t widest = 1;
    p->body = body;
    p->value_count = body->input_count + body->step_count;
    p->last = tni_body_last(body);
    const tni_steps steps = tni_body_steps(body, &p->last);
    if (tni_operations_find(&p->operations, &steps)) return; /* never: steps have loops */
    const tni_join how = {.last = fold};
    tni_operations_join(&p->operations, &steps, &how);
    tni_operations_find_uses(last_use, p->value_count, &p->operations);
    memset(p->slots, 0xff, sizeof p->slots); /* TNI_NO_SLOT */
    placed[p->last] = true;
    p->slot_count =
        tni_operations_choose_slots(p->slots, 0, last_use, &p->operations, &steps, placed);
    for (int value = 0; value < p->value_count; value++)
        if (widest < tni_dtype_size((tn_dtype)body->dtypes[value]))
            widest = tni_dtype_size((tn_dtype)body->dtypes[value]);
    p->slot_bytes = PIECES_BYTES / (p->slot_count + body->input_count + 1) & ~INT64_C(63);
    if (p->slot_bytes > PIECE_BYTES) p->slot_bytes = PIECE_BYTES;
    if (p->slot_bytes < LEAST_BYTES) p->slot_bytes = LEAST_BYTES;
    p->piece = p->slot_bytes / widest;
    const int64_t lanes = TNI_LANE_BYTES / tni_dtype_size((tn_dtype)body->dtypes[p->last]);
    p->folds = p->operations.list[p->operations.count - 1].folds > 0 && p->piece >= lanes;
    if (p->folds) p->piece -= p->piece % lanes;
    p->is_joined = p->operations.count < body->step_count || p->folds;
    p->scatter = tni_cast_find((tn_dtype)body->dtypes[p->last], (tn_dtype)body->dtypes[p->last]);
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

/* All operations for n elements, which are one piece; to_stride may be TNI_FOLDED. The room has the
 * slots, then one for each input that is gathered, and one for the last value. */
static void run_piece(const tni_body_program *p, char *room, const place *inputs, char *to,
                      int64_t to_stride, int64_t n) {
    char *values[TNI_BODY_VALUES];
    int64_t strides[TNI_BODY_VALUES];
    const int first = p->body->input_count;
    char *gathered = room + p->slot_count * p->slot_bytes;
    for (int k = 0; k < first; k++) {
        tn_dtype dtype = (tn_dtype)p->body->dtypes[k];
        place input = inputs[k];
        bool is_apart = input.stride != 0 && input.stride != tni_dtype_size(dtype);
        if (p->body->is_unaligned || (is_apart && n >= TNI_STEPS_LEAST) ||
            (is_apart && p->is_joined))
            gather(dtype, &input, gathered + k * p->slot_bytes, n);
        values[k] = input.at;
        strides[k] = input.stride;
    }
    for (int value = first; value < p->value_count; value++) {
        values[value] =
            p->slots[value] != TNI_NO_SLOT ? room + p->slots[value] * p->slot_bytes : NULL;
        strides[value] = tni_dtype_size((tn_dtype)p->body->dtypes[value]);
    }
    int64_t size = strides[p->last];
    bool scatters = to_stride != size && n > 1 && to_stride != TNI_FOLDED;
    char *last = gathered + first * p->slot_bytes;
    values[p->last] = scatters ? last : to;
    if (to_stride == TNI_FOLDED) strides[p->last] = TNI_FOLDED;
    tni_operations_run(&p->operations, values, strides, n);
    if (scatters) p->scatter((char *[]){last, to}, (int64_t[]){size, to_stride}, n);
}

/* n elements that each input has at one stride. */
static void run_line(const tni_body_program *p, place *inputs, char *to, int64_t to_stride,
                     int64_t n) {
    _Alignas(64) char room[ROOM_BYTES];
    const int64_t by = to_stride == TNI_FOLDED ? 0 : to_stride;
    for (int64_t now; n > 0; n -= now, to += now * by) {
        now = n < p->piece ? n : p->piece;
        run_piece(p, room, inputs, to, to_stride, now);
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

bool tni_host_body_fold(const tni_body_program *p, tni_lanes *lanes, int64_t first, int64_t n) {
    place inputs[TNI_BODY_INPUTS];
    if (find_line(p->body, inputs, first, 1, n) < n) return false;
    run_line(p, inputs, (char *)lanes, TNI_FOLDED, n);
    return true;
}
