/* Running work on the host's streams. A failure of work that was queued is kept by the stream, with
 * its message, and reported by the next wait. */
#ifndef TNI_HOST_STREAM_STREAM_H
#define TNI_HOST_STREAM_STREAM_H

#include "backend/backend.h"

/* Runs work(params) on a stream: at once, in the caller, on the immediate stream. On another
 * `bytes` of `params` are copied, and the work is run in order, by a worker or by a thread that
 * waits for the stream. */
tn_status tni_host_submit(tn_stream *stream, tn_status (*work)(void *params), const void *params,
                          size_t bytes);
/* The same for work on so many elements. Where these are few and nothing is queued, the work is
 * done when this returns. */
tn_status tni_host_submit_sized(tn_stream *stream, tn_status (*work)(void *params),
                                const void *params, size_t bytes, int64_t elements);
/* The same for work that calls functions of the program: on a queue only workers run it. */
tn_status tni_host_submit_foreign(tn_stream *stream, tn_status (*work)(void *params),
                                  const void *params, size_t bytes);

/* Whether all that was queued is done. False for the immediate stream, for a captured one and for
 * one of a parent process. */
bool tni_host_stream_is_idle(const tn_stream *stream);

#endif
