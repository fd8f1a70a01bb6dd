/* The form "triangulate" on the host: points are inserted one by one (A. Bowyer; D. F. Watson, The
 * Computer Journal 24, 1981), in an order in which neighbours follow each other.
 *
 * A ghost is a triangle of an edge of the hull and the corner NOWHERE, on the outer side of the
 * edge, so every edge has two triangles. A point *conflicts* with a triangle whose circle it is
 * within, and with a ghost whose edge it is beyond, or on. The triangles in conflict are connected;
 * they give way to those of the point and each edge around them. Points have numbers by their turns
 * until the end. Decisions are exact (predicates.h).
 *
 * Of four points on one circle, the last of the call's is as if it lay a little below the others on
 * the paraboloid, so it has an edge to each: what is made does not depend on the turns, and the two
 * triangles of a square are those of Qhull. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/spatial/predicates.h"
#include "core/base/alloc.h"
#include "forms/spatial.h"

enum { NOWHERE = -1, NONE = -1 };

/* Triangle k has corners[3k..3k+2], and neighbors[3k+i] opposite to corner i. */
typedef struct mesh {
    const double *points;
    const int64_t *turns; /* the call's numbers of points */
    int32_t *corners, *neighbors;
    int32_t count; /* slots in use, some of them free */
    int32_t *free; /* slots of triangles that gave way */
    int32_t free_count;
    int32_t *stack;     /* triangles in conflict, and then edges around them */
    int32_t *marks;     /* of each triangle: the point that it was last in conflict with */
    int32_t *beginning; /* of each corner + 1: the new triangle whose edge begins there */
    int32_t last;       /* a triangle that is no ghost */
    int32_t *twins;     /* points that are no corners, each with the corner at its place or NONE */
    int32_t twin_count;
} mesh;

static const double *point_of(const mesh *m, int32_t corner) {
    return m->points + 2 * (int64_t)corner;
}

/* The place of NOWHERE among the corners, or -1. */
static int ghost_of(const mesh *m, int32_t triangle) {
    for (int k = 0; k < 3; k++)
        if (m->corners[3 * triangle + k] == NOWHERE) return k;
    return -1;
}

/* Whether p, on the line through a and b, lies between them. */
static bool is_between(const double *a, const double *b, const double *p) {
    const int axis = a[0] == b[0];
    return (a[axis] < p[axis] && p[axis] < b[axis]) || (b[axis] < p[axis] && p[axis] < a[axis]);
}

/* Whether a point on the circle through anticlockwise corners counts as within it. */
static bool is_below(const mesh *m, const int32_t *c, int32_t number) {
    int last = 0;
    for (int k = 1; k < 3; k++)
        if (m->turns[c[k]] > m->turns[c[last]]) last = k;
    return m->turns[number] > m->turns[c[last]] ||
           tni_host_orient(point_of(m, c[(last + 1) % 3]), point_of(m, c[(last + 2) % 3]),
                           point_of(m, number)) < 0;
}

static bool conflicts(const mesh *m, int32_t triangle, int32_t number) {
    const int32_t *c = m->corners + 3 * triangle;
    const double *p = point_of(m, number);
    const int ghost = ghost_of(m, triangle);
    if (ghost < 0) {
        const int side =
            tni_host_in_circle(point_of(m, c[0]), point_of(m, c[1]), point_of(m, c[2]), p);
        return side > 0 || (side == 0 && is_below(m, c, number));
    }
    const double *a = point_of(m, c[(ghost + 1) % 3]), *b = point_of(m, c[(ghost + 2) % 3]);
    const int side = tni_host_orient(a, b, p);
    return side > 0 || (side == 0 && is_between(a, b, p));
}

/* A triangle that p conflicts with, or NONE, where *twin is the corner at its place. */
static int32_t find_conflict(const mesh *m, const double *p, int32_t *twin) {
    int32_t at = m->last;
    *twin = NONE;
    for (int32_t step = 0; step < m->count + 3; step++) {
        const int32_t *c = m->corners + 3 * at;
        int next = -1;
        if (ghost_of(m, at) >= 0) return at;
        for (int k = 0; k < 3; k++) {
            const double *corner = point_of(m, c[k]);
            if (corner[0] == p[0] && corner[1] == p[1]) {
                *twin = c[k];
                return NONE;
            }
        }
        for (int k = 0; k < 3 && next < 0; k++)
            if (tni_host_orient(point_of(m, c[(k + 1) % 3]), point_of(m, c[(k + 2) % 3]), p) < 0)
                next = k;
        if (next < 0) return at;
        at = m->neighbors[3 * at + next];
    }
    return NONE;
}

/* The triangles in conflict, on the stack. Gives their number. */
static int32_t spread(mesh *m, int32_t first, int32_t number) {
    int32_t count = 1;
    m->stack[0] = first;
    m->marks[first] = number;
    for (int32_t done = 0; done < count; done++)
        for (int k = 0; k < 3; k++) {
            const int32_t next = m->neighbors[3 * m->stack[done] + k];
            if (m->marks[next] == number || !conflicts(m, next, number)) continue;
            m->marks[next] = number;
            m->stack[count++] = next;
        }
    return count;
}

