/* Walks through graphs. A graph of n nodes is a square matrix by compressed rows (sparse.h):
 * element (i, j) is the weight of the edge from i to j, and every element that is stored is an
 * edge. The work is the host's: graphs of other devices are brought there, and results back. All
 * functions wait. A broken structure is TN_ERROR_VALUE. */
#ifndef TENORITE_CSGRAPH_H
#define TENORITE_CSGRAPH_H

#include <tenorite/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What stands for a node where there is none. */
#define TN_CSGRAPH_NONE (-9999)

typedef enum tn_path_method {
    TN_PATH_DIJKSTRA,     /* weights must not be negative */
    TN_PATH_BELLMAN_FORD, /* weights may be negative */
    TN_PATH_JOHNSON       /* the same, faster for many sources */
} tn_path_method;

typedef struct tn_path_options {
    tn_path_method method;
    bool is_both_ways; /* edges lead back, too */
    bool is_merged;    /* Dijkstra's alone: one row, from the nearest source */
    double limit;      /* Dijkstra's alone: longer paths are none */
} tn_path_options;

/* The lengths of the shortest paths from each source (i64, one axis) to all nodes, infinite where
 * there is none: distances (f64) and the node before each (i32), of shape (sources, n), or (n,) if
 * merged; then `origins` (i32) has the nearest source of each node, else NULL. A cycle of negative
 * weight that can be reached (Johnson's: any) makes *is_negative true, and no arrays.
 * TN_ERROR_INDEX for a source that is no node. */
TN_API tn_status tn_csgraph_paths(tn_array **distances, tn_array **before, tn_array **origins,
                                  bool *is_negative, const tn_csr *graph, const tn_array *sources,
                                  const tn_path_options *options, tn_stream *stream);

/* The nodes that `first` leads to in the order of a walk (i32), breadth first or depth first, and
 * the node before each of the n nodes (i32). */
TN_API tn_status tn_csgraph_traverse(tn_array **order, tn_array **before, const tn_csr *graph,
                                     int64_t first, bool is_deep, bool is_both_ways,
                                     tn_stream *stream);

/* Which elements (b8, as long as data) are a forest of least weight that spans the graph, whose
 * edges lead both ways. */
TN_API tn_status tn_csgraph_spanning(tn_array **is_kept, const tn_csr *graph, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
