/* Recursive filters of many or short lines: a thread takes a line, some elements at a time, so that
 * their loads are under way together. recursion.cuh has what the program defines; REVERSED. */
#define MACROS BLOCK, COMPLEX, TWOFOLD, SECTIONS, ORDER, REVERSED
#include "recursion.cuh"

struct Params {
    const Wide *coefficients;
    const Value *input, *initial; /* initial: or NULL */
    Value *output, *final;        /* final: or NULL */
    tn_i64 outer, length, inner;
};

#define AHEAD 8

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    Filter filter;
    filter.load(p.coefficients);
    const tn_i64 lines = p.outer * p.inner, step = REVERSED ? -p.inner : p.inner;
    for (tn_i64 number = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; number < lines;
         number += gridDim.x * (tn_i64)BLOCK) {
        const Line line(number, p.outer, p.inner);
        tn_i64 at = line.begin(p.length) + (REVERSED ? (p.length - 1) * p.inner : 0);
        State state;
        load_initial(state, p.initial, line);
        tn_i64 left = p.length;
        for (; left >= AHEAD; left -= AHEAD) {
            Value some[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) some[k] = p.input[at + k * step];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) p.output[at + k * step] = state.step(filter, some[k]);
            at += AHEAD * step;
        }
        for (; left > 0; left--, at += step) p.output[at] = state.step(filter, p.input[at]);
        if (p.final)
#pragma unroll
            for (int k = 0; k < STATES; k++) p.final[line.at(k)] = state.z[k];
    }
}
