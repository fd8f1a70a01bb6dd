/* Solutions with the factors of a matrix of few diagonals, a thread for each right side; a window
 * of them is in registers.
 *
 * The program defines BLOCK, LOWER and COLUMNS as banded_factor.cu does. */
#define MACROS BLOCK, LOWER, COLUMNS

struct Params {
    const double *matrix;
    double *b;
    tn_i64 n, width;
};

#define ROW (COLUMNS + LOWER + 1)

__device__ __forceinline__ void forward(const Params &p, double *b) {
    double some[LOWER + 1];
#pragma unroll
    for (int k = 0; k <= LOWER; k++) some[k] = k < p.n ? b[k * p.width] : 0;
    for (tn_i64 j = 0; j < p.n; j++) {
        const double *row = p.matrix + j * ROW;
        const double next = j + LOWER + 1 < p.n ? b[(j + LOWER + 1) * p.width] : 0;
        const int pivot = (int)row[ROW - 1];
#pragma unroll
        for (int k = 1; k <= LOWER; k++)
            if (k == pivot) {
                const double kept = some[0];
                some[0] = some[k];
                some[k] = kept;
            }
        const double head = some[0];
        b[j * p.width] = head;
#pragma unroll
        for (int k = 1; k <= LOWER; k++) {
            const double factor = j + k < p.n ? row[k * ROW + LOWER - k] : 0;
            some[k - 1] = some[k] - factor * head;
        }
        some[LOWER] = next;
    }
}

__device__ __forceinline__ void backward(const Params &p, double *b) {
    double after[COLUMNS]; /* after[k]: the solution k + 1 rows below */
#pragma unroll
    for (int k = 0; k < COLUMNS; k++) after[k] = 0;
    for (tn_i64 j = p.n - 1; j >= 0; j--) {
        const double *row = p.matrix + j * ROW + LOWER;
        double sum = b[j * p.width];
#pragma unroll
        for (int k = COLUMNS - 1; k >= 1; k--)
            if (j + k < p.n) sum -= row[k] * after[k - 1];
        sum /= row[0];
        b[j * p.width] = sum;
#pragma unroll
        for (int k = COLUMNS - 1; k >= 1; k--) after[k] = after[k - 1];
        after[0] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 w = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; w < p.width;
         w += gridDim.x * (tn_i64)BLOCK) {
        forward(p, p.b + w);
        backward(p, p.b + w);
    }
}
