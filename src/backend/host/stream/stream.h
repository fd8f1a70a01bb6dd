/* What stream.c gives to other files. */
#ifndef TNI_HOST_STREAM_STREAM_H
#define TNI_HOST_STREAM_STREAM_H

#include <tenorite/linalg.h>

/* Runs work(params) on a stream: now, in the caller, on the immediate stream; else `params` is copied
 * (`bytes` of it) and run in order, by a worker or by a thread that waits for the stream. A failure there is kept by
 * the stream, with its message, and reported by the next wait. host/stream/stream.c. */
tn_status tni_host_submit(tn_stream *stream, tn_status (*work)(void *params), const void *params,
                          size_t bytes);
/* The same for work on so many elements, which is not queued where it is small and nothing else is: it is
 * done when this returns. */
tn_status tni_host_submit_sized(tn_stream *stream, tn_status (*work)(void *params),
                                const void *params, size_t bytes, int64_t elements);
/* The same for work that calls functions which are not ours: on a queue only workers run it. */
tn_status tni_host_submit_foreign(tn_stream *stream, tn_status (*work)(void *params),
                                  const void *params, size_t bytes);

/* stream.c */
tn_status tni_host_stream_init(tn_stream *stream);
void tni_host_stream_deinit(tn_stream *stream);
uintptr_t tni_host_stream_handle(const tn_stream *stream);
tn_status tni_host_stream_synchronize(tn_stream *stream, int64_t timeout_ns);
tn_status tni_host_stream_is_done(tn_stream *stream, bool *done);
tn_status tni_host_stream_add_callback(tn_stream *stream, void (*function)(void *), void *context);
tn_status tni_host_stream_add_cleanup(tn_stream *stream, void (*function)(void *), void *context);
tn_status tni_host_device_synchronize(int number, int64_t timeout_ns);
/* Whether all that was queued is done, and it is neither immediate nor captured nor of a parent process. */
bool tni_host_stream_is_idle(const tn_stream *stream);

#endif
