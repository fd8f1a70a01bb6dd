/* Walks over axes, one position after the other. */
#include "backend/host/forms/walk.h"

void tni_walk_start(tni_walk *walk, int ndim, const int64_t *shape, const int64_t *first,
                    const int64_t *second, int64_t position) {
    walk->ndim = ndim;
    walk->shape = shape;
    walk->strides[0] = first;
    walk->strides[1] = second;
    walk->offsets[0] = walk->offsets[1] = 0;
    for (int axis = ndim - 1; axis >= 0; axis--) {
        int64_t index = axis > 0 && position ? position % shape[axis] : position;
        if (axis > 0) position = position ? position / shape[axis] : 0;
        walk->index[axis] = index;
        walk->offsets[0] += index * first[axis];
        if (second) walk->offsets[1] += index * second[axis];
    }
}

void tni_walk_next(tni_walk *walk) {
    for (int axis = walk->ndim - 1; axis >= 0; axis--) {
        const int64_t *second = walk->strides[1];
        walk->offsets[0] += walk->strides[0][axis];
        if (second) walk->offsets[1] += second[axis];
        if (++walk->index[axis] < walk->shape[axis]) return;
        walk->index[axis] = 0;
        walk->offsets[0] -= walk->strides[0][axis] * walk->shape[axis];
        if (second) walk->offsets[1] -= second[axis] * walk->shape[axis];
    }
}
