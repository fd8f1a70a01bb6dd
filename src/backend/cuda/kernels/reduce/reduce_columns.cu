/* Reductions whose neighbouring threads read neighbours along the kept axes: columns, and middle
 * axes.
 *
 * The program defines, besides what fold.cuh asks for: LANES threads side by side along the
 * innermost kept axis (up to 32), WIDTH elements of one load, UNROLL loads in flight, OUTER_NDIM
 * kept axes before that one, REDUCED_NDIM, SPLIT 1 where several blocks share the reduced axis,
 * WIDE_INDEX.
 *
 * Invariant: with WIDTH above 1 the innermost kept axis is contiguous, a whole number of vectors
 * long, and every vector is aligned.
 * Algorithm: a block is LANES wide and BLOCK / LANES deep, the threads left over rest. Threads of
 * one lane read every DEPTH-th element of their columns; their states are merged in shared memory
 * as a tree. Of several blocks, each leaves its states in `partials`; the one that counts up last
 * merges them in their order. */
#define MACROS BLOCK, LANES, SPLIT, WIDTH, UNROLL, OUTER_NDIM, REDUCED_NDIM, WIDE_INDEX, MASKED
#include "fold.cuh"

#define IS_SMALL (FOLD_KIND <= FOLD_IS_MEAN || FOLD_PLACES) /* a state is a few words */
#define BLOCKS (IS_SMALL ? 8 : FOLD_KIND == FOLD_IS_USER && sizeof(State) <= 16 ? 4 : 1)
#define DEPTH (BLOCK / LANES)
#define COLUMNS (LANES * WIDTH)
#define REDUCED_ARRAYS (1 + FOLD_MASKED)
#define KEPT_ARRAYS (2 + FOLD_MASKED)

struct Params {
    FoldFacts facts;
    const char *input, *mask;
    char *output;
    State *partials;   /* [share][outer][column] */
    Counters counters; /* [outer][block of columns], zero */
    tn_i64 columns, outer_count, length, shares;
    tn_i64 blocks;                   /* across the columns */
    tn_i64 column_steps[2 + MASKED]; /* bytes: input, output, mask */
    tn_i64 row_steps[2];             /* bytes along the reduced axis if it is one: input, mask */
    Shape<OUTER_NDIM, 2 + MASKED> outer;
    Shape<REDUCED_NDIM, 1 + MASKED> reduced;
};

/* Rows first, first + step, ... of WIDTH columns, the first of which is result number `result`;
 * rows from `end` on are not there. */
template <bool WHOLE>
__device__ __forceinline__ void take_rows(State (&s)[WIDTH], const Params &p, const char *input,
                                          const char *mask, tn_i64 result, tn_i64 first,
                                          tn_i64 step, tn_i64 end) {
    Element values[UNROLL][WIDTH];
    unsigned chosen[WIDTH];
#pragma unroll
    for (int k = 0; k < WIDTH; k++) chosen[k] = 0;
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        tn_i64 row = first + u * step, offsets[REDUCED_ARRAYS];
        bool there = WHOLE || row < end;
#if REDUCED_NDIM == 1
        offsets[0] = row * p.row_steps[0];
#if FOLD_MASKED
        offsets[1] = row * p.row_steps[1];
#endif
#else
#pragma unroll
        for (int a = 0; a < REDUCED_ARRAYS; a++) offsets[a] = 0;
        if (there) p.reduced.walk((Index)row, offsets);
#endif
        if (there) {
            load_folded<WIDTH>(values[u], input + offsets[0], p.facts, result, 1, row, 0, end);
#pragma unroll
            for (int k = 0; k < WIDTH; k++) {
                bool is_chosen = true;
#if FOLD_MASKED
                is_chosen = *(const tn_u8 *)(mask + offsets[1] + k * p.column_steps[2]);
#endif
                chosen[k] |= (unsigned)is_chosen << u;
            }
        } else {
#pragma unroll
            for (int k = 0; k < WIDTH; k++) values[u][k] = Element();
        }
    }
#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        Element column[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) column[u] = values[u][k];
        Some some;
        some.bits = chosen[k];
        if (WHOLE && !FOLD_MASKED)
            state_take_clean<UNROLL>(s[k], column, All<UNROLL>(), first, step);
        else
            state_take_clean<UNROLL>(s[k], column, some, first, step);
    }
}

