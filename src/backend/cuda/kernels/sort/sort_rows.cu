/* Sorting rows of up to BLOCK x COUNT elements: a block a row, digit after digit, in shared
 * memory.
 *
 * The program defines what sort.cuh asks for, COUNT elements of a thread, POSITIONS 1 to give
 * positions, KEPT_NDIM and WIDE_INDEX. Digits that all keys of a row share are passed over. */
#define MACROS                                                                                     \
    ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, KEPT_NDIM, WIDE_INDEX, BLOCK, COUNT, POSITIONS
#include "sort.cuh"

struct Params {
    const char *input;
    char *output;
    tn_i64 rows, length;
    tn_i64 input_step, output_step;
    Shape<KEPT_NDIM, 2> kept;
};

union Room {
    Counts counts[WARPS];
    struct {
        Element elements[TILE];
#if POSITIONS
        unsigned short places[TILE];
#endif
    } moved;
};

/* A bit for each digit in which keys of the row differ; all threads meet in it. */
__device__ __forceinline__ unsigned find_digits(const Element (&elements)[COUNT],
                                                const Element &any, int count, unsigned *found) {
    const Key first = key_of(any);
    Key differing = key_xor(first, first);
    if (threadIdx.x == 0) *found = 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        if (place_of(k) < count) differing = key_or(differing, key_xor(first, key_of(elements[k])));
    __syncthreads();
    unsigned bits = 0;
#pragma unroll
    for (int digit = 0; digit < ELEMENT_BYTES; digit++)
        if (__any_sync(0xffffffffu, digit_of_key(differing, digit) != 0)) bits |= 1u << digit;
    if (threadIdx.x % 32 == 0) atomicOr(found, bits);
    __syncthreads();
    return *found;
}

/* Elements with their positions in the row. */
struct Items {
    Element elements[COUNT];
#if POSITIONS
    unsigned short places[COUNT];
#endif
};

/* Puts the block's items in the order of a digit. */
__device__ __forceinline__ void sort_digit(Items &items, int digit, int count, Room &room,
                                           unsigned *sums) {
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned ranks[COUNT], totals[EACH_ADDS], firsts[EACH_ADDS];
#pragma unroll
    for (int k = 0; k < DIGITS / 32; k++) room.counts[warp][k * 32 + lane] = 0;
    __syncwarp();
    rank_in_warp(ranks, items.elements, digit, count, room.counts[warp]);
    __syncthreads();
    add_warps(room.counts, totals, firsts, sums);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        ranks[k] = (ranks[k] & 0xffff) + room.counts[warp][ranks[k] >> 16];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        room.moved.elements[ranks[k]] = items.elements[k];
#if POSITIONS
        room.moved.places[ranks[k]] = items.places[k];
#endif
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        items.elements[k] = room.moved.elements[place_of(k)];
#if POSITIONS
        items.places[k] = room.moved.places[place_of(k)];
#endif
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Room room;
    __shared__ unsigned sums[ADDERS / 32], found;
    const int count = (int)p.length;
    for (tn_i64 row = blockIdx.x; row < p.rows; row += gridDim.x) {
        tn_i64 offsets[2] = {0, 0};
        p.kept.walk((Index)row, offsets);
        const char *from = p.input + offsets[0];
        Items items;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const int place = place_of(k), at = place < count ? place : 0;
            items.elements[k] = *(const Element *)(from + at * p.input_step);
#if POSITIONS
            items.places[k] = (unsigned short)place;
#endif
        }
        const unsigned digits = find_digits(items.elements, *(const Element *)from, count, &found);
#pragma unroll 1
        for (int digit = 0; digit < ELEMENT_BYTES; digit++)
            if (digits >> digit & 1) sort_digit(items, digit, count, room, sums);
        char *to = p.output + offsets[1];
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const int place = place_of(k);
            if (place >= count) continue;
#if POSITIONS
            *(tn_i64 *)(to + place * p.output_step) = items.places[k];
#else
            *(Element *)(to + place * p.output_step) = items.elements[k];
#endif
        }
        __syncthreads();
    }
}
