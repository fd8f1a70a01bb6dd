/* Taking on CUDA, and the launch that putting shares: outer axes, the index axis and inner axes as
 * one shape of three arrays, whose last axis counts the widest units that all addresses and strides
 * allow. */
#include "backend/cuda/forms/index/take.h"

#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/index/indexing.h"
#include "forms/indexing.h"

#include <string.h>

enum { BLOCK = 256, UNROLL = 4 };

static void write_types(tni_source *source, const tni_form_key *key) {
    tni_source_add(source, "typedef %s IndexType;\n", tni_body_stored((tn_dtype)key->dtypes[0]));
}

static const tni_take_form move_form = TNI_FORM(take, write_types);
static const tni_check_form check_form = TNI_FORM(check, write_types);

/* --- The shape --- */

enum { ARRAY, DENSE, INDICES };

typedef struct walk {
    int ndim, unit;
    int64_t count;
    int64_t shape[TN_MAX_NDIM + 2];
    int64_t strides[3][TN_MAX_NDIM + 2];
} walk;

static void add_axis(walk *w, int64_t size, int64_t array, int64_t dense, int64_t indices) {
    w->shape[w->ndim] = size;
    w->strides[ARRAY][w->ndim] = array;
    w->strides[DENSE][w->ndim] = dense;
    w->strides[INDICES][w->ndim++] = indices;
    w->count *= size;
}

/* Items become an axis of units; with the inner axis before it, if that is a run in both arrays,
 * one. */
static void add_units(walk *w, const tni_indexing *form, bool has_dense) {
    int last = form->ndim - 1;
    bool is_inner = last >= form->outer_ndim;
    bool is_run = is_inner && form->array_strides[last] == form->item_bytes &&
                  (!has_dense || form->dense_strides[last] == form->item_bytes) && has_dense;
    int64_t bytes = form->item_bytes * (is_run ? form->shape[last] : 1);
    int64_t bits = (int64_t)(uintptr_t)form->array | form->axis_stride | bytes;
    if (is_run) {
        w->count /= form->shape[last];
        w->ndim--;
    }
    if (has_dense) bits |= (int64_t)(uintptr_t)form->dense | form->dense_stride;
    for (int axis = 0; axis < w->ndim; axis++)
        bits |= w->strides[ARRAY][axis] | (has_dense ? w->strides[DENSE][axis] : 0);
    w->unit = tni_form_alignment(bits, 16);
    if (bytes / w->unit > 1) add_axis(w, bytes / w->unit, w->unit, has_dense ? w->unit : 0, 0);
}

static bool is_empty(const tni_indexing *form) {
    for (int axis = 0; axis < form->ndim; axis++)
        if (form->shape[axis] == 0) return true;
    return form->index_count == 0;
}

static void describe(walk *w, const tni_indexing *form, bool has_dense) {
    w->ndim = 0;
    w->count = 1;
    for (int axis = 0; axis < form->outer_ndim; axis++)
        add_axis(w, form->shape[axis], form->array_strides[axis], form->dense_strides[axis], 0);
    add_axis(w, form->index_count, 0, form->dense_stride, form->index_stride);
    for (int axis = form->outer_ndim; axis < form->ndim; axis++)
        add_axis(w, form->shape[axis], form->array_strides[axis], form->dense_strides[axis], 0);
    add_units(w, form, has_dense);
}

tn_status tni_plan_move(tni_plan *plan, const tni_indexing *form, const tni_move *move) {
    walk w;
    if (is_empty(form)) return TN_OK;
    describe(&w, form, !move->has_value);
    tni_form_key *key =
        TNI_STEP(plan, take, &move_form,
                 MACROS(.BLOCK = BLOCK, .UNROLL = UNROLL, .UNIT_BYTES = w.unit, .NDIM = w.ndim,
                        .WIDE_INDEX = tni_form_is_wide(w.count), .INDEX_MODE = form->mode,
                        .PUT = move->is_put, .CHECKED = move->is_checked, .OWNERS = move->owners,
                        .VALUE = move->has_value),
                 PARAMS(.array = form->array, .dense = form->dense, .indices = form->indices,
                        .count = w.count, .axis_size = form->axis_size,
                        .axis_stride = form->axis_stride, .axis = form->axis, .value = move->value,
                        .index_stride = form->index_stride ? form->index_stride : 1,
                        .owners = move->owner_data, .owner_mask = move->owner_mask,
                        .shape = TNI_SHAPE_3(w.shape, w.strides[ARRAY], w.strides[DENSE],
                                             w.strides[INDICES])));
    key->dtypes[0] = (int8_t)(form->index_dtype == TN_U64 ? TN_I64 : form->index_dtype);
    tni_plan_grid(plan, tni_form_ceil(w.count, BLOCK * UNROLL), BLOCK);
    return TN_OK;
}

void tni_plan_check(tni_plan *plan, const char *data, tn_dtype dtype, int ndim,
                    const int64_t *shape, const int64_t *strides, int64_t axis_size, int64_t axis,
                    bool are_segments) {
    int64_t count = 1;
    for (int k = 0; k < ndim; k++)
        count *= shape[k];
    tni_form_key *key =
        TNI_STEP(plan, check, &check_form,
                 MACROS(.BLOCK = BLOCK, .NDIM = ndim, .WIDE_INDEX = tni_form_is_wide(count),
                        .SEGMENTS = are_segments),
                 PARAMS(.indices = data, .count = count, .size = axis_size, .axis = axis,
                        .shape = TNI_SHAPE_1(shape, strides)));
    key->dtypes[0] = (int8_t)(dtype == TN_U64 ? TN_I64 : dtype);
    int64_t blocks = tni_form_min(tni_form_ceil(count, BLOCK), 16 * plan->target->multiprocessors);
    tni_plan_grid(plan, blocks, BLOCK);
}

tn_status tni_plan_take(tni_plan *plan, const struct tni_take *call) {
    const tni_indexing *form = &call->form;
    tni_move move = {.is_put = false};
    if (form->index_count == 0) return TN_OK;
    move.is_checked = form->mode == TN_INDEX_RAISE && (!call->is_fresh || is_empty(form));
    if (move.is_checked)
        tni_plan_check(plan, form->indices, form->index_dtype, 1, &form->index_count,
                       &form->index_stride, form->axis_size, form->axis, false);
    return tni_plan_move(plan, form, &move);
}
