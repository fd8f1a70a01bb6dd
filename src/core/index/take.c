/* Taking: result[..., j, ...] = array[..., indices[j], ...].
 *
 * The result is written in place if its index axes are walked by one stride, its dtype is the
 * array's and it overlaps nothing that is read; else a temporary is taken and assigned. A few
 * elements of an array with one axis are moved at once, on a stream that runs at once. */
#include "core/index/take.h"
#include "forms/indexing.h"

#include "backend/backend.h"
#include "core/array/words.h"
#include "core/elementwise/operands.h"

#include <string.h>

static bool can_write_into(const tn_array *to, const tn_array *array, const tn_array *indices,
                           int axis) {
    int64_t stride;
    return to->dtype == array->dtype &&
           tni_index_stride(&stride, indices->ndim, tni_shape(to) + axis, tni_strides(to) + axis) &&
           tni_array_overlap(to, array) == TNI_OVERLAP_NONE &&
           tni_array_overlap(to, indices) == TNI_OVERLAP_NONE;
}

/* Queues the form; `indices` is flat, `to` has the result's shape and fits. Elements of a bad index
 * are left as they were, unless `to` is fresh. */
static tn_status take_into(const tn_array *to, const tn_array *array, const tn_array *indices,
                           int index_ndim, int axis, tni_index_rule rule, bool is_fresh,
                           tn_stream *stream) {
    tni_operands operands;
    void *from, *places, *dense;
    tni_take call;
    tni_words words = {{NULL}};
    tn_status status;
    if (tn_dtype_is_stored(array->dtype)) {
        TNI_TRY(tni_words_open(&words, 2, (const tn_array *[]){to, array}));
        to = words.views[0];
        array = words.views[1];
    }
    tni_operands_init(&operands, stream);
    operands.only_moves = true;
    TNI_TRY_OWNING(tni_operand_open(&from, &array, TNI_READ, &operands));
    TNI_TRY_OWNING(tni_operand_open(&places, &indices, TNI_READ, &operands));
    TNI_TRY_OWNING(tni_operand_open(&dense, &to, is_fresh ? TNI_WRITE : TNI_READ_WRITE, &operands));
    int64_t stride;
    tni_index_stride(&stride, index_ndim, tni_shape(to) + axis, tni_strides(to) + axis);
    tni_indexing_make(&call.form, array, axis, indices, index_ndim, tni_strides(to), stride, rule);
    call.form.array = from;
    call.form.indices = places;
    call.form.dense = dense;
    call.is_fresh = is_fresh;
    status = tni_queue_take(&call, stream);
cleanup:
    status = tni_operands_close(&operands, status);
    tni_words_close(&words);
    return status;
}

static tn_status check_output(const tn_array *to, tn_dtype dtype, int ndim, const int64_t *shape) {
    if (to->ndim != ndim || memcmp(tni_shape(to), shape, (size_t)ndim * sizeof *shape) != 0)
        TNI_FAIL(TN_ERROR_VALUE, "output array does not match result of ndarray.take");
    if (!tn_array_is_writeable(to)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    /* NumPy's rule: it takes into a copy of the output in the array's dtype, then casts that. */
    if (!tn_dtype_can_cast(to->dtype, dtype, TN_CASTING_SAFE))
        TNI_FAIL(TN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule "
                 "'safe'",
                 tn_dtype_name(to->dtype), tn_dtype_name(dtype));
    return TN_OK;
}

/* --- Few elements --- */

enum { FEW = 32 };

static bool are_few(const tn_array *array, const tn_array *indices, const tn_stream *stream) {
    return array->ndim == 1 && indices->ndim <= 1 && indices->size <= FEW &&
           indices->dtype >= TN_I8 && indices->dtype <= TN_U64 && indices->flags & TNI_ALIGNED &&
           stream->is_immediate;
}

/* *result stays NULL where an index is out of bounds. */
static tn_status take_few(tn_array **result, const tn_array *array, const tn_array *indices,
                          tn_stream *stream) {
    const int64_t size = tni_shape(array)[0], item_bytes = tni_dtype_size(array->dtype);
    const int64_t stride = indices->ndim ? tni_strides(indices)[0] : 0;
    int64_t offsets[FEW];
    void *places, *from, *to;
    TNI_TRY(tni_array_access(&places, indices, TNI_READ, stream));
    for (int64_t k = 0; k < indices->size; k++) {
        int64_t at = tni_index_read(indices->dtype, (const char *)places + k * stride);
        if (at < 0) at += size;
        if (at < 0 || at >= size) return TN_OK;
        offsets[k] = at * tni_strides(array)[0];
    }
    tn_array *made;
    TNI_TRY(
        tn_array_new(&made, array->dtype, indices->ndim, tni_shape(indices), TN_ORDER_C, stream));
    tn_status status = tni_array_access(&from, array, TNI_READ, stream);
    if (status == TN_OK) status = tni_array_access(&to, made, TNI_WRITE, stream);
    for (int64_t k = 0; k < indices->size && status == TN_OK; k++)
        tni_element_move((char *)to + k * item_bytes, (const char *)from + offsets[k],
                         array->dtype);
    return tni_array_deliver(result, made, status);
}

/* --- The calls --- */

tn_status tni_take_axis(tn_array **result, const tn_array *array, const tn_array *indices, int axis,
                        tni_index_rule rule, tn_stream *stream) {
    tn_device device;
    const tn_array *arrays[] = {array, indices, *result};
    TNI_TRY(tni_device_common(&device, 3, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(tn_axis_check(&axis, array->ndim));
    if (!*result && rule.mode == TN_INDEX_RAISE && are_few(array, indices, stream)) {
        TNI_TRY(take_few(result, array, indices, stream));
        if (*result) return TN_OK;
    }
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    TNI_TRY(tni_index_shape(&ndim, shape, array, axis, indices->ndim, tni_shape(indices)));
    if (*result) TNI_TRY(check_output(*result, array->dtype, ndim, shape));
    if (rule.mode != TN_INDEX_RAISE && indices->size > 0 && tni_shape(array)[axis] == 0)
        TNI_FAIL(TN_ERROR_INDEX, "cannot do a non-empty take from an empty axes.");

    tn_status status;
    const tn_array *flat = indices;
    tn_array *flattened = NULL, *fresh = NULL;
    if (indices->ndim != 1 || indices->dtype != TN_I64) { /* not flat already */
        TNI_TRY_OWNING(tni_index_flatten(&flattened, indices, stream));
        flat = flattened;
    }
    if (*result && can_write_into(*result, array, indices, axis)) {
        status = take_into(*result, array, flat, indices->ndim, axis, rule, false, stream);
        goto cleanup;
    }
    TNI_TRY_OWNING(tn_array_new(&fresh, array->dtype, ndim, shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(take_into(fresh, array, flat, indices->ndim, axis, rule, !*result, stream));
    if (*result) {
        TNI_TRY_OWNING(tn_array_assign(*result, fresh, TN_CASTING_UNSAFE, stream));
    } else {
        *result = fresh;
        fresh = NULL;
    }
cleanup:
    tn_array_release(fresh);
    tn_array_release(flattened);
    return status;
}

tn_status tn_array_take(tn_array **result, const tn_array *array, const tn_array *indices, int axis,
                        tn_index_mode mode, tn_stream *stream) {
    return tni_take_axis(result, array, indices, axis, (tni_index_rule){mode, -1}, stream);
}
