/* A distribution of words of generators with a state (ops/random.h): a thread is a lane, which
 * makes every LANES-th element and keeps its state.
 *
 * The program defines Stored, NDIM of the parameters' shape, GENERATOR, and RANDOM_ELEMENT, an
 * expression of the element by `draws`, the parameters `p` and the launch's `params`. */
#include "access.cuh"

struct Params {
    Stored *to;
    tn_i64 count;
    tn_u64 key, block;
    double location, scale;
    const char *arrays[3]; /* NULL: the number */
    double numbers[3];
    tn_u64 low, span;
    tn_u32 *lanes;
    Shape<NDIM, 3> shape;
};

__device__ __forceinline__ Stored random_element(tn_draws *draws, const double *p,
                                                 const Params &params) {
    return RANDOM_ELEMENT;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 lane = blockIdx.x * (tn_i64)BLOCK + threadIdx.x;
    if (lane >= TNI_RANDOM_LANES || lane >= p.count) return;
    tn_draws draws = m_draws_of_lane(GENERATOR, p.lanes, lane);
    for (tn_i64 at = lane; at < p.count; at += TNI_RANDOM_LANES) {
        tn_i64 offsets[3] = {0, 0, 0};
        p.shape.walk((Index)at, offsets);
        double numbers[3];
#pragma unroll
        for (int k = 0; k < 3; k++)
            numbers[k] = p.arrays[k] ? *(const double *)(p.arrays[k] + offsets[k]) : p.numbers[k];
        p.to[at] = random_element(&draws, numbers, p);
    }
    m_keep_lane(&draws, p.lanes, lane);
}
