/* Which elements begin a run of equal index in their row: PHASE 0 compares neighbours (a thread an
 * element), PHASE 1, after it, marks the first elements of rows (a thread a row).
 *
 * The program defines BLOCK, WIDE, PHASE. */
#define MACROS BLOCK, WIDE, PHASE
#include "csr.cuh"

struct Params {
    const CsrIndex *starts, *indices;
    tn_i64 rows, count;
    tn_u8 *flags;
    tn_i64 text;
    Bounds bounds;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < (PHASE ? p.rows : p.count);
         at += (tn_i64)gridDim.x * BLOCK) {
#if PHASE == 0
        p.flags[at] = at == 0 || p.indices[at] != p.indices[at - 1];
#else
        const CsrRow row(p.starts, at, p.count, p.bounds, p.text);
        if (row.begin < row.end) p.flags[row.begin] = 1;
#endif
    }
}
