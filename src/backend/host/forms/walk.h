/* Walks: the positions of some axes in C order, as byte offsets of two operands; and kept axes put
 * in the order in which a walk is fast. */
#ifndef TNI_HOST_FORMS_WALK_H
#define TNI_HOST_FORMS_WALK_H

#include <tenorite/status.h>

#include <tenorite/array.h>

typedef struct tni_walk {
    int ndim;
    const int64_t *shape, *strides[2];
    int64_t offsets[2];
    int64_t index[TN_MAX_NDIM];
} tni_walk;

/* Strides of the second operand may be NULL. */
void tni_walk_start(tni_walk *walk, int ndim, const int64_t *shape, const int64_t *first,
                    const int64_t *second, int64_t position);
void tni_walk_next(tni_walk *walk);

/* --- Axes --- */

static inline int64_t tni_magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

/* Whether a kept axis of the input belongs outside another: it is slower, or all elements along it
 * are the same. Core has kept axes as the output lies. */
static inline bool tni_is_outside(int64_t outer, int64_t inner) {
    return outer == 0 || (inner != 0 && tni_magnitude(outer) >= tni_magnitude(inner));
}

/* Exchanges values[at] with the one before. */
static inline void tni_swap(int64_t *values, int at) {
    int64_t value = values[at];
    values[at] = values[at - 1];
    values[at - 1] = value;
}

/* Whether the kept axes stand as the input lies in memory, the fastest last. */
static inline bool tni_axes_are_sorted(int ndim, const int64_t *input) {
    for (int axis = 1; axis < ndim; axis++)
        if (!tni_is_outside(input[axis - 1], input[axis])) return false;
    return true;
}

/* Sorts them so; lists[0] has the input's strides, the others (NULL: none) go along. */
static inline void tni_axes_sort(int ndim, int count, int64_t *const *lists) {
    for (int axis = 1; axis < ndim; axis++)
        for (int at = axis; at > 0 && !tni_is_outside(lists[0][at - 1], lists[0][at]); at--)
            for (int k = 0; k < count; k++)
                if (lists[k]) tni_swap(lists[k], at);
}

#endif
