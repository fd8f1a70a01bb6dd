/* A distribution drawn by trials (ops/random.h): a thread makes one attempt at a time at an element
 * of the element's own sequence of words, and goes on to its next element after a good one, so that
 * threads do not wait for the most attempts of a warp.
 *
 * The program defines Stored, Trial, HAS_ARRAYS (whether parameters are arrays) with NDIM of their
 * shape, Trial random_ready(const double *parameters), and int random_attempt(Stored *, tn_draws *,
 * const Trial *, location, scale). */
#include "access.cuh"

struct Params {
    Stored *to;
    tn_i64 count;
    tn_u64 key, block;
    double location, scale;
    const char *arrays[3]; /* NULL: the number */
    double numbers[3];
    Shape<NDIM, 3> shape;
};

__device__ __forceinline__ Trial ready_at(const Params &p, tn_i64 at) {
    tn_i64 offsets[3] = {0, 0, 0};
    p.shape.walk((Index)at, offsets);
    double numbers[3];
#pragma unroll
    for (int k = 0; k < 3; k++)
        numbers[k] = p.arrays[k] ? *(const double *)(p.arrays[k] + offsets[k]) : p.numbers[k];
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
