/* Communicators of the host (communicator.c). */
#ifndef TNI_HOST_COLLECTIVES_COMMUNICATOR_H
#define TNI_HOST_COLLECTIVES_COMMUNICATOR_H

#include "backend/host/collectives/segment.h"

typedef struct tni_rank {
    struct tni_rank *next; /* all of the process, in the list of communicator.c */
    uint64_t number;       /* never used twice; recorded work knows the communicator by it */
    int references;        /* of the owner and of tasks that run; guarded by the list's lock */
    bool is_ended;
    tni_segment segment; /* shared NULL: it has not joined yet (a group that is open) */
    int count, rank, device, process;
    /* Calls are done in the order in which they were made, whatever their streams: each has a
     * ticket. */
    uint64_t next_ticket; /* guarded by the lock of tickets (task.c) */
    _Atomic(uint64_t) serving;
    /* Of the task that has its turn: pieces and calls so far. */
    uint64_t pieces, calls;
} tni_rank;

/* A rank that has not joined; joining takes two steps, so that one thread may begin several. */
tn_status tni_rank_new(tni_rank **result, int count, int rank, int device);
tn_status tni_rank_enter(tni_rank *rank, const tn_communicator_key *key);
tn_status tni_rank_wait_for_all(tni_rank *rank);
/* Wakes what waits for it, lets go of the owner's reference. */
void tni_rank_end(tni_rank *rank);

/* The rank of a number, retained; NULL: it is ended, or a parent process's. */
tni_rank *tni_rank_find(uint64_t number);
void tni_rank_release(tni_rank *rank);
/* TN_ERROR_FORKED in a child of the process that made it; TN_ERROR_COLLECTIVE where the group is
 * broken. */
tn_status tni_rank_check(const tni_rank *rank);

/* How long calls may wait without progress: TENORITE_NCCL_TIMEOUT in seconds, ten minutes without
 * it; -1: for ever (0). */
int64_t tni_collective_timeout_ns(void);
/* Whether a rank that is waited for can still come; writes what became of it. */
bool tni_rank_may_come(const tni_rank *rank, int other, char text[TNI_FAILURE_TEXT]);

#endif
