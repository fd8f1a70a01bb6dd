/* Reductions whose neighbouring threads read neighbours along the reduced axes: all elements, rows,
 * and any layout that the other forms leave.
 *
 * The program defines, besides what fold.cuh asks for: TEAM threads that fold one row (a power of
 * two up to BLOCK; SPLIT 1 asks for BLOCK), SPLIT 1 where several blocks share a row, WIDTH
 * elements of one load and UNROLL loads in flight, KEPT_NDIM and REDUCED_NDIM, WIDE_INDEX.
 *
 * Invariant: with WIDTH above 1 and REDUCED_NDIM 1 rows are contiguous and may begin anywhere:
 * loads are aligned, and what they bring from outside the row is dropped. With more axes every row
 * of the innermost one is a whole number of vectors. A second input's vectors are aligned where the
 * first one's are.
 * Algorithm: a row is cut into tiles of TEAM x UNROLL x WIDTH; the shares of a row take tiles in
 * turn, so that blocks at work read one region. Of several blocks, each leaves its state in
 * `partials`; the one that counts up last merges all of them in their order and sets the counter
 * back to zero. */
#define MACROS BLOCK, TEAM, SPLIT, WIDTH, UNROLL, KEPT_NDIM, REDUCED_NDIM, WIDE_INDEX, MASKED
#include "fold.cuh"

#define REDUCED_ARRAYS (1 + FOLD_MASKED)

struct Params {
    FoldFacts facts;
    const char *input, *mask;
    char *output;
    State *partials;
    Counters counters; /* one a row, zero; then, with FOLD_EXITS, one a row that says: decided */
    tn_i64 rows, length, shares;
    tn_i64 step; /* bytes from one element to the next, if REDUCED_NDIM is 1 and WIDTH too */
    tn_i64 mask_step;
    Shape<KEPT_NDIM, 2 + MASKED> kept; /* input, output, mask */
    Shape<REDUCED_NDIM, 1 + MASKED> reduced;
};

#define TILE_VECTORS ((tn_i64)TEAM * UNROLL)

/* One tile of row number `row`: this thread's vectors, TEAM apart, from number `first` of the row
 * on. Elements below `skip` or from `end` on, counted from the first (aligned) one, are not the
 * row's. */
template <bool WHOLE>
__device__ __forceinline__ void take_tile(State &s, const Params &p, const char *input,
                                          const char *mask, tn_i64 row, tn_i64 first, tn_i64 skip,
                                          tn_i64 end) {
    Element values[UNROLL * WIDTH];
    Some some = {0};
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        tn_i64 vector = first + (tn_i64)u * TEAM;
        Element loaded[WIDTH];
        bool in_row = WHOLE || vector * WIDTH < end;
        tn_i64 offsets[REDUCED_ARRAYS];
#if REDUCED_NDIM == 1
        offsets[0] = WIDTH > 1 ? vector * (tn_i64)(WIDTH * sizeof(Input)) : vector * p.step;
#if FOLD_MASKED
        offsets[1] = vector * p.mask_step;
#endif
#else
#pragma unroll
        for (int a = 0; a < REDUCED_ARRAYS; a++) offsets[a] = 0;
        if (in_row) p.reduced.walk((Index)vector, offsets);
#endif
        if (in_row) {
            load_folded<WIDTH>(loaded, input + offsets[0], p.facts, row, 0, vector * WIDTH - skip,
                               1, p.length);
#pragma unroll
            for (int k = 0; k < WIDTH; k++) {
                tn_i64 at = vector * WIDTH + k;
                bool chosen = WHOLE || (at >= skip && at < end);
#if FOLD_MASKED
                chosen = chosen && *(const tn_u8 *)(mask + offsets[1]);
#endif
                values[u * WIDTH + k] = loaded[k];
                some.bits |= (unsigned)chosen << (u * WIDTH + k);
            }
        } else {
#pragma unroll
            for (int k = 0; k < WIDTH; k++) values[u * WIDTH + k] = Element();
        }
    }
#if FOLD_PLACES && WIDTH > 1
    /* Positions of a vector are neighbours, those of two vectors are not. */
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        Element part[WIDTH];
#pragma unroll
        for (int k = 0; k < WIDTH; k++) part[k] = values[u * WIDTH + k];
        tn_i64 position = (first + (tn_i64)u * TEAM) * WIDTH - skip;
        const Some few = {some.bits >> (u * WIDTH)};
        if (WHOLE)
            state_take_clean<WIDTH>(s, part, All<WIDTH>(), position, 1);
        else
            state_take_clean<WIDTH>(s, part, few, position, 1);
    }
