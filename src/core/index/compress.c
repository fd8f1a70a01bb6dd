/* Reading and writing by a mask.
 *
 * A mask of the array's own shape is a form of its own: blocks of the mask are counted, and every
 * block moves its elements to (from) its place in order C. A mask of fewer axes becomes the indices
 * of its true elements along those axes merged into one, and is taken or put. So does any mask of
 * elements that are only stored. */
#include "core/index/index.h"
#include "core/index/nonzero.h"
#include "forms/mask.h"

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/elementwise/operands.h"
#include "core/index/put.h"

#include <string.h>

/* An axis of a mask without elements fits any: NumPy has it so. */
static tn_status check_mask(const tn_array *array, const tn_array *mask, int axis) {
    if (mask->dtype != TN_B8)
        TNI_FAIL(TN_ERROR_TYPE, "a mask must have dtype bool, not %s", tn_dtype_name(mask->dtype));
    if (axis < 0 || axis + mask->ndim > array->ndim)
        TNI_FAIL(TN_ERROR_INDEX,
                 "too many indices for array: array is %d-dimensional, but %d were indexed",
                 array->ndim, axis + mask->ndim);
    for (int k = 0; k < mask->ndim; k++) {
        int64_t size = tni_shape(array)[axis + k], mask_size = tni_shape(mask)[k];
        if (mask_size && size != mask_size)
            TNI_FAIL(TN_ERROR_INDEX,
                     "boolean index did not match indexed array along axis %d; size of axis is "
                     "%lld but size of corresponding boolean axis is %lld",
                     axis + k, (long long)size, (long long)mask_size);
    }
    return TN_OK;
}

/* The array's axes in order C, as few as its strides allow. */
static int collapse(int64_t *shape, int64_t *strides, const tn_array *array) {
    memcpy(shape, tni_shape(array), (size_t)array->ndim * sizeof *shape);
    memcpy(strides, tni_strides(array), (size_t)array->ndim * sizeof *strides);
    int64_t *operands[1] = {strides};
    return tni_layout_collapse(array->ndim, shape, 1, operands, NULL, false);
}

/* A view with `count` axes from `axis` on merged into one (count 0: with one of size 1 inserted),
 * or NULL in *result if strides do not allow it. */
static tn_status merge_axes(tn_array **result, const tn_array *array, int axis, int count) {
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM], stride, size = 1;
    int after = array->ndim - axis - count;
    *result = NULL;
    if (axis + 1 + after > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_INDEX, "a mask without axes can not index an array of %d dimensions",
                 array->ndim);
    if (!tni_index_stride(&stride, count, tni_shape(array) + axis, tni_strides(array) + axis))
        return TN_OK;
    for (int k = 0; k < count; k++)
        size *= tni_shape(array)[axis + k];
    memcpy(shape, tni_shape(array), (size_t)axis * sizeof *shape);
    memcpy(strides, tni_strides(array), (size_t)axis * sizeof *shape);
    shape[axis] = size;
    strides[axis] = stride;
    memcpy(shape + axis + 1, tni_shape(array) + axis + count, (size_t)after * sizeof *shape);
    memcpy(strides + axis + 1, tni_strides(array) + axis + count, (size_t)after * sizeof *shape);
    return tni_array_make(result, array->buffer, array->offset, array->dtype, axis + 1 + after,
                          shape, strides, tn_array_is_writeable(array));
}

/* The same of any array; *copy is the copy that had to be made for the view, else NULL. */
static tn_status merge_or_copy(tn_array **result, tn_array **copy, const tn_array *array, int axis,
                               int count, tn_stream *stream) {
    *copy = NULL;
    TNI_TRY(merge_axes(result, array, axis, count));
    if (*result) return TN_OK;
    TNI_TRY(tn_array_astype(copy, array, array->dtype, TN_ORDER_C, TN_CASTING_NO, TN_COPY_ALWAYS,
                            stream));
    return merge_axes(result, *copy, axis, count);
}

