/* A drawn distribution (ops/random.h): a thread draws one element at a time from the element's
 * own sequence of words.
 *
 * The program defines Stored, NDIM of the parameters' shape, and random_draw(tn_draws *, const
 * double *parameters, location, scale). */
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

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 offsets[3] = {0, 0, 0};
        p.shape.walk((Index)at, offsets);
        double numbers[3];
#pragma unroll
        for (int k = 0; k < 3; k++)
            numbers[k] = p.arrays[k] ? *(const double *)(p.arrays[k] + offsets[k]) : p.numbers[k];
        tn_draws draws = m_draws_of(p.key, 1 + (tn_u64)at, p.block);
        p.to[at] = random_draw(&draws, numbers, p.location, p.scale);
    }
}
