/* Distances of rows, trees of points, triangles of points in a plane.
 *
 * * Coordinates are of f64 unless something else is said; every array is on one device and has two
 * dimensions, a row for each point. `*result` receives a new array. `stream` NULL is the current
 * one of the device. */
#ifndef TENORITE_SPATIAL_H
#define TENORITE_SPATIAL_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Distances by SciPy's names; those of flags (from JACCARD to YULE) take any element but 0 as true,
 * DICE without weights as the number that it is. */
typedef enum tn_metric {
    TN_METRIC_EUCLIDEAN,
    TN_METRIC_SQEUCLIDEAN,
    TN_METRIC_CITYBLOCK,
    TN_METRIC_CHEBYSHEV,
    TN_METRIC_MINKOWSKI,
    TN_METRIC_COSINE,
    TN_METRIC_CANBERRA,
    TN_METRIC_BRAYCURTIS,
    TN_METRIC_HAMMING,
    TN_METRIC_MAHALANOBIS,   /* weights: the matrix of the quadratic form */
    TN_METRIC_HELLINGER,     /* of square roots of rows */
    TN_METRIC_JENSENSHANNON, /* of rows whose sum is 1 */
    TN_METRIC_ENTROPY,       /* of Kullback and Leibler */
    TN_METRIC_INNER,         /* the product of the rows */
    TN_METRIC_JACCARD,
    TN_METRIC_DICE,
    TN_METRIC_ROGERSTANIMOTO,
    TN_METRIC_RUSSELLRAO,
    TN_METRIC_SOKALSNEATH,
    TN_METRIC_YULE,
    tn_metric_count
} tn_metric;

/* The distance of each row of `a` to each of `b`, or (b NULL) of each pair of rows i < j of `a`,
 * one after the other in an array of one dimension. Computed in f32 or f64, which both arrays have.
 * weights (NULL: ones) are one for each column. p is that of MINKOWSKI, 0.. infinity. `*result`
 * NULL on entry means that a new array is made; else that array, of the dtype of the computation
 * and in order C, is written and stays the caller's. TN_ERROR_VALUE for shapes that do not fit,
 * TN_ERROR_TYPE for other dtypes. */
TN_API tn_status tn_array_distances(tn_array **result, const tn_array *a, const tn_array *b,
                                    tn_metric metric, double p, const tn_array *weights,
                                    tn_stream *stream);

/* Places (i64, one dimension) along Hilbert's curve of points whose coordinates are u32 below
 * 2^bits. TN_ERROR_VALUE unless bits times columns is 1 to 63. */
TN_API tn_status tn_array_hilbert(tn_array **result, const tn_array *places, int bits,
                                  tn_stream *stream);

/* A tree of points: they lie in an order in which neighbours are near, that of Hilbert's curve.
 * The arrays stay the caller's. */
typedef struct tn_tree {
    const tn_array *points;  /* in that order */
    const tn_array *boxes;   /* tn_tree_boxes; [2^(levels + 1), 2, columns] */
    const tn_array *order;   /* i64, one dimension: the numbers of the points */
    const tn_array *periods; /* one dimension: of each column, 0: none; or NULL */
    int levels;
} tn_tree;

/* The boxes of a tree of so many levels (0 to 30) over points in their order. TN_ERROR_VALUE for no
 * points. */
TN_API tn_status tn_tree_boxes(tn_array **result, const tn_array *points, int levels,
                               tn_stream *stream);

/* How distances are measured and which are of interest. */
typedef struct tn_tree_options {
    double p;              /* 1 to infinity, for radii also 0 to 1 */
    double eps;            /* distances may be too long by a factor of 1 + eps */
    double bound;          /* neighbours are nearer */
    int64_t k;             /* so many */
    const tn_array *turns; /* i64, one dimension: the order in which rows are computed; or NULL */
} tn_tree_options;

/* The distances and numbers (i64) of the k nearest points of each row of `x`; infinity and the
 * number of points where there is none. Of equal distances the least number comes first. */
TN_API tn_status tn_tree_query(tn_array **distances, tn_array **numbers, const tn_tree *tree,
                               const tn_array *x, const tn_tree_options *options,
                               tn_stream *stream);

