/* The forms of the family "spatial": distances of rows, trees of points, triangles. All arrays lie
 * side by side in order C; an output overlaps no input. */
#ifndef TNI_FORMS_SPATIAL_H
#define TNI_FORMS_SPATIAL_H

#include "ops/metrics.h"

#include <tenorite/dtype.h>

#include <stdatomic.h>
#include <stdbool.h>

/* output[i, j] = the distance of row i of a and row j of b (ops/metrics.h); with b NULL
 * output[i (2 count_a - i - 1) / 2 + j - i - 1] of the rows i < j of a. Of f32 or f64, all of it.
 * Columns are summed in order in stretches of TNI_METRIC_STRETCH, and these in order. No count is
 * 0 but `columns` may be. */
enum { TNI_METRIC_STRETCH = 256 };
typedef struct tni_distances {
    tn_dtype dtype;
    tn_metric_sum sum;
    tn_metric_end end;
    tn_metric_norm norm;
    const void *a, *b;
    const void *weights; /* of columns, or columns x columns for TN_SUM_QUADRATIC; NULL: ones */
    int64_t count_a, count_b, columns;
    double p, scale, total;
    void *output;
} tni_distances;

/* keys[i] = the place of a point along Hilbert's curve: `axes` coordinates (u32) of a point, of
 * which the lowest `bits` bits count; axes * bits is at most 63. Both are at least 1. */
typedef struct tni_hilbert {
    const uint32_t *places;
    int64_t *keys;
    int64_t count;
    int axes, bits;
} tni_hilbert;

/* A tree over points that lie in the order of a curve: node 1 is the root, 2k and 2k + 1 are the
 * children of k, and node 2^l + j of level l holds the points (j count) >> l to before
 * ((j + 1) count) >> l. `boxes` has the least and then the largest coordinates of each node's
 * points; number 0 is unused. The nodes of the last level are leaves, and have a point at least.
 * The product of count and 2^levels is below 2^63. What is done with it stands in ops/tree.h. */
typedef struct tni_tree {
    const double *points, *boxes;
    const int64_t *order;  /* the number that the program knows a point by */
    const double *periods; /* of each axis, or NULL: none; 0: this axis has none */
    int64_t count;
    int axes, levels;
} tni_tree;

/* Fills in `boxes` (which is not const here) from the points; count and axes are at least 1. */
typedef struct tni_tree_boxes {
    tni_tree tree;
    double *boxes;
} tni_tree_boxes;

/* Row i of the outputs has the `k` points that are nearest to x[i], of those whose distance is
 * below `bound`: nearest first, and of equal ones the least number first; infinity and count for
 * what is not there. Distances are roots of sums of |d|^p, or the largest |d| where p is infinite.
 * A point that is nearer than the last one by a factor below 1 + eps may be missed. Row turns[t] is
 * computed as the t-th one (NULL: row t). */
typedef struct tni_tree_query {
    tni_tree tree;
    const double *x;
    const int64_t *turns;
    int64_t rows, k;
    double p, eps, bound;
    double *distances;
    int64_t *numbers;
} tni_tree_query;

/* Numbers of points, and after them room for as many distances. */
typedef struct tni_tree_block {
    struct tni_tree_block *next;
    int64_t capacity, count;
    int64_t numbers[];
} tni_tree_block;

/* What is found while it is counted: blocks (of tni_malloc, the caller's) and where each row's
 * numbers and distances lie in them. Only the host writes such. */
typedef struct tni_tree_gathered {
    int64_t **numbers;
    double **distances; /* NULL: not wanted */
    _Atomic(tni_tree_block *) blocks;
    _Atomic(bool) has_no_memory;
} tni_tree_gathered;

/* The points whose distance to x[i] is at most radii[i]: how many there are (numbers NULL, counts
 * of i64), the sum of their weights in the tree's order (sums), or their numbers from starts[i] on,
 * in the tree's order, and (distances not NULL) their distances. Where `only_after` is not NULL
 * only places in the tree's order above only_after[i] count. */
typedef struct tni_tree_ball {
    tni_tree tree;
    const double *x, *radii;
    const int64_t *turns, *only_after, *starts;
    int64_t rows, total; /* total: so many places `numbers` has */
    double p;
    const double *weights; /* of the points in the tree's order */
    int64_t *counts, *numbers;
    double *sums, *distances;
    tni_tree_gathered *gathered; /* beside counts, in place of numbers; or NULL */
} tni_tree_ball;

/* Triangles in a plane: row k of `corners` has numbers of points, anticlockwise, and
 * neighbors[k, i] is the triangle on the other side of the edge opposite to corner i, or -1. */
typedef struct tni_triangles {
    const double *points;
    const int32_t *corners, *neighbors;
    int64_t count, point_count;
} tni_triangles;

/* found[i] = a triangle that x[i] lies in, or -1: barycentric coordinates are at least -eps.
 * A walk that crosses edges, from triangle starts[i] (NULL: 0). With `has_last`, instead of -1,
 * -2 - the last triangle of the walk. */
typedef struct tni_locate {
    tni_triangles triangles;
    const double *x;
    const int32_t *starts;
    int32_t *found;
    int64_t rows;
    double eps;
    bool has_last;
} tni_locate;

/* output[i] = `columns` surfaces at x[i], which lies in triangle found[i]: through values[p] at
 * point p, and with slopes[p] there (2 for each column; NULL: linear between the corners). Beyond
 * all triangles (-1) it is fill[column % 2]. */
typedef struct tni_triangle_values {
    tni_triangles triangles;
    const double *x, *values, *slopes;
    const int32_t *found;
    double *output;
    int64_t rows, columns;
    double fill[2];
} tni_triangle_values;

/* slopes[p, column] = the gradients (2) at the points with which the curvature along all edges is
 * least: rounds over the points until none changes by more than `tolerance` of itself or of 1, at
 * most `most` of them. `left` columns were not settled by then. Only the host has this form. */
typedef struct tni_triangle_slopes {
    tni_triangles triangles;
    const double *values;
    double *slopes;
    int64_t columns, most;
    double tolerance;
    _Atomic(int64_t) *left;
} tni_triangle_slopes;

/* What a triangulation found: made by tni_malloc, and the caller's. */
typedef struct tni_triangulation {
    int32_t *corners, *neighbors, *coplanar; /* coplanar: point, triangle, nearest corner */
    int64_t count, coplanar_count;
    bool is_flat; /* all points are on one line: nothing else is there */
} tni_triangulation;

/* Delaunay's triangles of points in a plane; `turns` is the order in which points are inserted.
 * Only the host has this form and the next one. */
typedef struct tni_triangulate {
    const double *points;
    const int64_t *turns;
    int64_t count;
    tni_triangulation *to;
} tni_triangulate;

/* The corners of the convex hull of points in a plane, anticlockwise: without points on edges.
 * `turns` sorts the points by their first and then their second coordinate. `corners` has room for
 * count + 1 numbers; corner_count is below 3 where all points are on one line. */
typedef struct tni_hull {
    const double *points;
    const int64_t *turns;
    int64_t count;
    int64_t *corners, *corner_count;
} tni_hull;

#endif
