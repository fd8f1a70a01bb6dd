// tenorite.jit.cub: reductions of warps and blocks.
#ifndef TNI_CUB
#define TNI_CUB
#include <tenorite/jit.cuh>

template <class T, int n> struct tni_storage { T values[n]; };
struct tni_sum {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct tni_max {
    template <class T> __device__ T operator()(T a, T b) const { return tni_less(b, a) ? a : b; }
};
struct tni_min {
    template <class T> __device__ T operator()(T a, T b) const { return tni_less(a, b) ? a : b; }
};
template <bool is_warp> __device__ inline void tni_wait() {
    if (is_warp)
        __syncwarp();
    else
        __syncthreads();
}
template <bool is_warp, class T, int n, class F>
__device__ inline T tni_reduce(tni_storage<T, n> &storage, T value, F combine, int count) {
    int rank = (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
    int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
    int first = is_warp ? rank & ~31 : 0, place = rank - first, there = threads - first;
    if (n < there) there = n;
    if (count < there) there = count;
    T *values = storage.values;
    values[place] = value;
    tni_wait<is_warp>();
    for (int step = 1; step < there; step *= 2) {
        if (place % (2 * step) == 0 && place + step < there)
            values[place] = combine(values[place], values[place + step]);
        tni_wait<is_warp>();
    }
    return values[0];
}
#endif
