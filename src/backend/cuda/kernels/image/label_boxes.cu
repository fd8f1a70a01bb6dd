/* The box of each label; forms/measure.h has the rules.
 *
 * The program defines BLOCK, WIDE_INDEX, NDIM and WIDE_LABEL (labels are i64, else i32).
 * Invariant: boxes are 0 before the launch. Where a warp has a run of one label, its first element
 * widens the box, and its last one along the last axis. */
#define MACROS BLOCK, WIDE_INDEX, NDIM, WIDE_LABEL
#include "access.cuh"

#if WIDE_LABEL
typedef tn_i64 Label;
#else
typedef int Label;
#endif

struct Params {
    const Label *labels;
    tn_u64 *boxes;
    tn_i64 count, elements;
    Axis axes[NDIM];
};

__device__ __forceinline__ void widen(tn_u64 *to, Index end) {
    if (*(volatile tn_u64 *)to < (tn_u64)end) atomicMax(to, (tn_u64)end);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % 32;
    for (tn_i64 first = blockIdx.x * (tn_i64)BLOCK; first < p.elements;
         first += gridDim.x * (tn_i64)BLOCK) {
        const tn_i64 here = first + threadIdx.x;
        const bool is_in = here < p.elements;
        const Index at = (Index)(is_in ? here : 0);
        const Label label = is_in ? p.labels[at] : 0;
        const Label before = shuffle_up(label, 1, 32), after = shuffle_down(label, 1, 32);
        if (label < 1 || label > p.count) continue;
        Index place[NDIM], rest = at;
#pragma unroll
        for (int k = NDIM - 1; k > 0; k--) {
            const Index next = divide(p.axes[k], rest);
            place[k] = rest - next * (Index)p.axes[k].size;
            rest = next;
        }
        place[0] = rest;
        tn_u64 *box = p.boxes + 2 * NDIM * ((tn_i64)label - 1);
        const Index column = place[NDIM - 1], length = (Index)p.axes[NDIM - 1].size;
        if (lane == 31 || after != label || column == length - 1)
            widen(box + 2 * NDIM - 1, column + 1);
        if (lane > 0 && before == label && column > 0) continue;
        widen(box + 2 * NDIM - 2, length - column);
#pragma unroll
        for (int k = 0; k < NDIM - 1; k++) {
            widen(box + 2 * k, (Index)p.axes[k].size - place[k]);
            widen(box + 2 * k + 1, place[k] + 1);
        }
    }
}
