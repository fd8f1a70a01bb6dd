/* Reductions of many short rows that lie one after the other.
 *
 * The program defines, besides what fold.cuh asks for: ROWS rows of a block (BLOCK of them or
 * fewer), LENGTH of a row, GROUP elements that are folded at once.
 *
 * Invariant: the input is contiguous and `input` aligned to 16 bytes; there is no mask. What a body
 * stands for is computed on the way into shared memory.
 * Algorithm: a block copies its rows into shared memory with loads of 16 bytes, then each thread
 * folds one row from there. The host takes this form where a row's length in words has few factors
 * of 2, so that the threads of a warp meet few bank conflicts. */
#define MACROS BLOCK, ROWS, LENGTH, GROUP, WIDE_INDEX
#include "fold.cuh"

#define ROW_BYTES (LENGTH * (int)sizeof(Input))
#define CHUNK_BYTES (ROWS * ROW_BYTES)

struct Params {
    FoldFacts facts;
    const char *input;
    char *output;
    tn_i64 rows, output_step;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ uint4 chunk[(CHUNK_BYTES + 15) / 16];
    for (tn_i64 first = (tn_i64)blockIdx.x * ROWS; first < p.rows;
         first += (tn_i64)gridDim.x * ROWS) {
        const char *from = p.input + first * ROW_BYTES;
        tn_i64 rows = p.rows - first < ROWS ? p.rows - first : ROWS;
        int bytes = (int)rows * ROW_BYTES;
#if FOLD_INPUTS
#pragma unroll 4
        for (int at = threadIdx.x; at < bytes / (int)sizeof(Input); at += BLOCK) {
            Element one[1];
            load_folded<1>(one, from + at * (tn_i64)sizeof(Input), p.facts, 0, 0, 0, 0, 0);
            ((Input *)chunk)[at] = one[0];
        }
#else
        if (rows == ROWS && CHUNK_BYTES % 16 == 0) {
#pragma unroll
            for (int at = 0; at < CHUNK_BYTES / 16; at += BLOCK)
                if (at + BLOCK <= CHUNK_BYTES / 16 || at + threadIdx.x < CHUNK_BYTES / 16)
                    chunk[at + threadIdx.x] = ((const uint4 *)from)[at + threadIdx.x];
        } else {
#pragma unroll 1
            for (int at = threadIdx.x; at < bytes / (int)sizeof(Input); at += BLOCK)
                ((Input *)chunk)[at] = ((const Input *)from)[at];
        }
#endif
        __syncthreads();
        if (threadIdx.x < rows) {
            const Input *row = (const Input *)chunk + threadIdx.x * LENGTH;
            State s = state_empty();
            int at = 0;
#pragma unroll
            for (; at + GROUP <= LENGTH; at += GROUP) {
                Input values[GROUP];
#pragma unroll
                for (int k = 0; k < GROUP; k++) values[k] = row[at + k];
                state_take_clean<GROUP>(s, values, All<GROUP>(), at, 1);
            }
#pragma unroll
            for (; at < LENGTH; at++) {
                Input values[1] = {row[at]};
                state_take_clean<1>(s, values, All<1>(), at, 1);
            }
            *(Output *)(p.output + (first + threadIdx.x) * p.output_step) =
                state_finish(s, p.facts);
        }
        __syncthreads();
    }
}
