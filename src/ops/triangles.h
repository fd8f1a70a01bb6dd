/* The triangle that a point lies in, and values there (forms/spatial.h).
 *
 * The search is a walk that crosses the edge from whose side the point is farthest. In Delaunay's
 * triangles it ends; where rounding makes it turn in circles all triangles are looked at. The
 * surface is the one of Clough and Tocher: three cubics around the center of a triangle, by
 * Bezier's ordinates (G. Farin, Computer Aided Geometric Design 3, 1986). */
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

/* The corners' coordinates; 0 if they are no points. */
TN_FN int m_triangle_corners(const tn_triangles_view *t, tn_i64 which, const double **at) {
    for (int k = 0; k < 3; k++) {
        const tn_i64 corner = t->corners[3 * which + k];
        if (corner < 0 || corner >= t->point_count) return 0;
        at[k] = t->points + 2 * corner;
    }
    return 1;
}

/* Barycentric coordinates of x; 0 for a triangle without area, or whose corners are no points. */
TN_FN int m_triangle_weigh(const tn_triangles_view *t, tn_i64 which, const double *x,
                           double *weights) {
    const double *at[3];
    if (!m_triangle_corners(t, which, at)) return 0;
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
    const double *a[3];
    double weights[3];
    if (!(fabs(x[0]) < TN_INFINITY && fabs(x[1]) < TN_INFINITY)) return -2 - at;
    const tn_i64 steps = 64 + t->count / 4;
    for (tn_i64 step = 0; step < steps; step++) {
        if (!m_triangle_corners(t, at, a)) break;
        /* Not divided by, which takes long. */
        const double area = m_triangle_area(a[0], a[1], a[2]);
        const double u = m_triangle_area(a[1], a[2], x), v = m_triangle_area(a[2], a[0], x);
        const double w = m_triangle_area(a[0], a[1], x), uv = v < u ? v : u;
        const int least = w < uv ? 2 : v < u;
        if (!(area > 0)) break;
        if ((w < uv ? w : uv) >= -eps * area) return at;
        const tn_i64 next = t->neighbors[3 * at + least];
        if (next < 0 || next >= t->count) return -2 - at;
        at = next;
    }
    for (tn_i64 k = 0; k < t->count; k++)
        if (m_triangle_weigh(t, k, x, weights) && weights[m_triangle_least(weights)] >= -eps)
            return k;
    return -2 - at;
}

/* Where the direction across the edge opposite to a corner ends in this edge: it points to the
 * center of the triangle beyond. */
TN_FN double m_triangle_share(const tn_triangles_view *t, tn_i64 which, int corner) {
    const tn_i64 beyond = t->neighbors[3 * which + corner];
    const double *at[3];
    double c[3];
    if (beyond < 0 || beyond >= t->count || !m_triangle_corners(t, beyond, at)) return -0.5;
    const double center[2] = {(at[0][0] + at[1][0] + at[2][0]) / 3,
                              (at[0][1] + at[1][1] + at[2][1]) / 3};
    m_triangle_weigh(t, which, center, c);
    const double after = c[(corner + 1) % 3], before = c[(corner + 2) % 3];
    return (2 * before + after - 1) / (2 - 3 * before - 3 * after);
}

/* The cubic surface at barycentric coordinates b: of values f and slopes g at the corners. */
TN_FN double m_triangle_cubic(const double *const *at, const double *f, const double *g,
                              const double *share, const double *b) {
    const double least = b[m_triangle_least(b)], rest = 3 * least;
    double a[3][2], inner[3], across[3], sum = 0, middle = 0;
    for (int i = 0; i < 3; i++) {
        for (int s = 0; s < 2; s++) {
            const double *to = at[(i + 1 + s) % 3];
            a[i][s] =
                f[i] + (g[2 * i] * (to[0] - at[i][0]) + g[2 * i + 1] * (to[1] - at[i][1])) / 3;
        }
        inner[i] = (f[i] + a[i][0] + a[i][1]) / 3;
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        across[i] = 0.5 * (share[i] * (f[k] - f[j] + 3 * (a[j][0] - a[k][1])) +
                           (2 * a[j][0] - f[j] - a[k][1] + inner[j] + inner[k]));
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double own = b[i] - least, after = b[j] - least, before = b[k] - least;
        const double central = (across[j] + across[k] + inner[i]) / 3;
        sum += f[i] * own * own * own + 6 * after * before * rest * across[i] +
               3 * own * own * (after * a[i][0] + before * a[i][1] + rest * inner[i]) +
               3 * own * rest * rest * central;
        middle += central / 3;
    }
    return sum + middle * rest * rest * rest;
}

/* Surfaces through the values of points, at x in a triangle: linear where slopes are NULL. A column
 * outside all triangles is fill[column % 2], and NaN in one without area. */
TN_FN void m_triangle_values(const tn_triangles_view *t, tn_i64 which, const double *x,
                             const double *values, const double *slopes, tn_i64 columns,
                             const double *fill, double *to) {
    const double *at[3];
    double b[3], share[3], f[3], g[6];
    const int is_inside = which >= 0 && which < t->count && m_triangle_corners(t, which, at);
    if (is_inside) m_triangle_weigh(t, which, x, b);
    for (int k = 0; k < 3 && is_inside && slopes; k++)
        share[k] = m_triangle_share(t, which, k);
    for (tn_i64 column = 0; column < columns; column++) {
        for (int k = 0; k < 3 && is_inside; k++) {
            const tn_i64 from = t->corners[3 * which + k] * columns + column;
            f[k] = values[from];
            g[2 * k] = slopes ? slopes[2 * from] : 0;
            g[2 * k + 1] = slopes ? slopes[2 * from + 1] : 0;
        }
        if (!is_inside)
            to[column] = fill[column % 2];
        else
            to[column] = slopes ? m_triangle_cubic(at, f, g, share, b)
                                : f[0] * b[0] + f[1] * b[1] + f[2] * b[2];
    }
}

#endif