static tn_status queue_compress(tni_compress *call, const tn_array *made, const tn_array *array,
                                tn_stream *stream) {
    tni_operands operands;
    void *from, *to;
    tn_status status;
    tni_operands_init(&operands, stream);
    operands.only_moves = true;
    TNI_TRY_OWNING(tni_operand_open(&from, &array, TNI_READ, &operands));
    TNI_TRY_OWNING(tni_operand_open(&to, &made, TNI_WRITE, &operands));
    call->item_bytes = tn_dtype_size(array->dtype);
    call->ndim = collapse(call->shape, call->strides, array);
    call->from = from;
    call->to = to;
    status = tni_queue_compress(call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* The mask covers every axis: the form. */
static tn_status compress_all(tn_array **result, const tn_array *array, const tn_array *mask,
                              tn_stream *stream) {
    tni_counted counted;
    TNI_TRY(tni_counted_init(&counted, mask, true, stream));
    tn_array *made = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_array_new(&made, array->dtype, 1, &counted.total, TN_ORDER_C, stream));
    if (counted.total > 0) {
        tni_compress call;
        call.mask = counted.mask;
        TNI_TRY_OWNING(queue_compress(&call, made, array, stream));
    }
    *result = made;
    made = NULL;
cleanup:
    tn_array_release(made);
    tni_counted_deinit(&counted);
    return status;
}

tn_status tn_array_compress(tn_array **result, const tn_array *array, const tn_array *mask,
                            int axis, tn_stream *stream) {
    tn_device device;
    const tn_array *arrays[] = {array, mask};
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(check_mask(array, mask, axis));
    if (mask->ndim == array->ndim && !tn_dtype_is_stored(array->dtype))
        return compress_all(result, array, mask, stream);

    tn_array *merged = NULL, *copy = NULL, *indices = NULL, *made = NULL;
    tn_status status;
    TNI_TRY_OWNING(merge_or_copy(&merged, &copy, array, axis, mask->ndim, stream));
    TNI_TRY_OWNING(tn_array_flatnonzero(&indices, mask, stream));
    TNI_TRY_OWNING(tn_array_take(&made, merged, indices, axis, TN_INDEX_RAISE, stream));
    *result = made;
cleanup:
    tn_array_release(indices);
    tn_array_release(merged);
    tn_array_release(copy);
    return status;
}

/* A value for every true element has to be counted out; one for all does not. */
static tn_status check_values(const tn_array *values, int64_t total) {
    int ndim = values->ndim;
    const int64_t *shape = tni_shape(values);
    char text[TNI_SHAPE_TEXT];
    while (ndim > 1 && shape[values->ndim - ndim] == 1)
        ndim--;
    if (ndim > 1)
        TNI_FAIL(TN_ERROR_VALUE,
                 "shape mismatch: value array of shape %s could not be broadcast to indexing "
                 "result of shape (%lld,)",
                 tni_shape_text(text, values->ndim, shape), (long long)total);
    if (values->size != 1 && values->size != total)
        TNI_FAIL(TN_ERROR_VALUE,
                 "NumPy boolean array indexing assignment cannot assign %lld input values to the "
                 "%lld output values where the mask is true",
                 (long long)values->size, (long long)total);
    return TN_OK;
}

/* One value for all: the order of elements does not matter, so array and mask are walked in the
 * order of the array's memory. */
static tn_status reorder_axes(tn_array **to_view, tn_array **mask_view, const tn_array *to,
                              const tn_array *mask) {
    int axes[TN_MAX_NDIM];
    const int64_t *strides = tni_strides(to);
    tni_layout_order(axes, to->ndim, 1, &strides);
    TNI_TRY(tn_array_transpose(to_view, to, to->ndim, axes));
    return tn_array_transpose(mask_view, mask, to->ndim, axes);
}

/* `values` is one element or one axis; NULL: the value is in the call. */
static tn_status queue_expand(tni_expand *call, const tn_array *to, const tn_array *values,
                              tn_stream *stream) {
    tni_operands operands;
    void *from = NULL, *target;
    tn_status status;
    tni_operands_init(&operands, stream);
    operands.only_moves = true;
    if (values) TNI_TRY_OWNING(tni_operand_open(&from, &values, TNI_READ, &operands));
    TNI_TRY_OWNING(tni_operand_open(&target, &to, TNI_READ_WRITE, &operands));
    call->item_bytes = tn_dtype_size(to->dtype);
    call->ndim = collapse(call->shape, call->strides, to);
    call->values = from;
    call->values_stride = values && call->mask.offsets ? tni_strides(values)[0] : 0;
    call->to = target;
    status = tni_queue_expand(call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* to[mask] = one value: nothing is counted. `values` NULL: it is in the call. */
static tn_status expand_one(tni_expand *call, tn_array *to, const tn_array *mask,
                            const tn_array *values, tn_stream *stream) {
    tn_array *to_view = NULL, *mask_view = NULL, *data = NULL;
    tn_status status;
    TNI_TRY_OWNING(reorder_axes(&to_view, &mask_view, to, mask));
    bool overlaps = tni_array_overlap(to, mask) != TNI_OVERLAP_NONE;
    TNI_TRY_OWNING(tn_array_astype(&data, mask_view, TN_B8, TN_ORDER_C, TN_CASTING_NO,
                                   overlaps ? TN_COPY_ALWAYS : TN_COPY_IF_NEEDED, stream));
    void *address;
    TNI_TRY_OWNING(tni_array_access(&address, data, TNI_READ, stream));
    call->mask = (tni_mask){address, data->size, NULL};
    status = queue_expand(call, to_view, values, stream);
cleanup:
    tn_array_release(data);
    tn_array_release(mask_view);
    tn_array_release(to_view);
    return status;
}

/* to[mask] = a value for each. */
static tn_status expand_many(tni_expand *call, tn_array *to, const tn_array *mask,
                             const tn_array *values, tn_stream *stream) {
    tni_counted counted;
    tn_array *own = NULL, *ready = NULL;
    tn_status status;
    if (tni_array_overlap(to, mask) != TNI_OVERLAP_NONE)
        TNI_TRY(
            tn_array_astype(&own, mask, TN_B8, TN_ORDER_C, TN_CASTING_NO, TN_COPY_ALWAYS, stream));
    status = tni_counted_init(&counted, own ? own : mask, true, stream);
    tn_array_release(own);
    TNI_TRY(status);
    TNI_TRY_OWNING(check_values(values, counted.total));
    if (counted.total == 0) goto cleanup;
    TNI_TRY_OWNING(tni_index_values(&ready, values, to, 1, &counted.total, stream));
    call->mask = counted.mask;
    status = queue_expand(call, to, ready, stream);
cleanup:
    tn_array_release(ready);
    tni_counted_deinit(&counted);
    return status;
}

static tn_status expand_all(tn_array *to, const tn_array *mask, const tn_operand *values,
                            tn_stream *stream) {
    tni_expand call;
    if (!values->array) {
        TNI_TRY(tn_scalar_convert(call.value, values->scalar, to->dtype));
        return mask->size ? expand_one(&call, to, mask, NULL, stream) : TN_OK;
    }
    if (values->array->size != 1) return expand_many(&call, to, mask, values->array, stream);
    if (mask->size == 0) return TN_OK;
    tn_array *ready;
    TNI_TRY(tni_index_values(&ready, values->array, to, values->array->ndim,
                             tni_shape(values->array), stream));
    tn_status status = expand_one(&call, to, mask, ready, stream);
    tn_array_release(ready);
    return status;
}

/* A mask of fewer axes than the array: put at its indices. */
static tn_status expand_some(tn_array *to, const tn_array *mask, int axis, const tn_operand *values,
                             tn_stream *stream) {
    tn_array *merged = NULL, *copy = NULL, *indices = NULL;
    tn_status status;
    TNI_TRY_OWNING(merge_or_copy(&merged, &copy, to, axis, mask->ndim, stream));
    TNI_TRY_OWNING(tn_array_flatnonzero(&indices, mask, stream));
    TNI_TRY_OWNING(tn_array_put(merged, indices, axis, values, TN_INDEX_RAISE, stream));
    if (copy) status = tn_array_assign(to, copy, TN_CASTING_NO, stream);
cleanup:
    tn_array_release(indices);
    tn_array_release(merged);
    tn_array_release(copy);
    return status;
}

tn_status tn_array_expand(tn_array *to, const tn_array *mask, int axis, const tn_operand *values,
                          tn_stream *stream) {
    TNI_TRY(tni_put_begin(&stream, to, mask, values));
    TNI_TRY(check_mask(to, mask, axis));
    if (mask->ndim == to->ndim && !tn_dtype_is_stored(to->dtype))
        return expand_all(to, mask, values, stream);
    return expand_some(to, mask, axis, values, stream);
}
