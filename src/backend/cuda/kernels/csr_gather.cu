/* Elements in another order, and the starts of their lines: a thread an element or a line.
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

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 step = (tn_i64)gridDim.x * BLOCK;
    const tn_i64 own = blockIdx.x * (tn_i64)BLOCK + threadIdx.x;
    for (tn_i64 at = own; at < p.count; at += step) {
        const tn_i64 from = p.order[at];
        p.to_indices[at] = p.minor[from];
        p.to_values[at] = p.values[from];
        if (p.major && (p.major[from] < 0 || p.major[from] >= p.lines))
            report_structure(p.bounds, p.text);
    }
    if (!p.major) return;
    for (tn_i64 line = own; line <= p.lines; line += step) {
        tn_i64 first = 0, last = p.count;
        while (first < last) {
            const tn_i64 middle = first + (last - first) / 2;
            if (p.major[p.order[middle]] < line)
                first = middle + 1;
            else
                last = middle;
        }
        p.to_starts[line] = (CsrIndex)first;
    }
}
