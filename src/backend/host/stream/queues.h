/* All queues of the process: how long each lives, and how much was queued (queues.c). */
#ifndef TNI_HOST_QUEUES_H
#define TNI_HOST_QUEUES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the list of all queues knows of one. */
typedef struct tni_queue_entry {
    atomic_int references;
    int number; /* of the device */
    unsigned forks;
    struct tni_queue_entry *previous, *next;   /* guarded by the list's lock */
    atomic_uint_fast64_t submitted, completed; /* tasks */
} tni_queue_entry;

/* Lists the queue of an entry that is zeros, with one reference. */
void tni_queues_add(tni_queue_entry *entry, int number);
/* Whether the last reference went: the queue is no longer listed, and its memory is the caller's to
 * free. In a child of fork a queue of the parent goes at once. */
bool tni_queues_release(tni_queue_entry *entry);
/* The next queue of a device after `before` (NULL: the first) that is not `own`, retained. The
 * caller releases `before` afterwards. */
tni_queue_entry *tni_queues_next(tni_queue_entry *before, int number, const tni_queue_entry *own);
/* Whether the queue belongs to a parent process. */
bool tni_queues_are_forked(const tni_queue_entry *entry);

/* Tasks that were queued and are not completed, of all queues. */
int64_t tni_host_queued_count(void);

#endif