/* The block's states merged over its depth: that of column c is then at shared[c], for all threads
 * to see. */
__device__ __forceinline__ void merge_depth(const State (&s)[WIDTH], State *shared) {
    __syncthreads();
    if (threadIdx.x < LANES * DEPTH)
#pragma unroll
        for (int k = 0; k < WIDTH; k++) shared[threadIdx.x * WIDTH + k] = s[k];
    __syncthreads();
#pragma unroll 1
    for (int deep = DEPTH, half; deep > 1; deep = half) {
        half = (deep + 1) / 2;
#pragma unroll 1
        for (int at = threadIdx.x; at < (deep - half) * COLUMNS; at += BLOCK)
            state_merge(shared[at], shared[at + half * COLUMNS]);
        __syncthreads();
    }
}

#if SPLIT
/* Leaves what the block has in shared[] to the last block of the same columns: true in that one,
 * where shared[] then holds what all have. A column that is below zero is none: `own` is the one
 * that the thread writes, `column` the first that it reads. */
__device__ __forceinline__ bool merge_shares(State (&s)[WIDTH], State *shared, const Params &p,
                                             tn_i64 outer, tn_i64 across, tn_i64 share, tn_i64 own,
                                             tn_i64 column) {
    __shared__ bool is_last;
    const tn_i64 place = p.outer_count * p.columns; /* of one share */
    if (own >= 0) p.partials[share * place + outer * p.columns + own] = shared[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(&p.counters[outer * p.blocks + across], 1u) == (unsigned)p.shares - 1;
    __syncthreads();
    if (!is_last) return false;
    __threadfence();
#pragma unroll
    for (int k = 0; k < WIDTH; k++) s[k] = state_empty();
    if (column >= 0)
#pragma unroll 1
        for (tn_i64 from = threadIdx.x / LANES; from < p.shares; from += DEPTH)
#pragma unroll
            for (int k = 0; k < WIDTH; k++)
                state_merge(s[k],
                            load_fresh(&p.partials[from * place + outer * p.columns + column + k]));
    merge_depth(s, shared);
    if (threadIdx.x == 0) p.counters[outer * p.blocks + across] = 0;
    return true;
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    KERNEL(const __grid_constant__ Params p) {
    SHARED_STATES(shared, BLOCK * WIDTH);
    const int lane = threadIdx.x % LANES, depth = threadIdx.x / LANES;
    unsigned block = blockIdx.x;
    const tn_i64 across = block % (unsigned)p.blocks;
    block /= (unsigned)p.blocks;
#if SPLIT
    const tn_i64 share = block % (unsigned)p.shares, shares = p.shares;
    block /= (unsigned)p.shares;
#else
    const tn_i64 share = 0, shares = 1;
#endif
    const tn_i64 outer = block;
    /* The first column that the thread reads, and the one that it writes. */
    const tn_i64 column = across * COLUMNS + lane * WIDTH, own = across * COLUMNS + threadIdx.x;
    const bool there = depth < DEPTH && column < p.columns;
    const bool writes = threadIdx.x < COLUMNS && own < p.columns;
    tn_i64 offsets[KEPT_ARRAYS] = {};
    p.outer.walk((Index)outer, offsets);

    State s[WIDTH];
#pragma unroll
    for (int k = 0; k < WIDTH; k++) s[k] = state_empty();
    if (there) {
        const char *input = p.input + offsets[0] + column * p.column_steps[0], *mask = p.mask;
#if FOLD_MASKED
        mask += offsets[2] + column * p.column_steps[2];
#endif
        const tn_i64 result = outer * p.columns + column;
        tn_i64 tile = (tn_i64)DEPTH * UNROLL;
#pragma unroll 1
        for (tn_i64 row = share * tile; row < p.length; row += tile * shares) {
            if (row + tile <= p.length)
                take_rows<true>(s, p, input, mask, result, row + depth, DEPTH, p.length);
            else
                take_rows<false>(s, p, input, mask, result, row + depth, DEPTH, p.length);
        }
    }
    merge_depth(s, shared);
#if SPLIT
    if (!merge_shares(s, shared, p, outer, across, share, writes ? own : -1, there ? column : -1))
        return;
#endif
    if (writes)
        state_write(p.output + offsets[1] + own * p.column_steps[1], shared[threadIdx.x], p.facts,
                    outer * p.columns + own);
}
