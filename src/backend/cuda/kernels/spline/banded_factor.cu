/* The factors of a matrix of few diagonals, by one warp; forms/spline.h has the layout, and
 * host/forms/spline/banded.c what stands where.
 *
 * The program defines LOWER and COLUMNS (LOWER plus the diagonals above plus 1, at most 32). Rows
 * j to j + LOWER are in registers, a lane for each column from j on. */
#define MACROS LOWER, COLUMNS
#include "bounds.cuh"

struct Params {
    double *matrix;
    tn_i64 n, text; /* the address of the host's text */
    Bounds bounds;
};

#define ROW (COLUMNS + LOWER + 1)
#define EVERYBODY 0xffffffffu

/* What a row has in column `column`; 0 beyond the matrix. */
__device__ __forceinline__ double load(const Params &p, tn_i64 row, tn_i64 column) {
    const tn_i64 at = column - row + LOWER;
    const bool is_there = row < p.n && column < p.n && at >= 0 && at < COLUMNS;
    return is_there ? p.matrix[row * ROW + at] : 0.0;
}

extern "C" __global__ void __launch_bounds__(32) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x;
    double rows[LOWER + 1];
#pragma unroll
    for (int k = 0; k <= LOWER; k++) rows[k] = load(p, k, lane);
    double next = load(p, LOWER + 1, lane + 1);
    for (tn_i64 j = 0; j < p.n; j++) {
        const double after = load(p, j + LOWER + 2, j + 2 + lane);
        double heads[LOWER + 1], most;
        int pivot = 0;
#pragma unroll
        for (int k = 0; k <= LOWER; k++) heads[k] = __shfl_sync(EVERYBODY, rows[k], 0);
        most = heads[0];
#pragma unroll
        for (int k = 1; k <= LOWER; k++)
            if (j + k < p.n && fabs(heads[k]) > fabs(most)) most = heads[k], pivot = k;
        if (most == 0 && lane == 0) report_failure(p.bounds, TN_FAILURE_MATRIX, p.text);
#pragma unroll
        for (int k = 1; k <= LOWER; k++)
            if (k == pivot) {
                const double kept = rows[0];
                rows[0] = rows[k];
                rows[k] = kept;
                heads[k] = heads[0];
            }
        double *to = p.matrix + j * ROW;
        if (lane < COLUMNS && j + lane < p.n) to[LOWER + lane] = rows[0];
        if (lane == 0) to[ROW - 1] = pivot;
#pragma unroll
        for (int k = 1; k <= LOWER; k++) {
            const double factor = heads[k] / most;
            rows[k] -= factor * rows[0];
            if (lane == 0 && j + k < p.n) p.matrix[(j + k) * ROW + LOWER - k] = factor;
        }
#pragma unroll
        for (int k = 0; k < LOWER; k++) {
            rows[k] = __shfl_down_sync(EVERYBODY, rows[k + 1], 1);
            if (lane >= COLUMNS - 1) rows[k] = 0;
        }
        rows[LOWER] = next;
        next = after;
    }
}
