/* Bytes of the host copied and filled. Large ranges are shared out among threads, and bypass the
 * caches where these could not hold them. */
#include "backend/host/loops.h"
#include "backend/host/stream/launch.h"
#include "backend/host/table.h"
#include "backend/host/threads.h"
#include "core/stream/capture.h"

#include <string.h>

typedef struct transfer {
    char *to;
    const char *from;
    int value;
    int64_t bytes;
} transfer;

static const int64_t bytes_per_range = 32 << 10;

static void copy_range(void *context, int64_t begin, int64_t end) {
    const transfer *all = context;
    if (2 * all->bytes < TNI_STREAM_BYTES) {
        memcpy(all->to + begin, all->from + begin, (size_t)(end - begin));
        return;
    }
    tni_stream_copy(all->to + begin, all->from + begin, (size_t)(end - begin));
    tni_stream_finish();
}

static tn_status copy_bytes(void *params) {
    transfer *all = params;
    bool overlaps = all->to < all->from + all->bytes && all->from < all->to + all->bytes;
    if (overlaps)
        memmove(all->to, all->from, (size_t)all->bytes);
    else
        tni_parallel_short(all->bytes, bytes_per_range, copy_range, all);
    return TN_OK;
}

tn_status tni_host_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                        tn_stream *stream) {
    transfer all = {to, from, 0, bytes};
    if (direction != TNI_DEVICE_TO_DEVICE) TNI_TRY(tni_capture_check_host(stream));
    return tni_host_launch(&(tni_host_plan){copy_bytes, &all, sizeof all, .elements = bytes / 8},
                           stream);
}

static void fill_range(void *context, int64_t begin, int64_t end) {
    const transfer *all = context;
    _Alignas(64) char piece[2048];
    const int64_t step = sizeof piece;
    if (all->bytes < TNI_STREAM_BYTES) {
        memset(all->to + begin, all->value, (size_t)(end - begin));
        return;
    }
    memset(piece, all->value, sizeof piece);
    for (int64_t at = begin; at < end; at += step)
        tni_stream_copy(all->to + at, piece, (size_t)(end - at < step ? end - at : step));
    tni_stream_finish();
}

static tn_status fill_bytes(void *params) {
    transfer *all = params;
    tni_parallel_short(all->bytes, bytes_per_range, fill_range, all);
    return TN_OK;
}

tn_status tni_host_fill(void *to, int value, int64_t bytes, tn_stream *stream) {
    transfer all = {to, NULL, value, bytes};
    return tni_host_launch(&(tni_host_plan){fill_bytes, &all, sizeof all, .elements = bytes / 8},
                           stream);
}
