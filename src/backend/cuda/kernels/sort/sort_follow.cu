/* Positions of some ranks in the order that their elements have: a block a row.
 *
 * The program defines what sort.cuh asks for, COUNT positions of a thread, KEPT_NDIM and
 * WIDE_INDEX. */
#define MACROS ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, KEPT_NDIM, WIDE_INDEX, BLOCK, COUNT
#include "access.cuh"

struct Params {
    char *output;        /* the positions, of which each row's first ones are put in order */
    const tn_i64 *order; /* [row][rank]: which of them is the one of the rank */
    tn_i64 rows, count, output_step;
    Shape<KEPT_NDIM, 1> kept;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 row = blockIdx.x; row < p.rows; row += gridDim.x) {
        tn_i64 offsets[1] = {0}, found[COUNT];
        p.kept.walk((Index)row, offsets);
        char *to = p.output + offsets[0];
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const tn_i64 at = k * BLOCK + threadIdx.x;
            if (at < p.count)
                found[k] = *(const tn_i64 *)(to + p.order[row * p.count + at] * p.output_step);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const tn_i64 at = k * BLOCK + threadIdx.x;
            if (at < p.count) *(tn_i64 *)(to + at * p.output_step) = found[k];
        }
        __syncthreads();
    }
}
