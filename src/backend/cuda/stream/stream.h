/* What stream.c gives to other files. */
#ifndef TNI_CUDA_STREAM_STREAM_H
#define TNI_CUDA_STREAM_STREAM_H

#include "backend/cuda/driver/driver_types.h"
#include "backend/cuda/table.h"

#include <stdatomic.h>

/* Streams, events and graphs of the driver that this library has made and not destroyed. */
extern atomic_int tni_cuda_handles;
static inline void tni_cuda_count_handle(int change) {
    atomic_fetch_add_explicit(&tni_cuda_handles, change, memory_order_relaxed);
}

CUstream tni_cuda_stream_handle(const tn_stream *stream);
/* Handles of streams that have ended, kept for the next. */
int tni_cuda_kept_streams(void);
/* Notes a launch, for messages. `name` stays valid for ever. */
void tni_cuda_stream_note(tn_stream *stream, const char *name, const unsigned grid[3],
                          const unsigned block[3]);
/* The last launches of a stream, the newest first ("tn_add_f32 (132,1,1)x(256,1,1), ..."). With NULL:
 * of all streams of a device. */
void tni_cuda_stream_describe(char *text, size_t size, const tn_stream *stream, int number);
/* Polls until `ask` no longer says CUDA_ERROR_NOT_READY or the time is over (TN_TIMEOUT). */
tn_status tni_cuda_poll(CUresult (*ask)(const void *context), const void *context,
                        const char *function, const tn_stream *stream, int64_t timeout_ns);

#endif
