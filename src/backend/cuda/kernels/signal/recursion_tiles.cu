/* Recursive filters of tiles of lines. recursion.cuh has the algorithm.
 *
 * The program defines what recursion.cuh asks for, BLOCK, COUNT (elements of a thread), REVERSED,
 * and PHASE. PHASE 0 finds the state that each tile but a line's last leaves if it begins with
 * zeros. PHASE 1 writes the outputs, `ends` being the states after each tile. A block takes a tile
 * of a line; elements pass through shared memory, so that neighbours are loaded together. */
#define MACROS BLOCK, COUNT, COMPLEX, TWOFOLD, SECTIONS, ORDER, REVERSED, PHASE
#include "recursion.cuh"

#define TILE (BLOCK * COUNT)
#define PLACE(at) ((at) + (at) / COUNT) /* against bank conflicts */

struct Params {
    const Wide *coefficients;
    const Number *powers;         /* of COUNT elements, of twice as many, ... */
    const Value *input, *initial; /* initial: or NULL */
    Value *output, *final;        /* final: or NULL */
    WideState *ends;              /* [line][tile] */
    tn_i64 outer, length, inner, tiles, jobs;
};

/* Where an element of a line lies. */
__device__ __forceinline__ tn_i64 element_at(const Params &p, const Line &line, tn_i64 at) {
    return line.begin(p.length) + (REVERSED ? p.length - 1 - at : at) * p.inner;
}

/* The state before a tile. */
__device__ __forceinline__ void load_state(WideState &wide, const Params &p, const Line &line,
                                           tn_i64 place, tn_i64 tile) {
    if (tile > 0) {
        wide = p.ends[place - 1];
        return;
    }
    State state;
    load_initial(state, p.initial, line);
    wide.set(state);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Value elements[PLACE(TILE)];
    __shared__ WideState states[BLOCK];
    Filter filter;
    filter.load(p.coefficients);
    const int own = threadIdx.x * COUNT;
    for (tn_i64 job = blockIdx.x; job < p.jobs; job += gridDim.x) {
        /* PHASE 0 leaves out each line's last tile. */
        const tn_i64 of = PHASE ? p.tiles : p.tiles - 1;
        const tn_i64 tile = job % of, base = tile * TILE;
        const Line line(job / of, p.outer, p.inner);
        const tn_i64 place = job / of * p.tiles + tile; /* among the tiles of all lines */
        const int count = p.length - base < TILE ? (int)(p.length - base) : TILE;
        State state;
        WideState wide, before;
        __syncthreads();
        for (int k = threadIdx.x; k < TILE; k += BLOCK)
            elements[PLACE(k)] = k < count ? p.input[element_at(p, line, base + k)] : Value();
        __syncthreads();
        state.clear();
#pragma unroll 8
        for (int k = 0; k < COUNT; k++) state.step(filter, elements[PLACE(own + k)]);
        wide.set(state);
        if (PHASE && threadIdx.x == 0) {
            load_state(before, p, line, place, tile);
            wide.add(p.powers, before);
        }
        scan_states<BLOCK>(wide, states, p.powers);
#if PHASE
        if (threadIdx.x > 0) before = states[threadIdx.x - 1];
        before.get(state);
#pragma unroll 8
        for (int k = 0; k < COUNT; k++) {
            if (own + k >= count) break;
            elements[PLACE(own + k)] = state.step(filter, elements[PLACE(own + k)]);
        }
        if (p.final && tile == p.tiles - 1 && own < count && own + COUNT >= count)
#pragma unroll
            for (int k = 0; k < STATES; k++) p.final[line.at(k)] = state.z[k];
        __syncthreads();
        for (int k = threadIdx.x; k < count; k += BLOCK)
            p.output[element_at(p, line, base + k)] = elements[PLACE(k)];
#else
        if (threadIdx.x == BLOCK - 1) p.ends[place] = wide;
#endif
    }
}
