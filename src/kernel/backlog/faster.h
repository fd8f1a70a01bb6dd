/* Which way of calls takes less time on the host: as one graph, one by one, or without waiting. */
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

/* A call that begins a backlog is known by itself and the calls before it: whether such a call need
 * not wait; and that one has run alone, one of `times` times until then, or (0) as part of a
 * graph. */
bool tni_faster_is_eager(uint64_t call);
void tni_faster_note_alone(uint64_t call, int times);

#endif
