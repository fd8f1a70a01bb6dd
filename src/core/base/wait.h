/* Waiting in slices, so that a program's hook can look at its signals. */
#ifndef TNI_WAIT_H
#define TNI_WAIT_H

#include <pthread.h>
#include <tenorite/device.h>

/* Calls `slice` with a part of the time until it answers anything but TN_TIMEOUT or `timeout_ns`
 * (negative: for ever) is over. Without a hook that is one call. */
tn_status tni_wait(tn_status (*slice)(const void *context, int64_t timeout_ns), const void *context,
                   int64_t timeout_ns);
/* The same without an end that a time or the hook could set. */
void tni_wait_out(tn_status (*slice)(const void *context, int64_t timeout_ns), const void *context);
/* A function that each wait with a hook calls after a slice: a failure of it ends the wait with
 * that failure. There is one in a process, of the library that leaves threads waiting. */
void tni_wait_watch(tn_status (*look)(void));
/* Looks again and again until something is done, or has failed. (A synchronization would take the
 * failure away from the program, and an event can fail to be made.) For what happens seldom. */
void tni_drain(bool (*is_done)(const void *context), const void *context);

/* Another thread calls the function: for a thread that works off a stream and would wait for that
 * stream. False: no thread could be started. */
bool tni_call_elsewhere(void (*function)(void *context), void *context);

/* The hook around any other work that may last, without polls. */
typedef struct tni_break {
    const tn_wait_hook *hook; /* NULL: nothing was begun */
    void *token;
} tni_break;
tni_break tni_break_begin(void);
void tni_break_end(tni_break pause);

/* Takes a lock whose holders wait, with the hook around the wait for it: a holder may wait for what
 * the caller gives up only in the hook. */
void tni_wait_lock(pthread_mutex_t *lock);

#endif
