/* Results that are not 0: PHASE 0 clears the flags of the others, PHASE 1 moves those of which the
 * flag is set to the places that `places` counts. A thread an element.
 *
 * The program defines Value, bool csr_is_zero(Value), BLOCK, WIDE, PHASE. */
#define MACROS BLOCK, WIDE, PHASE
#include "csr.cuh"

struct Params {
    const CsrIndex *indices;
    const Value *values;
    tn_u8 *flags;
    const tn_i64 *places;
    tn_i64 count;
    CsrIndex *to_indices;
    Value *to_values;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
#if PHASE == 0
        if (p.flags[at] && csr_is_zero(p.values[at])) p.flags[at] = 0;
#else
        if (!p.flags[at]) continue;
        const tn_i64 to = p.places[at] - 1;
        p.to_indices[to] = p.indices[at];
        p.to_values[to] = p.values[at];
#endif
    }
}
