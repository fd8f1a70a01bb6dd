/* States after each tile of lines, from those that the tiles leave if they begin with zeros.
 * recursion.cuh has the algorithm. A block takes a line, BLOCK tiles at a time. */
#define MACROS BLOCK, COMPLEX, TWOFOLD, SECTIONS, ORDER
#include "recursion.cuh"

struct Params {
    const Number *powers; /* of a tile's elements, of twice as many, ... */
    const Value *initial;
    WideState *ends; /* [line][tile]; of the last tile of a line there is none */
    tn_i64 outer, inner, tiles;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ WideState states[BLOCK];
    const tn_i64 lines = p.outer * p.inner, count = p.tiles - 1;
    for (tn_i64 number = blockIdx.x; number < lines; number += gridDim.x) {
        const Line line(number, p.outer, p.inner);
        WideState *ends = p.ends + number * p.tiles;
        WideState carry; /* thread 0's */
        State state;
        load_initial(state, p.initial, line);
        carry.set(state);
        for (tn_i64 base = 0; base < count; base += BLOCK) {
            const tn_i64 tile = base + threadIdx.x;
            WideState own;
            state.clear();
            own.set(state);
            if (tile < count) own = ends[tile];
            if (threadIdx.x == 0) own.add(p.powers, carry);
            scan_states<BLOCK>(own, states, p.powers);
            if (tile < count) ends[tile] = own;
            if (threadIdx.x == 0) carry = states[BLOCK - 1];
            __syncthreads();
        }
    }
}
