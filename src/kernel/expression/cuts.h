/* For debugging: graphs and backlogs are cut at random places, and groups run singly. */
#ifndef TNI_KERNEL_EXPRESSION_CUTS_H
#define TNI_KERNEL_EXPRESSION_CUTS_H

#include "kernel/expression/graph.h"

/* The number that TENORITE_DEBUG_CUTS gives for a graph, which decides where it is cut; 0: it has
 * none. Asked for once for each process. */
uint64_t tni_cuts_of(const tn_expression *expression);
/* Whether this is done to a waiting call, whose number says which one it is. */
bool tni_cuts_at(int what, uint64_t call);

enum {
    TNI_CUT_ROWS = 1, /* a graph over rows is several passes */
    TNI_CUT_STORES,   /* stores are passes of their own, as if their arrays overlapped others */
    TNI_CUT_CHAINS,   /* of a reduction: no chain enters it */
    TNI_CUT_NODE,     /* of a node: it begins another pass */
    TNI_CUT_PROGRAM,  /* of a group: its program is refused, so that its operations run singly */
    TNI_CUT_BACKLOG,  /* of a waiting call: some of those before it run */
    TNI_CUT_SEGMENT,  /* of a waiting call: it begins another graph */
    TNI_CUT_READY,    /* of a waiting call: the graph that it begins has no program yet */
    TNI_CUT_ROOM      /* of one, so many after the first: its graph finds no room in the pool */
};

static inline uint64_t tni_cuts_hash(uint64_t number, int what, uint64_t which) {
    uint64_t hash = (number ^ (uint64_t)what << 32 ^ which) * UINT64_C(0xff51afd7ed558ccd);
    return (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
}

static inline bool tni_cuts(uint64_t number, int what, int node) {
    if (__builtin_expect(number == 0, 1)) return false;
    /* every fourth graph everywhere */
    return number % 4 == 0 || tni_cuts_hash(number, what, (uint64_t)node) >> 62 == 0;
}

#endif
