/* The numbers of terms in the rows of a product of two sparse matrices, and those of long rows
 * alone: a warp a row. The program defines BLOCK, WIDE, SHORT: the most terms of a row that is not
 * long. */
#define MACROS BLOCK, WIDE, SHORT
#include "access.cuh"
#include "csr.cuh"

struct Params {
    const CsrIndex *a_starts, *a_indices, *b_starts;
    tn_i64 rows, inner, a_count, b_count;
    tn_i64 *terms, *long_terms;
    tn_i64 text;
    Bounds bounds;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % 32;
    for (tn_i64 row = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / 32; row < p.rows;
         row += (tn_i64)gridDim.x * (BLOCK / 32)) {
        const CsrRow a(p.a_starts, row, p.a_count, p.bounds, p.text);
        tn_i64 terms = 0;
        for (tn_i64 k = a.begin + lane; k < a.end; k += 32) {
            const tn_i64 column = p.a_indices[k];
            if (column < 0 || column >= p.inner) {
                report_structure(p.bounds, p.text);
                continue;
            }
            const CsrRow b(p.b_starts, column, p.b_count, p.bounds, p.text);
            terms += b.end - b.begin;
        }
        for (int by = 16; by > 0; by /= 2) terms += shuffle_down(terms, by, 32);
        if (lane != 0) continue;
        p.terms[row] = terms;
        p.long_terms[row] = terms > SHORT ? terms : 0;
    }
}
