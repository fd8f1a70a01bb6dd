/* The forms of the family "sparse" that walk along the edges of a graph: element (i, j) of a square
 * matrix is the weight of the edge from i to j. Only the host has them: core brings graphs of other
 * devices to it. */
#ifndef TNI_FORMS_GRAPH_H
#define TNI_FORMS_GRAPH_H

#include "forms/sparse.h"

/* What a node has before it that has none, as SciPy has it. */
#define TNI_GRAPH_NONE (-9999)

typedef enum tni_path_method {
    TNI_PATH_DIJKSTRA,     /* weights are not negative */
    TNI_PATH_BELLMAN_FORD, /* weights may be negative */
    TNI_PATH_JOHNSON,      /* the same, faster for many sources */
} tni_path_method;

/* The shortest paths from `count` nodes: distances[count, n] (infinite where there is none) and,
 * if not NULL, the node before each: before[count, n]. `is_merged`: there is one row, of the
 * nearest source, which origins[n] has. Paths longer than `limit` are none. Weights are f64.
 * `is_both_ways`: edges lead back, too. *is_negative: there is a cycle of negative weight, and the
 * rest means nothing. */
typedef struct tni_csr_paths {
    tni_path_method method;
    bool is_wide, is_both_ways, is_merged;
    tni_csr a;
    int64_t count;
    const int64_t *sources;
    double limit;
    double *distances;
    int32_t *before, *origins;
    int64_t *is_negative;
} tni_csr_paths;

/* The nodes that can be reached from `first`, in the order of a walk: order[0 .. *count), and the
 * node before each: before[n]. */
typedef struct tni_csr_traverse {
    bool is_wide, is_both_ways, is_deep; /* depth first, else breadth first */
    tni_csr a;
    int64_t first;
    int32_t *order, *before;
    int64_t *count;
} tni_csr_traverse;

/* Which elements are a forest of least weight that spans a graph whose edges have no direction:
 * is_kept[a.count]. */
typedef struct tni_csr_spanning {
    bool is_wide;
    tni_csr a; /* f64 */
    uint8_t *is_kept;
} tni_csr_spanning;

#endif
