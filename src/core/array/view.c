/* Views: the same buffer under another shape. Each function computes a new shape, strides and
 * offset and hands them to tni_array_make(). (Reshaping may have to copy: core/move/reshape.c.) */
#include "core/array/view.h"

#include "core/array/array.h"
#include "core/array/shape.h"

#include <string.h>

static tn_status make_view(tn_array **result, const tn_array *of, int64_t offset, tn_dtype dtype,
                           int ndim, const int64_t *shape, const int64_t *strides) {
    return tni_array_make(result, of->buffer, offset, dtype, ndim, shape, strides,
                          of->flags & TNI_WRITEABLE);
}

int tni_array_squeezed(int64_t *shape, int64_t *strides, const tn_array *array) {
    int ndim = 0;
    for (int axis = 0; axis < array->ndim; axis++) {
        if (tni_shape(array)[axis] == 1) continue;
        shape[ndim] = tni_shape(array)[axis];
        strides[ndim++] = tni_strides(array)[axis];
    }
    return ndim;
}

/* --- axes --- */

tn_status tn_array_transpose(tn_array **result, const tn_array *array, int count, const int *axes) {
    int ndim = array->ndim;
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    uint64_t seen = 0;
    if (axes && count != ndim) TNI_FAIL(TN_ERROR_VALUE, "axes don't match array");
    for (int k = 0; k < ndim; k++) {
        int axis = axes ? axes[k] : ndim - 1 - k;
        TNI_TRY(tn_axis_check(&axis, ndim));
        if (seen >> axis & 1) TNI_FAIL(TN_ERROR_VALUE, "repeated axis in transpose");
        seen |= UINT64_C(1) << axis;
        shape[k] = tni_shape(array)[axis];
        strides[k] = tni_strides(array)[axis];
    }
    return make_view(result, array, array->offset, array->dtype, ndim, shape, strides);
}

bool tni_array_is_broadcastable(const tn_array *array, int ndim, const int64_t *shape) {
    int added = ndim - array->ndim;
    for (int axis = 0; axis < array->ndim; axis++) {
        int64_t own = tni_shape(array)[axis];
        if (own != 1 && (added + axis < 0 || own != shape[added + axis])) return false;
    }
    return true;
}

void tni_strides_broadcast(int64_t *strides, const tn_array *array, int ndim) {
    int added = ndim - array->ndim;
    const int64_t *shape = tni_shape(array), *own = tni_strides(array);
    for (int axis = 0; axis < ndim; axis++)
        strides[axis] = axis < added || shape[axis - added] == 1 ? 0 : own[axis - added];
}

tn_status tni_array_spread(tn_array **result, const tn_array *array, int ndim,
                           const int64_t *shape) {
    int64_t strides[TN_MAX_NDIM];
    if (!tni_array_is_broadcastable(array, ndim, shape)) return TN_ERROR_VALUE;
    tni_strides_broadcast(strides, array, ndim);
    return tni_array_make(result, array->buffer, array->offset, array->dtype, ndim, shape, strides,
                          false);
}

tn_status tn_array_broadcast_to(tn_array **result, const tn_array *array, int ndim,
                                const int64_t *shape) {
    int64_t size;
    TNI_TRY(tni_shape_size(&size, ndim, shape, tn_dtype_size(array->dtype)));
    if (array->ndim > ndim || !tni_array_is_broadcastable(array, ndim, shape)) {
        char from[TNI_SHAPE_TEXT], to[TNI_SHAPE_TEXT];
        TNI_FAIL(TN_ERROR_VALUE,
                 "operands could not be broadcast together with remapped shapes "
                 "[original->remapped]: %s and requested shape %s",
                 tni_shape_text(from, array->ndim, tni_shape(array)),
                 tni_shape_text(to, ndim, shape));
    }
    return tni_array_spread(result, array, ndim, shape);
}

/* As in NumPy, an array without axes has an axis 0 and -1 to leave out. */
tn_status tn_array_squeeze(tn_array **result, const tn_array *array, int count, const int *axes) {
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    uint64_t set = 0;
    int ndim = 0;
    bool is_lone = axes && count == 1 && array->ndim == 0 && (axes[0] == 0 || axes[0] == -1);
    if (axes && !is_lone) TNI_TRY(tni_axes_check(&set, count, axes, array->ndim));
    for (int axis = 0; axis < array->ndim; axis++) {
        int64_t size = tni_shape(array)[axis];
        if (axes && set >> axis & 1 && size != 1)
            TNI_FAIL(TN_ERROR_VALUE,
                     "cannot select an axis to squeeze out which has size not equal to one");
        if (axes ? set >> axis & 1 : size == 1) continue;
        shape[ndim] = size;
        strides[ndim++] = tni_strides(array)[axis];
    }
    return make_view(result, array, array->offset, array->dtype, ndim, shape, strides);
}

