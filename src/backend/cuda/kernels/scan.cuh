/* What the forms of scans share: looking back over the tiles before one's own.
 *
 * Invariant: the sum before a tile is grouped the same way in every run, whatever the timing.
 * Algorithm: tiles are taken in order (a counter in memory). Each tile publishes its own fold as soon as it
 * has it. 32 tiles make a group, 32 groups a section; the last tile of a group publishes the group's
 * fold, the last of a section the fold of everything up to its end. So a tile waits for the section before
 * its own, for the groups before its own in the section and for the tiles before itself in the group:
 * three looks of one warp. A fold is written before its flag, with a fence between.
 *
 * A program defines Accumulator, fold_op, fold_neutral. */
#ifndef SCAN_CUH
#define SCAN_CUH

#include "access.cuh"

/* One place for each tile; zero flags before the launch. */
struct Look {
    unsigned *ticket; /* of the next tile */
    unsigned *tile_flags, *group_flags, *section_flags;
    Accumulator *tiles, *groups, *sections;
};

__device__ __forceinline__ void publish(unsigned *flags, Accumulator *values, tn_i64 at,
                                        const Accumulator &value) {
    values[at] = value;
    __threadfence();
    atomicExch(flags + at, 1u);
}

/* Waits for values[first .. first + count), count <= 32, and folds them in order: for a whole warp, the
 * result in every lane. */
__device__ __forceinline__ Accumulator collect(const unsigned *flags, const Accumulator *values,
                                               tn_i64 first, int count) {
    const int lane = threadIdx.x % 32;
    Accumulator value = fold_neutral();
    if (lane < count) {
        const volatile unsigned *flag = flags + first + lane;
        while (*flag == 0) {}
        __threadfence();
        value = load_fresh(values + first + lane);
    }
    __syncwarp();
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        Accumulator next = shuffle_down(value, by, 32);
        value = fold_op(value, next);
    }
    union Both {
        Accumulator value;
        unsigned words[(sizeof(Accumulator) + 3) / 4];
        __device__ Both() {}
    } both;
    both.words[sizeof(both.words) / 4 - 1] = 0;
    both.value = value;
#pragma unroll
    for (int k = 0; k < (int)(sizeof(both.words) / 4); k++)
        both.words[k] = __shfl_sync(0xffffffffu, both.words[k], 0);
    return both.value;
}

/* The fold of all tiles of a line before tile `tile`, for the first warp of a block; `own` is the tile's
 * fold, `base` the place of the line's first tile in the arrays (a multiple of 1024). */
__device__ __forceinline__ Accumulator look_back(const Look &look, tn_i64 base, tn_i64 tile,
                                                 tn_i64 tiles, const Accumulator &own) {
    const int lane = threadIdx.x % 32;
    const tn_i64 at = base + tile, group = at / 32, section = at / 1024;
    const int in_group = (int)(at % 32), in_section = (int)(group % 32);
    if (lane == 0 && tile + 1 < tiles) publish(look.tile_flags, look.tiles, at, own);
    Accumulator before = collect(look.tile_flags, look.tiles, group * 32, in_group);
    if (in_group == 31 && lane == 0)
        publish(look.group_flags, look.groups, group, fold_op(before, own));
    Accumulator groups = collect(look.group_flags, look.groups, section * 32, in_section);
    before = fold_op(groups, before);
    if (tile >= 1024) {
        Accumulator sections = collect(look.section_flags, look.sections, section - 1, 1);
        before = fold_op(sections, before);
    }
    if (in_group == 31 && in_section == 31 && lane == 0)
        publish(look.section_flags, look.sections, section, fold_op(before, own));
    return before;
}

#endif
