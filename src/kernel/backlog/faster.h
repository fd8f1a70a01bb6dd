/* Which way of a graph takes less time on the host: as one, or call by call. */
#ifndef TNI_KERNEL_BACKLOG_FASTER_H
#define TNI_KERNEL_BACKLOG_FASTER_H

#include <stdbool.h>
#include <stdint.h>

/* A run that is timed; `graph` 0: none is. */
typedef struct tni_timed {
    uint64_t graph;
    bool is_single;
    int64_t begun; /* ns */
} tni_timed;

/* Whether runs are timed, as at first; else each is one as a whole. */
void tni_faster_use(bool is_used);
/* Begins a run of a graph, by its hash (seen.h): call by call or as one. */
tni_timed tni_faster_begin(uint64_t graph);
void tni_faster_end(const tni_timed *run);

#endif
