/* The second launch of a long sort of bytes: each place gets the element whose range it lies in.
 *
 * The program defines what sort.cuh asks for with ELEMENT_BYTES 1, WIDE, KEPT_NDIM and
 * WIDE_INDEX. */
#define MACROS ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, KEPT_NDIM, WIDE_INDEX, BLOCK, WIDE
#include "sort_passes.cuh"

#define EACH 16

struct Params {
    char *output;
    tn_i64 length, output_step;
    tn_i64 portions;     /* of a row */
    const Total *totals; /* [row][value of the key]: elements of the row below it */
    Shape<KEPT_NDIM, 1> kept;
};

/* The element of a key. */
__device__ __forceinline__ Element element_of(unsigned key) {
    if (DESCENDING) key ^= PART_ALL;
    return (Element)(KIND == 1 ? key ^ PART_TOP : key);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Total below[DIGITS];
    const tn_i64 row = blockIdx.x / (unsigned)p.portions;
    const tn_i64 portion = blockIdx.x % (unsigned)p.portions;
    tn_i64 offsets[1] = {0};
    p.kept.walk((Index)row, offsets);
    char *to = p.output + offsets[0];
    for (int k = threadIdx.x; k < DIGITS; k += BLOCK) below[k] = p.totals[row * DIGITS + k];
    __syncthreads();
    /* Of a key the last place that is at or before one. */
    for (tn_i64 first = ((portion * BLOCK) + threadIdx.x) * EACH; first < p.length;
         first += p.portions * BLOCK * EACH) {
        unsigned key = 0;
#pragma unroll
        for (unsigned bit = DIGITS / 2; bit; bit /= 2)
            if (below[key | bit] <= (Total)first) key |= bit;
        for (tn_i64 at = first; at < first + EACH && at < p.length; at++) {
            while (key < DIGITS - 1 && below[key + 1] <= (Total)at) key++;
            *(Element *)(to + at * p.output_step) = element_of(key);
        }
    }
}
