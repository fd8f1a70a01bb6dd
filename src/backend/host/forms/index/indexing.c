/* Walks over integer indices: axes arranged for the loops, indices checked and made into offsets.
 *
 * Where indices are used once (no outer axes) they are resolved block by block next to their use;
 * where they are used again and again, all at once into memory of their own. */
#include "backend/host/forms/index/indexing.h"

#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <string.h>

int64_t tni_indexing_size(const tni_indexing *form) {
    int64_t size = form->index_count;
    for (int axis = 0; axis < form->ndim; axis++)
        size *= form->shape[axis];
    return size;
}

/* --- Bounds --- */

tn_status tni_index_fail(const tni_indexing *form) {
    for (int64_t j = 0; j < form->index_count; j++) {
        int64_t index = tni_index_read(form->index_dtype, form->indices + j * form->index_stride);
        if (index < -form->axis_size || index >= form->axis_size)
            TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                     (long long)index, form->axis, (long long)form->axis_size);
    }
    TNI_FAIL(TN_ERROR_INDEX, "an index is out of bounds for axis %d with size %lld", form->axis,
             (long long)form->axis_size);
}

static bool resolve(const tni_index_walk *walk, int64_t *offsets, int64_t begin, int64_t count) {
    const tni_indexing *form = walk->form;
    return walk->loops->resolve[form->index_dtype](
        offsets, form->indices + begin * form->index_stride, form->index_stride, count,
        form->axis_size, form->axis_stride, form->mode);
}

typedef struct resolution {
    const tni_index_walk *walk;
    int64_t *offsets; /* NULL: check only */
    atomic_bool is_bad;
} resolution;

static void resolve_range(void *context, int64_t begin, int64_t end) {
    resolution *r = context;
    int64_t block[TNI_INDEX_BLOCK];
    for (int64_t at = begin; at < end; at += TNI_INDEX_BLOCK) {
        int64_t count = end - at < TNI_INDEX_BLOCK ? end - at : TNI_INDEX_BLOCK;
        if (resolve(r->walk, r->offsets ? r->offsets + at : block, at, count)) {
            atomic_store_explicit(&r->is_bad, true, memory_order_relaxed);
            return;
        }
    }
}

static tn_status resolve_all(tni_index_walk *walk, int64_t *offsets) {
    resolution r = {walk, offsets, false};
    tni_parallel_short(walk->form->index_count, 8 * TNI_INDEX_BLOCK, resolve_range, &r);
    return atomic_load(&r.is_bad) ? tni_index_fail(walk->form) : TN_OK;
}

/* --- Walks --- */

/* Splits the inner axes into outer ones and a run. */
static void arrange_axes(tni_index_walk *walk) {
    tni_indexing *form = walk->form;
    int last = form->ndim - 1;
    bool has_run = last >= form->outer_ndim && form->array_strides[last] == form->item_bytes &&
                   form->dense_strides[last] == form->item_bytes;
    walk->run_bytes = form->item_bytes * (has_run ? form->shape[last] : 1);
    form->outer_ndim = form->ndim - has_run;
    walk->outer_count = 1;
    for (int axis = 0; axis < form->outer_ndim; axis++)
        walk->outer_count *= form->shape[axis];
}

tn_status tni_index_walk_init(tni_index_walk *walk, tni_indexing *form, bool checks) {
    walk->form = form;
    walk->loops = tni_loops_level()->moves;
    walk->offsets = NULL;
    arrange_axes(walk);
    if (walk->outer_count > 1) {
        size_t bytes = (size_t)form->index_count * sizeof(int64_t);
        walk->offsets = tni_malloc(bytes);
        if (!walk->offsets) return tni_fail_no_memory((int64_t)bytes);
        tn_status status = resolve_all(walk, walk->offsets);
        if (status != TN_OK) tni_free(walk->offsets);
        return status;
    }
    bool is_empty = walk->outer_count == 0 || walk->run_bytes == 0;
    return (checks || is_empty) && form->mode == TN_INDEX_RAISE ? resolve_all(walk, NULL) : TN_OK;
}

void tni_index_walk_deinit(tni_index_walk *walk) {
    tni_free(walk->offsets);
}

void tni_index_walk_seek(const tni_index_walk *walk, int64_t outer, char **array, char **dense) {
    const tni_indexing *form = walk->form;
    char *a = form->array, *d = form->dense;
    for (int axis = form->outer_ndim - 1; axis >= 0 && outer; axis--) {
        int64_t at = axis ? outer % form->shape[axis] : outer;
        outer = axis ? outer / form->shape[axis] : 0;
        a += at * form->array_strides[axis];
        d += at * form->dense_strides[axis];
    }
    *array = a;
    *dense = d;
}

const int64_t *tni_index_walk_offsets(const tni_index_walk *walk, int64_t begin, int64_t count,
                                      int64_t *block) {
    if (walk->offsets) return walk->offsets + begin;
    return resolve(walk, block, begin, count) ? NULL : block;
}