/* How many points (i64) are not farther from each row of `x` than its radius (radii: one
 * dimension). after (i64, or NULL): of each row the place in the tree's order that points come
 * after. */
TN_API tn_status tn_tree_count(tn_array **counts, const tn_tree *tree, const tn_array *x,
                               const tn_array *radii, const tn_array *after,
                               const tn_tree_options *options, tn_stream *stream);
/* The sum of the weights of those points; weights (one dimension) lie in the tree's order. */
TN_API tn_status tn_tree_weigh(tn_array **sums, const tn_tree *tree, const tn_array *x,
                               const tn_array *radii, const tn_array *weights,
                               const tn_tree_options *options, tn_stream *stream);
/* The numbers of those points, of row i from starts[i] on (i64, the running sum of tn_tree_count),
 * `total` in all, and (distances not NULL) their distances. */
TN_API tn_status tn_tree_collect(tn_array **numbers, tn_array **distances, const tn_tree *tree,
                                 const tn_array *x, const tn_array *radii, const tn_array *after,
                                 const tn_array *starts, int64_t total,
                                 const tn_tree_options *options, tn_stream *stream);

/* Counts, numbers and (distances not NULL) distances at once, on the host: TN_ERROR_DEVICE on
 * another device. It waits. */
TN_API tn_status tn_tree_gather(tn_array **counts, tn_array **numbers, tn_array **distances,
                                const tn_tree *tree, const tn_array *x, const tn_array *radii,
                                const tn_array *after, const tn_tree_options *options,
                                tn_stream *stream);

/* Delaunay's triangles of points of two columns: corners (i32, three columns) anticlockwise,
 * neighbors (i32, beyond the edge opposite to a corner; -1: none), and what is no corner of any
 * (coplanar: point, triangle, corner nearest to it). turns (i64): the order in which points are
 * inserted. Decisions are exact. It runs on the host, to which the points are brought, and waits.
 * TN_ERROR_VALUE where all points are on one line, and for points that are not finite. */
TN_API tn_status tn_array_triangulate(tn_array **corners, tn_array **neighbors, tn_array **coplanar,
                                      const tn_array *points, const tn_array *turns,
                                      tn_stream *stream);
/* The corners (i64, one dimension) of the convex hull, anticlockwise, without points on its edges.
 * turns (i64) sorts the points by columns 0 and 1. The rest is as above. */
TN_API tn_status tn_array_hull(tn_array **corners, const tn_array *points, const tn_array *turns,
                               tn_stream *stream);
/* The triangle (i32) that each row of `x` lies in, or -1: barycentric coordinates are at least
 * -eps. starts (i32, or NULL): where each search begins. With has_last, -2 - the last triangle
 * that was looked at in place of -1. */
TN_API tn_status tn_array_locate(tn_array **found, const tn_array *x, const tn_array *points,
                                 const tn_array *corners, const tn_array *neighbors,
                                 const tn_array *starts, double eps, bool has_last,
                                 tn_stream *stream);

/* Surfaces through values [points, columns] at each row of `x`, which lies in the triangle `found`
 * (tn_array_locate): [rows, columns]. Linear in each triangle, or with `slopes` [points, columns,
 * 2] (or NULL) a cubic surface without an edge. Beyond all triangles column c is fill[c % 2]. */
TN_API tn_status tn_array_triangle_values(tn_array **result, const tn_array *x,
                                          const tn_array *found, const tn_array *points,
                                          const tn_array *corners, const tn_array *neighbors,
                                          const tn_array *values, const tn_array *slopes,
                                          const double fill[2], tn_stream *stream);
/* Slopes [points, columns, 2] for it, with which the curvature along all edges is least: found by
 * at most `most` rounds, until none changes by more than `tolerance` of itself or of 1. *left: the
 * columns where this was not reached. It runs on the host, to which the arrays are brought, and
 * waits. */
TN_API tn_status tn_array_triangle_slopes(tn_array **slopes, int64_t *left, const tn_array *points,
                                          const tn_array *corners, const tn_array *neighbors,
                                          const tn_array *values, double tolerance, int64_t most,
                                          tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
