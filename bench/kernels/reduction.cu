// The sum of each block's elements, by a tree in shared memory.
extern "C" __global__ void reduction(const float *a, float *sums, int n) {
    __shared__ float values[THREADS];
    int own = threadIdx.x, at = blockIdx.x * THREADS + own;
    values[own] = at < n ? a[at] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (own < half) values[own] += values[own + half];
        __syncthreads();
    }
    if (own == 0) sums[blockIdx.x] = values[0];
}
