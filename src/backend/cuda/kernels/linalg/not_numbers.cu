/* Tells of values that are no numbers: those of matrices for which a library says nothing. The
 * program defines BLOCK and Real. */
#include "bounds.cuh"

struct Params {
    const Real *values;
    tn_i64 count, text; /* the address of the host's text */
    Bounds bounds;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 no_index = -0x7fffffffffffffffLL - 1; /* as an axis: what is told is no index */
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK)
        if (p.values[at] != p.values[at]) report_index(p.bounds, p.text, no_index, 0);
}
