/* Inner loops of splines: LANES values of x together, a lane of vectors each.
 *
 * Of each variable come the intervals, by bisection in all lanes, then the factors of its terms.
 * Sums go over all terms of all variables; the last variable's are innermost. Results of few
 * numbers (of one, of complex ones) gather their coefficients; of many, a lane at a time adds whole
 * rows of coefficients.
 * Sources: B-splines by their recurrence, C. de Boor, A Practical Guide to Splines, chapter X; a
 * derivative is the recurrence with its last steps differentiated. */
#include "backend/host/loops/spline/spline_loops.h"

#include "backend/host/loops/entry.h"

#include <math.h>
#include <string.h>

enum { LANES = 32, NARROW = 4, WINDOW = 64 };
enum { WITHIN, BEYOND, NOT_A_NUMBER };

typedef struct block {
    double x[LANES];
    int64_t interval[LANES], base[LANES]; /* base: of the coefficients, in doubles */
    int64_t state[LANES];
    double factors[TNI_SPLINE_TERMS][LANES];
} block;

/* --- Intervals --- */

static inline double wrapped(double x, double low, double period) {
    double rest = fmod(x - low, period);
    if (rest != 0 && (rest < 0) != (period < 0)) rest += period;
    return low + rest;
}

/* Reads an axis of x, brings it between the knots where that is asked for, and notes what lies
 * beyond them. The block is full: its last lanes repeat the last x. */
static inline void read_axis(block *b, const tni_spline *call, int axis, int64_t begin, int n) {
    const tni_spline_axis *of = &call->axes[axis];
    const double first = of->knots[0], last = of->knots[of->intervals];
    const double low = first < last ? first : last, high = first < last ? last : first;
    int64_t any = 0;
    for (int k = 0; k < LANES; k++)
        b->x[k] = call->x[(begin + (k < n ? k : n - 1)) * call->ndim + axis];
    for (int k = 0; k < LANES; k++) {
        const int64_t state = b->x[k] != b->x[k]                ? NOT_A_NUMBER
                              : b->x[k] < low || b->x[k] > high ? BEYOND
                                                                : WITHIN;
        b->state[k] = state > b->state[k] ? state : b->state[k];
        any |= state;
    }
    if (!any && call->outside != TN_SPLINE_PERIODIC) return; /* the last knot is the first */
    if (any && call->is_outside) __atomic_store_n(call->is_outside + axis, 1, __ATOMIC_RELAXED);
    for (int k = 0; k < LANES; k++)
        if (call->outside == TN_SPLINE_PERIODIC)
            b->x[k] = wrapped(b->x[k], first, last - first);
        else if (call->outside == TN_SPLINE_CLAMP)
            b->x[k] = b->x[k] < low ? low : b->x[k] > high ? high : b->x[k];
}

/* The intervals among which the bisection looks: all, or few after the one before, where the x of
 * the block lie there, as they do where they ascend. */
static inline int64_t begin_search(const double *x, const double *knots, double sign,
                                   int64_t *first, int64_t intervals) {
    double least = x[0], most = x[0];
    for (int k = 1; k < LANES; k++) {
        least = x[k] < least ? x[k] : least;
        most = x[k] > most ? x[k] : most;
    }
    const int64_t end = *first + WINDOW;
    const bool is_near =
        end < intervals && sign * knots[*first] <= least && most < sign * knots[end];
    if (!is_near) *first = 0;
    return is_near ? WINDOW : intervals;
}

/* Steps of the bisection, all lanes together: choices are masks, since every branch would be
 * misled. `sign` is -1 where knots descend. */
static inline void find_intervals(block *b, const tni_spline_axis *of, int64_t *first) {
    const double sign = of->knots[0] > of->knots[of->intervals] ? -1 : 1;
    int64_t place[LANES] = {0};
    double x[LANES];
    for (int k = 0; k < LANES; k++)
        x[k] = sign * b->x[k];
    const int64_t count = begin_search(x, of->knots, sign, first, of->intervals);
    const double *knots = of->knots + *first;
    for (int64_t left = count - 1, half; left > 0; left -= half) {
        half = (left + 1) / 2;
        for (int k = 0; k < LANES; k++)
            place[k] += -(int64_t)(sign * knots[place[k] + half] <= x[k]) & half;
    }
    for (int k = 0; k < LANES; k++)
        b->interval[k] = *first + place[k];
    *first = b->interval[LANES - 1];
}

/* --- Factors --- */

