/* to = from[mask], and with EXPAND from[mask] = to. Blocks of the mask are independent: the counts
 * say where their elements lie in the dense array.
 *
 * The program defines UNIT_BYTES of an element, NDIM and WIDE_INDEX of the shape that the mask has,
 * EXPAND 0 or 1, and VALUE where one value goes to all (then there are no offsets): 1 it comes with
 * the parameters, 2 it lies at `dense`. */
#define MACROS UNIT_BYTES, NDIM, WIDE_INDEX, EXPAND, VALUE
#include "mask.cuh"

struct Params {
    const unsigned char *mask;
    tn_i64 count;
    const tn_i64 *offsets;
    char *array;
    char *dense;
    tn_i64 dense_stride;
    tn_u64 value[2];
    Shape<NDIM, 1> shape; /* of the array */
};

typedef Word<UNIT_BYTES>::type Unit;

extern "C" __global__ void __launch_bounds__(MASK_THREADS)
    KERNEL(const __grid_constant__ Params p) {
#if !VALUE
    __shared__ int warps[MASK_THREADS / 32];
#endif
    const int lane = threadIdx.x % 32;
    const tn_i64 begin = blockIdx.x * (tn_i64)MASK_BLOCK + threadIdx.x / 32 * 512;
    const unsigned bits = mask_bits(p.mask, begin + lane * 16, p.count);
#if VALUE
    tn_i64 place = 0;
#else
    tn_i64 place = p.offsets[blockIdx.x] + mask_before_warp(bits, warps);
#endif
    const unsigned below = (1u << lane) - 1;
    Unit units[MASK_ROUNDS];
    char *addresses[MASK_ROUNDS];
#pragma unroll
    for (int half = 0; half < MASK_ROUNDS; half += 8) {
#pragma unroll
        for (int r = half; r < half + 8; r++) {
            unsigned round = mask_round(bits, r);
            bool chosen = round >> lane & 1;
            tn_i64 offsets[1] = {0};
            if (chosen) p.shape.walk((Index)(begin + r * 32 + lane), offsets);
            char *array = p.array + offsets[0];
            char *dense = p.dense + (place + __popc(round & below)) * p.dense_stride;
            place += __popc(round);
            addresses[r] = chosen ? EXPAND ? array : dense : 0;
#if VALUE == 1
            units[r] = *(const Unit *)p.value;
#elif VALUE == 2
            units[r] = *(const Unit *)p.dense;
#else
            if (chosen) units[r] = *(const Unit *)(EXPAND ? dense : array);
#endif
        }
#pragma unroll
        for (int r = half; r < half + 8; r++)
            if (addresses[r]) *(Unit *)addresses[r] = units[r];
    }
}
