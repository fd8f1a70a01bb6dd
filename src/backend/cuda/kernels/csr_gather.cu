/* Elements in another order, and the starts of their lines: a thread an element, which is the first
 * of a line where the element before is of another. The starts of many lines without elements are
 * written by the whole block.
 *
 * The program defines BLOCK, WIDE, UNIT_BYTES. Without `major` there are no starts. */
#include "access.cuh"
#include "csr.cuh"

struct Params {
    const tn_i64 *order;
    const CsrIndex *major, *minor;
    const Word<UNIT_BYTES>::type *values;
    tn_i64 lines, count;
    CsrIndex *to_starts, *to_indices;
    Word<UNIT_BYTES>::type *to_values;
    tn_i64 text;
    Bounds bounds;
};

#define SHORT_GAP 32

/* Lines whose elements would begin at `start`. */
struct Gap {
    tn_i64 first, end, start;
};

/* The line of the element at a place of the order; a bad one is told of and is some line. */
__device__ __forceinline__ tn_i64 line_of(const Params &p, tn_i64 at, tn_i64 from) {
    if (at < 0) return -1;
    if (at >= p.count) return p.lines;
    const tn_i64 line = p.major[from];
    if (line >= 0 && line < p.lines) return line;
    report_structure(p.bounds, p.text);
    return line < 0 ? 0 : p.lines - 1;
}

__device__ __forceinline__ void fill(const Params &p, const Gap &gap, int own, int step) {
    for (tn_i64 line = gap.first + own; line < gap.end; line += step)
        p.to_starts[line] = (CsrIndex)gap.start;
}

/* The starts of the lines that end before element `at` and of its own; of one behind the last
 * element those of all lines that are left. */
__device__ __forceinline__ void write_starts(const Params &p, tn_i64 at, tn_i64 from) {
    __shared__ Gap gaps[BLOCK];
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const tn_i64 line = line_of(p, at, from);
    tn_i64 before = __shfl_up_sync(0xffffffffu, line, 1);
    if (threadIdx.x % 32 == 0)
        before = line_of(p, at - 1, at > 0 && at <= p.count ? p.order[at - 1] : 0);
    if (at <= p.count) {
        const Gap gap = {before + 1, line + 1, at};
        if (gap.end - gap.first <= SHORT_GAP)
            fill(p, gap, 0, 1);
        else
            gaps[atomicAdd(&count, 1)] = gap;
    }
    __syncthreads();
    for (int k = 0; k < count; k++) fill(p, gaps[k], threadIdx.x, BLOCK);
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 step = (tn_i64)gridDim.x * BLOCK;
    for (tn_i64 base = blockIdx.x * (tn_i64)BLOCK; base <= p.count; base += step) {
        const tn_i64 at = base + threadIdx.x, from = at < p.count ? p.order[at] : 0;
        if (at < p.count) {
            p.to_indices[at] = p.minor[from];
            p.to_values[at] = p.values[from];
        }
        if (p.major) write_starts(p, at, from);
    }
}
