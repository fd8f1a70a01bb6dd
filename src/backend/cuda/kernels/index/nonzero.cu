/* The coordinates of the true elements of a mask, one i64 array an axis.
 *
 * The program defines NDIM coordinates and WIDE_INDEX. */
#define MACROS NDIM, WIDE_INDEX
#include "mask.cuh"

struct Params {
    const unsigned char *mask;
    tn_i64 count;
    const tn_i64 *offsets;
    tn_i64 to_stride; /* elements */
    tn_i64 *to[NDIM ? NDIM : 1];
    Axis axes[NDIM ? NDIM : 1];
};

extern "C" __global__ void __launch_bounds__(MASK_THREADS)
    KERNEL(const __grid_constant__ Params p) {
    __shared__ int warps[MASK_THREADS / 32];
    const int lane = threadIdx.x % 32;
    const tn_i64 begin = blockIdx.x * (tn_i64)MASK_BLOCK + threadIdx.x / 32 * 512;
    const unsigned bits = mask_bits(p.mask, begin + lane * 16, p.count);
    tn_i64 place = p.offsets[blockIdx.x] + mask_before_warp(bits, warps);
    const unsigned below = (1u << lane) - 1;
#pragma unroll
    for (int r = 0; r < MASK_ROUNDS; r++) {
        unsigned round = mask_round(bits, r);
        if (round >> lane & 1) {
            tn_i64 to = (place + __popc(round & below)) * p.to_stride;
            Index at = (Index)(begin + r * 32 + lane);
#pragma unroll
            for (int k = NDIM - 1; k > 0; k--) {
                Index next = divide(p.axes[k], at);
                p.to[k][to] = at - next * (Index)p.axes[k].size;
                at = next;
            }
            if (NDIM > 0) p.to[0][to] = at;
        }
        place += __popc(round);
    }
}
