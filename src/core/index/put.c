/* Putting: to[..., indices[j], ...] = values[..., j, ...], and NumPy's put into the flat array.
 *
 * Values are converted, copied if they overlap the target, and broadcast by strides of 0; one value
 * travels inside the call. Indices that overlap the target are copied: they must not change while
 * they are read. */
#include "core/index/put.h"

#include "backend/backend.h"
#include "core/array/words.h"
#include "core/elementwise/operands.h"

#include <string.h>

/* Queues the form. `values` NULL: the one value in call->value. */
static tn_status put_values(tni_put *call, const tn_array *to, const tn_array *indices,
                            int index_ndim, int axis, const tn_array *values, tni_index_rule rule,
                            tn_stream *stream) {
    static const int64_t zeros[TN_MAX_NDIM];
    tni_operands operands;
    void *dense = NULL, *places, *target;
    int64_t stride = 0;
    tni_words words = {{NULL}};
    tn_status status;
    if (tn_dtype_is_stored(to->dtype)) {
        TNI_TRY(tni_words_open(&words, 2, (const tn_array *[]){to, values}));
        to = words.views[0];
        values = words.views[1];
    }
    tni_operands_init(&operands, stream);
    operands.only_moves = true;
    if (values) TNI_TRY_OWNING(tni_operand_open(&dense, &values, TNI_READ, &operands));
    TNI_TRY_OWNING(tni_operand_open(&places, &indices, TNI_READ, &operands));
    TNI_TRY_OWNING(tni_operand_open(&target, &to, TNI_READ_WRITE, &operands));
    if (values)
        tni_index_stride(&stride, index_ndim, tni_shape(values) + axis, tni_strides(values) + axis);
    tni_indexing_make(&call->form, to, axis, indices, index_ndim,
                      values ? tni_strides(values) : zeros, stride, rule);
    call->form.dense = dense;
    call->form.indices = places;
    call->form.array = target;
    status = tni_queue_put(call, stream);
cleanup:
    status = tni_operands_close(&operands, status);
    tni_words_close(&words);
    return status;
}

/* The values broadcast to `shape`, their index axes walked by one stride. */
static tn_status spread_values(tn_array **result, const tn_array *values, const tn_array *to,
                               int axis, int index_ndim, int ndim, const int64_t *shape,
                               tn_stream *stream) {
    tn_array *spread = NULL;
    tn_status status = tni_index_values(&spread, values, to, ndim, shape, stream);
    if (status == TN_ERROR_VALUE) {
        char from_text[TNI_SHAPE_TEXT], to_text[TNI_SHAPE_TEXT];
        TNI_FAIL(TN_ERROR_VALUE,
                 "shape mismatch: value array of shape %s could not be broadcast to indexing "
                 "result of shape %s",
                 tni_shape_text(from_text, values->ndim, tni_shape(values)),
                 tni_shape_text(to_text, ndim, shape));
    }
    TNI_TRY(status);
    int64_t stride;
    if (tni_index_stride(&stride, index_ndim, shape + axis, tni_strides(spread) + axis)) {
        *result = spread;
        return TN_OK;
    }
    status = tn_array_astype(result, spread, spread->dtype, TN_ORDER_C, TN_CASTING_NO,
                             TN_COPY_ALWAYS, stream);
    tn_array_release(spread);
    return status;
}

/* Flat indices that do not share memory with the target. */
static tn_status own_indices(tn_array **result, const tn_array *indices, const tn_array *to,
                             tn_stream *stream) {
    if (tni_array_overlap(to, indices) == TNI_OVERLAP_NONE)
        return tni_index_flatten(result, indices, stream);
    tn_array *copy = NULL;
    TNI_TRY(tn_array_astype(&copy, indices, indices->dtype, TN_ORDER_C, TN_CASTING_NO,
                            TN_COPY_ALWAYS, stream));
    tn_status status = tni_index_flatten(result, copy, stream);
    tn_array_release(copy);
    return status;
}

tn_status tni_put_begin(tn_stream **stream, const tn_array *to, const tn_array *indices,
                        const tn_operand *values) {
    tn_device device;
    const tn_array *arrays[] = {to, indices, values->array};
    if (!tn_array_is_writeable(to)) TNI_FAIL(TN_ERROR_VALUE, "assignment destination is read-only");
    TNI_TRY(tni_device_common(&device, 3, arrays));
    return tni_stream_resolve(stream, *stream, device);
}

