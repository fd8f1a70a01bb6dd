/* Exact decisions on points in a plane.
 *
 * A value computed in double precision decides where it is larger than its error may be (the bounds
 * of J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric
 * predicates, 1997). Else it is computed once more as an expansion: a sum of doubles that do not
 * overlap, smallest first, whose last one has the sign. Parts that are 0 are left out, so that
 * points on a grid take a few parts each. */
#include "backend/host/forms/spatial/predicates.h"

#include <math.h>

enum { PARTS = 1600 };

static const double unit = 0x1p-53;

typedef struct expansion {
    int count;
    double at[PARTS];
} expansion;

/* --- Expansions --- */

static void put(expansion *e, double part) {
    if (part != 0) e->at[e->count++] = part;
}

/* a + b = *sum + the result, which is the error. */
static double sum_of(double a, double b, double *sum) {
    *sum = a + b;
    const double other = *sum - a;
    return (a - (*sum - other)) + (b - other);
}

static void add_number(expansion *e, double number) {
    int kept = 0;
    for (int k = 0; k < e->count; k++) {
        const double error = sum_of(number, e->at[k], &number);
        if (error != 0) e->at[kept++] = error;
    }
    e->count = kept;
    put(e, number);
}

static void add_product(expansion *to, const expansion *a, const expansion *b, double sign) {
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            const double product = a->at[i] * b->at[j];
            add_number(to, sign * fma(a->at[i], b->at[j], -product));
            add_number(to, sign * product);
        }
}

static void difference(expansion *e, double a, double b) {
    double sum;
    const double error = sum_of(a, -b, &sum);
    e->count = 0;
    put(e, error);
    put(e, sum);
}

static int sign_of(const expansion *e) {
    const double last = e->count ? e->at[e->count - 1] : 0;
    return (last > 0) - (last < 0);
}

/* a x b' - a' x b of differences. */
static void cross(expansion *e, const expansion a[2], const expansion b[2]) {
    e->count = 0;
    add_product(e, &a[0], &b[1], 1);
    add_product(e, &a[1], &b[0], -1);
}

/* --- Predicates --- */

static int orient_exactly(const double *a, const double *b, const double *c) {
    expansion left[2], right[2], value;
    for (int k = 0; k < 2; k++) {
        difference(&left[k], a[k], c[k]);
        difference(&right[k], b[k], c[k]);
    }
    cross(&value, left, right);
    return sign_of(&value);
}

int tni_host_orient(const double *a, const double *b, const double *c) {
    const double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    const double value = left - right;
    const double error = (3 + 16 * unit) * unit * (fabs(left) + fabs(right));
    if (value > error) return 1;
    if (value < -error) return -1;
    return orient_exactly(a, b, c);
}

static int in_circle_exactly(const double *const *points, const double *d) {
    expansion from[3][2], minor, lift, value = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            difference(&from[i][k], points[i][k], d[k]);
    for (int i = 0; i < 3; i++) {
        cross(&minor, from[(i + 1) % 3], from[(i + 2) % 3]);
        lift.count = 0;
        add_product(&lift, &from[i][0], &from[i][0], 1);
        add_product(&lift, &from[i][1], &from[i][1], 1);
        add_product(&value, &lift, &minor, 1);
    }
    return sign_of(&value);
}

/* Whether a product or a sum is exact. */
static int is_product(double a, double b, double product) {
    return fma(a, b, -product) == 0;
}
static int is_sum(double a, double b) {
    double sum;
    return sum_of(a, b, &sum) == 0;
}

/* Whether every step of the rounded value was exact, as it is for points on a grid of few bits. */
static int is_exact(const double *const *points, const double *d, const double (*from)[2],
                    const double *minors, const double *lifts) {
    double whole = 0;
    for (int i = 0; i < 3; i++) {
        const double *a = from[(i + 1) % 3], *b = from[(i + 2) % 3], *c = from[i];
        const double left = a[0] * b[1], right = a[1] * b[0];
        const double x = c[0] * c[0], y = c[1] * c[1], term = lifts[i] * minors[i];
        if (!is_sum(points[i][0], -d[0]) || !is_sum(points[i][1], -d[1]) ||
            !is_product(a[0], b[1], left) || !is_product(a[1], b[0], right) ||
            !is_sum(left, -right) || !is_product(c[0], c[0], x) || !is_product(c[1], c[1], y) ||
            !is_sum(x, y) || !is_product(lifts[i], minors[i], term) || !is_sum(whole, term))
            return 0;
        whole += term;
    }
    return 1;
}

int tni_host_in_circle(const double *a, const double *b, const double *c, const double *d) {
    const double *const points[3] = {a, b, c};
    double from[3][2], minors[3], lifts[3], value = 0, permanent = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            from[i][k] = points[i][k] - d[k];
    for (int i = 0; i < 3; i++) {
        const double *p = from[(i + 1) % 3], *q = from[(i + 2) % 3];
        const double left = p[0] * q[1], right = p[1] * q[0];
        minors[i] = left - right;
        lifts[i] = from[i][0] * from[i][0] + from[i][1] * from[i][1];
        value += lifts[i] * minors[i];
        permanent += lifts[i] * (fabs(left) + fabs(right));
    }
    const double error = (10 + 96 * unit) * unit * permanent;
    if (value > error) return 1;
    if (value < -error) return -1;
    if (is_exact(points, d, from, minors, lifts)) return (value > 0) - (value < 0);
    return in_circle_exactly(points, d);
}

int tni_host_scale_points(double *to, const double *points, const int64_t *turns, int64_t count) {
    double most = 0;
    int exponent;
    for (int64_t k = 0; k < 2 * count; k++) {
        const double size = fabs(points[k]);
        if (!(size < INFINITY)) return 0;
        most = size > most ? size : most;
    }
    frexp(most, &exponent);
    for (int64_t k = 0; k < count; k++)
        for (int axis = 0; axis < 2; axis++)
            to[2 * k + axis] = ldexp(points[2 * turns[k] + axis], -exponent);
    return 1;
}
