/* Bytes copied and filled: between buffers, of one or two devices, and host memory. */
#include "backend/backend.h"
#include "core/memory/buffer.h"
#include "core/stream/capture.h"
#include "core/stream/order.h"

static tn_status check_range(const tn_buffer *buffer, int64_t offset, int64_t bytes) {
    if (offset >= 0 && bytes >= 0 && offset <= buffer->bytes && bytes <= buffer->bytes - offset)
        return TN_OK;
    return tni_fail(TN_ERROR_VALUE,
                    "%lld bytes from offset %lld are outside a buffer of %lld bytes",
                    (long long)bytes, (long long)offset, (long long)buffer->bytes);
}

/* The stream on which a copy runs: the given one if its backend can do it, else the current one of
 * the device that can. Of two backends, the one that is not the host does it. */
static tn_status find_runner(tn_stream **runner, tn_stream *stream, tn_device to, tn_device from) {
    tn_device device = to.backend == TN_BACKEND_HOST ? from : to;
    if (!stream || tn_device_is_equal(stream->device, device))
        return tni_stream_resolve(runner, stream, device);
    if (!tn_device_is_equal(stream->device, to) && !tn_device_is_equal(stream->device, from))
        TNI_FAIL(TN_ERROR_VALUE, "the stream is of device %s:%d, the copy goes from %s:%d to %s:%d",
                 stream->backend->name, stream->device.number,
                 tn_backend_name((tn_backend)from.backend), from.number,
                 tn_backend_name((tn_backend)to.backend), to.number);
    if (stream->device.backend != device.backend) return tni_stream_resolve(runner, NULL, device);
    *runner = stream;
    return TN_OK;
}

tn_status tn_buffer_copy(tn_buffer *to, int64_t to_offset, const tn_buffer *from,
                         int64_t from_offset, int64_t bytes, tn_stream *stream) {
    void *target, *source;
    tn_stream *runner;
    TNI_TRY(check_range(to, to_offset, bytes));
    TNI_TRY(check_range(from, from_offset, bytes));
    TNI_TRY(find_runner(&runner, stream, to->device, from->device));
    if (bytes == 0) return TN_OK;
    TNI_TRY(
        tni_capture_check_common(runner, stream ? stream : tn_stream_get_current(from->device)));
    if (stream && runner != stream) TNI_TRY(tni_stream_order(runner, stream));
    TNI_TRY(tni_buffer_access(&source, from, TNI_READ, runner));
    TNI_TRY(tni_buffer_access(&target, to, TNI_WRITE, runner));
    tni_direction direction = to->device.backend == from->device.backend ? TNI_DEVICE_TO_DEVICE
                              : to->device.backend == TN_BACKEND_HOST    ? TNI_DEVICE_TO_HOST
                                                                         : TNI_HOST_TO_DEVICE;
    TNI_TRY(tni_queue_copy((char *)target + to_offset, (char *)source + from_offset, bytes,
                           direction, runner));
    return stream && runner != stream ? tni_stream_order(stream, runner) : TN_OK;
}

bool tn_memory_is_page_locked(const void *address, tn_device device) {
    const tni_backend *backend = tni_backend_get((tn_backend)device.backend);
    return backend && backend->is_page_locked && backend->is_page_locked(address, device.number);
}

/* Copies with pageable host memory are done when the call on a default stream returns. */
static tn_status finish(const void *host, tn_stream *stream) {
    bool waits = stream->is_default && !tn_memory_is_page_locked(host, stream->device);
    return waits ? tni_stream_wait(stream, -1) : TN_OK;
}

tn_status tn_buffer_read(void *host, const tn_buffer *from, int64_t from_offset, int64_t bytes,
                         tn_stream *stream) {
    void *source;
    TNI_TRY(check_range(from, from_offset, bytes));
    TNI_TRY(tni_stream_resolve(&stream, stream, from->device));
    if (bytes == 0) return TN_OK;
    TNI_TRY(tni_buffer_access(&source, from, TNI_READ, stream));
    TNI_TRY(tni_queue_copy(host, (char *)source + from_offset, bytes, TNI_DEVICE_TO_HOST, stream));
    return finish(host, stream);
}

tn_status tn_buffer_write(tn_buffer *to, int64_t to_offset, const void *host, int64_t bytes,
                          tn_stream *stream) {
    void *target;
    TNI_TRY(check_range(to, to_offset, bytes));
    TNI_TRY(tni_stream_resolve(&stream, stream, to->device));
    if (bytes == 0) return TN_OK;
    TNI_TRY(tni_buffer_access(&target, to, TNI_WRITE, stream));
    TNI_TRY(tni_queue_copy((char *)target + to_offset, host, bytes, TNI_HOST_TO_DEVICE, stream));
    return finish(host, stream);
}

tn_status tn_buffer_fill(tn_buffer *to, int64_t offset, int value, int64_t bytes,
                         tn_stream *stream) {
    void *target;
    TNI_TRY(check_range(to, offset, bytes));
    TNI_TRY(tni_stream_resolve(&stream, stream, to->device));
    if (bytes == 0) return TN_OK;
    TNI_TRY(tni_buffer_access(&target, to, TNI_WRITE, stream));
    return stream->backend->fill((char *)target + offset, value, bytes, stream);
}