static int32_t new_triangle(mesh *m, int32_t a, int32_t b, int32_t c) {
    const int32_t at = m->free_count ? m->free[--m->free_count] : m->count++;
    int32_t *corners = m->corners + 3 * at;
    corners[0] = a, corners[1] = b, corners[2] = c;
    m->marks[at] = NONE;
    return at;
}

/* The edges around `count` triangles on the stack: (begin, end, triangle beyond), after them.
 * False where two begin at one corner, which exact decisions exclude. */
static bool find_edges(mesh *m, int32_t count, int32_t number, int32_t *edges,
                       int32_t *edge_count) {
    bool is_good = true;
    *edge_count = 0;
    for (int32_t k = 0; k < count; k++)
        for (int side = 0; side < 3; side++) {
            const int32_t at = m->stack[k], next = m->neighbors[3 * at + side];
            if (m->marks[next] == number) continue;
            int32_t *edge = edges + 3 * (*edge_count)++;
            edge[0] = m->corners[3 * at + (side + 1) % 3];
            edge[1] = m->corners[3 * at + (side + 2) % 3];
            edge[2] = next;
            is_good &= m->beginning[edge[0] + 1] == NONE;
            m->beginning[edge[0] + 1] = at; /* until there is a new one */
        }
    for (int32_t k = 0; k < *edge_count; k++)
        m->beginning[edges[3 * k] + 1] = NONE;
    return is_good;
}

/* Puts triangles of the point and the edges in the place of those on the stack. */
static void replace(mesh *m, int32_t count, int32_t number, const int32_t *edges,
                    int32_t edge_count) {
    for (int32_t k = 0; k < count; k++)
        m->free[m->free_count + k] = m->stack[k];
    int32_t *made = m->stack; /* the slots are noted in `free` */
    m->free_count += count;
    for (int32_t k = 0; k < edge_count; k++) {
        const int32_t *edge = edges + 3 * k;
        made[k] = new_triangle(m, number, edge[0], edge[1]);
        m->beginning[edge[0] + 1] = made[k];
    }
    for (int32_t k = 0; k < edge_count; k++) {
        const int32_t *edge = edges + 3 * k, after = m->beginning[edge[1] + 1];
        const int32_t *beyond = m->corners + 3 * edge[2];
        int side = 0; /* of the triangle beyond: opposite to the corner that the edge has not */
        while (beyond[side] == edge[0] || beyond[side] == edge[1])
            side++;
        m->neighbors[3 * edge[2] + side] = made[k];
        m->neighbors[3 * made[k]] = edge[2];
        m->neighbors[3 * made[k] + 1] = after;
        m->neighbors[3 * after + 2] = made[k];
        if (edge[0] != NOWHERE && edge[1] != NOWHERE) m->last = made[k];
    }
    for (int32_t k = 0; k < edge_count; k++)
        m->beginning[edges[3 * k] + 1] = NONE;
}

static void note_twin(mesh *m, int32_t number, int32_t corner) {
    m->twins[2 * m->twin_count] = number;
    m->twins[2 * m->twin_count++ + 1] = corner;
}

static void insert(mesh *m, int32_t number, int32_t *edges) {
    int32_t twin, edge_count;
    const int32_t first = find_conflict(m, point_of(m, number), &twin);
    if (first == NONE) {
        note_twin(m, number, twin);
        return;
    }
    const int32_t count = spread(m, first, number);
    if (!find_edges(m, count, number, edges, &edge_count)) {
        for (int32_t k = 0; k < count; k++)
            m->marks[m->stack[k]] = NONE;
        note_twin(m, number, NONE);
        return;
    }
    replace(m, count, number, edges, edge_count);
}

/* Three points that are on no line, in turns[0..2] of the mesh's numbers; false: there are none. */
static bool find_first(const double *points, int32_t count, int32_t *first) {
    int32_t b = 1, c;
    while (b < count && points[2 * b] == points[0] && points[2 * b + 1] == points[1])
        b++;
    for (c = b + 1; c < count; c++) {
        const int side = tni_host_orient(points, points + 2 * (int64_t)b, points + 2 * (int64_t)c);
        if (side == 0) continue;
        first[0] = 0;
        first[1] = side > 0 ? b : c;
        first[2] = side > 0 ? c : b;
        return true;
    }
    return false;
}