#else
    if (WHOLE && !FOLD_MASKED)
        state_take_clean<UNROLL * WIDTH>(s, values, All<UNROLL * WIDTH>(), first - skip, TEAM);
    else
        state_take_clean<UNROLL * WIDTH>(s, values, some, first - skip, TEAM);
#endif
}

/* Tiles `share`, share + shares, ... of one row, by this thread as member `member` of its team. */
__device__ __forceinline__ void take_row(State &s, const Params &p, const char *input,
                                         const char *mask, tn_i64 row, int member, tn_i64 share,
                                         volatile unsigned *decided) {
    tn_i64 skip = 0;
#if REDUCED_NDIM == 1 && WIDTH > 1
    skip = (tn_i64)((tn_u64)input % (WIDTH * sizeof(Input)) / sizeof(Input));
    input -= skip * (tn_i64)sizeof(Input);
#endif
    tn_i64 end = skip + p.length;
    tn_i64 stride = TILE_VECTORS * (SPLIT ? p.shares : 1);
#pragma unroll 1
    for (tn_i64 tile = share * TILE_VECTORS; tile * WIDTH < end; tile += stride) {
#if FOLD_EXITS && SPLIT
        /* On its way together with the tile; not for each, all blocks ask for one word. */
        unsigned is_decided = tile / TILE_VECTORS / (unsigned)p.shares % 4 == 1 ? *decided : 0;
#endif
        bool whole = tile * WIDTH >= skip && (tile + TILE_VECTORS) * WIDTH <= end;
        if (whole)
            take_tile<true>(s, p, input, mask, row, tile + member, skip, end);
        else
            take_tile<false>(s, p, input, mask, row, tile + member, skip, end);
#if FOLD_EXITS && SPLIT
        if (fold_is_done(s.value)) {
            *decided = 1;
            return;
        }
        if (is_decided) return;
#elif FOLD_EXITS
        if (fold_is_done(s.value)) return;
#endif
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
#if TEAM > 32
    SHARED_STATES(warps, BLOCK / 32);
#endif
    const int member = threadIdx.x % TEAM;
#if SPLIT
    const unsigned shares = (unsigned)p.shares, share = blockIdx.x % shares;
    for (tn_i64 row = blockIdx.x / shares; row < p.rows; row += gridDim.x / shares) {
#else
    const tn_i64 share = 0, teams = BLOCK / TEAM;
    /* Whole teams leave together; a warp of several teams stays, for the shuffles. */
    for (tn_i64 first = blockIdx.x * teams; first < p.rows; first += gridDim.x * teams) {
        tn_i64 row = first + threadIdx.x / TEAM;
#endif
        tn_i64 offsets[2 + FOLD_MASKED] = {0};
        State s = state_empty();
        if (SPLIT || row < p.rows) {
            p.kept.walk((Index)row, offsets);
            const char *mask = p.mask;
#if FOLD_MASKED
            mask += offsets[2];
#endif
            take_row(s, p, p.input + offsets[0], mask, row, member, share,
                     SPLIT && FOLD_EXITS ? p.counters + p.rows + row : 0);
        }
#if TEAM <= 32
        __syncwarp();
        state_merge_lanes<TEAM>(s);
#else
        state_merge_block<TEAM>(s, warps);
#endif
#if SPLIT
        __shared__ bool is_last;
        if (threadIdx.x == 0) {
            p.partials[row * p.shares + share] = s;
            __threadfence();
            is_last = atomicAdd(&p.counters[row], 1u) == (unsigned)p.shares - 1;
        }
        __syncthreads();
        if (!is_last) continue;
        __threadfence();
        s = state_empty();
#pragma unroll 1
        for (tn_i64 k = threadIdx.x; k < p.shares; k += BLOCK)
            state_merge(s, load_fresh(&p.partials[row * p.shares + k]));
        state_merge_block<BLOCK>(s, warps);
        if (threadIdx.x == 0) {
            p.counters[row] = 0;
#if FOLD_EXITS
            p.counters[p.rows + row] = 0;
#endif
        }
#endif
        if (member == 0 && row < p.rows) state_write(p.output + offsets[1], s, p.facts, row);
    }
}
