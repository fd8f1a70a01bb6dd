/* output[kept, i] = fold of input[kept, indices[i] .. indices[i + 1]).
 *
 * The program defines what fold.cuh asks for, TEAM threads a segment (1 for strict order, 32, or
 * BLOCK), ORDERED, KEPT_NDIM, WIDE_INDEX. Invariant: an earlier launch checked the indices. */
#define MACROS BLOCK, TEAM, ORDERED, KEPT_NDIM, WIDE_INDEX
#define INDEX_MODE 0
#include "fold.cuh"
#include "bounds.cuh"

struct Params {
    const char *input;
    char *output;
    const tn_i64 *indices;
    tn_i64 segments, rows, length, input_step, output_step;
    Bounds bounds;
    Shape<KEPT_NDIM, 2> kept;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    if (p.bounds.has_failed()) return;
#if TEAM > 32
    __shared__ State warps[BLOCK / 32];
#endif
#if !ORDERED
    const int member = threadIdx.x % TEAM;
#endif
    const tn_i64 teams = BLOCK / TEAM, count = p.rows * p.segments;
    for (tn_i64 first = blockIdx.x * teams; first < count; first += gridDim.x * teams) {
        const tn_i64 place = first + threadIdx.x / TEAM;
        const bool there = place < count;
        const tn_i64 row = there ? place / p.segments : 0, segment = place - row * p.segments;
        tn_i64 offsets[2] = {0, 0}, begin = 0, end = 0;
        if (there) {
            p.kept.walk((Index)row, offsets);
            begin = p.indices[segment];
            end = segment + 1 < p.segments ? p.indices[segment + 1] : p.length;
            if (end <= begin) end = begin + 1;
        }
        const char *from = p.input + offsets[0];
        Output *to = (Output *)(p.output + offsets[1] + segment * p.output_step);
#if ORDERED
        if (!there) continue;
        Accumulator value = fold_load(*(const Input *)(from + begin * p.input_step));
        for (tn_i64 at = begin + 1; at < end; at++)
            value = fold_op(value, fold_load(*(const Input *)(from + at * p.input_step)));
        *to = fold_store(value);
#else
        State s = state_empty();
#pragma unroll 1
        for (tn_i64 at = begin + member; at < end; at += 4 * TEAM) {
            Input values[4];
            Some some;
            some.bits = 0;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                tn_i64 element = at + k * TEAM;
                values[k] =
                    element < end ? *(const Input *)(from + element * p.input_step) : Input();
                some.bits |= (unsigned)(element < end) << k;
            }
            state_take_clean<4>(s, values, some, at, TEAM);
        }
#if TEAM <= 32
        __syncwarp();
        state_merge_lanes<TEAM>(s);
#else
        state_merge_block<TEAM>(s, warps);
#endif
        if (there && member == 0) *to = fold_store(s.value);
#endif
    }
}