/* A triangle and its three ghosts. */
static void begin(mesh *m, const int32_t *first) {
    const int32_t inner = new_triangle(m, first[0], first[1], first[2]);
    int32_t ghosts[3];
    for (int k = 0; k < 3; k++)
        ghosts[k] = new_triangle(m, first[(k + 2) % 3], first[(k + 1) % 3], NOWHERE);
    for (int k = 0; k < 3; k++) {
        int32_t *n = m->neighbors + 3 * ghosts[k];
        m->neighbors[3 * inner + k] = ghosts[k];
        n[0] = ghosts[(k + 2) % 3];
        n[1] = ghosts[(k + 1) % 3];
        n[2] = inner;
    }
    m->last = inner;
}

/* --- The result --- */

/* Triangles without ghosts and free slots: new numbers of them, in `marks`, and how many. */
static int32_t number_triangles(mesh *m) {
    int32_t count = 0;
    for (int32_t k = 0; k < m->free_count; k++)
        m->corners[3 * m->free[k]] = NOWHERE;
    for (int32_t k = 0; k < m->count; k++)
        m->marks[k] = ghost_of(m, k) < 0 ? count++ : NONE;
    return count;
}

/* Moves what stays to the front; then twins learn a triangle of the corner at their place. */
static void deliver(mesh *m, tni_triangulation *to) {
    const int64_t *turns = m->turns;
    int32_t *triangle_of = m->beginning;
    to->count = number_triangles(m);
    for (int32_t k = 0; k < m->count; k++) {
        const int32_t number = m->marks[k];
        if (number == NONE) continue;
        for (int side = 0; side < 3; side++) {
            const int32_t corner = m->corners[3 * k + side];
            const int32_t next = m->neighbors[3 * k + side];
            triangle_of[corner + 1] = number;
            m->neighbors[3 * number + side] = m->marks[next];
            m->corners[3 * number + side] = (int32_t)turns[corner];
        }
    }
    to->corners = m->corners;
    to->neighbors = m->neighbors;
    to->coplanar_count = m->twin_count;
    to->coplanar = m->stack;
    for (int32_t k = 0; k < m->twin_count; k++) {
        const int32_t corner = m->twins[2 * k + 1];
        to->coplanar[3 * k] = (int32_t)turns[m->twins[2 * k]];
        to->coplanar[3 * k + 1] = corner == NONE ? 0 : triangle_of[corner + 1];
        to->coplanar[3 * k + 2] = corner == NONE ? to->corners[0] : (int32_t)turns[corner];
    }
}

/* Every point once, in an order. */
static bool is_order(const int64_t *turns, int64_t count, int32_t *seen) {
    for (int64_t k = 0; k < count; k++)
        seen[k] = 0;
    for (int64_t k = 0; k < count; k++) {
        if (turns[k] < 0 || turns[k] >= count || seen[turns[k]]) return false;
        seen[turns[k]] = 1;
    }
    return true;
}

static tn_status run(const tni_triangulate *call, mesh *m, double *points, int32_t *edges) {
    const int32_t count = (int32_t)call->count;
    int32_t first[3];
    if (!is_order(call->turns, count, m->marks))
        TNI_FAIL(TN_ERROR_INDEX, "the turns do not name every point once");
    if (!tni_host_scale_points(points, call->points, call->turns, count))
        TNI_FAIL(TN_ERROR_VALUE, "points must be finite");
    call->to->is_flat = !find_first(points, count, first);
    if (call->to->is_flat) return TN_OK;
    for (int32_t k = 0; k <= count; k++)
        m->beginning[k] = NONE;
    begin(m, first);
    for (int32_t k = 0; k < count; k++)
        if (k != first[0] && k != first[1] && k != first[2]) insert(m, k, edges);
    deliver(m, call->to);
    return TN_OK;
}

tn_status tni_host_run_triangulate(void *parameters) {
    const tni_triangulate *call = parameters;
    /* n points and NOWHERE have 2 n - 2 triangles; as many may be in conflict, and edges be around
     * them. */
    const size_t most = 2 * (size_t)call->count + 4, word = sizeof(int32_t);
    double *points = tni_malloc(most * sizeof *points);
    int32_t *edges = tni_malloc(3 * most * word);
    mesh m = {.points = points,
              .turns = call->turns,
              .corners = tni_malloc(3 * most * word),
              .neighbors = tni_malloc(3 * most * word),
              .free = tni_malloc(most * word),
              .stack = tni_malloc(3 * most * word),
              .marks = tni_malloc(most * word),
              .beginning = tni_malloc(most * word),
              .twins = tni_malloc(most * word)};
    tn_status status;
    if (points && edges && m.corners && m.neighbors && m.free && m.stack && m.marks &&
        m.beginning && m.twins)
        status = run(call, &m, points, edges);
    else
        status = tni_fail_no_memory((int64_t)(most * 20 * word));
    if (status || call->to->is_flat) {
        tni_free(m.corners);
        tni_free(m.neighbors);
        tni_free(m.stack);
    }
    tni_free(m.twins);
    tni_free(m.beginning);
    tni_free(m.marks);
    tni_free(m.free);
    tni_free(edges);
    tni_free(points);
    return status;
}

TNI_HOST_PLAN(triangulate, call->count * 1000)
