/* Where the pieces of csr.cuh begin: a warp a cut, whose lanes look at 32 rows at a time. The
 * program defines BLOCK, WIDE, TILE. */
#define MACROS BLOCK, WIDE, TILE
#include "csr.cuh"

struct Params {
    const CsrIndex *starts;
    tn_i64 rows, pieces;
    tn_i64 *cuts; /* pieces + 1 */
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % 32;
    for (tn_i64 at = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / 32; at <= p.pieces;
         at += (tn_i64)gridDim.x * (BLOCK / 32)) {
        tn_i64 first = 0, last = p.rows;
        if (at == 0) last = 0;
        if (at == p.pieces) first = p.rows;
        while (first < last) {
            const tn_i64 step = (last - first + 31) / 32, seen = first + (lane + 1) * step - 1;
            const bool is_before =
                seen < last && (tn_i64)p.starts[seen + 1] + seen + 1 <= at * TILE;
            /* Broken starts may say so after a row that says no. */
            const int before = __ffs(~__ballot_sync(0xffffffffu, is_before)) - 1;
            first += (before < 0 ? 32 : before) * step;
            if (first + step - 1 < last) last = first + step - 1;
        }
        if (lane == 0) p.cuts[at] = first < p.rows ? first : p.rows;
    }
}
