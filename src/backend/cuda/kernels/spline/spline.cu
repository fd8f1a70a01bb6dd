/* Values of splines at x; forms/spline.h has the rules.
 *
 * The program defines BLOCK, BASIS and OUTSIDE (as tn_spline_basis and tn_spline_outside), DIMS,
 * TERMS (coefficients of an interval of each variable, at most), EACH (whether all variables have
 * that many, so that loops unroll), PARTS, WEIGHTS (factors are the outputs) and REPORTS (whether
 * is_outside is there). Threads of one x beside each other take every `threads`th number of its
 * result. */
#define MACROS BLOCK, BASIS, OUTSIDE, DIMS, TERMS, EACH, PARTS, WEIGHTS, REPORTS

struct Params {
    const double *knots[DIMS];
    tn_i64 intervals[DIMS], terms[DIMS], derivatives[DIMS], steps[DIMS], taps[DIMS];
    const double *coefficients, *x;
    double *output;
    tn_i64 *places;
    char *is_outside;
    tn_i64 count, width, threads;
    double fill[2];
};

#define KNOTS 0
#define POWERS 1
#define BERNSTEIN 2
#define LINEAR 3
#define NEAREST 4
#define FILL 1
#define PERIODIC 2
#define CLAMP 3
#define UNROLLED (TERMS <= 8 ? TERMS : 1)
#define MOST 256 /* terms that are unrolled */

#define TERMS_OF(axis) (EACH ? TERMS : (int)p.terms[axis])

/* How many intervals begin at x or before, less one; `count` is how many there are. */
__device__ __forceinline__ int find_interval(const double *knots, tn_i64 count, double x,
                                             bool descends) {
    int place = 0;
    for (int left = (int)count - 1, half; left > 0; left -= half) {
        half = (left + 1) / 2;
        const double knot = knots[place + half];
        if (descends ? knot >= x : knot <= x) place += half;
    }
    return place;
}

#if BASIS == KNOTS
__device__ __forceinline__ void find_factors(const Params &p, int axis, const double *knots,
                                             double x, double (&factors)[TERMS]) {
    const int terms = TERMS_OF(axis), derivative = (int)p.derivatives[axis];
    factors[0] = derivative >= terms ? 0 : 1;
#pragma unroll UNROLLED
    for (int j = 1; j < TERMS; j++) {
        if (!EACH && j >= terms) break;
        const bool is_derived = j > terms - 1 - derivative;
        double saved = 0;
#pragma unroll UNROLLED
        for (int r = 0; r < j; r++) {
            const double right = knots[r + 1], left = knots[r + 1 - j], width = right - left;
            const double part = width != 0 ? factors[r] / width : 0;
            factors[r] = saved + (is_derived ? -j : right - x) * part;
            saved = (is_derived ? j : x - left) * part;
        }
        factors[j] = saved;
    }
}
#elif BASIS == POWERS
__device__ __forceinline__ void find_factors(const Params &p, int axis, const double *knots,
                                             double x, double (&factors)[TERMS]) {
    const int terms = TERMS_OF(axis), derivative = (int)p.derivatives[axis];
    const double z = x - knots[0];
    double power = 1;
#pragma unroll UNROLLED
    for (int k = 0; k < TERMS; k++) {
        if (!EACH && k >= terms) break;
        double derived = 1;
        for (int q = k + derivative; q > k; q--) derived *= q;
        factors[terms - 1 - k] = derived * power;
        power *= z;
    }
}
#elif BASIS == BERNSTEIN
__device__ __forceinline__ void find_factors(const Params &p, int axis, const double *knots,
                                             double x, double (&factors)[TERMS]) {
    const int terms = TERMS_OF(axis);
    const double place = (x - knots[0]) / (knots[1] - knots[0]);
    factors[0] = 1;
#pragma unroll UNROLLED
    for (int j = 1; j < TERMS; j++) {
        if (!EACH && j >= terms) break;
        double saved = 0;
#pragma unroll UNROLLED
        for (int r = 0; r < j; r++) {
            const double all = factors[r];
            factors[r] = saved + (1 - place) * all;
            saved = place * all;
        }
        factors[j] = saved;
    }
}
#endif

