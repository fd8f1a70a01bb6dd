/* What the kernels of distances share: metrics, and what is nearest where no element is 0.
 *
 * A program defines METRIC (0 Euclidean, whose values are squares until the last axis, 1 taxicab, 2
 * chessboard), NONE (as enum tn_distance_none), NDIM, and IS_LAST: whether the axis is the last
 * one. */
#ifndef DISTANCE_CUH
#define DISTANCE_CUH

#include "types.h"

#define INFINITE __longlong_as_double(0x7ff0000000000000ll)

/* The value at x of an element at `site` with a value of its own. */
__device__ __forceinline__ double value_at(int x, int site, double value, double sampling) {
    const double distance = (double)(x > site ? x - site : site - x) * sampling;
#if METRIC == 0
    return distance * distance + value;
#elif METRIC == 1
    return distance + value;
#else
    return distance > value ? distance : value;
#endif
}

/* A value as it is when the axis is done. */
__device__ __forceinline__ double finished(double value) {
    return IS_LAST && METRIC == 0 ? sqrt(value) : value;
}

/* The distance of an element where none is 0; indices (NULL: not wanted) lie `elements` apart. */
__device__ __forceinline__ double measure_none(const tn_i64 *shape, const double *samplings,
                                               tn_i64 at, int *indices, tn_i64 elements) {
    tn_i64 place[NDIM], rest = at;
    for (int k = NDIM - 1; k >= 0; k--) {
        place[k] = rest % shape[k];
        rest /= shape[k];
    }
    double sum = 0;
    for (int k = 0; k < NDIM; k++) {
        const tn_i64 nearest = NONE == 2 ? place[k] : NONE == 0 && k == 0 ? -1 : 0;
        const double distance = (double)(place[k] - nearest) * samplings[k];
        sum += distance * distance;
        if (indices) indices[k * elements + at] = (int)nearest;
    }
    return NONE == 0 ? sqrt(sum) : NONE == 1 ? INFINITE : -1.0;
}

#endif
