/* Where the pieces of csr.cuh begin: a thread a cut. The program defines BLOCK, WIDE, TILE. */
#include "csr.cuh"

struct Params {
    const CsrIndex *starts;
    tn_i64 rows, pieces;
    tn_i64 *cuts; /* pieces + 1 */
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at <= p.pieces;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 first = 0, last = p.rows;
        if (at == 0) last = 0;
        if (at == p.pieces) first = p.rows;
        while (first < last) {
            const tn_i64 middle = first + (last - first) / 2;
            if ((tn_i64)p.starts[middle + 1] + middle + 1 <= at * TILE)
                first = middle + 1;
            else
                last = middle;
        }
        p.cuts[at] = first;
    }
}
