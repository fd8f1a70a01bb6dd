/* The host's streams, as its other files see them. */
#ifndef TNI_HOST_STREAM_STREAM_H
#define TNI_HOST_STREAM_STREAM_H

#include "backend/backend.h"

/* Whether all that was queued is done. False for the immediate stream, for a captured one and for
 * one of a parent process. */
bool tni_host_stream_is_idle(const tn_stream *stream);

#endif
