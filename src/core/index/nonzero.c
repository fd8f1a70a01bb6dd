/* Where an array is true.
 *
 * Any array becomes a contiguous mask of bools (itself, if it is one), which is counted block by
 * block; then the result is as large as the total says and every block writes its coordinates at
 * its own place. The total is read back, so these functions wait for the stream. Of a few elements
 * the mask and the places are on the stack, on a stream that runs at once. */
#include "core/index/nonzero.h"

#include "backend/backend.h"
#include "core/memory/buffer.h"
#include "forms/elementwise.h"

#include <string.h>

static tn_status queue_count(tni_counted *counted, tn_stream *stream) {
    void *data, *offsets;
    TNI_TRY(tni_array_access(&data, counted->data, TNI_READ, stream));
    TNI_TRY(tni_buffer_access(&offsets, counted->offsets, TNI_WRITE, stream));
    tni_nonzero call;
    call.mask = (tni_mask){data, counted->data->size, offsets};
    call.is_counting = true;
    call.ndim = 0;
    counted->mask = call.mask;
    return tni_queue_nonzero(&call, stream);
}

static tn_status read_total(tni_counted *counted, tn_stream *stream) {
    int64_t last = tni_mask_blocks(counted->mask.count);
    TNI_TRY(tni_wait_ask());
    if (stream->is_immediate && stream->device.backend == TN_BACKEND_HOST) {
        counted->total = counted->mask.offsets[last];
        return TN_OK;
    }
    TNI_TRY(tn_buffer_read(&counted->total, counted->offsets, last * (int64_t)sizeof(int64_t),
                           sizeof(int64_t), stream));
    return tni_stream_wait(stream, -1);
}

tn_status tni_counted_init(tni_counted *counted, const tn_array *array, bool wait,
                           tn_stream *stream) {
    counted->data = NULL;
    counted->offsets = NULL;
    int64_t bytes = (tni_mask_blocks(array->size) + 1) * (int64_t)sizeof(int64_t);
    tn_status status;
    TNI_TRY_OWNING(tn_array_astype(&counted->data, array, TN_B8, TN_ORDER_C, TN_CASTING_UNSAFE,
                                   TN_COPY_IF_NEEDED, stream));
    TNI_TRY_OWNING(tn_buffer_new(&counted->offsets, bytes, stream));
    TNI_TRY_OWNING(queue_count(counted, stream));
    if (wait) TNI_TRY_OWNING(read_total(counted, stream));
    return TN_OK;
cleanup:
    tni_counted_deinit(counted);
    return status;
}

void tni_counted_deinit(tni_counted *counted) {
    tn_buffer_release(counted->offsets);
    tn_array_release(counted->data);
}

/* Coordinates of `ndim` axes of `shape` into arrays, or into the columns of one. */
static tn_status write_coordinates(const tni_counted *counted, int ndim, const int64_t *shape,
                                   tn_array *const *to, bool is_columns, tn_stream *stream) {
    if (counted->total == 0) return TN_OK;
    tni_nonzero call;
    call.mask = counted->mask;
    call.is_counting = false;
    call.ndim = ndim;
    memcpy(call.shape, shape, (size_t)ndim * sizeof *shape);
    call.to_stride = is_columns ? ndim : 1;
    for (int axis = 0; axis < ndim; axis++) {
        void *address;
        TNI_TRY(tni_array_access(&address, to[is_columns ? 0 : axis], TNI_WRITE, stream));
        call.to[axis] = (int64_t *)address + (is_columns ? axis : 0);
    }
    return tni_queue_nonzero(&call, stream);
}

/* --- Few elements --- */

enum { FEW = 64 };

static bool are_few(const tn_array *array, const tn_stream *stream) {
    return array->size <= FEW && array->flags & TNI_ALIGNED && stream->is_immediate &&
           (array->ndim == 1 || array->flags & TNI_C_CONTIGUOUS);
}

