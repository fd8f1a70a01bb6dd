/* Rows that lie apart, one after the other: a warp a row. The program defines BLOCK, WIDE,
 * UNIT_BYTES of a value. */
#define MACROS BLOCK, WIDE, UNIT_BYTES
#include "access.cuh"
#include "csr.cuh"

typedef Word<UNIT_BYTES>::type Unit;

struct Params {
    const tn_i64 *from, *to; /* where rows begin */
    tn_i64 rows;
    const CsrIndex *indices;
    const Unit *values;
    CsrIndex *to_indices;
    Unit *to_values;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 row = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / 32; row < p.rows;
         row += (tn_i64)gridDim.x * (BLOCK / 32)) {
        const tn_i64 from = p.from[row], to = p.to[row], length = p.to[row + 1] - to;
        for (tn_i64 k = threadIdx.x % 32; k < length; k += 32) {
            p.to_indices[to + k] = p.indices[from + k];
            p.to_values[to + k] = p.values[from + k];
        }
    }
}