tn_status tn_array_expand_dims(tn_array **result, const tn_array *array, int count,
                               const int *axes) {
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    uint64_t set;
    int ndim = array->ndim + count;
    if (ndim > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE,
                 "maximum supported dimension for an ndarray is currently %d, found %d",
                 TN_MAX_NDIM, ndim);
    TNI_TRY(tni_axes_check(&set, count, axes, ndim));
    for (int axis = 0, from = 0; axis < ndim; axis++) {
        bool inserted = set >> axis & 1;
        shape[axis] = inserted ? 1 : tni_shape(array)[from];
        strides[axis] = inserted ? 0 : tni_strides(array)[from];
        from += !inserted;
    }
    return make_view(result, array, array->offset, array->dtype, ndim, shape, strides);
}

tn_status tn_array_diagonal(tn_array **result, const tn_array *array, int64_t offset, int axis1,
                            int axis2) {
    if (array->ndim < 2)
        TNI_FAIL(TN_ERROR_VALUE, "diag requires an array of at least two dimensions");
    TNI_TRY(tn_axis_check(&axis1, array->ndim));
    TNI_TRY(tn_axis_check(&axis2, array->ndim));
    if (axis1 == axis2) TNI_FAIL(TN_ERROR_VALUE, "axis1 and axis2 cannot be the same");
    const int64_t *old_shape = tni_shape(array), *old_strides = tni_strides(array);
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    int64_t rows = old_shape[axis1], columns = old_shape[axis2], start = array->offset;
    if (offset >= 0)
        columns -= offset < columns ? offset : columns;
    else
        rows -= offset > -rows ? -offset : rows; /* INT64_MIN has no opposite */
    int64_t length = rows < columns ? rows : columns;
    if (length > 0)
        start += offset >= 0 ? offset * old_strides[axis2] : -offset * old_strides[axis1];
    int ndim = 0;
    for (int axis = 0; axis < array->ndim; axis++) {
        if (axis == axis1 || axis == axis2) continue;
        shape[ndim] = old_shape[axis];
        strides[ndim++] = old_strides[axis];
    }
    shape[ndim] = length;
    strides[ndim++] = old_strides[axis1] + old_strides[axis2];
    return make_view(result, array, start, array->dtype, ndim, shape, strides);
}

/* --- elements seen differently --- */

