/* Tiles of a long sort: how a block moves neighbours to their places by a digit.
 *
 * The program defines what sort_passes.cuh asks for, COUNT elements of a thread and
 * POSITION_BYTES 0 or the size of a position between launches; BLOCK is DIGITS or more. Blocks
 * begin in the order of their numbers, so what a block waits for is under way or done. */
#ifndef SORT_TILE_CUH
#define SORT_TILE_CUH

#include "sort_passes.cuh"

#define LOOKS 4 /* tiles that are looked at together */

#if POSITION_BYTES == 8
typedef tn_u64 Position;
#else
typedef unsigned Position;
#endif

union Room {
    Counts counts[WARPS];
    Element elements[TILE];
#if POSITION_BYTES
    Position places[TILE];
#endif
};

/* --- Looking back --- */

#define WORD_SHIFT (sizeof(Total) * 8 - 2)
#define WORD_OF_TILE ((Total)1 << WORD_SHIFT) /* a tile's number */
#define WORD_OF_ALL ((Total)2 << WORD_SHIFT)  /* with those of all tiles before it */
#define WORD_NUMBER (((Total)1 << WORD_SHIFT) - 1)

/* What others may use at once. The first tile's number is a sum. */
__device__ __forceinline__ void publish(volatile Total *words, tn_i64 tile, Total own) {
    words[tile * DIGITS] = (tile ? WORD_OF_TILE : WORD_OF_ALL) | own;
}

/* The number of the tiles before this one, whose own is published; publishes the sum. */
__device__ __forceinline__ Total look_back(volatile Total *words, tn_i64 tile, Total own) {
    if (tile == 0) return 0;
    Total sum = 0;
    tn_i64 at = tile - 1;
    bool is_found = false;
    while (!is_found) {
        Total seen[LOOKS];
        int taken = 0;
        bool is_there = true;
#pragma unroll
        for (int k = 0; k < LOOKS; k++) seen[k] = at >= k ? words[(at - k) * DIGITS] : WORD_OF_ALL;
#pragma unroll
        for (int k = 0; k < LOOKS; k++) {
            is_there = is_there && !is_found && seen[k] >> WORD_SHIFT != 0;
            if (is_there) {
                sum += seen[k] & WORD_NUMBER;
                is_found = seen[k] >> WORD_SHIFT == 2;
                taken++;
            }
        }
        at -= taken;
    }
    words[tile * DIGITS] = WORD_OF_ALL | (sum + own);
    return sum;
}

/* --- The tile --- */

struct Line {
    char *at;
    tn_i64 step;
};

__device__ __forceinline__ void read_tile(Element (&elements)[COUNT], const Line &source,
                                          tn_i64 first, int count) {
    const char *from = source.at + first * source.step;
    if (count == TILE && source.step == ELEMENT_BYTES) {
        const Element *line = (const Element *)from + place_of(0);
#pragma unroll
        for (int k = 0; k < COUNT; k++) elements[k] = line[k * 32];
        return;
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const int place = place_of(k);
        elements[k] = *(const Element *)(from + (place < count ? place : 0) * source.step);
    }
}

/* Writes the tile from the room; `to` is where the element at each place of the room goes. */
template <bool IS_PACKED, class Digit>
__device__ __forceinline__ void write_tile(Total (&to)[COUNT], const Line &target, const Room &room,
                                           const Total *shifts, const Digit &digit, int count,
                                           bool has_target) {
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const int at = k * BLOCK + (int)threadIdx.x;
        if (at >= count) continue;
        const Element element = room.elements[at];
        to[k] = shifts[digit_of_key(key_of(element), digit)] + (Total)at;
        if (!has_target) continue;
        if (IS_PACKED)
            ((Element *)target.at)[to[k]] = element;
        else
            *(Element *)(target.at + (tn_i64)to[k] * target.step) = element;
    }
}

/* Ranks a tile by a digit and puts it in order in the room; `ranks` are the elements' places there,
 * and shifts[digit] is what is added to one for the place in the row. `below` has the row's
 * elements with smaller digits; `words` are the row's. `between` is done while others look. */
template <class Digit, class Between>
__device__ __forceinline__ void place_tile(const Element (&elements)[COUNT], const Digit &digit,
                                           int count, Room &room, unsigned *sums, Total *shifts,
                                           const Total *below, Total *words, tn_i64 tile,
                                           unsigned (&ranks)[COUNT], const Between &between) {
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned totals[EACH_ADDS], firsts[EACH_ADDS];
#pragma unroll
    for (int k = 0; k < DIGITS / 32; k++) room.counts[warp][k * 32 + lane] = 0;
    __syncwarp();
    rank_in_warp(ranks, elements, digit, count, room.counts[warp]);
    __syncthreads();
    add_warps(room.counts, totals, firsts, sums);
    words += threadIdx.x;
    if (threadIdx.x < DIGITS) publish(words, tile, totals[0]);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        ranks[k] = (ranks[k] & 0xffff) + room.counts[warp][ranks[k] >> 16];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < COUNT; k++) room.elements[ranks[k]] = elements[k];
    between();
    if (threadIdx.x < DIGITS)
        shifts[threadIdx.x] = below[threadIdx.x] + look_back(words, tile, totals[0]) - firsts[0];
    __syncthreads();
}

#endif
