/* One call under way (step.c). */
#ifndef TNI_HOST_COLLECTIVES_STEP_H
#define TNI_HOST_COLLECTIVES_STEP_H

#include "backend/host/collectives/communicator.h"

typedef struct tni_step {
    tn_collective call;
    uint64_t communicator; /* its number */
    uint64_t ticket;       /* of the communicator; a recorded task gets it when it runs */
    /* While the task runs: */
    tni_rank *rank;
    bool has_begun, is_done;
    int awaited; /* the rank whose part was missing last; -1: none */
    /* Pieces: the first one's number, how many there are, how many were done of each kind. */
    int64_t item, piece_elements;
    uint64_t first, pieces, published, reduced, taken;
    /* Messages: bytes so far, those of the header among them. */
    int64_t moved;
} tni_step;

/* "allReduce", and "allReduce of 16 float32 as rank 0 of 2". */
const char *tni_step_name(const tni_step *step);
void tni_step_describe(char text[TNI_FAILURE_TEXT], const tni_step *step);

/* Does what can be done now; `moved` is set if that was something. A failure is what can never be
 * done: the ranks' calls don't fit together. */
tn_status tni_step_advance(tni_step *step, bool *moved);

#endif
