/* Decompositions of many small real matrices, a thread each (ops/small_matrix.h).
 *
 * A thread's areas are interleaved with those of its neighbours: element e of matrix k is at
 * e * count + k, so that a warp reads and writes whole lines. Matrices whose squares might overflow
 * or vanish are scaled where that matters; what fails is told of.
 * The program defines BLOCK, OPERATION, VECTORS (whether they are wanted) and Real. */
#include "bounds.cuh"
#include "small_areas.cuh"

#define LU       0
#define LU_SOLVE 1
#define CHOLESKY 2
#define QR       3
#define EIGH     4
#define SVD      5

struct Params {
    Real *a, *vectors, *values, *other;
    tn_i64 *pivots;
    Real *scratch; /* what the areas of all threads need */
    tn_i64 count, m, n, columns, upper, text; /* text: the address of the host's, or 0 */
    Bounds bounds;
};

__device__ __forceinline__ void load(Area to, const Real *from, int elements) {
    for (int k = 0; k < elements; k++)
        to[k] = from[k];
}
__device__ __forceinline__ void store(Real *to, Area from, int elements) {
    for (int k = 0; k < elements; k++)
        to[k] = from[k];
}

/* Divides by the largest element and returns it; 0: there is none but zeros, NaN: not all are
 * numbers. */
__device__ inline Real scale(Area a, int elements) {
    Real largest = 0, sum = 0;
    for (int k = 0; k < elements; k++) {
        largest = MAGNITUDE(a[k]) > largest ? MAGNITUDE(a[k]) : largest;
        sum += a[k] * 0;
    }
    if (sum != sum) return sum;
    if (largest < (Real)TINIEST) return 0;
    for (int k = 0; k < elements; k++)
        a[k] = a[k] / largest;
    return largest;
}

/* The place of the largest (or, turned, the least) value that was not taken, which it takes. */
__device__ inline int take_next(Area values, int step, int n, unsigned *taken, bool is_least) {
    int best = -1;
    for (int k = 0; k < n; k++) {
        if (*taken >> k & 1) continue;
        const Real x = values[k * step];
        if (best < 0 || (is_least ? x < values[best * step] : x > values[best * step])) best = k;
    }
    *taken |= 1u << best;
    return best;
}

__device__ inline bool run_lu(const Params &p, tn_i64 at, Area area) {
    const int n = (int)p.n;
    const Area pivots = area + n * n;
    bool is_singular = false;
    load(area, p.a + at * n * n, n * n);
    small_lu(area, pivots, n);
    store(p.a + at * n * n, area, n * n);
    for (int k = 0; k < n; k++) {
        p.pivots[at * n + k] = (tn_i64)pivots[k] + 1;
        is_singular |= area[k * (n + 1)] == 0;
    }
    return is_singular;
}

__device__ inline bool run_lu_solve(const Params &p, tn_i64 at, Area area) {
    const int n = (int)p.n, columns = (int)p.columns;
    const Area b = area + n * n, pivots = b + n * columns;
    load(area, p.a + at * n * n, n * n);
    load(b, p.vectors + at * n * columns, n * columns);
    for (int k = 0; k < n; k++)
        pivots[k] = (Real)(p.pivots[at * n + k] - 1);
    small_lu_solve(area, pivots, b, n, columns);
    store(p.vectors + at * n * columns, b, n * columns);
    return false;
}

/* The other triangle is left as it is. */
__device__ inline bool run_cholesky(const Params &p, tn_i64 at, Area area) {
    const int n = (int)p.n;
    Real *a = p.a + at * n * n;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            area[j * n + i] = a[p.upper ? i * n + j : j * n + i];
    bool has_failed = small_cholesky(area, n);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            a[p.upper ? i * n + j : j * n + i] = area[j * n + i];
            has_failed |= area[j * n + i] != area[j * n + i];
        }
    return has_failed;
}

__device__ inline bool run_qr(const Params &p, tn_i64 at, Area area) {
    const int m = (int)p.m, n = (int)p.n, columns = (int)p.columns, least = m < n ? m : n;
    const Area tau = area + m * n, q = tau + least;
    load(area, p.a + at * m * n, m * n);
    small_qr(area, tau, m, n);
    store(p.a + at * m * n, area, m * n);
    store(p.values + at * least, tau, least);
    if (VECTORS) {
        small_make_q(q, area, tau, m, columns, least);
        store(p.vectors + at * m * columns, q, m * columns);
    }
    return false;
}

