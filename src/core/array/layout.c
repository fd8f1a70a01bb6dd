/* Collapsing a shape that several operands share. Three passes over at most 64 axes: drop axes of
 * size 1 and flip those that all operands walk backwards; sort by strides (insertion sort, stable:
 * the input is nearly always sorted); merge neighbours where the outer stride is the inner stride
 * times the inner size, for every operand. */
#include "core/array/layout.h"

static int64_t magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

/* The operands' wish for two axes: 1 to keep their order (one operand suffices), -1 to swap them,
 * 0 none, as with strides of 0. */
static int wish(int count, const int64_t *const *strides, int outer, int inner) {
    int wanted = 0;
    for (int k = 0; k < count; k++) {
        int64_t a = magnitude(strides[k][outer]), b = magnitude(strides[k][inner]);
        if (a == 0 || b == 0) continue;
        if (a >= b) return 1;
        wanted = -1;
    }
    return wanted;
}

static void swap_axes(int64_t *shape, int count, int64_t *const *strides, int a, int b) {
    int64_t size = shape[a];
    shape[a] = shape[b];
    shape[b] = size;
    for (int k = 0; k < count; k++) {
        int64_t stride = strides[k][a];
        strides[k][a] = strides[k][b];
        strides[k][b] = stride;
    }
}

static void flip(int axis, const int64_t *shape, int count, int64_t *const *strides,
                 int64_t *offsets) {
    for (int k = 0; k < count; k++)
        if (strides[k][axis] > 0) return;
    for (int k = 0; k < count; k++) {
        offsets[k] += strides[k][axis] * (shape[axis] - 1);
        strides[k][axis] = -strides[k][axis];
    }
}

static int can_merge(int outer, int inner, const int64_t *shape, int count,
                     int64_t *const *strides) {
    for (int k = 0; k < count; k++)
        if (strides[k][outer] != strides[k][inner] * shape[inner]) return 0;
    return 1;
}

int tni_layout_collapse(int ndim, int64_t *shape, int count, int64_t *const *strides,
                        int64_t *offsets, bool reorder) {
    int kept = 0;
    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] == 1) continue;
        if (kept != axis) {
            shape[kept] = shape[axis];
            for (int k = 0; k < count; k++)
                strides[k][kept] = strides[k][axis];
        }
        if (reorder && offsets) flip(kept, shape, count, strides, offsets);
        kept++;
    }
    if (reorder)
        for (int axis = 1; axis < kept; axis++)
            for (int at = axis;
                 at > 0 && wish(count, (const int64_t *const *)strides, at - 1, at) < 0; at--)
                swap_axes(shape, count, strides, at - 1, at);
    if (kept < 2) return kept;
    int last = 0; /* the merged axes so far end here */
    for (int axis = 1; axis < kept; axis++) {
        if (can_merge(last, axis, shape, count, strides)) {
            shape[last] *= shape[axis];
            for (int k = 0; k < count; k++)
                strides[k][last] = strides[k][axis];
        } else if (++last != axis) {
            shape[last] = shape[axis];
            for (int k = 0; k < count; k++)
                strides[k][last] = strides[k][axis];
        }
    }
    return last + 1;
}

/* NumPy's insertion sort, from the last axis on: an axis moves inwards past axes without a
 * wish only if one after them is to be swapped with it. */
void tni_layout_order(int *order, int ndim, int count, const int64_t *const *strides) {
    for (int axis = ndim - 1; axis >= 0; axis--) {
        int to = axis;
        for (int at = axis + 1; at < ndim; at++) {
            int wanted = wish(count, strides, axis, order[at]);
            if (wanted > 0) break;
            if (wanted < 0) to = at;
        }
        for (int at = axis; at < to; at++)
            order[at] = order[at + 1];
        order[to] = axis;
    }
}

void tni_layout_order_like(int *order, int ndim, const int64_t *strides) {
    for (int axis = 0; axis < ndim; axis++) {
        int at = axis;
        for (; at > 0 && magnitude(strides[order[at - 1]]) < magnitude(strides[axis]); at--)
            order[at] = order[at - 1];
        order[at] = axis;
    }
}
