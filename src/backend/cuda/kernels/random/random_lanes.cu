/* A distribution of words of generators with a state (ops/random.h): a thread is a lane, which
 * makes every LANES-th element and keeps its state.
 *
 * The program defines Stored, NDIM of the parameters' shape, GENERATOR, and RANDOM_ELEMENT, an
 * expression of the element by `draws`, the parameters `p` and the launch's `params`. */
#define HEADER "random.h"
#define MACROS BLOCK, NDIM, WIDE_INDEX, GENERATOR, RANDOM_PARAMETERS
#include "random_parameters.cuh"

struct Params {
    Stored *to;
    tn_i64 count;
    tn_u64 key, block;
    double location, scale;
    const char *arrays[RANDOM_PARAMETERS]; /* NULL: the number */
    double numbers[RANDOM_PARAMETERS];
    tn_u64 low, span;
    tn_u32 *lanes;
    Shape<NDIM, RANDOM_PARAMETERS> shape;
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
        double numbers[RANDOM_PARAMETERS];
        parameters_at(numbers, p, at);
        p.to[at] = random_element(&draws, numbers, p);
    }
    m_keep_lane(&draws, p.lanes, lane);
}
