/* Edges of a graph by the nodes that they leave. */
#ifndef TNI_HOST_GRAPH_EDGES_H
#define TNI_HOST_GRAPH_EDGES_H

#include "forms/graph.h"

#include <tenorite/status.h>

/* A checked copy: the edges of node i are starts[i] to before starts[i + 1], each with the node
 * that it leads to and its weight. */
typedef struct tni_edges {
    int64_t n, count;
    int64_t *starts;
    int32_t *to;
    double *weights; /* NULL if the matrix has no values */
} tni_edges;

/* `is_both_ways`: every edge leads back, too. TN_ERROR_VALUE for a broken structure. */
tn_status tni_edges_make(tni_edges *edges, const tni_csr *a, bool is_wide, bool is_both_ways);
void tni_edges_release(tni_edges *edges);

#endif
