/* What the forms of scans share: looking back over the tiles before one's own.
 *
 * Decides: a fold and the flag that it is there share a place; up to 16 bytes are written and read
 * at once, a longer fold is written before its flag, with a fence between.
 * Invariant: the sum before a tile is grouped the same way in every run, whatever the timing.
 * Blocks begin in the order of their numbers, so what a block waits for is under way or done.
 * Algorithm: each tile publishes its own fold as soon as it has it. GROUP tiles make a group, whose
 * last tile publishes the group's fold; GROUP groups make a section, whose last tile publishes the
 * fold of everything up to its end. A tile waits for the tiles before it in its group, the groups
 * before that in its section, and the section before: each lane of a warp for one of them. So a
 * look reads few lines of the L2 cache, which all blocks share, and the chain of sections is short.
 *
 * A program defines Accumulator, fold_op, fold_neutral, and as scan.c gives the memory, the bytes
 * of a place (PLACE_BYTES) and the tiles of a group (GROUP, 32 here, as many as a warp has
 * lanes). */
#ifndef SCAN_CUH
#define SCAN_CUH

#include "access.cuh"

/* Zero before the launch. */
struct __align__(PLACE_BYTES < 16 ? PLACE_BYTES : 16) Place {
    Accumulator value;
    unsigned flag;
    __device__ Place() {}
};
static_assert(sizeof(Place) == PLACE_BYTES, "scan.c gives memory for other places");

/* Places of a row follow each other; a row has whole groups of tiles and of groups. */
struct Look {
    Place *tiles, *groups, *sections;
    tn_i64 tile_places, group_places, section_places; /* of a row */
};

/* As the machine moves it. */
union PlaceWords {
    Place place;
    unsigned words[sizeof(Place) / 4];
    __device__ PlaceWords() {}
};

__device__ __forceinline__ void publish(Place *to, const Accumulator &value) {
    PlaceWords both;
#pragma unroll
    for (int k = 0; k < (int)(sizeof(Place) / 4); k++) both.words[k] = 0;
    both.place.value = value;
    both.place.flag = 1;
    if (sizeof(Place) == 8) {
        asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(both.words[0]),
                     "r"(both.words[1])
                     : "memory");
    } else if (sizeof(Place) == 16) {
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to),
                     "r"(both.words[0]), "r"(both.words[1]), "r"(both.words[2]), "r"(both.words[3])
                     : "memory");
    } else {
        to->value = value;
        __threadfence();
        *(volatile unsigned *)&to->flag = 1;
    }
}

/* One look at a place; its value counts where its flag is set. */
__device__ __forceinline__ Place look_at(const Place *from) {
    PlaceWords both;
    if (sizeof(Place) == 8) {
        asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];"
                     : "=r"(both.words[0]), "=r"(both.words[1])
                     : "l"(from)
                     : "memory");
    } else if (sizeof(Place) == 16) {
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(both.words[0]), "=r"(both.words[1]), "=r"(both.words[2]),
                       "=r"(both.words[3])
                     : "l"(from)
                     : "memory");
    } else {
        both.place.flag = *(const volatile unsigned *)&from->flag;
        __threadfence();
        both.place.value = load_fresh(&from->value);
    }
    return both.place;
}

/* The fold of the first `count` places in their order, for a whole warp, the result in its first
 * lane. `seen` is the lane's first look at its place. */
__device__ __forceinline__ Accumulator collect(const Place *places, int count, Place seen) {
    const int lane = threadIdx.x % 32;
    if (lane < count)
        while (!seen.flag) seen = look_at(places + lane);
    __syncwarp();
    Accumulator value = lane < count ? seen.value : fold_neutral();
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        Accumulator next = shuffle_down(value, by, 32);
        value = fold_op(value, next);
    }
    return value;
}

/* The fold of all tiles of a row before tile `tile`, for the first warp of a block, in its first
 * lane; `own` is the tile's fold. */
__device__ __forceinline__ Accumulator look_back(const Look &look, tn_i64 row, tn_i64 tile,
                                                 tn_i64 tiles, const Accumulator &own) {
    const tn_i64 group = tile / GROUP, section = group / GROUP;
    const int place = (int)(tile % GROUP), group_place = (int)(group % GROUP);
    const int lane = threadIdx.x % 32;
    const bool ends_group = place == GROUP - 1;
    const bool ends_section = ends_group && group_place == GROUP - 1;
    Place *row_tiles = look.tiles + row * look.tile_places;
    Place *row_groups = look.groups + row * look.group_places;
    Place *row_sections = look.sections + row * look.section_places;
    Place *first_tile = row_tiles + group * GROUP, *first_group = row_groups + section * GROUP;
    if (lane == 0 && !ends_group && tile + 1 < tiles) publish(row_tiles + tile, own);
    Place tile_seen, group_seen, section_seen;
    if (lane < place) tile_seen = look_at(first_tile + lane);
    if (lane < group_place) group_seen = look_at(first_group + lane);
    if (lane == 0 && section > 0) section_seen = look_at(row_sections + section - 1);
    Accumulator before = collect(first_tile, place, tile_seen);
    if (lane == 0 && ends_group && !ends_section) publish(row_groups + group, fold_op(before, own));
    before = fold_op(collect(first_group, group_place, group_seen), before);
    if (lane == 0 && section > 0) {
        while (!section_seen.flag) section_seen = look_at(row_sections + section - 1);
        before = fold_op(section_seen.value, before);
    }
    if (lane == 0 && ends_section) publish(row_sections + section, fold_op(before, own));
    return before;
}

#endif
