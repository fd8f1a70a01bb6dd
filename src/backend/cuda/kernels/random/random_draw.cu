/* A drawn distribution (ops/random.h): a thread draws one element at a time from the element's
 * own sequence of words.
 *
 * The program defines Stored, NDIM of the parameters' shape, and random_draw(tn_draws *, const
 * double *parameters, location, scale). */
#define HEADER "random.h"
#define MACROS BLOCK, NDIM, WIDE_INDEX, RANDOM_PARAMETERS
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

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        double numbers[RANDOM_PARAMETERS];
        parameters_at(numbers, p, at);
        tn_draws draws = m_draws_of(p.key, 1 + (tn_u64)at, p.block);
        p.to[at] = random_draw(&draws, numbers, p.location, p.scale);
    }
}
