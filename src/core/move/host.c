/* Host memory of the program, read from arrays and written to them; one element as a scalar.
 *
 * On the host backend, such memory is an operand of a copy like any other. To and from another
 * device bytes travel contiguous, through a copy where one side is not. A call waits for the stream
 * only where the program may use its memory again when the call returns, and the driver does not
 * wait by itself. */
#include "backend/backend.h"
#include "core/array/array.h"
#include "core/array/shape.h"
#include "core/elementwise/elementwise.h"
#include "core/move/staging.h"
#include "core/stream/capture.h"
#include "core/stream/order.h"

#include <string.h>

/* Host memory as an array of the host backend, so that the copy form serves it. */
static tn_status wrap_host(tn_array **result, void *host, tn_dtype dtype, int ndim,
                           const int64_t *shape, const int64_t *strides_bytes) {
    int64_t size, made[TN_MAX_NDIM];
    tn_buffer *buffer;
    tn_device device = {TN_BACKEND_HOST, 0};
    TNI_TRY(tni_shape_size(&size, ndim, shape, tn_dtype_size(dtype)));
    if (!strides_bytes) {
        tni_strides_make(made, ndim, shape, tn_dtype_size(dtype), TN_ORDER_C);
        strides_bytes = made;
    }
    TNI_TRY(tn_buffer_new_unowned(&buffer, host, INT64_MAX, device, NULL, NULL));
    tn_status status = tni_array_make(result, buffer, 0, dtype, ndim, shape, strides_bytes, true);
    tn_buffer_release(buffer);
    return status;
}

/* Host memory of one call that copies from or to a device: in one piece, or gathered in another
 * place. */
typedef struct lent {
    void *memory;    /* where the bytes are, or go */
    tn_array *place; /* NULL: `memory` is the caller's */
    void *block;     /* page-locked, of the default pool; NULL: the place is plain memory */
    bool is_page_locked;
} lent;

/* Up to INLINE_BYTES the driver takes a copy with the command; much page-locked memory would stay
 * with its pool. */
enum { INLINE_BYTES = 64 << 10, BLOCK_BYTES = 32 << 20 };

/* Room for `bytes` bytes in the shape of `host`. */
static tn_status find_place(lent *lent, const tn_array *host, int64_t bytes, bool wants_block) {
    if (wants_block && bytes <= BLOCK_BYTES &&
        tn_pinned_pool_allocate(tn_pinned_pool_default(), &lent->block, bytes) == TN_OK) {
        lent->memory = lent->block;
        return wrap_host(&lent->place, lent->block, host->dtype, host->ndim, tni_shape(host), NULL);
    }
    TNI_TRY(tn_array_new(&lent->place, host->dtype, host->ndim, tni_shape(host), TN_ORDER_C,
                         tn_stream_default(host->buffer->device)));
    lent->memory = tn_array_address(lent->place);
    return TN_OK;
}

/* A block from which a copy was queued is used again when the stream has read it. */
static void give_place(const lent *lent, bool is_queued, tn_stream *stream) {
    tn_pinned_pool *pool = tn_pinned_pool_default();
    tn_array_release(lent->place);
    if (is_queued && tn_pinned_pool_free_after(pool, lent->block, stream) == TN_OK) return;
    if (is_queued) tni_stream_drain(stream);
    tn_pinned_pool_free(pool, lent->block, NULL);
}

static bool has_flags(const tn_array *a, const tn_array *b, unsigned flag) {
    return a->flags & b->flags & flag;
}

/* Bytes lie in order C, or in F where both sides have them so. */
static bool is_in_f(const tn_array *array, const tn_array *host) {
    return has_flags(array, host, TNI_F_CONTIGUOUS) && !has_flags(array, host, TNI_C_CONTIGUOUS);
}