tn_status tni_put_axis(tn_array *to, const tn_array *indices, int axis, const tn_operand *values,
                       tni_index_rule rule, tn_stream *stream) {
    TNI_TRY(tni_put_begin(&stream, to, indices, values));
    TNI_TRY(tn_axis_check(&axis, to->ndim));
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    TNI_TRY(tni_index_shape(&ndim, shape, to, axis, indices->ndim, tni_shape(indices)));

    tni_put call;
    tn_status status;
    tn_array *flat = NULL, *spread = NULL;
    if (values->array)
        TNI_TRY_OWNING(
            spread_values(&spread, values->array, to, axis, indices->ndim, ndim, shape, stream));
    else
        TNI_TRY_OWNING(tn_scalar_convert(call.value, values->scalar, to->dtype));
    TNI_TRY_OWNING(own_indices(&flat, indices, to, stream));
    status = put_values(&call, to, flat, indices->ndim, axis, spread, rule, stream);
cleanup:
    tn_array_release(spread);
    tn_array_release(flat);
    return status;
}

tn_status tn_array_put(tn_array *to, const tn_array *indices, int axis, const tn_operand *values,
                       tn_index_mode mode, tn_stream *stream) {
    return tni_put_axis(to, indices, axis, values, (tni_index_rule){mode, -1}, stream);
}

/* Values in order C, repeated or cut to `count`: one axis, contiguous or of one stride. */
static tn_status repeat_values(tn_array **result, const tn_array *values, int64_t count,
                               tn_stream *stream) {
    tn_array *flat = NULL, *longer = NULL, *part = NULL, *source = NULL;
    tn_status status;
    int64_t size = values->size, minus_one = -1;
    TNI_TRY_OWNING(
        tn_array_reshape(&flat, values, 1, &minus_one, TN_ORDER_C, TN_COPY_IF_NEEDED, stream));
    if (size == count) {
        *result = flat;
        return TN_OK;
    }
    TNI_TRY_OWNING(tn_array_new(&longer, flat->dtype, 1, &count, TN_ORDER_C, stream));
    int64_t whole = count / size;
    int64_t item = tn_dtype_size(flat->dtype), square[2] = {whole, size};
    int64_t to_strides[2] = {size * item, item}, from_strides[2] = {0, tni_strides(flat)[0]};
    if (whole > 0) {
        TNI_TRY_OWNING(tni_array_make(&part, longer->buffer, longer->offset, longer->dtype, 2,
                                      square, to_strides, true));
        TNI_TRY_OWNING(tni_array_make(&source, flat->buffer, flat->offset, flat->dtype, 2, square,
                                      from_strides, false));
        TNI_TRY_OWNING(tn_array_assign(part, source, TN_CASTING_NO, stream));
        tn_array_release(part);
        tn_array_release(source);
        part = source = NULL;
    }
    int64_t rest = count - whole * size;
    if (rest > 0) {
        TNI_TRY_OWNING(tni_array_make(&part, longer->buffer, longer->offset + whole * size * item,
                                      longer->dtype, 1, &rest, &item, true));
        TNI_TRY_OWNING(tni_array_make(&source, flat->buffer, flat->offset, flat->dtype, 1, &rest,
                                      tni_strides(flat), false));
        TNI_TRY_OWNING(tn_array_assign(part, source, TN_CASTING_NO, stream));
    }
    *result = tn_array_retain(longer);
cleanup:
    tn_array_release(source);
    tn_array_release(part);
    tn_array_release(longer);
    tn_array_release(flat);
    return status;
}

tn_status tn_array_put_flat(tn_array *to, const tn_array *indices, const tn_operand *values,
                            tn_index_mode mode, tn_stream *stream) {
    TNI_TRY(tni_put_begin(&stream, to, indices, values));
    if (indices->size == 0 || (values->array && values->array->size == 0)) return TN_OK;
    if (to->size == 0) TNI_FAIL(TN_ERROR_INDEX, "cannot replace elements of an empty array");

    tn_status status;
    int64_t minus_one = -1;
    tn_array *flat = NULL, *repeated = NULL, *shaped = NULL;
    tn_operand operand = *values;
    TNI_TRY_OWNING(
        tn_array_reshape(&flat, to, 1, &minus_one, TN_ORDER_C, TN_COPY_IF_NEEDED, stream));
    if (values->array) {
        /* One stride per element is all that the form needs: the shape of the indices. */
        TNI_TRY_OWNING(repeat_values(&repeated, values->array, indices->size, stream));
        TNI_TRY_OWNING(tn_array_reshape(&shaped, repeated, indices->ndim, tni_shape(indices),
                                        TN_ORDER_C, TN_COPY_IF_NEEDED, stream));
        operand.array = shaped;
    }
    TNI_TRY_OWNING(tn_array_put(flat, indices, 0, &operand, mode, stream));
    if (flat->buffer != to->buffer) { /* it was a copy: `to` is not walked by one stride */
        tn_array_release(shaped);
        shaped = NULL;
        TNI_TRY_OWNING(tn_array_reshape(&shaped, flat, to->ndim, tni_shape(to), TN_ORDER_C,
                                        TN_COPY_NEVER, stream));
        status = tn_array_assign(to, shaped, TN_CASTING_NO, stream);
    }
cleanup:
    tn_array_release(shaped);
    tn_array_release(repeated);
    tn_array_release(flat);
    return status;
}
