/* What the forms of scans share: looking back over the tiles before one's own.
 *
 * Invariant: the sum before a tile is grouped the same way in every run, whatever the timing.
 * Algorithm: tiles are taken in order (a counter in memory). Each tile publishes its own fold as soon as it
 * has it. 256 tiles make a section; the last tile of a section publishes the fold of everything up to its
 * end. So a tile waits for the tiles before itself in its section, a lane for 8 of them, and for the
 * section before: two looks of one warp. A fold is written before its flag, with a fence between.
 *
 * A program defines Accumulator, fold_op, fold_neutral. */
#ifndef SCAN_CUH
#define SCAN_CUH

#include "access.cuh"

#define SECTION_TILES 256
#define LANE_TILES    (SECTION_TILES / 32)

/* One place for each tile; zero flags before the launch. A fold of 4 bytes or fewer lies beside its flag in
 * 8 bytes, which are written and read at once: no fence, and one look for both. */
struct Look {
    unsigned *ticket; /* of the next tile */
    unsigned *tile_flags, *section_flags;
    Accumulator *tiles, *sections;
    tn_u64 *pairs, *section_pairs;
};

#define IS_PAIR (sizeof(Accumulator) <= 4)

union Pair {
    tn_u64 word;
    struct {
        unsigned flag;
        Accumulator value;
    } both;
    __device__ Pair() {}
};

__device__ __forceinline__ void publish(unsigned *flags, Accumulator *values, tn_u64 *pairs,
                                        tn_i64 at, const Accumulator &value) {
    if (IS_PAIR) {
        Pair pair;
        pair.word = 0;
        pair.both.flag = 1;
        pair.both.value = value;
        *(volatile tn_u64 *)(pairs + at) = pair.word;
    } else {
        values[at] = value;
        __threadfence();
        atomicExch(flags + at, 1u);
    }
}

/* Waits for COUNT neighbours, of which the first `count` are wanted, with all looks under way at once. */
template <int COUNT_MAX>
__device__ __forceinline__ void await(Accumulator (&seen)[COUNT_MAX], const unsigned *flags,
                                      const Accumulator *values, const tn_u64 *pairs, int count) {
    bool is_ready;
    if (IS_PAIR) {
        Pair found[COUNT_MAX];
        do {
            is_ready = true;
#pragma unroll
            for (int k = 0; k < COUNT_MAX; k++)
                if (k < count) found[k].word = *(const volatile tn_u64 *)(pairs + k);
#pragma unroll
            for (int k = 0; k < COUNT_MAX; k++)
                if (k < count) is_ready = is_ready && found[k].both.flag;
        } while (!is_ready);
#pragma unroll
        for (int k = 0; k < COUNT_MAX; k++)
            seen[k] = k < count ? found[k].both.value : fold_neutral();
    } else {
        unsigned found[COUNT_MAX];
        do {
            is_ready = true;
#pragma unroll
            for (int k = 0; k < COUNT_MAX; k++)
                if (k < count) found[k] = *(const volatile unsigned *)(flags + k);
#pragma unroll
            for (int k = 0; k < COUNT_MAX; k++)
                if (k < count) is_ready = is_ready && found[k];
        } while (!is_ready);
        __threadfence();
#pragma unroll
        for (int k = 0; k < COUNT_MAX; k++)
            seen[k] = k < count ? load_fresh(values + k) : fold_neutral();
    }
}

/* The fold of the tiles of a section before place `count`, in their order: for a whole warp, the result in
 * its first lane. */
__device__ __forceinline__ Accumulator collect(const Look &look, tn_i64 base, int count) {
    const int first = threadIdx.x % 32 * LANE_TILES;
    Accumulator seen[LANE_TILES];
    await<LANE_TILES>(seen, look.tile_flags + base + first, look.tiles + base + first,
                      look.pairs + base + first, count - first);
#pragma unroll
    for (int k = 1; k < LANE_TILES; k++) seen[0] = fold_op(seen[0], seen[k]);
    Accumulator value = seen[0];
    __syncwarp();
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        Accumulator next = shuffle_down(value, by, 32);
        value = fold_op(value, next);
    }
    return value;
}

/* The fold of all tiles of a line before tile `tile`, for the first warp of a block, in its first lane;
 * `own` is the tile's fold, `base` the place of the line's first tile in the arrays (a multiple of
 * SECTION_TILES). */
__device__ __forceinline__ Accumulator look_back(const Look &look, tn_i64 base, tn_i64 tile,
                                                 tn_i64 tiles, const Accumulator &own) {
    const tn_i64 at = base + tile, section = at / SECTION_TILES;
    const int place = (int)(at % SECTION_TILES);
    const bool is_first = threadIdx.x % 32 == 0, is_last = place == SECTION_TILES - 1;
    if (is_first && !is_last && tile + 1 < tiles)
        publish(look.tile_flags, look.tiles, look.pairs, at, own);
    Accumulator before = collect(look, section * SECTION_TILES, place);
    if (is_first && tile >= SECTION_TILES) {
        Accumulator earlier[1];
        await<1>(earlier, look.section_flags + section - 1, look.sections + section - 1,
                 look.section_pairs + section - 1, 1);
        before = fold_op(earlier[0], before);
    }
    if (is_first && is_last)
        publish(look.section_flags, look.sections, look.section_pairs, section,
                fold_op(before, own));
    return before;
}

#endif
