/* Host memory that is not page-locked, and a device: bytes travel by way of page-locked blocks. */
#ifndef TNI_STAGING_H
#define TNI_STAGING_H

#include "core/stream/stream.h"

/* Copies to a device. When it returns the host memory has been read; up to 32 MiB wait for nothing
 * that the stream has to do. */
tn_status tni_stage_upload(void *to, const void *from, int64_t bytes, tn_stream *stream);

/* Copies from a device. When it returns the host memory has been written. */
tn_status tni_stage_download(void *to, const void *from, int64_t bytes, tn_stream *stream);

#endif
