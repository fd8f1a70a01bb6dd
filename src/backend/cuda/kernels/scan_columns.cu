/* Running folds along an axis whose neighbours lie far apart, and those in strict order: one thread walks
 * a line, neighbouring threads walk neighbouring lines.
 *
 * The program defines Input, Accumulator, Output, scan_load, fold_op, fold_neutral, fold_store, UNROLL
 * loads in flight, KEPT_NDIM, WIDE_INDEX; PHASE 0 where a line is one thread's; where lines are few and
 * long they are cut into parts: PHASE 1 folds each part into `parts`, PHASE 2 scans each part after the
 * fold of those before it. ORDERED 1: the first element begins the fold. */
#include "access.cuh"

struct Params {
    const char *input;
    char *output;
    Accumulator *parts; /* [part][line] */
    tn_i64 lines, length, part_length, part_count;
    tn_i64 input_step, output_step;
    Shape<KEPT_NDIM, 2> kept;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 line = blockIdx.x * (tn_i64)BLOCK + threadIdx.x;
    if (line >= p.lines) return;
    const tn_i64 part = PHASE ? blockIdx.y : 0;
    tn_i64 offsets[2] = {0, 0};
    p.kept.walk((Index)line, offsets);
    const tn_i64 first = part * p.part_length;
    const tn_i64 end = first + p.part_length < p.length ? first + p.part_length : p.length;
    const char *from = p.input + offsets[0] + first * p.input_step;
#if PHASE != 1
    char *to = p.output + offsets[1] + first * p.output_step;
#endif
#if ORDERED
    Accumulator value;
    bool has_value = false;
#else
    Accumulator value = fold_neutral();
#endif
#if PHASE == 2
#pragma unroll 4
    for (tn_i64 k = 0; k < part; k++) value = fold_op(value, p.parts[k * p.lines + line]);
#endif
#pragma unroll 1
    for (tn_i64 at = first; at < end; at += UNROLL) {
        Input x[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            x[u] = at + u < end ? *(const Input *)(from + u * p.input_step) : Input();
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (at + u >= end) break;
#if ORDERED
            value = has_value ? fold_op(value, scan_load(x[u])) : scan_load(x[u]);
            has_value = true;
#else
            value = fold_op(value, scan_load(x[u]));
#endif
#if PHASE != 1
            *(Output *)(to + u * p.output_step) = fold_store(value);
#endif
        }
        from += UNROLL * p.input_step;
#if PHASE != 1
        to += UNROLL * p.output_step;
#endif
    }
#if PHASE == 1
    p.parts[part * p.lines + line] = value;
#endif
}
