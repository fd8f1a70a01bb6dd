/* Factors of many small real matrices by Gauss' elimination, and what is solved with them, a thread
 * each (ops/small_matrix.h).
 *
 * A thread's areas are interleaved with those of its neighbours: element e of matrix k is at
 * e * count + k, so that a warp reads and writes whole lines. Singular matrices are told of.
 * The program defines BLOCK, OPERATION and Real. */
#include "bounds.cuh"
#include "small_areas.cuh"

#define LU 0
#define LU_SOLVE 1

struct Params {
    Real *a, *b;
    tn_i64 *pivots;
    Real *scratch;                  /* what the areas of all threads need */
    tn_i64 count, n, columns, text; /* text: the address of the host's, or 0 */
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
    load(b, p.b + at * n * columns, n * columns);
    for (int k = 0; k < n; k++)
        pivots[k] = (Real)(p.pivots[at * n + k] - 1);
    small_lu_solve(area, pivots, b, n, columns);
    store(p.b + at * n * columns, b, n * columns);
    return false;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 no_index = -0x7fffffffffffffffLL - 1; /* as an axis: what is told is no index */
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        const Area area = {p.scratch + at, p.count};
        const bool has_failed = OPERATION == LU ? run_lu(p, at, area) : run_lu_solve(p, at, area);
        if (has_failed && p.text) report_index(p.bounds, p.text, no_index, 0);
    }
}
