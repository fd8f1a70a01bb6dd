// The product of two square matrices, a tile of each in shared memory at a time.
extern "C" __global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float left[SIDE][SIDE], right[SIDE][SIDE];
    int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
    float sum = 0;
    for (int at = 0; at < n; at += SIDE) {
        left[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < SIDE; k++)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
