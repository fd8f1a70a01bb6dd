/* The description of an element-wise call for the backend: shape and strides of its arguments.
 *
 * The common call (same shapes, all contiguous) is described as one dimension without looking at
 * strides. */
#ifndef TNI_SUBMIT_H
#define TNI_SUBMIT_H

#include "core/array/array.h"
#include "forms/elementwise.h"

static inline bool tni_is_same_shape(const tn_array *array, int ndim, const int64_t *shape) {
    if (array->ndim != ndim) return false;
    for (int axis = 0; axis < ndim; axis++)
        if (tni_shape(array)[axis] != shape[axis]) return false;
    return true;
}

/* Whether all arguments (NULL: a scalar) have the shape, and lie contiguous in one common order. */
static inline bool tni_is_flat(int count, const tn_array *const *arrays, int ndim,
                               const int64_t *shape) {
    uint8_t common = TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS;
    for (int k = 0; k < count; k++) {
        if (!arrays[k]) continue;
        if (!tni_is_same_shape(arrays[k], ndim, shape)) return false;
        common &= arrays[k]->flags;
    }
    return common != 0;
}

/* The description of arguments that do not lie as tni_is_flat() says. */
void tni_submit_describe_strided(tni_elementwise *call, int count, const tn_array *const *arrays,
                                 int ndim, const int64_t *shape);

/* Shape and strides of a call whose `size` is set; `data` of arguments that are arrays is the
 * address of their first element already. */
static inline void tni_submit_describe(tni_elementwise *call, int count,
                                       const tn_array *const *arrays, int ndim,
                                       const int64_t *shape) {
    if (!tni_is_flat(count, arrays, ndim, shape)) {
        tni_submit_describe_strided(call, count, arrays, ndim, shape);
        return;
    }
    call->ndim = call->size == 1 ? 0 : 1;
    call->shape[0] = call->size;
    for (int k = 0; k < count; k++)
        call->arguments[k].strides[0] = arrays[k] ? tni_dtype_size(arrays[k]->dtype) : 0;
}

#endif
