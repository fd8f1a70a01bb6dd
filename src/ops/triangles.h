/* The triangle that a point lies in (forms/spatial.h): a walk that crosses the edge from whose side
 * the point is farthest. In Delaunay's triangles it ends; where rounding makes it turn in circles
 * all triangles are looked at. */
#ifndef TNI_OPS_TRIANGLES_H
#define TNI_OPS_TRIANGLES_H

#include "types.h"

typedef struct tn_triangles_view {
    const double *points;
    const tn_i32 *corners, *neighbors;
    tn_i64 count, point_count;
} tn_triangles_view;

/* Twice the area of the triangle of a, b and a point, positive where they are anticlockwise. */
TN_FN double m_triangle_area(const double *a, const double *b, const double *point) {
    return (a[0] - point[0]) * (b[1] - point[1]) - (a[1] - point[1]) * (b[0] - point[0]);
}

/* Barycentric coordinates of x; 0 for a triangle without area, or whose corners are no points. */
TN_FN int m_triangle_weigh(const tn_triangles_view *t, tn_i64 which, const double *x,
                           double *weights) {
    const double *at[3];
    for (int k = 0; k < 3; k++) {
        const tn_i64 corner = t->corners[3 * which + k];
        if (corner < 0 || corner >= t->point_count) return 0;
        at[k] = t->points + 2 * corner;
    }
    const double area = m_triangle_area(at[0], at[1], at[2]);
    for (int k = 0; k < 3; k++)
        weights[k] = m_triangle_area(at[(k + 1) % 3], at[(k + 2) % 3], x) / area;
    return area > 0;
}

TN_FN int m_triangle_least(const double *weights) {
    const int least = weights[1] < weights[0] ? 1 : 0;
    return weights[2] < weights[least] ? 2 : least;
}

/* The triangle, or -2 - the last one of the walk. */
TN_FN tn_i64 m_triangle_locate(const tn_triangles_view *t, const double *x, tn_i64 start,
                               double eps) {
    tn_i64 at = start >= 0 && start < t->count ? start : 0;
    double weights[3];
    if (!(fabs(x[0]) < TN_INFINITY && fabs(x[1]) < TN_INFINITY)) return -2 - at;
    const tn_i64 steps = 64 + t->count / 4;
    for (tn_i64 step = 0; step < steps; step++) {
        if (!m_triangle_weigh(t, at, x, weights)) break;
        const int least = m_triangle_least(weights);
        if (weights[least] >= -eps) return at;
        const tn_i64 next = t->neighbors[3 * at + least];
        if (next < 0 || next >= t->count) return -2 - at;
        at = next;
    }
    for (tn_i64 k = 0; k < t->count; k++)
        if (m_triangle_weigh(t, k, x, weights) && weights[m_triangle_least(weights)] >= -eps)
            return k;
    return -2 - at;
}

#endif