/* From a device. A program that reads into page-locked memory waits for the stream itself. */
static tn_status read_device(const tn_array *array, tn_array *host, tn_stream *stream) {
    lent lent = {tn_array_address(host), NULL, NULL, false};
    tn_array *packed = NULL;
    int64_t bytes = tn_array_bytes(array);
    bool is_f = is_in_f(array, host);
    void *data;
    tn_status status = TN_OK;
    if (is_f || host->flags & TNI_C_CONTIGUOUS)
        lent.is_page_locked = tn_memory_is_page_locked(lent.memory, stream->device);
    else
        TNI_TRY_OWNING(find_place(&lent, host, bytes, false));
    if (is_f)
        packed = tn_array_retain((tn_array *)(uintptr_t)array);
    else
        TNI_TRY_OWNING(tn_array_astype(&packed, array, array->dtype, TN_ORDER_C, TN_CASTING_NO,
                                       TN_COPY_IF_NEEDED, stream));
    TNI_TRY_OWNING(tni_array_access(&data, packed, TNI_READ, stream));
    if (lent.is_page_locked)
        TNI_TRY_OWNING(stream->backend->copy(lent.memory, data, bytes, TNI_DEVICE_TO_HOST, stream));
    else
        TNI_TRY_OWNING(tni_stage_download(lent.memory, data, bytes, stream));
    if (lent.place)
        status = tni_copy_elements(host, lent.place, tn_stream_default(host->buffer->device));
cleanup:
    tn_array_release(packed);
    tn_array_release(lent.place);
    return status;
}

