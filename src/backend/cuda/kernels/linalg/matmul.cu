/* out = a b for every matrix of a batch, any strides: the dtypes that cuBLAS lacks, and small
 * products.
 *
 * The program defines Stored, Working with load_working(Stored) and save_working(Working), Sum (the
 * type that sums are kept in), Sum matmul_add(Sum, Sum, Sum) (c + a b), CONJUGATE, TILE (64 or 16,
 * of rows and columns), BATCH_NDIM, WIDE_INDEX.
 * Algorithm: a block computes TILE x TILE results; 16 columns of a and rows of b at a time go
 * through shared memory, read along whichever axis of theirs is the faster; a thread has (TILE /
 * 16) squared results, summed over k in order. */
#define MACROS CONJUGATE, TILE, BATCH_NDIM, WIDE_INDEX
#include "access.cuh"

#define MATMUL_DEPTH 16
#define EACH (TILE / 16)

struct Params {
    char *out;
    const char *a, *b;
    tn_i64 m, n, k;
    tn_i64 tiles_m, tiles_n, batches;
    tn_i64 out_row, out_column, a_row, a_column, b_row, b_column;
    Shape<BATCH_NDIM, 3> batch; /* out, a, b */
};

/* ROWS x MATMUL_DEPTH of a into shared[depth][row]; `fast` is the axis that neighbouring threads
 * walk. */
__device__ __forceinline__ void read_panel(Sum (*shared)[TILE + 1], const char *from,
                                           tn_i64 row_step, tn_i64 depth_step, tn_i64 row,
                                           tn_i64 rows, tn_i64 depth, tn_i64 depths,
                                           bool along_depth) {
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int at = e * 256 + threadIdx.x;
        int r = along_depth ? at / MATMUL_DEPTH : at % TILE;
        int d = along_depth ? at % MATMUL_DEPTH : at / TILE;
        Sum value = Sum();
        if (row + r < rows && depth + d < depths)
            value = (Sum)load_working(
                *(const Stored *)(from + (row + r) * row_step + (depth + d) * depth_step));
        shared[d][r] = value;
    }
}

extern "C" __global__ void __launch_bounds__(256) KERNEL(const __grid_constant__ Params p) {
    __shared__ Sum of_a[MATMUL_DEPTH][TILE + 1], of_b[MATMUL_DEPTH][TILE + 1];
    const tn_i64 tiles = p.tiles_m * p.tiles_n;
    const tn_i64 a_fast = p.a_column < 0 ? -p.a_column : p.a_column;
    const tn_i64 a_slow = p.a_row < 0 ? -p.a_row : p.a_row;
    const tn_i64 b_fast = p.b_row < 0 ? -p.b_row : p.b_row;
    const tn_i64 b_slow = p.b_column < 0 ? -p.b_column : p.b_column;
    for (tn_i64 block = blockIdx.x; block < tiles * p.batches; block += gridDim.x) {
        const tn_i64 batch = block / tiles, tile = block - batch * tiles;
        const tn_i64 row = tile / p.tiles_n * TILE, column = tile % p.tiles_n * TILE;
        tn_i64 offsets[3] = {0, 0, 0};
        p.batch.walk((Index)batch, offsets);
        Sum sums[EACH][EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++) sums[i][j] = Sum();
        const int x = threadIdx.x % 16, y = threadIdx.x / 16;
#pragma unroll 1
        for (tn_i64 depth = 0; depth < p.k; depth += MATMUL_DEPTH) {
            read_panel(of_a, p.a + offsets[1], p.a_row, p.a_column, row, p.m, depth, p.k,
                       a_fast <= a_slow);
            read_panel(of_b, p.b + offsets[2], p.b_column, p.b_row, column, p.n, depth, p.k,
                       b_fast < b_slow);
            __syncthreads();
            const int depths = p.k - depth < MATMUL_DEPTH ? (int)(p.k - depth) : MATMUL_DEPTH;
#pragma unroll 2
            for (int d = 0; d < depths; d++) {
                Sum a[EACH], b[EACH];
#pragma unroll
                for (int i = 0; i < EACH; i++) {
                    a[i] = of_a[d][y + 16 * i];
                    b[i] = of_b[d][x + 16 * i];
#if CONJUGATE
                    a[i] = m_conjugate(a[i]);
#endif
                }
#pragma unroll
                for (int i = 0; i < EACH; i++)
#pragma unroll
                    for (int j = 0; j < EACH; j++) sums[i][j] = matmul_add(sums[i][j], a[i], b[j]);
            }
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                tn_i64 r = row + y + 16 * i, c = column + x + 16 * j;
                if (r < p.m && c < p.n)
                    *(Stored *)(p.out + offsets[0] + r * p.out_row + c * p.out_column) =
                        save_working((Working)sums[i][j]);
            }
    }
}
