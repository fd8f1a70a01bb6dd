// The running sums of each block's elements, by Hillis and Steele.
extern "C" __global__ void scan(const float *a, float *sums, int n) {
    __shared__ float values[THREADS];
    int own = threadIdx.x, at = blockIdx.x * THREADS + own;
    values[own] = at < n ? a[at] : 0;
    __syncthreads();
    for (int by = 1; by < THREADS; by *= 2) {
        float sum = values[own] + (own >= by ? values[own - by] : 0);
        __syncthreads();
        values[own] = sum;
        __syncthreads();
    }
    if (at < n) sums[at] = values[own];
}
