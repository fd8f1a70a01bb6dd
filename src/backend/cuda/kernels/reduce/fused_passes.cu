/* A graph over rows in one launch of several passes over each row: a pass for each fold, then one
 * that stores. Each computes what it needs of the arrays again.
 *
 * The program defines ROWS rows that a block takes together, PARTS states of blocks that would
 * share a row, ALL_AXES of the arrays, the first KEPT_AXES of which are not a row's, APART
 * arguments that lie in any way, and fused_passes(), which the graph writes: the passes with the
 * geometry that each fold has by itself.
 *
 * Invariant: rows that blocks have at work stay in the L2 cache, as far as the grid decides. */
#define MACROS BLOCK, ROWS, PARTS, WIDE_INDEX, ARGUMENTS, FOLDS, KEPT_AXES, ALL_AXES, APART
#include "fused_rows.cuh"

struct Params {
    tn_i64 rows, length;
    tn_i64 shares[FOLDS]; /* blocks that would share a row */
    char *data[ARGUMENTS];
    ScalarValue values[ARGUMENTS];
    double corrections[FOLDS];
    tn_i64 has_initials[FOLDS];
    ScalarValue initials[FOLDS]; /* of the accumulators */
#if APART
    tn_i64 sizes[ALL_AXES];
    tn_i64 strides[APART * ALL_AXES];
#endif
};

/* What the folds of the block's rows made so far; and room for states, of 32 bytes at most. */
struct RowResults {
    uint4 *made, *parts, *warps;

    __device__ __forceinline__ void *of(int number, int local) const {
        return made + number * ROWS + local;
    }
    template <typename T> __device__ __forceinline__ T get(int number, int local) const {
        return *(const T *)of(number, local);
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ uint4 made[FOLDS * ROWS], parts[PARTS * 2], warps[BLOCK / 32 * 2];
    const RowResults results = {made, parts, warps};
    for (tn_i64 first = (tn_i64)blockIdx.x * ROWS; first < p.rows;
         first += (tn_i64)gridDim.x * ROWS) {
        const int count = p.rows - first < ROWS ? (int)(p.rows - first) : ROWS;
        fused_passes(p, first, count, results);
        __syncthreads(); /* all results have been read */
    }
}
