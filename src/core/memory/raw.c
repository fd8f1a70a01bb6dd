/* The raw allocator: memory straight from the backend. */
#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/stream/order.h"

#include <tenorite/memory.h>

static tn_status raw_allocate(void *context, void **address, int64_t bytes, tn_device device,
                              tn_stream *stream) {
    (void)context;
    (void)stream;
    const tni_backend *backend = tni_backend_get((tn_backend)device.backend);
    if (!backend) TNI_FAIL(TN_ERROR_DEVICE, "there is no such backend here: %d", device.backend);
    if (bytes <= 0) TNI_FAIL(TN_ERROR_VALUE, "cannot allocate %lld bytes", (long long)bytes);
    return backend->memory_allocate(address, bytes, device.number);
}

typedef struct raw_block {
    void *address;
    int64_t bytes;
    tn_device device;
} raw_block;

static void free_now(const raw_block *block) {
    tni_backend_get((tn_backend)block->device.backend)
        ->memory_free(block->address, block->bytes, block->device.number);
}

static void free_in_queue(void *context) {
    free_now(context);
    tni_free(context);
}

/* Queued work of the stream may still use the memory: then it is freed after that work. */
static void raw_free(void *context, void *address, int64_t bytes, tn_device device,
                     tn_stream *stream) {
    (void)context;
    raw_block block = {address, bytes, device}, *queued;
    bool done = true;
    if (!address) return;
    if (stream && !stream->is_immediate && tni_stream_is_done(stream, &done) == TN_OK && !done) {
        if ((queued = tni_malloc(sizeof *queued))) {
            *queued = block;
            if (tni_stream_add_cleanup(stream, free_in_queue, queued) == TN_OK) return;
            tni_free(queued);
        }
        tni_stream_drain(stream);
    }
    free_now(&block);
}

static const tn_allocator raw = {NULL, raw_allocate, raw_free};

const tn_allocator *tn_allocator_raw(void) {
    return &raw;
}
