/* The label of each element: the number of its root.
 *
 * The program defines BLOCK, WIDE_INDEX and WIDE_LABEL (labels are i64, else i32). */
#define MACROS BLOCK, WIDE_INDEX, WIDE_LABEL
#include "label.cuh"

#if WIDE_LABEL
typedef tn_i64 Label;
#else
typedef int Label;
#endif

struct Params {
    const Index *parents;
    Label *labels;
    tn_i64 count;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += gridDim.x * (tn_i64)BLOCK) {
        Index found = p.parents[at];
        while (found >= 0) found = p.parents[found];
        p.labels[at] = (Label)~found;
    }
}