tn_status tn_array_view_as(tn_array **result, const tn_array *array, tn_dtype dtype) {
    int64_t from = tn_dtype_size(array->dtype), to = tn_dtype_size(dtype);
    if (to == 0) TNI_FAIL(TN_ERROR_TYPE, "invalid dtype %d", (int)dtype);
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    int ndim = array->ndim, last = ndim - 1;
    memcpy(shape, tni_shape(array), sizeof *shape * (size_t)ndim);
    memcpy(strides, tni_strides(array), sizeof *strides * (size_t)ndim);
    if (from != to) {
        if (ndim == 0)
            TNI_FAIL(
                TN_ERROR_VALUE,
                "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
        if (strides[last] != from && shape[last] != 1 && array->size != 0)
            TNI_FAIL(TN_ERROR_VALUE,
                     "To change to a dtype of a different size, the last axis must be "
                     "contiguous");
        if (shape[last] * from % to != 0)
            TNI_FAIL(TN_ERROR_VALUE,
                     "When changing to a %s dtype, its size must be a divisor of the "
                     "total size in bytes of the last axis of the array.",
                     to > from ? "larger" : "smaller");
        shape[last] = shape[last] * from / to;
        strides[last] = to;
    }
    return make_view(result, array, array->offset, dtype, ndim, shape, strides);
}

tn_status tn_array_part(tn_array **result, const tn_array *array, bool imaginary) {
    tn_dtype real = tn_dtype_real(array->dtype);
    if (real == array->dtype && imaginary)
        TNI_FAIL(TN_ERROR_TYPE, "the imaginary part of a %s array is not a view",
                 tn_dtype_name(array->dtype));
    return make_view(result, array, array->offset + (imaginary ? tn_dtype_size(real) : 0), real,
                     array->ndim, tni_shape(array), tni_strides(array));
}

/* --- basic indexing --- */

/* Python's rules: bounds clip to the axis, negative ones count from its end. */
static int64_t clip_bound(int64_t bound, int64_t size, int64_t step) {
    if (bound < 0) {
        bound += size;
        if (bound < 0) bound = step < 0 ? -1 : 0;
    } else if (bound >= size) {
        bound = step < 0 ? size - 1 : size;
    }
    return bound;
}

static tn_status slice_axis(const tn_index *item, int64_t size, int64_t *start, int64_t *length,
                            int64_t *step) {
    *step = item->step;
    if (*step == 0) TNI_FAIL(TN_ERROR_VALUE, "slice step cannot be zero");
    if (*step < -INT64_MAX) *step = -INT64_MAX;
    int64_t stop = *step < 0 ? -1 : size;
    *start = *step < 0 ? size - 1 : 0;
    if (item->has_start) *start = clip_bound(item->start, size, *step);
    if (item->has_stop) stop = clip_bound(item->stop, size, *step);
    if (*step > 0)
        *length = *start < stop ? (stop - *start - 1) / *step + 1 : 0;
    else
        *length = stop < *start ? (*start - stop - 1) / -*step + 1 : 0;
    return TN_OK;
}

static tn_status check_items(const tn_array *array, int count, const tn_index *items, int *used,
                             bool *ellipsis, int *ndim) {
    int new_axes = 0, integers = 0;
    *used = 0;
    *ellipsis = false;
    for (int k = 0; k < count; k++) {
        if (items[k].kind == TN_INDEX_ELLIPSIS) {
            if (*ellipsis)
                TNI_FAIL(TN_ERROR_INDEX, "an index can only have a single ellipsis ('...')");
            *ellipsis = true;
        } else if (items[k].kind == TN_INDEX_NEWAXIS) {
            new_axes++;
        } else {
            ++*used;
            integers += items[k].kind == TN_INDEX_INTEGER;
        }
    }
    if (*used > array->ndim)
        TNI_FAIL(TN_ERROR_INDEX,
                 "too many indices for array: array is %d-dimensional, but %d were indexed",
                 array->ndim, *used);
    *ndim = array->ndim - integers + new_axes;
    if (*ndim > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_INDEX,
                 "number of dimensions must be within [0, %d], indexing result would "
                 "have %d",
                 TN_MAX_NDIM, *ndim);
    return TN_OK;
}

/* An integer along the first axis, which iteration asks for again and again. */
static tn_status slice_first(tn_array **result, const tn_array *array, int64_t at) {
    const int64_t size = tni_shape(array)[0];
    if (at < -size || at >= size)
        TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis 0 with size %lld",
                 (long long)at, (long long)size);
    const int64_t offset = (at < 0 ? at + size : at) * tni_strides(array)[0];
    return make_view(result, array, array->offset + offset, array->dtype, array->ndim - 1,
                     tni_shape(array) + 1, tni_strides(array) + 1);
}

tn_status tn_array_slice(tn_array **result, const tn_array *array, int count,
                         const tn_index *items) {
    if (count == 1 && items->kind == TN_INDEX_INTEGER && array->ndim > 0)
        return slice_first(result, array, items->start);
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM], offset = array->offset;
    const int64_t *old_shape = tni_shape(array), *old_strides = tni_strides(array);
    int used, final_ndim, ndim = 0, axis = 0;
    bool has_ellipsis;
    TNI_TRY(check_items(array, count, items, &used, &has_ellipsis, &final_ndim));
    int skipped = array->ndim - used; /* axes that the ellipsis (or the end) stands for */
    for (int k = 0; k <= count; k++) {
        bool rest = k == count ? !has_ellipsis : items[k].kind == TN_INDEX_ELLIPSIS;
        if (rest) {
            for (int n = 0; n < skipped; n++, axis++) {
                shape[ndim] = old_shape[axis];
                strides[ndim++] = old_strides[axis];
            }
        }
        if (rest || k == count) continue;
        if (items[k].kind == TN_INDEX_NEWAXIS) {
            shape[ndim] = 1;
            strides[ndim++] = 0;
        } else if (items[k].kind == TN_INDEX_INTEGER) {
            int64_t at = items[k].start, size = old_shape[axis];
            if (at < -size || at >= size)
                TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                         (long long)at, axis, (long long)size);
            offset += (at < 0 ? at + size : at) * old_strides[axis++];
        } else {
            int64_t start, length, step;
            TNI_TRY(slice_axis(&items[k], old_shape[axis], &start, &length, &step));
            if (length > 0) offset += start * old_strides[axis];
            shape[ndim] = length;
            strides[ndim] = length > 0 ? step * old_strides[axis] : old_strides[axis];
            ndim++;
            axis++;
        }
    }
    return make_view(result, array, offset, array->dtype, ndim, shape, strides);
}
