/* Reports values that are no numbers: those of matrices for which a library says nothing. The
 * program defines BLOCK and Real. */
#define MACROS BLOCK
#include "bounds.cuh"

struct Params {
    const Real *values;
    tn_i64 count, text; /* the address of the host's text */
    Bounds bounds;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK)
        if (p.values[at] != p.values[at]) report_failure(p.bounds, TN_FAILURE_MATRIX, p.text);
}
