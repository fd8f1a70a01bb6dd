/* Reports matrices with a zero on the diagonal. The program defines BLOCK, COMPLEX and Real. */
#define MACROS BLOCK, COMPLEX
#include "bounds.cuh"

struct Params {
    const Real *a;
    tn_i64 count, n, text; /* the address of the host's text */
    Bounds bounds;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count * p.n;
         at += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 place = at / p.n * p.n * p.n + at % p.n * (p.n + 1);
        const bool is_zero = p.a[place * (1 + COMPLEX)] == 0;
        if (is_zero && (!COMPLEX || p.a[place * 2 + 1] == 0))
            report_failure(p.bounds, TN_FAILURE_MATRIX, p.text);
    }
}
