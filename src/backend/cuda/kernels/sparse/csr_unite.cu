/* Runs of equal index summed: a thread a run, from left to right.
 *
 * places[k] is how many runs begin at or before element k. The program defines Value, Value
 * csr_add(Value, Value), BLOCK, WIDE. */
#define MACROS BLOCK, WIDE
#include "csr.cuh"

struct Params {
    const CsrIndex *starts, *indices;
    const Value *values;
    const tn_u8 *flags;
    const tn_i64 *places;
    tn_i64 rows, count, to_count;
    CsrIndex *to_indices;
    Value *to_values;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    tn_i64 begin = p.starts[0], end = p.starts[p.rows];
    begin = begin < 0 ? 0 : begin > p.count ? p.count : begin;
    end = end < begin ? begin : end > p.count ? p.count : end;
    const tn_i64 before = begin == 0 ? 0 : p.places[begin - 1];
    for (tn_i64 at = begin + blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < end;
         at += (tn_i64)gridDim.x * BLOCK) {
        const tn_i64 to = p.places[at] - before - 1;
        if (!p.flags[at] || to < 0 || to >= p.to_count) continue;
        Value sum = p.values[at];
        for (tn_i64 k = at + 1; k < end && !p.flags[k]; k++) sum = csr_add(sum, p.values[k]);
        p.to_indices[to] = p.indices[at];
        p.to_values[to] = sum;
    }
}
