/* The parameters of a drawn distribution: each a number, or an array of which each element has its
 * own. The program defines RANDOM_PARAMETERS, their
 * number, NDIM and WIDE_INDEX of the arrays' common shape. */
#ifndef RANDOM_PARAMETERS_CUH
#define RANDOM_PARAMETERS_CUH

#include "access.cuh"

/* Of the element at `at`. P are the form's parameters: it has arrays (NULL: the number), numbers
 * and shape. */
template <typename P>
__device__ __forceinline__ void parameters_at(double (&to)[RANDOM_PARAMETERS], const P &p,
                                              tn_i64 at) {
    tn_i64 offsets[RANDOM_PARAMETERS] = {0};
    p.shape.walk((Index)at, offsets);
#pragma unroll
    for (int k = 0; k < RANDOM_PARAMETERS; k++)
        to[k] = p.arrays[k] ? *(const double *)(p.arrays[k] + offsets[k]) : p.numbers[k];
}

#endif
