/* Host memory that is not page-locked, and a device.
 *
 * Decides: the driver copies little of such memory itself, since it does so with one thread.
 * Pieces go through a ring of page-locked blocks: while the device moves one, the host's threads
 * copy another. Where there are no blocks to be had, and in a capture, the driver copies all the
 * same. */
#include "core/move/staging.h"

#include "backend/backend.h"
#include "core/elementwise/elementwise.h"
#include "core/memory/pool.h"
#include "core/stream/capture.h"
#include "core/stream/order.h"

#include <string.h>
#include <tenorite/memory.h>

enum { RING = 8, SMALL = 64 << 10 };
static const int64_t piece_least = 1 << 20, piece_most = 4 << 20;

typedef struct ring {
    tn_stream *stream;
    int64_t piece;
    int count; /* of the blocks */
    bool has_events;
    struct {
        void *block;
        tn_event *event; /* of the block's last copy */
        bool is_busy;
    } slots[RING];
} ring;

/* Blocks are used again when the stream is done with them. After a wait that was interrupted it may
 * never be, so they go back after the stream's work. */
static void ring_deinit(ring *r) {
    tn_pinned_pool *pool = tn_pinned_pool_default();
    for (int k = 0; k < r->count; k++) {
        bool is_after = r->slots[k].is_busy &&
                        tn_pinned_pool_free_after(pool, r->slots[k].block, r->stream) == TN_OK;
        if (r->slots[k].is_busy && !is_after) tni_stream_drain(r->stream);
        if (!is_after) tn_pinned_pool_free(pool, r->slots[k].block, NULL);
        tn_event_release(r->slots[k].event);
    }
}

static bool add_slot(ring *r) {
    int k = r->count;
    if (tn_pinned_pool_allocate(tn_pinned_pool_default(), &r->slots[k].block, r->piece) != TN_OK)
        return false;
    r->count++;
    return !r->has_events || tn_event_new(&r->slots[k].event, r->stream->device, false) == TN_OK;
}

/* `waits`: for every piece, not for blocks that are used again alone. */
static bool ring_init(ring *r, int64_t bytes, bool waits, tn_stream *stream) {
    *r = (ring){.stream = stream, .piece = bytes / RING};
    if (tni_capture_check_host(stream) != TN_OK) return false;
    if (r->piece < piece_least) r->piece = bytes < piece_least ? bytes : piece_least;
    if (r->piece > piece_most) r->piece = piece_most;
    r->has_events = bytes > r->piece * (waits ? 1 : RING);
    do {
        if (add_slot(r)) continue;
        ring_deinit(r);
        return false;
    } while (r->count < RING && r->count * r->piece < bytes);
    return true;
}

static tn_status wait_for_slot(ring *r, int k) {
    if (!r->slots[k].is_busy) return TN_OK;
    TNI_TRY(r->has_events ? tn_event_synchronize(r->slots[k].event, -1)
                          : tni_stream_wait(r->stream, -1));
    r->slots[k].is_busy = false;
    return TN_OK;
}

static tn_status copy_slot(ring *r, int k, void *to, const void *from, int64_t bytes,
                           tni_direction direction) {
    r->slots[k].is_busy = true;
    TNI_TRY(r->stream->backend->copy(to, from, bytes, direction, r->stream));
    return r->has_events ? tn_event_record(r->slots[k].event, r->stream) : TN_OK;
}

/* From one place of the host to another, with the host's threads. */
static tn_status copy_plain(void *to, const void *from, int64_t bytes) {
    if (bytes <= SMALL) {
        memcpy(to, from, (size_t)bytes);
        return TN_OK;
    }
    tn_device host = {TN_BACKEND_HOST, 0};
    tn_array *arrays[2] = {NULL, NULL};
    tn_status status = TN_OK;
    for (int k = 0; k < 2; k++) {
        tn_buffer *buffer;
        void *address = k ? (void *)(uintptr_t)from : to;
        TNI_TRY_OWNING(tn_buffer_new_unowned(&buffer, address, bytes, host, NULL, NULL));
        status = tni_array_make(&arrays[k], buffer, 0, TN_U8, 1, &bytes, (int64_t[]){1}, true);
        tn_buffer_release(buffer);
        if (status) goto cleanup;
    }
    status = tni_copy_elements(arrays[0], arrays[1], tn_stream_default(host));
cleanup:
    tn_array_release(arrays[0]);
    tn_array_release(arrays[1]);
    return status;
}

static int64_t piece_at(const ring *r, int64_t at, int64_t bytes) {
    return bytes - at < r->piece ? bytes - at : r->piece;
}

static tn_status upload(ring *r, char *to, const char *from, int64_t bytes) {
    for (int64_t at = 0, k = 0; at < bytes; at += r->piece, k++) {
        int slot = (int)(k % r->count);
        int64_t count = piece_at(r, at, bytes);
        TNI_TRY(wait_for_slot(r, slot));
        TNI_TRY(copy_plain(r->slots[slot].block, from + at, count));
        TNI_TRY(copy_slot(r, slot, to + at, r->slots[slot].block, count, TNI_HOST_TO_DEVICE));
    }
    return TN_OK;
}

static tn_status download(ring *r, char *to, const char *from, int64_t bytes) {
    int64_t asked = 0;
    for (int64_t at = 0, k = 0; at < bytes; at += r->piece, k++) {
        for (; asked < bytes && asked < at + r->count * r->piece; asked += r->piece) {
            int slot = (int)(asked / r->piece % r->count);
            TNI_TRY(copy_slot(r, slot, r->slots[slot].block, from + asked,
                              piece_at(r, asked, bytes), TNI_DEVICE_TO_HOST));
        }
        TNI_TRY(wait_for_slot(r, (int)(k % r->count)));
        TNI_TRY(copy_plain(to + at, r->slots[k % r->count].block, piece_at(r, at, bytes)));
    }
    return TN_OK;
}

static tn_status stage(void *to, const void *from, int64_t bytes, tni_direction direction,
                       tn_stream *stream) {
    ring r;
    bool is_download = direction == TNI_DEVICE_TO_HOST;
    if (!ring_init(&r, bytes, is_download, stream)) {
        TNI_TRY(stream->backend->copy(to, from, bytes, direction, stream));
        return tni_stream_wait(stream, -1);
    }
    tn_status status = is_download ? download(&r, to, from, bytes) : upload(&r, to, from, bytes);
    ring_deinit(&r);
    return status;
}

tn_status tni_stage_upload(void *to, const void *from, int64_t bytes, tn_stream *stream) {
    return stage(to, from, bytes, TNI_HOST_TO_DEVICE, stream);
}

tn_status tni_stage_download(void *to, const void *from, int64_t bytes, tn_stream *stream) {
    return stage(to, from, bytes, TNI_DEVICE_TO_HOST, stream);
}