/* To a device. */
static tn_status write_device(tn_array *array, tn_array *host, tn_stream *stream) {
    lent lent = {tn_array_address(host), NULL, NULL, false};
    tn_array *packed = NULL;
    int64_t bytes = tn_array_bytes(array);
    bool is_f = is_in_f(array, host), is_whole = is_f || host->flags & TNI_C_CONTIGUOUS;
    bool is_queued = false, is_staged = false;
    void *data;
    tn_status status;
    if (is_whole) {
        lent.is_page_locked = tn_memory_is_page_locked(lent.memory, stream->device);
        is_staged = !lent.is_page_locked && bytes > INLINE_BYTES;
    }
    if (!lent.is_page_locked) TNI_TRY(tni_capture_check_host(stream));
    if (!is_whole) {
        TNI_TRY_OWNING(find_place(&lent, host, bytes, true));
        TNI_TRY_OWNING(
            tni_copy_elements(lent.place, host, tn_stream_default(host->buffer->device)));
        is_f = false;
    }
    if (is_f || array->flags & TNI_C_CONTIGUOUS)
        packed = tn_array_retain(array);
    else
        TNI_TRY_OWNING(
            tn_array_new(&packed, array->dtype, array->ndim, tni_shape(array), TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_array_access(&data, packed, TNI_WRITE, stream));
    if (is_staged)
        TNI_TRY_OWNING(tni_stage_upload(data, lent.memory, bytes, stream));
    else
        TNI_TRY_OWNING(stream->backend->copy(data, lent.memory, bytes, TNI_HOST_TO_DEVICE, stream));
    is_queued = lent.block != NULL;
    if (lent.place && !lent.block) TNI_TRY_OWNING(tni_stream_wait(stream, -1));
    status = packed == array ? TN_OK : tni_copy_elements(array, packed, stream);
cleanup:
    tn_array_release(packed);
    give_place(&lent, is_queued, stream);
    return status;
}

/* On the host backend host memory is an operand like any other. */
static tn_status copy_any(tn_array *array, tn_array *host, bool read, tn_stream *stream) {
    if (array->buffer->device.backend != TN_BACKEND_HOST)
        return read ? read_device(array, host, stream) : write_device(array, host, stream);
    TNI_TRY(tni_capture_check_host(stream));
    return tni_copy_elements(read ? host : array, read ? array : host, stream);
}

static tn_status copy_host(tn_array *array, tn_array *host, bool read, tn_stream *stream) {
    if (array->size == 0) return TN_OK;
    int64_t begun = tni_is_traced() ? tni_trace_copy_begin(stream) : 0;
    tn_status status = copy_any(array, host, read, stream);
    if (begun)
        tni_trace_copy_end(begun, read ? "read" : "write", tn_array_bytes(array),
                           read ? TNI_DEVICE_TO_HOST : TNI_HOST_TO_DEVICE, stream);
    return status;
}

/* A few bytes that lie as they are wanted are copied at once, without a description of the host's
 * memory. */
enum { FEW_BYTES = 32 << 10 };

static bool are_few(const tn_array *array, const int64_t *strides_bytes, const tn_stream *stream) {
    return !strides_bytes && stream->is_immediate && array->flags & TNI_C_CONTIGUOUS &&
           tn_array_bytes(array) <= FEW_BYTES;
}

static tn_status read_few(void *host, const tn_array *array, tn_stream *stream) {
    void *data;
    if (array->size == 0) return TN_OK;
    TNI_TRY(tni_capture_check_host(stream));
    TNI_TRY(tni_array_access(&data, array, TNI_READ, stream));
    int64_t begun = tni_is_traced() ? tni_trace_copy_begin(stream) : 0;
    memcpy(host, data, (size_t)tn_array_bytes(array));
    if (begun) tni_trace_copy_end(begun, "read", tn_array_bytes(array), TNI_DEVICE_TO_HOST, stream);
    return TN_OK;
}

tn_status tn_array_read(void *host, const int64_t *strides_bytes, const tn_array *array,
                        tn_stream *stream) {
    tn_array *wrapped;
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    if (are_few(array, strides_bytes, stream)) return read_few(host, array, stream);
    TNI_TRY(wrap_host(&wrapped, host, array->dtype, array->ndim, tni_shape(array), strides_bytes));
    tn_status status = copy_host((tn_array *)(uintptr_t)array, wrapped, true, stream);
    tn_array_release(wrapped);
    return status;
}

tn_status tn_array_write(tn_array *array, const void *host, const int64_t *strides_bytes,
                         tn_stream *stream) {
    tn_array *wrapped;
    TNI_TRY(tni_array_check_writeable(array));
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(wrap_host(&wrapped, (void *)(uintptr_t)host, array->dtype, array->ndim,
                      tni_shape(array), strides_bytes));
    tn_status status = copy_host(array, wrapped, false, stream);
    tn_array_release(wrapped);
    return status;
}

tn_status tn_array_new_from_host(tn_array **result, const void *data, tn_dtype dtype, int ndim,
                                 const int64_t *shape, const int64_t *strides_bytes, tn_order order,
                                 tn_stream *stream) {
    tn_array *made;
    if (!stream) stream = tn_stream_get_current(tn_device_get_current());
    TNI_TRY(tn_array_new(&made, dtype, ndim, shape, order == TN_ORDER_F ? TN_ORDER_F : TN_ORDER_C,
                         stream));
    return tni_array_deliver(result, made, tn_array_write(made, data, strides_bytes, stream));
}

static tn_status read_element(void *to, const void *data, tn_dtype dtype, tn_stream *stream) {
    if (stream->is_immediate) {
        tni_element_move(to, data, dtype);
        return TN_OK;
    }
    TNI_TRY(stream->backend->copy(to, data, tn_dtype_size(dtype), TNI_DEVICE_TO_HOST, stream));
    return tni_stream_wait(stream, -1);
}

tn_status tn_array_item(tn_scalar *result, const tn_array *array, tn_stream *stream) {
    if (array->size != 1)
        TNI_FAIL(TN_ERROR_VALUE, "can only convert an array of size 1 to a Python scalar");
    if (tn_dtype_is_stored(array->dtype))
        TNI_FAIL(TN_ERROR_TYPE, "an element of dtype %s is no number", tn_dtype_name(array->dtype));
    void *data;
    tn_scalar read = {array->dtype, false, false, {0}};
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(tni_capture_check_host(stream));
    TNI_TRY(tni_array_access(&data, array, TNI_READ, stream));
    int64_t begun = tni_is_traced() ? tni_trace_copy_begin(stream) : 0;
    tn_status status = read_element(read.value.bytes, data, array->dtype, stream);
    if (begun)
        tni_trace_copy_end(begun, "read an element", tn_dtype_size(array->dtype),
                           TNI_DEVICE_TO_HOST, stream);
    TNI_TRY(status);
    /* A byte that is seen as a bool may be any number. */
    if (read.dtype == TN_B8) read.value.bytes[0] = read.value.bytes[0] != 0;
    *result = read;
    return TN_OK;
}
