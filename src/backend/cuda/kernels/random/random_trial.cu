/* A distribution drawn by trials (ops/random.h): a thread makes one attempt at a time at an element
 * of the element's own sequence of words, and goes on to its next element after a good one, so that
 * threads do not wait for the most attempts of a warp.
 *
 * The program defines Stored, Drawn (double or tn_i64), Trial, HAS_ARRAYS (whether parameters are
 * arrays) with NDIM of their shape, and names Trial RANDOM_READY(const double *parameters) and int
 * RANDOM_ATTEMPT(Drawn *, tn_draws *, const Trial *). */
#define HEADER "random_trials.h"
#define MACROS BLOCK, NDIM, WIDE_INDEX, HAS_ARRAYS, RANDOM_PARAMETERS
#include "random_parameters.cuh"
#include "random_place.cuh"

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
    return RANDOM_READY(numbers);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Trial common;
    const tn_i64 step = (tn_i64)gridDim.x * BLOCK;
    tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x;
    if (!HAS_ARRAYS && threadIdx.x == 0) common = RANDOM_READY(p.numbers);
    __syncthreads();
    Trial own;
    tn_draws draws;
    int attempts = 0;
    while (at < p.count) {
        if (attempts == 0) {
            if (HAS_ARRAYS) own = ready_at(p, at);
            draws = m_draws_of(p.key, 1 + (tn_u64)at, p.block);
        }
        attempts++;
        Drawn value = 0;
        const bool is_good = RANDOM_ATTEMPT(&value, &draws, HAS_ARRAYS ? &own : &common);
        if (!is_good && attempts < TNI_RANDOM_ATTEMPTS) continue;
        p.to[at] = (Stored)random_place(value, p.location, p.scale);
        at += step;
        attempts = 0;
    }
}

#undef RANDOM_READY
#undef RANDOM_ATTEMPT
