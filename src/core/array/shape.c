/* Arithmetic on shapes, strides and axes: sizes that fit, broadcasting, axis checks. */
#include "core/array/shape.h"

#include "core/array/array.h"

#include <stdio.h>
#include <string.h>

tn_status tni_fail_too_big(void) {
    TNI_FAIL(TN_ERROR_VALUE, "array is too big; `arr.size * arr.dtype.itemsize` is larger than the "
                             "maximum possible size.");
}

tn_status tni_shape_size(int64_t *size, int ndim, const int64_t *shape, int64_t item_bytes) {
    if (ndim < 0 || ndim > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE,
                 "maximum supported dimension for an ndarray is currently %d, found %d",
                 TN_MAX_NDIM, ndim);
    int64_t product = 1;
    bool empty = false, overflow = false;
    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] < 0) TNI_FAIL(TN_ERROR_VALUE, "negative dimensions are not allowed");
        if (shape[axis] == 0)
            empty = true;
        else
            overflow |= __builtin_mul_overflow(product, shape[axis], &product);
    }
    int64_t bytes;
    overflow |= __builtin_mul_overflow(product, item_bytes, &bytes);
    if (overflow) return tni_fail_too_big();
    *size = empty ? 0 : product;
    return TN_OK;
}

void tni_strides_make(int64_t *strides, int ndim, const int64_t *shape, int64_t item_bytes,
                      tn_order order) {
    int64_t stride = item_bytes;
    for (int k = 0; k < ndim; k++) {
        int axis = order == TN_ORDER_F ? k : ndim - 1 - k;
        strides[axis] = stride;
        if (shape[axis] > 1) stride *= shape[axis];
    }
}

tn_status tn_axis_check(int *axis, int ndim) {
    if (*axis < -ndim || *axis >= ndim)
        TNI_FAIL(TN_ERROR_AXIS, "axis %d is out of bounds for array of dimension %d", *axis, ndim);
    if (*axis < 0) *axis += ndim;
    return TN_OK;
}

tn_status tni_axes_check(uint64_t *set, int count, const int *axes, int ndim) {
    *set = 0;
    for (int k = 0; k < count; k++) {
        int axis = axes[k];
        TNI_TRY(tn_axis_check(&axis, ndim));
        if (*set >> axis & 1) TNI_FAIL(TN_ERROR_VALUE, "duplicate value in 'axis'");
        *set |= UINT64_C(1) << axis;
    }
    return TN_OK;
}

static tn_status fail_broadcast(int count, const int *ndims, const int64_t *const *shapes) {
    char text[TNI_SHAPE_TEXT], all[768];
    size_t used = 0;
    all[0] = '\0';
    for (int k = 0; k < count && used < sizeof all; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s ",
                                 tni_shape_text(text, ndims[k], shapes[k]));
    return tni_fail(TN_ERROR_VALUE, "operands could not be broadcast together with shapes %s", all);
}

tn_status tn_shape_broadcast(int *ndim, int64_t *shape, int count, const int *ndims,
                             const int64_t *const *shapes) {
    int widest = 0;
    int64_t result[TN_MAX_NDIM];
    for (int k = 0; k < count; k++)
        if (ndims[k] > widest) widest = ndims[k];
    for (int axis = 0; axis < widest; axis++)
        result[axis] = 1;
    for (int k = 0; k < count; k++)
        for (int axis = 0; axis < ndims[k]; axis++) {
            int64_t size = shapes[k][axis], *at = &result[widest - ndims[k] + axis];
            if (size == 1 || size == *at) continue;
            if (*at != 1) return fail_broadcast(count, ndims, shapes);
            *at = size;
        }
    memcpy(shape, result, sizeof *shape * (size_t)widest);
    *ndim = widest;
    return TN_OK;
}