__device__ inline bool run_eigh(const Params &p, tn_i64 at, Area area) {
    const int n = (int)p.n;
    const Area v = area + n * n;
    Real *a = p.a + at * n * n;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            area[j * n + i] = area[i * n + j] = a[p.upper ? i * n + j : j * n + i];
    const Real size = scale(area, n * n);
    const bool has_failed = small_eigh(area, v, n, VECTORS) || size != size;
    unsigned taken = 0;
    for (int j = 0; j < n; j++) {
        const int place = take_next(area, n + 1, n, &taken, true);
        p.values[at * n + j] = area[place * (n + 1)] * size;
        for (int i = 0; VECTORS && i < n; i++)
            a[j * n + i] = v[place * n + i];
    }
    return has_failed;
}

/* A vector of length 1 in column j that is orthogonal to those before it: of the unit vectors from
 * *next on the first that is far enough from their space. One is, since the squares of all
 * distances add up to the number of dimensions that are left. */
__device__ inline void complete(Area u, int m, int j, int *next) {
    const Area x = u + j * m;
    for (;; (*next)++) {
        for (int i = 0; i < m; i++)
            x[i] = i == *next;
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < j; k++) {
                Real sum = 0;
                for (int i = 0; i < m; i++)
                    sum += u[k * m + i] * x[i];
                for (int i = 0; i < m; i++)
                    x[i] -= u[k * m + i] * sum;
            }
        Real sum = 0;
        for (int i = 0; i < m; i++)
            sum += x[i] * x[i];
        if (sum * 2 * m < 1 && *next + 1 < m) continue;
        for (int i = 0; i < m; i++)
            x[i] = x[i] / root_of(sum);
        return;
    }
}

/* Of the transpose where there are more columns than rows. */
__device__ inline bool run_svd(const Params &p, tn_i64 at, Area area) {
    const bool is_wide = p.m < p.n;
    const int m = (int)(is_wide ? p.n : p.m), n = (int)(is_wide ? p.m : p.n);
    const Area v = area + m * n, lengths = v + n * n, u = lengths + n;
    const Real *a = p.a + at * m * n;
    for (int k = 0; k < m * n; k++)
        area[is_wide ? k % n * m + k / n : k] = a[k];
    const Real size = scale(area, m * n);
    const bool has_failed = small_svd(area, v, m, n, VECTORS) || size != size;
    Real total = 0;
    for (int j = 0; j < n; j++) {
        Real sum = 0;
        for (int i = 0; i < m; i++)
            sum += area[j * m + i] * area[j * m + i];
        lengths[j] = root_of(sum);
        total += sum;
    }
    total *= (Real)(4 * ROUNDING * ROUNDING * ROUNDING);
    Real *left = is_wide ? p.other + at * p.n * n : p.vectors + at * p.m * n;
    Real *right = is_wide ? p.vectors + at * p.m * n : p.other + at * p.n * n;
    unsigned taken = 0;
    int next = 0;
    for (int j = 0; j < n; j++) {
        const int place = take_next(lengths, 1, n, &taken, false);
        const Real length = lengths[place];
        p.values[at * n + j] = length * size;
        if (VECTORS) {
            for (int i = 0; i < m; i++)
                u[j * m + i] = area[place * m + i] / length;
            if (length * length <= total) complete(u, m, j, &next);
            for (int i = 0; i < m; i++)
                left[is_wide ? i * n + j : j * m + i] = u[j * m + i];
            for (int i = 0; i < n; i++)
                right[is_wide ? j * n + i : i * n + j] = v[place * n + i];
        }
    }
    return has_failed;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 no_index = -0x7fffffffffffffffLL - 1; /* as an axis: what is told is no index */
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        const Area area = {p.scratch + at, p.count};
        const bool has_failed = OPERATION == LU         ? run_lu(p, at, area)
                                : OPERATION == LU_SOLVE ? run_lu_solve(p, at, area)
                                : OPERATION == CHOLESKY ? run_cholesky(p, at, area)
                                : OPERATION == QR       ? run_qr(p, at, area)
                                : OPERATION == EIGH     ? run_eigh(p, at, area)
                                                        : run_svd(p, at, area);
        if (has_failed && p.text) report_index(p.bounds, p.text, no_index, 0);
    }
}
