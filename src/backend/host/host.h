/* What the files of the host backend share: running a form on a stream, and the pool of threads. */
#ifndef TNI_HOST_H
#define TNI_HOST_H

#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

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

/* Threads that serve the streams' queues at this moment (host/stream/workers.c), and tasks that were queued and
 * are not completed (host/stream/queue.c). */
int tni_host_worker_count(void);
int64_t tni_host_queued_count(void);

/* The pool of threads (host/threads.c): started by the first large loop, sized by affinity, cgroup
 * quota and TENORITE_NUM_THREADS; workers sleep on a futex and never spin longer than ~20 us.
 * task(context, begin, end) is called on disjoint ranges that cover [0, count), each range but the
 * last a multiple of `grain` (below 1: of 1); small counts (<= grain) and nested calls run in the
 * caller. Returns when all ranges are done. Any thread may call. A child of fork makes a new pool on
 * demand. */
void tni_parallel(int64_t count, int64_t grain,
                  void (*task)(void *context, int64_t begin, int64_t end), void *context);
/* The same for work that may be too short to share: `grain` is about a microsecond of it. The caller
 * runs the first grain, and others join only if that says that the rest is worth it. */
void tni_parallel_short(int64_t count, int64_t grain,
                        void (*task)(void *context, int64_t begin, int64_t end), void *context);
/* The same for units of which each takes about `ns` nanoseconds, as far as the form can tell. Short
 * ones are tried together and long ones if there are many; few long ones are shared at once. */
void tni_parallel_units(int64_t count, int64_t ns,
                        void (*task)(void *context, int64_t begin, int64_t end), void *context);
/* Threads that tni_parallel uses, the caller's included; >= 1. Starts nothing. */
int tni_thread_count(void);
/* Sets it (0: automatic again). */
void tni_thread_set_count(int count);

/* Scratch memory of the calling thread, kept between calls: at least `bytes`, aligned to a page. NULL
 * when memory is out. Valid until the thread's next call with the same slot (0 .. 3). */
void *tni_scratch(int slot, size_t bytes);

/* Forms, each in the file of its name; `join` is none of the host's. */
/* clang-format off */
#define FORM(family, name) tn_status tni_host_##name(const struct tni_##name *call, tn_stream *stream);
#include "forms/forms.def"
/* clang-format on */

#endif