/* Reads x of a variable; its factors, and the interval. */
__device__ __forceinline__ int read_axis(const Params &p, tn_i64 at, int axis,
                                         double (&factors)[TERMS], int &state) {
    const double *knots = p.knots[axis];
    const double first = knots[0], last = knots[p.intervals[axis]];
    const double low = fmin(first, last), high = fmax(first, last);
    double x = p.x[at * DIMS + axis];
    const bool is_beyond = x < low || x > high;
    if (x != x) state = 2;
    if (is_beyond && state == 0) state = 1;
#if REPORTS
    if (is_beyond || x != x) p.is_outside[axis] = 1;
#endif
#if OUTSIDE == PERIODIC
    if (x == x) { /* also within: the last knot is the first */
        const double period = last - first;
        double rest = fmod(x - first, period);
        if (rest != 0 && (rest < 0) != (period < 0)) rest += period;
        x = first + rest;
    }
#elif OUTSIDE == CLAMP
    if (is_beyond) x = x < low ? low : high;
#endif
    int interval = find_interval(knots, p.intervals[axis], x, first > last);
#if BASIS == LINEAR || BASIS == NEAREST
    factors[0] = 1;
    if (p.intervals[axis] > 0) {
        const double start = knots[interval], end = knots[interval + 1];
        const double place = (x - start) / (end - start);
#if BASIS == LINEAR
        if (TERMS > 1) factors[0] = 1 - place, factors[TERMS - 1] = place;
#else
        interval += !(place <= 0.5);
#endif
    }
#else
    find_factors(p, axis, knots + interval, x, factors);
#endif
    return interval;
}

/* The sum over the terms of the variables from AXIS on. Of many terms only those of the last
 * variables are unrolled. */
template <int AXIS> struct Sum {
    static const int ALL = Sum<AXIS + 1>::ALL * TERMS > MOST ? MOST + 1 : Sum<AXIS + 1>::ALL *TERMS;
    static const int STEPS = ALL > MOST ? 1 : UNROLLED;

    __device__ static __forceinline__ double of(const Params &p,
                                                const double (&factors)[DIMS][TERMS],
                                                const double *from) {
        double sum = 0;
#pragma unroll STEPS
        for (int k = 0; k < TERMS; k++) {
            if (!EACH && k >= TERMS_OF(AXIS)) break;
            const double part = Sum<AXIS + 1>::of(p, factors, from + k * p.taps[AXIS]);
            sum = k ? sum + factors[AXIS][k] * part : factors[AXIS][k] * part;
        }
        return sum;
    }
};
template <> struct Sum<DIMS> {
    static const int ALL = 1;

    __device__ static __forceinline__ double of(const Params &, const double (&)[DIMS][TERMS],
                                                const double *from) {
        return *from;
    }
};

__device__ __forceinline__ void write(const Params &p, tn_i64 at, int first,
                                      const double (&factors)[DIMS][TERMS], tn_i64 base,
                                      int state) {
    double *to = p.output + at * p.width;
    for (tn_i64 w = first; w < p.width; w += p.threads) {
        const int part = PARTS == 1 ? 0 : (int)(w % PARTS);
        if (state == 2)
            to[w] = part ? 0.0 : __longlong_as_double(0x7ff8000000000000ll);
        else if (OUTSIDE == FILL && state == 1)
            to[w] = p.fill[part];
        else
            to[w] = Sum<0>::of(p, factors, p.coefficients + base + w);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 all = p.count * p.threads;
    for (tn_i64 thread = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; thread < all;
         thread += gridDim.x * (tn_i64)BLOCK) {
        const tn_i64 at = p.threads == 1 ? thread : thread / p.threads;
        double factors[DIMS][TERMS];
        int state = 0;
        tn_i64 base = 0;
#pragma unroll
        for (int axis = 0; axis < DIMS; axis++) {
            const int interval = read_axis(p, at, axis, factors[axis], state);
            base += interval * p.steps[axis];
#if WEIGHTS
            p.places[at * DIMS + axis] = interval;
#endif
        }
#if WEIGHTS
        double *to = p.output + at * p.width;
#pragma unroll
        for (int axis = 0; axis < DIMS; axis++)
            for (int k = 0; k < TERMS_OF(axis); k++) *to++ = factors[axis][k];
#else
        write(p, at, p.threads == 1 ? 0 : (int)(thread % p.threads), factors, base, state);
#endif
    }
}
