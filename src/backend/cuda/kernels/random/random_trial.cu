/* A distribution drawn by trials (ops/random.h): a thread makes one attempt at a time at an element
 * of the element's own sequence of words, and goes on to its next element after a good one, so that
 * threads do not wait for the most attempts of a warp.
 *
 * The program defines Stored, Trial, HAS_ARRAYS (whether parameters are arrays) with NDIM of their
 * shape, Trial random_ready(const double *parameters), and int random_attempt(Stored *, tn_draws *,
 * const Trial *, location, scale). */
#define MACROS BLOCK, NDIM, WIDE_INDEX, HAS_ARRAYS, RANDOM_PARAMETERS
#include "random_parameters.cuh"

struct Params {
    Stored *to;
    tn_i64 count;
    tn_u64 key, block;
    double location, scale;
    const char *arrays[RANDOM_PARAMETERS]; /* NULL: the number */
    double numbers[RANDOM_PARAMETERS];
    Shape<NDIM, RANDOM_PARAMETERS> shape;
};

__device__ __forceinline__ Trial ready_at(const Params &p, tn_i64 at) {
    double numbers[RANDOM_PARAMETERS];
    parameters_at(numbers, p, at);
    return random_ready(numbers);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Trial common;
    const tn_i64 step = (tn_i64)gridDim.x * BLOCK;
    tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x;
    if (!HAS_ARRAYS && threadIdx.x == 0) common = random_ready(p.numbers);
    __syncthreads();
    Trial own;
    tn_draws draws;
    Stored value = 0;
    int attempts = 0;
    while (at < p.count) {
        if (attempts == 0) {
            if (HAS_ARRAYS) own = ready_at(p, at);
            draws = m_draws_of(p.key, 1 + (tn_u64)at, p.block);
        }
        attempts++;
        const bool is_good =
            random_attempt(&value, &draws, HAS_ARRAYS ? &own : &common, p.location, p.scale);
        if (!is_good && attempts < TNI_RANDOM_ATTEMPTS) continue;
        p.to[at] = value;
        at += step;
        attempts = 0;
    }
}
