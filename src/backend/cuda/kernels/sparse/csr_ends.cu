/* ends[r] = how many of what `places` counts lie before the start of row r: a thread a row.
 *
 * places[k] counts up to element k. Starts are those of one matrix, or the sums of those of two.
 * Starts that do not ascend within `count` are reported. The program defines BLOCK, WIDE. */
#define MACROS BLOCK, WIDE
#include "csr.cuh"

struct Params {
    const CsrIndex *starts, *beside; /* beside: NULL for one matrix */
    const tn_i64 *places;
    tn_i64 rows, count;
    tn_i64 *ends; /* rows + 1 */
    tn_i64 text;
    Bounds bounds;
};

__device__ __forceinline__ tn_i64 start_of(const Params &p, tn_i64 row) {
    const tn_i64 start = (tn_i64)p.starts[row] + (p.beside ? (tn_i64)p.beside[row] : 0);
    return start < 0 ? 0 : start > p.count ? p.count : start;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 first = start_of(p, 0), before = first == 0 ? 0 : p.places[first - 1];
    for (tn_i64 row = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; row <= p.rows;
         row += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 start = start_of(p, row);
        const tn_i64 found = (start == 0 ? 0 : p.places[start - 1]) - before;
        p.ends[row] = found < 0 ? 0 : found;
        if (row == p.rows) continue;
        const CsrRow checked(p.starts, row, p.count, p.bounds, p.text);
        if (p.beside) const CsrRow other(p.beside, row, p.count, p.bounds, p.text);
    }
}
