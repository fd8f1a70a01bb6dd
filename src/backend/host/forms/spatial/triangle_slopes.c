/* The form "triangle_slopes" on the host: gradients for a surface of least curvature (G. Nielson,
 * Mathematics of Computation 40, 1983).
 *
 * Along an edge e of length l the cubic of values f, h and slopes d, c at its ends has a curvature
 * whose derivative by d is (8 d + 4 c - 12 (h - f)) / l^3. The gradient of a point, with which the
 * sum of these over its edges is 0, solves two equations: for one point after the other, with the
 * last gradients of its neighbours, round after round. Columns are shared out. */
#include "backend/host/forms/forms.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "forms/spatial.h"

#include <math.h>

/* An edge e from one point to another: e / l^3 and 2 e. */
typedef struct edge {
    double pull[2], twice[2];
    int64_t to;
} edge;

/* The edges from point p are those from starts[p] on. `inverse` is that of the matrix of a point's
 * equations: xx, xy, yy. */
typedef struct net {
    const tni_triangle_slopes *call;
    int64_t *starts;
    edge *edges;
    double (*inverse)[3];
} net;

/* Calls `note` for each edge, in both directions. */
static void visit(const net *n, void note(const net *, int64_t from, int64_t to)) {
    const tni_triangles *t = &n->call->triangles;
    for (int64_t k = 0; k < t->count; k++)
        for (int corner = 0; corner < 3; corner++) {
            const int64_t beyond = t->neighbors[3 * k + corner];
            const int64_t a = t->corners[3 * k + (corner + 1) % 3];
            const int64_t b = t->corners[3 * k + (corner + 2) % 3];
            const bool is_known = beyond >= 0 && beyond < k;
            if (is_known || a < 0 || b < 0 || a >= t->point_count || b >= t->point_count) continue;
            note(n, a, b);
            note(n, b, a);
        }
}

static void count_edge(const net *n, int64_t from, int64_t to) {
    (void)to;
    n->starts[from + 2]++;
}

/* starts[from + 1] moves on, from the first edge of `from` to that of the next point. */
static void write_edge(const net *n, int64_t from, int64_t to) {
    const double *points = n->call->triangles.points;
    const double x = points[2 * to] - points[2 * from],
                 y = points[2 * to + 1] - points[2 * from + 1];
    const double length = sqrt(x * x + y * y), cube = length * length * length;
    n->edges[n->starts[from + 1]++] = (edge){{x / cube, y / cube}, {2 * x, 2 * y}, to};
}

static void write_inverse(const net *n, int64_t point) {
    double xx = 0, xy = 0, yy = 0;
    for (int64_t k = n->starts[point]; k < n->starts[point + 1]; k++) {
        const edge *e = &n->edges[k];
        xx += 2 * e->pull[0] * e->twice[0];
        xy += 2 * e->pull[0] * e->twice[1];
        yy += 2 * e->pull[1] * e->twice[1];
    }
    const double determinant = xx * yy - xy * xy;
    n->inverse[point][0] = yy / determinant;
    n->inverse[point][1] = -xy / determinant;
    n->inverse[point][2] = xx / determinant;
}

/* A round over the points of a column: the largest change, NaN left aside. */
static double improve(const net *n, int64_t column) {
    const int64_t columns = n->call->columns;
    const double *values = n->call->values + column;
    double *slopes = n->call->slopes + 2 * column, largest = 0;
    for (int64_t point = 0; point < n->call->triangles.point_count; point++) {
        double *own = slopes + 2 * point * columns, sum[2] = {0, 0};
        const double *inverse = n->inverse[point], value = values[point * columns];
        for (int64_t k = n->starts[point]; k < n->starts[point + 1]; k++) {
            const edge *e = &n->edges[k];
            const double *other = slopes + 2 * e->to * columns;
            const double force = 6 * (values[e->to * columns] - value) -
                                 (e->twice[0] * other[0] + e->twice[1] * other[1]);
            sum[0] += force * e->pull[0];
            sum[1] += force * e->pull[1];
        }
        const double x = inverse[0] * sum[0] + inverse[1] * sum[1];
        const double y = inverse[1] * sum[0] + inverse[2] * sum[1];
        const double change = fmax(fabs(x - own[0]), fabs(y - own[1]));
        largest = fmax(largest, change / fmax(1, fmax(fabs(x), fabs(y))));
        own[0] = x;
        own[1] = y;
    }
    return largest;
}

static void settle(void *context, int64_t begin, int64_t end) {
    const net *n = context;
    for (int64_t column = begin; column < end; column++) {
        double change = INFINITY;
        for (int64_t k = 0; k < n->call->most && change >= n->call->tolerance; k++)
            change = improve(n, column);
        if (!(change < n->call->tolerance)) (*n->call->left)++;
    }
}

static void run(const net *n, int64_t points) {
    visit(n, count_edge);
    for (int64_t k = 1; k < points + 2; k++)
        n->starts[k] += n->starts[k - 1];
    visit(n, write_edge);
    for (int64_t k = 0; k < points; k++)
        write_inverse(n, k);
    for (int64_t k = 0; k < 2 * points * n->call->columns; k++)
        n->call->slopes[k] = 0;
    tni_parallel_units(n->call->columns, 100 * points, settle, (void *)n);
}

tn_status tni_host_run_triangle_slopes(void *parameters) {
    const tni_triangle_slopes *call = parameters;
    const int64_t points = call->triangles.point_count;
    const size_t edges = 6 * (size_t)call->triangles.count + 1, at = (size_t)points + 2;
    net n = {call, tni_calloc(at, sizeof *n.starts), tni_malloc(edges * sizeof *n.edges),
             tni_malloc(at * sizeof *n.inverse)};
    tn_status status = TN_OK;
    if (n.starts && n.edges && n.inverse)
        run(&n, points);
    else
        status = tni_fail_no_memory((int64_t)(edges * sizeof *n.edges));
    tni_free(n.inverse);
    tni_free(n.edges);
    tni_free(n.starts);
    return status;
}

TNI_HOST_PLAN(triangle_slopes, call->triangles.point_count * call->columns * 1000)