/* The places of true elements in order C, and how many they are. */
static tn_status find_few(int64_t *places, int64_t *count, const tn_array *array,
                          tn_stream *stream) {
    tni_elementwise call;
    unsigned char mask[FEW] = {0};
    void *data;
    TNI_TRY(tni_array_access(&data, array, TNI_READ, stream));
    call.op = TNI_OP_COPY;
    call.dtype = array->dtype;
    call.input_count = call.output_count = call.ndim = 1;
    call.masked = call.is_unaligned = false;
    call.size = call.shape[0] = array->size;
    for (int k = 0; k < 2; k++) {
        tni_argument *argument = &call.arguments[k];
        argument->data = k ? (char *)mask : data;
        argument->dtype = argument->loop_dtype = k ? TN_B8 : call.dtype;
        argument->strides[0] = tni_dtype_size(argument->dtype);
    }
    if (array->ndim == 1) call.arguments[0].strides[0] = tni_strides(array)[0];
    if (array->size > 0) TNI_TRY(tni_queue_elementwise(&call, stream));
    *count = 0;
    for (int64_t place = 0; place < array->size; place++) {
        places[*count] = place;
        *count += mask[place] != 0;
    }
    return TN_OK;
}

static tn_status few_nonzero(tn_array **results, const tn_array *array, tn_stream *stream) {
    int64_t places[FEW + 1], count;
    tn_array *made[TN_MAX_NDIM];
    tn_status status = find_few(places, &count, array, stream);
    int axis = array->ndim;
    while (status == TN_OK && axis-- > 0) {
        void *to;
        const int64_t size = tni_shape(array)[axis];
        made[axis] = NULL;
        status = tn_array_new(&made[axis], TN_I64, 1, &count, TN_ORDER_C, stream);
        if (status == TN_OK) status = tni_array_access(&to, made[axis], TNI_WRITE, stream);
        for (int64_t k = 0; status == TN_OK && k < count; k++) {
            ((int64_t *)to)[k] = axis ? places[k] % size : places[k];
            if (axis) places[k] /= size;
        }
    }
    if (status == TN_OK) memcpy(results, made, (size_t)array->ndim * sizeof *made);
    for (; status != TN_OK && axis < array->ndim; axis++)
        tn_array_release(made[axis]);
    return status;
}

/* --- Any number --- */

tn_status tn_array_nonzero(tn_array **results, const tn_array *array, tn_stream *stream) {
    if (array->ndim == 0)
        TNI_FAIL(TN_ERROR_VALUE,
                 "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
                 "instead.");
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    if (are_few(array, stream)) return few_nonzero(results, array, stream);
    tni_counted counted;
    TNI_TRY(tni_counted_init(&counted, array, true, stream));
    tn_array *made[TN_MAX_NDIM] = {NULL};
    tn_status status;
    for (int axis = 0; axis < array->ndim; axis++)
        TNI_TRY_OWNING(tn_array_new(&made[axis], TN_I64, 1, &counted.total, TN_ORDER_C, stream));
    TNI_TRY_OWNING(write_coordinates(&counted, array->ndim, tni_shape(array), made, false, stream));
    memcpy(results, made, (size_t)array->ndim * sizeof *made);
    memset(made, 0, sizeof made);
cleanup:
    for (int axis = 0; axis < array->ndim; axis++)
        tn_array_release(made[axis]);
    tni_counted_deinit(&counted);
    return status;
}

/* One array of `ndim` columns, or (is_flat) of one axis. */
static tn_status nonzero_table(tn_array **result, const tn_array *array, int ndim,
                               const int64_t *shape, bool is_flat, tn_stream *stream) {
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    tni_counted counted;
    TNI_TRY(tni_counted_init(&counted, array, true, stream));
    tn_array *made = NULL;
    int64_t table[2] = {counted.total, ndim};
    tn_status status;
    TNI_TRY_OWNING(tn_array_new(&made, TN_I64, is_flat ? 1 : 2, table, TN_ORDER_C, stream));
    TNI_TRY_OWNING(write_coordinates(&counted, ndim, shape, &made, true, stream));
    *result = made;
    made = NULL;
cleanup:
    tn_array_release(made);
    tni_counted_deinit(&counted);
    return status;
}

tn_status tn_array_argwhere(tn_array **result, const tn_array *array, tn_stream *stream) {
    return nonzero_table(result, array, array->ndim, tni_shape(array), false, stream);
}

tn_status tn_array_flatnonzero(tn_array **result, const tn_array *array, tn_stream *stream) {
    return nonzero_table(result, array, 1, &array->size, true, stream);
}
