/* Reductions whose operation must go from the first element to the last: one thread a result.
 *
 * The program defines Input, Accumulator, Output, fold_load, fold_op, fold_store, FOLD_MASKED, and
 * KEPT_NDIM, REDUCED_NDIM, WIDE_INDEX. Neighbouring threads have neighbouring results. */
#define MACROS BLOCK, KEPT_NDIM, REDUCED_NDIM, WIDE_INDEX, MASKED
#include "access.cuh"

union Initial {
    Accumulator value;
    tn_u64 words[2];
};

struct Params {
    Initial initial;
    const char *input, *mask;
    char *output;
    tn_i64 rows, length, has_initial;
    Shape<KEPT_NDIM, 2 + MASKED> kept; /* input, output, mask */
    Shape<REDUCED_NDIM, 1 + MASKED> reduced;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 row = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; row < p.rows;
         row += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 kept[2 + FOLD_MASKED] = {0};
        p.kept.walk((Index)row, kept);
        Accumulator value = p.initial.value;
        bool has_value = p.has_initial;
        for (tn_i64 at = 0; at < p.length; at++) {
            tn_i64 offsets[1 + FOLD_MASKED] = {0};
            p.reduced.walk((Index)at, offsets);
#if FOLD_MASKED
            if (!*(const tn_u8 *)(p.mask + kept[2] + offsets[1])) continue;
#endif
            Accumulator next = fold_load(*(const Input *)(p.input + kept[0] + offsets[0]));
            value = has_value ? fold_op(value, next) : next;
            has_value = true;
        }
        *(Output *)(p.output + kept[1]) = fold_store(value);
    }
}
