/* Queues: the work of the host's streams, in order (queue.c). */
#ifndef TNI_HOST_QUEUE_H
#define TNI_HOST_QUEUE_H

#include "backend/host/stream/record.h"
#include "core/base/error.h"

typedef struct tni_queue tni_queue;

/* An empty queue of a device, with one reference; NULL: no memory. */
tni_queue *tni_queue_new(int number);
/* Tasks of a released queue are done all the same. In a child of fork a queue of the parent goes at
 * once. */
void tni_queue_release(tni_queue *queue);
/* The next queue of a device after `before` (NULL: the first), retained; `before` is released. A
 * queue that the calling thread works off is left out. */
tni_queue *tni_queue_next(tni_queue *before, int number);

/* Queues work(params); `bytes` of the parameters are copied. `is_foreign`: the work calls functions
 * of the program, so only a worker runs it. */
tn_status tni_queue_submit(tni_queue *queue, tn_status (*work)(void *params), const void *params,
                           size_t bytes, bool is_foreign);
/* Runs work(params) in the caller if nothing is queued; false, and it is not run, otherwise. A
 * failure is kept all the same. */
bool tni_queue_run(tni_queue *queue, tn_status (*work)(void *params), void *params);
/* What is queued from now on waits until the record is raised. */
tn_status tni_queue_submit_wait(tni_queue *queue, tni_record *record);

/* Whether the queue belongs to a parent process. */
bool tni_queue_is_forked(const tni_queue *queue);
/* Whether all that was queued is done. */
bool tni_queue_is_done(tni_queue *queue);
/* Whether the calling thread works the queue off. */
bool tni_queue_is_own(const tni_queue *queue);
/* Waits for all that is queued now, until `deadline_ns` (-1: for ever). `helps`: the caller works
 * it off where no worker has begun. `reports`: a kept failure becomes the caller's. */
tn_status tni_queue_synchronize(tni_queue *queue, int64_t deadline_ns, bool helps, bool reports);

/* How many tasks were queued by tasks so far, on any queue. A task that has completed is counted
 * with all that it queued. */
uint64_t tni_queue_followers(void);

#endif
