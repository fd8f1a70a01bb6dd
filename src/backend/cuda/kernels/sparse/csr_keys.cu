/* keys[k] = row of element k * columns + its index, for sorting all rows at once: a thread an
 * element. The program defines BLOCK, WIDE. */
#define MACROS BLOCK, WIDE
#include "csr.cuh"

struct Params {
    const CsrIndex *rows, *indices;
    tn_i64 columns, count;
    tn_i64 *keys;
    tn_i64 text;
    Bounds bounds;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 index = p.indices[at];
        if (index < 0 || index >= p.columns) report_structure(p.bounds, p.text);
        p.keys[at] = (tn_i64)p.rows[at] * p.columns + index;
    }
}
