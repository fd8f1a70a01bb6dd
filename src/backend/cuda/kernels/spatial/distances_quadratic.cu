/* The quadratic form of a difference of rows, by a matrix: a thread a pair.
 *
 * The program defines the type T, BLOCK, the number of ops/metrics.h END and PAIRS as for
 * distances.cu. */
#define HEADER "metrics.h"
#define MACROS BLOCK, END, PAIRS

struct Params {
    const T *a, *b, *matrix;
    T *output;
    tn_i64 count_a, count_b, columns;
    double scale;
};

#define M(function) function
#define N(name) name
#include "metric_stamp.h"

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count_a * p.count_b;
         at += gridDim.x * (tn_i64)BLOCK) {
        const tn_i64 i = at / p.count_b, j = at % p.count_b;
        if (PAIRS && j <= i) continue;
        const T *a = p.a + i * p.columns, *b = (PAIRS ? p.a : p.b) + j * p.columns;
        T sum = 0;
        for (tn_i64 k = 0; k < p.columns; k++) {
            T product = 0;
            for (tn_i64 m = 0; m < p.columns; m++)
                product += p.matrix[k * p.columns + m] * (a[m] - b[m]);
            sum += (a[k] - b[k]) * product;
        }
        const tn_i64 to = PAIRS ? i * (2 * p.count_a - i - 1) / 2 + j - i - 1 : at;
        p.output[to] = m_metric_end(END, sum, (T)0, (T)0, (T)0, (T)p.scale, (T)1, (T)1);
    }
}
