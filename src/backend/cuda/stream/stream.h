/* The life of CUDA streams, and waiting for them. */
#ifndef TNI_CUDA_STREAM_STREAM_H
#define TNI_CUDA_STREAM_STREAM_H

#include "backend/cuda/driver/driver_types.h"
#include "backend/cuda/table.h"

#include <stdbool.h>
#include <tenorite/device.h>

/* Handles of streams that have ended, kept for the next. */
int tni_cuda_kept_streams(void);
/* Polls until `ask` no longer says CUDA_ERROR_NOT_READY or the time is over (TN_TIMEOUT). */
tn_status tni_cuda_poll(CUresult (*ask)(const void *context), const void *context,
                        const char *function, const tn_stream *stream, int64_t timeout_ns);

#endif
