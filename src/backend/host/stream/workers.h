/* The threads that work off the queues of all streams of the host (workers.c). */
#ifndef TNI_HOST_WORKERS_H
#define TNI_HOST_WORKERS_H

#include "core/base/error.h"

#include <stdbool.h>

/* The right to work off one queue. */
typedef struct tni_turn {
    struct tni_turn *previous, *next;
    bool is_listed;                      /* these three are of workers.c */
    void (*work)(struct tni_turn *turn); /* called by a worker, once for each listing */
} tni_turn;

/* A turn begins, and is listed: a worker will call turn->work. Fails, with the turn not begun,
 * where no worker is there and none can be started. */
tn_status tni_workers_add(tni_turn *turn);
/* A turn begins that the caller has. Fails as tni_workers_add(). */
tn_status tni_workers_begin(void);
/* The same without a look at the workers, for a turn that will hardly be listed. */
void tni_workers_hold(void);
/* Lists a turn that the caller has: it goes on later. */
void tni_workers_give(tni_turn *turn);
/* Takes a turn out of the list, for the caller to work off; false if it is not there. */
bool tni_workers_take(tni_turn *turn);
/* Takes the oldest turn if very many are listed, NULL otherwise. */
tni_turn *tni_workers_take_excess(void);
/* A turn that the caller has is over. */
void tni_workers_end(void);
/* Whether turns are listed for which no worker was free so far. A glance: it may change at once. */
bool tni_workers_are_short(void);

/* Around a function that may last or wait for anything: another worker may serve in this one's
 * place meanwhile. False, and nothing was done, in a thread that is no worker or has left
 * already. */
bool tni_workers_leave(void);
void tni_workers_return(void);

/* For a child of fork, which has no workers. */
void tni_workers_forget(void);

/* Threads that serve the queues of streams at this moment. */
int tni_host_worker_count(void);

#endif