static void factors_of_knots(block *b, double (*factors)[LANES], const tni_spline_axis *of) {
    const int degree = (int)of->terms - 1;
    double saved[LANES];
    for (int k = 0; k < LANES; k++)
        factors[0][k] = of->derivative > degree ? 0 : 1;
    for (int j = 1; j <= degree; j++) {
        const bool is_derived = j > degree - of->derivative;
        memset(saved, 0, sizeof saved);
        for (int r = 0; r < j; r++)
            for (int k = 0; k < LANES; k++) {
                const double right = of->knots[b->interval[k] + r + 1];
                const double left = of->knots[b->interval[k] + r + 1 - j];
                const double width = right - left, all = factors[r][k];
                const double part = width != 0 ? all / width : 0;
                const double low = is_derived ? -j : right - b->x[k];
                const double high = is_derived ? j : b->x[k] - left;
                factors[r][k] = saved[k] + low * part;
                saved[k] = high * part;
            }
        memcpy(factors[j], saved, sizeof saved);
    }
}

static void factors_of_powers(block *b, double (*factors)[LANES], const tni_spline_axis *of) {
    double power[LANES], z[LANES];
    for (int k = 0; k < LANES; k++) {
        z[k] = b->x[k] - of->knots[b->interval[k]];
        power[k] = 1;
    }
    for (int64_t p = 0; p < of->terms; p++) {
        double derived = 1;
        for (int64_t q = p + of->derivative; q > p; q--)
            derived *= (double)q;
        for (int k = 0; k < LANES; k++) {
            factors[of->terms - 1 - p][k] = derived * power[k];
            power[k] *= z[k];
        }
    }
}

/* Where x is in its interval, from 0 to 1. */
static inline void places_in_interval(block *b, double *place, const tni_spline_axis *of) {
    for (int k = 0; k < LANES; k++) {
        const double start = of->knots[b->interval[k]], end = of->knots[b->interval[k] + 1];
        place[k] = (b->x[k] - start) / (end - start);
    }
}

static void factors_of_bernstein(block *b, double (*factors)[LANES], const tni_spline_axis *of) {
    double place[LANES], saved[LANES];
    places_in_interval(b, place, of);
    for (int k = 0; k < LANES; k++)
        factors[0][k] = 1;
    for (int64_t j = 1; j < of->terms; j++) {
        memset(saved, 0, sizeof saved);
        for (int64_t r = 0; r < j; r++)
            for (int k = 0; k < LANES; k++) {
                const double all = factors[r][k];
                factors[r][k] = saved[k] + (1 - place[k]) * all;
                saved[k] = place[k] * all;
            }
        memcpy(factors[j], saved, sizeof saved);
    }
}

static void factors_of_values(block *b, double (*factors)[LANES], const tni_spline_axis *of,
                              bool is_nearest) {
    double place[LANES] = {0};
    if (of->intervals > 0) places_in_interval(b, place, of);
    for (int k = 0; k < LANES; k++) {
        if (of->intervals == 0 || is_nearest)
            factors[0][k] = 1;
        else
            factors[0][k] = 1 - place[k], factors[1][k] = place[k];
        if (of->intervals > 0 && is_nearest) b->interval[k] += !(place[k] <= 0.5);
    }
}

static void find_factors(block *b, double (*factors)[LANES], const tni_spline *call, int axis) {
    const tni_spline_axis *of = &call->axes[axis];
    switch (call->basis) {
    case TN_SPLINE_KNOTS: factors_of_knots(b, factors, of); break;
    case TN_SPLINE_POWERS: factors_of_powers(b, factors, of); break;
    case TN_SPLINE_BERNSTEIN: factors_of_bernstein(b, factors, of); break;
    case TN_SPLINE_LINEAR: factors_of_values(b, factors, of, false); break;
    case TN_SPLINE_NEAREST: factors_of_values(b, factors, of, true); break;
    }
}

/* --- Sums --- */

/* The terms of all variables but the last, one after the other. */
typedef struct outer {
    int64_t digits[TNI_SPLINE_AXES], offset;
    double (*rows[TNI_SPLINE_AXES])[LANES]; /* the factors of each variable */
} outer;

static bool next_outer(outer *o, const tni_spline *call) {
    for (int axis = call->ndim - 2; axis >= 0; axis--) {
        const tni_spline_axis *of = &call->axes[axis];
        o->offset += of->tap;
        if (++o->digits[axis] < of->terms) return true;
        o->offset -= of->terms * of->tap;
        o->digits[axis] = 0;
    }
    return false;
}

static bool has_terms(const tni_spline *call) {
    for (int axis = 0; axis < call->ndim; axis++)
        if (call->axes[axis].terms < 1) return false;
    return true;
}

