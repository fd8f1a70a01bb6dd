/* Inner loops of distances.
 *
 * Along the first axis the nearest 0 is the last one before an element or the first one after it.
 * Along another axis each element is a site, whose curve over the line is its value at the
 * element and grows with the distance from it. The least of all curves is their lower envelope: as
 * sites come from left to right, each ends those that are above it from where they begin, and
 * begins where it is below the last that is left (Felzenszwalb and Huttenlocher 2012; for all three
 * metrics Meijster, Roerdink and Hesselink 2000). Of equals the first site is taken. */
#include "backend/host/loops/image/distance_loops.h"

#include "backend/host/loops/entry.h"

#include <math.h>

/* --- The first axis --- */

enum { NONE = -1 };

/* In each row of the room the last 0 up to it. */
static void look_back(const tni_distance_columns *c) {
    const int64_t n = c->columns;
    int32_t *here = c->room;
    for (int64_t k = 0; k < n; k++)
        here[k] = c->mask[k] ? NONE : 0;
    for (int64_t i = 1; i < c->length; i++, here += n) {
        const char *mask = c->mask + i * c->stride;
        for (int64_t k = 0; k < n; k++)
            here[n + k] = mask[k] ? here[k] : (int32_t)i;
    }
}

static void scan_columns(const tni_distance_columns *c) {
    const int64_t n = c->columns;
    int32_t *after = c->room + c->length * n; /* the first 0 from a row on */
    look_back(c);
    for (int64_t k = 0; k < n; k++)
        after[k] = NONE;
    for (int64_t i = c->length - 1; i >= 0; i--) {
        const int32_t *before = c->room + i * n;
        double *values = c->values + i * c->stride;
        int32_t *nearest = c->nearest ? c->nearest + i * c->stride : after;
        for (int64_t k = 0; k < n; k++) {
            const int32_t first = before[k], next = first == (int32_t)i ? first : after[k];
            const int32_t back = first < 0 ? INT32_MAX : (int32_t)i - first;
            const int32_t ahead = next < 0 ? INT32_MAX : next - (int32_t)i;
            const int32_t least = back <= ahead ? back : ahead;
            const double distance = (double)least * c->sampling;
            const double value = c->is_squared ? distance * distance : distance;
            values[k] = least == INT32_MAX ? (double)INFINITY : value;
            nearest[k] = back <= ahead ? first : next;
            after[k] = next;
        }
    }
}

/* --- Envelopes --- */

/* The value at x of the curve of site v. */
static inline double at_euclidean(double x, double v, double value, double w) {
    const double distance = (x - v) * w;
    return distance * distance + value;
}
static inline double at_taxicab(double x, double v, double value, double w) {
    return fabs(x - v) * w + value;
}
static inline double at_chessboard(double x, double v, double value, double w) {
    const double distance = fabs(x - v) * w;
    return distance > value ? distance : value;
}

/* Up to where the curve of v is not above that of u, which is further right. It is not at the place
 * where v begins. */
static inline double until_euclidean(double v, double v_value, double u, double u_value, double w) {
    return v + ((u - v) + (u_value - v_value) / (w * w * (u - v))) * 0.5;
}
static inline double until_taxicab(double v, double v_value, double u, double u_value, double w) {
    const double further = (u_value - v_value) / w;
    return further >= u - v ? (double)INFINITY : (u + v + further) * 0.5;
}
static inline double until_chessboard(double v, double v_value, double u, double u_value,
                                      double w) {
    const double middle = (u + v) * 0.5;
    if (v_value <= u_value) {
        const double end = v + u_value / w;
        return end > middle ? end : middle;
    }
    const double end = u - v_value / w;
    return end < middle ? end : middle;
}

#define STAMP(metric)                                                                              \
    static int64_t envelope_##metric(const tni_distance_line *l) {                                 \
        const int32_t n = (int32_t)l->length;                                                      \
        const double w = l->sampling, last = n - 1;                                                \
        int32_t *sites = l->sites, *begins = l->begins;                                            \
        double *values = l->site_values;                                                           \
        int64_t count = 0;                                                                         \
        for (int32_t u = 0; u < n; u++) {                                                          \
            const double value = l->values[u];                                                     \
            if (!(value < (double)INFINITY)) continue;                                             \
            int32_t begin = 0;                                                                     \
            for (; count > 0; count--) {                                                           \
                const int64_t top = count - 1;                                                     \
                if (at_##metric(begins[top], sites[top], values[top], w) <=                        \
                    at_##metric(begins[top], u, value, w))                                         \
                    break;                                                                         \
            }                                                                                      \
            if (count > 0) {                                                                       \
                const double end =                                                                 \
                    until_##metric(sites[count - 1], values[count - 1], u, value, w);              \
                if (!(end < last)) continue;                                                       \
                begin = (int32_t)(end > 0 ? end : 0) + 1;                                          \
            }                                                                                      \
            sites[count] = u;                                                                      \
            begins[count] = begin;                                                                 \
            values[count++] = value;                                                               \
        }                                                                                          \
        return count;                                                                              \
    }                                                                                              \
    static void line_##metric(const tni_distance_line *l) {                                        \
        const int64_t count = envelope_##metric(l);                                                \
        if (count == 0)                                                                            \
            for (int64_t x = 0; x < l->length; x++)                                                \
                l->nearest[x] = NONE;                                                              \
        for (int64_t k = 0; k < count; k++) {                                                      \
            const int32_t site = l->sites[k];                                                      \
            const double value = l->site_values[k];                                                \
            const int64_t end = k + 1 < count ? l->begins[k + 1] : l->length;                      \
            for (int64_t x = l->begins[k]; x < end; x++) {                                         \
                l->values[x] = at_##metric((double)x, site, value, l->sampling);                   \
                l->nearest[x] = site;                                                              \
            }                                                                                      \
        }                                                                                          \
    }
STAMP(euclidean)
STAMP(taxicab)
STAMP(chessboard)

static void take_roots(double *values, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        values[k] = sqrt(values[k]);
}

extern const tni_distance_loops LEVEL(tni_distance_loops);
const tni_distance_loops LEVEL(tni_distance_loops) = {
    scan_columns, {line_euclidean, line_taxicab, line_chessboard}, take_roots};
