/* The forest of an image as 32 elements see it: each hangs from the first of its run among these.
 *
 * The program defines BLOCK, WIDE_INDEX and JOINED (whether neighbours along the last axis belong
 * together). */
#define MACROS BLOCK, WIDE_INDEX, JOINED
#include "label.cuh"

struct Params {
    const tn_u8 *mask;
    Index *parents;
    tn_i64 count;
    Axis length; /* of the last axis */
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % 32;
    for (tn_i64 first = blockIdx.x * (tn_i64)BLOCK; first < p.count;
         first += gridDim.x * (tn_i64)BLOCK) {
        const tn_i64 here = first + threadIdx.x;
        const bool is_in = here < p.count;
        const Index at = (Index)(is_in ? here : 0);
        const bool is_set = is_in && p.mask[at] != 0;
        const Index row = divide(p.length, at);
        const bool begins = at - row * (Index)p.length.size == 0;
        const unsigned set = __ballot_sync(0xffffffffu, is_set);
        const unsigned lines = __ballot_sync(0xffffffffu, begins);
        if (!is_in) continue;
        const int start = run_start(set, lines, lane, JOINED);
        p.parents[at] = is_set ? at - (Index)(lane - start) : BACKGROUND;
    }
}