/* One number of each lane. */
static void sum_narrow(double *sums, const block *b, outer *o, const tni_spline *call,
                       const double *coefficients) {
    const tni_spline_axis *last = &call->axes[call->ndim - 1];
    double(*inner)[LANES] = o->rows[call->ndim - 1];
    bool is_first = true;
    do {
        double part[LANES], product[LANES];
        for (int64_t term = 0; term < last->terms; term++) {
            const double *from = coefficients + o->offset + term * last->tap;
            if (term == 0)
                for (int k = 0; k < LANES; k++)
                    part[k] = inner[0][k] * from[b->base[k]];
            else
                for (int k = 0; k < LANES; k++)
                    part[k] += inner[term][k] * from[b->base[k]];
        }
        if (call->ndim == 1) {
            memcpy(sums, part, sizeof part);
            return;
        }
        memcpy(product, o->rows[0][o->digits[0]], sizeof product);
        for (int axis = 1; axis < call->ndim - 1; axis++)
            for (int k = 0; k < LANES; k++)
                product[k] *= o->rows[axis][o->digits[axis]][k];
        for (int k = 0; k < LANES; k++)
            sums[k] = is_first ? product[k] * part[k] : sums[k] + product[k] * part[k];
        is_first = false;
    } while (next_outer(o, call));
}

/* All numbers of one lane. */
static void sum_wide(double *restrict sums, const block *b, outer *o, const tni_spline *call,
                     int lane) {
    const tni_spline_axis *last = &call->axes[call->ndim - 1];
    bool is_first = true;
    do {
        double product = 1;
        for (int axis = 0; axis < call->ndim - 1; axis++)
            product *= o->rows[axis][o->digits[axis]][lane];
        for (int64_t term = 0; term < last->terms; term++) {
            const double *from = call->coefficients + b->base[lane] + o->offset + term * last->tap;
            const double factor = product * o->rows[call->ndim - 1][term][lane];
            if (is_first)
                for (int64_t w = 0; w < call->width; w++)
                    sums[w] = factor * from[w];
            else
                for (int64_t w = 0; w < call->width; w++)
                    sums[w] += factor * from[w];
            is_first = false;
        }
    } while (next_outer(o, call));
}

/* --- Outputs --- */

static void write_narrow(const block *b, outer *o, const tni_spline *call, double *to, int n) {
    double sums[LANES];
    for (int64_t w = 0; w < call->width; w++) {
        sum_narrow(sums, b, o, call, call->coefficients + w);
        for (int k = 0; k < n; k++)
            to[k * call->width + w] = sums[k];
    }
}

static void write_beyond(const block *b, const tni_spline *call, double *to, int n) {
    for (int k = 0; k < n; k++) {
        const bool is_filled = b->state[k] == BEYOND && call->outside == TN_SPLINE_FILL;
        if (!is_filled && b->state[k] != NOT_A_NUMBER) continue;
        for (int64_t w = 0; w < call->width; w++)
            to[k * call->width + w] = is_filled         ? call->fill[w % call->parts]
                                      : w % call->parts ? 0
                                                        : (double)NAN;
    }
}

static void write_block(const block *b, outer *o, const tni_spline *call, int64_t begin, int n) {
    double *to = call->output + begin * call->width;
    if (!call->coefficients) {
        for (int64_t w = 0; w < call->width; w++)
            for (int k = 0; k < n; k++)
                to[k * call->width + w] = b->factors[w][k];
        return;
    }
    if (!has_terms(call))
        memset(to, 0, (size_t)(n * call->width) * sizeof *to);
    else if (call->width <= NARROW)
        write_narrow(b, o, call, to, n);
    else
        for (int k = 0; k < n; k++)
            sum_wide(to + k * call->width, b, o, call, k);
    write_beyond(b, call, to, n);
}

static void evaluate(const tni_spline *call, int64_t begin, int64_t end) {
    block b;
    outer o = {.offset = 0};
    int64_t row = 0, first[TNI_SPLINE_AXES] = {0};
    for (int axis = 0; axis < call->ndim; axis++) {
        o.rows[axis] = b.factors + row;
        row += call->axes[axis].terms;
    }
    for (; begin < end; begin += LANES) {
        const int n = end - begin < LANES ? (int)(end - begin) : LANES;
        memset(b.base, 0, sizeof b.base);
        memset(b.state, 0, sizeof b.state);
        for (int axis = 0; axis < call->ndim; axis++) {
            read_axis(&b, call, axis, begin, n);
            find_intervals(&b, &call->axes[axis], &first[axis]);
            if (call->axes[axis].terms > 0) find_factors(&b, o.rows[axis], call, axis);
            for (int k = 0; k < LANES; k++)
                b.base[k] += b.interval[k] * call->axes[axis].step;
            for (int k = 0; call->places && k < n; k++)
                call->places[(begin + k) * call->ndim + axis] = b.interval[k];
        }
        write_block(&b, &o, call, begin, n);
    }
}

static void subtract(double *restrict to, const double *restrict from, double factor, int64_t n) {
    for (int64_t k = 0; k < n; k++)
        to[k] -= factor * from[k];
}

extern const tni_spline_loops LEVEL(tni_spline_loops);
const tni_spline_loops LEVEL(tni_spline_loops) = {evaluate, subtract};
