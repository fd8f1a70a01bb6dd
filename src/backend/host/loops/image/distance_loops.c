/* Inner loops of distances.
 *
 * Along the first axis the nearest 0 is the last one before an element or the first one after it.
 * Along another axis each element is a site, whose curve over the line is its value at the
 * element and grows with the distance from it. The least of all curves is their lower envelope: as
 * sites come from left to right, each ends those that are above it from where they begin, and
 * begins where it is below the last that is left (Felzenszwalb and Huttenlocher 2012; for all
 * three metrics Meijster, Roerdink and Hesselink 2000). Of equals the first site is taken.
 *
 * Where the nearest sites are near, all elements of a block look at those a step away to both
 * sides, then two steps, as long as so many steps alone are not too far for one of them. A line on
 * which that takes more than a few steps gets its envelope. Short lines are smaller blocks. */
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

/* How far so many steps alone are. */
static inline double step_euclidean(double steps, double w) {
    return at_euclidean(steps, 0, 0, w);
}
static inline double step_taxicab(double steps, double w) {
    return at_taxicab(steps, 0, 0, w);
}
static inline double step_chessboard(double steps, double w) {
    return at_chessboard(steps, 0, 0, w);
}

/* A value at so many steps (`far`) from its site. */
static inline double plus_euclidean(double value, double far) {
    return far + value;
}
static inline double plus_taxicab(double value, double far) {
    return far + value;
}
static inline double plus_chessboard(double value, double far) {
    return far > value ? far : value;
}

enum { BLOCK = 64, LANES = 8, REACH = TNI_DISTANCE_PAD };

static inline int block_of(const tni_distance_line *l) {
    return l->length < BLOCK ? (int)(l->length + LANES - 1) / LANES * LANES : BLOCK;
}

static inline double largest(const double *values, int block) {
    double some[LANES];
    for (int k = 0; k < LANES; k++)
        some[k] = values[k];
    for (int x = LANES; x < block; x += LANES)
        for (int k = 0; k < LANES; k++)
            some[k] = values[x + k] > some[k] ? values[x + k] : some[k];
    for (int k = 1; k < LANES; k++)
        some[0] = some[k] > some[0] ? some[k] : some[0];
    return some[0];
}

#define NEAR(metric)                                                                               \
    /* Sites as steps from each element, where `offsets` is not NULL. */                           \
    static inline bool search_##metric(double *least, double *offsets, const double *values,       \
                                       double w, int block) {                                      \
        for (int x = 0; x < block; x++)                                                            \
            least[x] = values[x];                                                                  \
        for (int x = 0; offsets && x < block; x++)                                                 \
            offsets[x] = 0;                                                                        \
        for (int steps = 1; steps <= REACH; steps++) {                                             \
            const double far = step_##metric(steps, w);                                            \
            if (!(far <= largest(least, block))) return true;                                      \
            for (int x = 0; x < block; x++) {                                                      \
                const double back = plus_##metric(values[x - steps], far);                         \
                const double ahead = plus_##metric(values[x + steps], far);                        \
                const double before = least[x], both = back <= before ? back : before;             \
                least[x] = ahead < both ? ahead : both;                                            \
                if (offsets) {                                                                     \
                    const double offset = back <= before ? -steps : offsets[x];                    \
                    offsets[x] = ahead < both ? steps : offset;                                    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return false;                                                                              \
    }                                                                                              \
    /* Whether all sites of a line are near. */                                                    \
    static bool near_##metric(const tni_distance_line *l) {                                        \
        double least[BLOCK], offsets[BLOCK];                                                       \
        double *wanted = l->nearest ? offsets : NULL;                                              \
        const int block = block_of(l);                                                             \
        for (int64_t at = 0; at < l->length; at += block) {                                        \
            const double *values = l->padded + at;                                                 \
            const int64_t n = l->length - at < block ? l->length - at : block;                     \
            const bool is_near =                                                                   \
                block < BLOCK ? search_##metric(least, wanted, values, l->sampling, block)         \
                : wanted      ? search_##metric(least, offsets, values, l->sampling, BLOCK)        \
                              : search_##metric(least, NULL, values, l->sampling, BLOCK);               \
            if (!is_near) return false;                                                            \
            for (int64_t x = 0; x < n; x++)                                                        \
                l->values[at + x] = least[x];                                                      \
            for (int64_t x = 0; l->nearest && x < n; x++)                                          \
                l->nearest[at + x] = (int32_t)(at + x) + (int32_t)offsets[x];                      \
        }                                                                                          \
        return true;                                                                               \
    }
NEAR(euclidean)
NEAR(taxicab)
NEAR(chessboard)

#define STAMP(metric)                                                                              \
    static int64_t envelope_##metric(const tni_distance_line *l) {                                 \
        const int32_t n = (int32_t)l->length;                                                      \
        const double w = l->sampling, last = n - 1;                                                \
        int32_t *sites = l->sites, *begins = l->begins;                                            \
        double *values = l->site_values;                                                           \
        int64_t count = 0;                                                                         \
        for (int32_t u = 0; u < n; u++) {                                                          \
            const double value = l->padded[u];                                                     \
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
        for (int64_t x = -REACH; x < l->length + block_of(l) + REACH; x++)                         \
            l->padded[x] = x >= 0 && x < l->length ? l->values[x] : (double)INFINITY;              \
        if (near_##metric(l)) return;                                                              \
        const int64_t count = envelope_##metric(l);                                                \
        for (int64_t x = 0; count == 0 && x < l->length; x++) {                                    \
            l->values[x] = (double)INFINITY;                                                       \
            if (l->nearest) l->nearest[x] = NONE;                                                  \
        }                                                                                          \
        for (int64_t k = 0; k < count; k++) {                                                      \
            const int32_t site = l->sites[k];                                                      \
            const double value = l->site_values[k];                                                \
            const int64_t end = k + 1 < count ? l->begins[k + 1] : l->length;                      \
            for (int64_t x = l->begins[k]; x < end; x++)                                           \
                l->values[x] = at_##metric((double)x, site, value, l->sampling);                   \
            for (int64_t x = l->begins[k]; l->nearest && x < end; x++)                             \
                l->nearest[x] = site;                                                              \
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
