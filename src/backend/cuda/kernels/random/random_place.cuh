/* A number of a distribution as it is wanted: floating-point ones by scale and location. */
#ifndef RANDOM_PLACE_CUH
#define RANDOM_PLACE_CUH

#include "access.cuh"

template <class T> __device__ __forceinline__ T random_place(T x, double, double) {
    return x;
}
__device__ __forceinline__ float random_place(float x, double location, double scale) {
    return x * (float)scale + (float)location;
}
__device__ __forceinline__ double random_place(double x, double location, double scale) {
    return x * scale + location;
}

#endif
