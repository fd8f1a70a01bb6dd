/* Rows that are chosen: how long they are (PHASE 0, a thread a row), and their elements (PHASE 1, a
 * thread an element). The program defines BLOCK, WIDE, UNIT_BYTES, PHASE. */
#define MACROS BLOCK, WIDE, UNIT_BYTES, PHASE
#include "access.cuh"
#include "csr.cuh"

struct Params {
    const CsrIndex *starts, *indices;
    const Word<UNIT_BYTES>::type *values;
    tn_i64 a_rows, a_count;
    const tn_i64 *chosen; /* or NULL */
    tn_i64 rows, first, step;
    tn_i64 *lengths;
    const tn_i64 *to_starts;
    tn_i64 count;
    CsrIndex *to_indices;
    Word<UNIT_BYTES>::type *to_values;
    tn_i64 text;
    Bounds bounds;
};

/* The number of row r of the result among those of the matrix, or -1. */
__device__ __forceinline__ tn_i64 row_of(const Params &p, tn_i64 r) {
    const tn_i64 row = p.chosen ? p.chosen[r] : p.first + r * p.step;
    if (row >= 0 && row < p.a_rows) return row;
    report_structure(p.bounds, p.text);
    return -1;
}

#if PHASE == 0
extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 r = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; r < p.rows;
         r += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 row = row_of(p, r);
        tn_i64 length = 0;
        if (row >= 0) {
            const CsrRow found(p.starts, row, p.a_count, p.bounds, p.text);
            length = found.end - found.begin;
        }
        p.lengths[r] = length;
    }
}
#else
extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 begin = -1, before = 0;
        if (!p.chosen && p.step == 1) { /* rows that lie beside one another */
            begin = p.starts[p.first];
        } else {
            const tn_i64 r = csr_row_of(p.to_starts, p.rows, at);
            if (r < 0) continue;
            const tn_i64 row = row_of(p, r);
            if (row >= 0) begin = p.starts[row];
            before = p.to_starts[r];
        }
        const tn_i64 place = begin + (at - before);
        if (begin < 0 || place >= p.a_count) {
            report_structure(p.bounds, p.text);
            continue;
        }
        p.to_indices[at] = p.indices[place];
        p.to_values[at] = p.values[place];
    }
}
#endif
