/* For debugging: graphs are cut at random places, and groups run singly. */
#ifndef TNI_KERNEL_EXPRESSION_CUTS_H
#define TNI_KERNEL_EXPRESSION_CUTS_H

#include "kernel/expression/graph.h"

/* The number that TENORITE_DEBUG_CUTS gives for a graph, which decides where it is cut; 0: it has
 * none. Asked for once for each process. */
uint64_t tni_cuts_of(const tn_expression *expression);

enum {
    TNI_CUT_ROWS = 1, /* a graph over rows is several passes */
    TNI_CUT_STORES,   /* stores are passes of their own, as if their arrays overlapped others */
    TNI_CUT_CHAINS,   /* of a reduction: no chain enters it */
    TNI_CUT_NODE,     /* of a node: it begins another pass */
    TNI_CUT_PROGRAM   /* of a group: its program is refused, so that its operations run singly */
};

static inline bool tni_cuts(uint64_t number, int what, int node) {
    if (__builtin_expect(number == 0, 1)) return false;
    uint64_t hash = (number ^ (uint64_t)what << 32 ^ (uint64_t)node) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return number % 4 == 0 || hash >> 62 == 0; /* every fourth graph everywhere */
}

#endif
