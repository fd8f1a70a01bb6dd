/* A pass of a long sort: all elements to their places by one digit, in one reading and one
 * writing.
 *
 * The program defines what sort.cuh asks for, COUNT elements of a thread, POSITION_BYTES 0
 * (elements are sorted) or the size of a position between passes, WIDE, KEPT_NDIM and WIDE_INDEX;
 * BLOCK is DIGITS or more. Blocks begin in the order of their numbers, so what a block waits for
 * is under way or done.
 * Algorithm (Adinets and Merrill, "Onesweep"): a block ranks the elements of its tile by the
 * digit, and publishes how many have each value. A thread for each value adds what the tiles
 * before have, back to one that has published the sum of all before it, and publishes its own sum.
 * The tile is put in order in shared memory, so that what is written side by side lies side by
 * side. */
#include "sort_passes.cuh"

#define LOOKS 4 /* tiles that are looked at together */

#if POSITION_BYTES == 8
typedef tn_u64 Position;
#else
typedef unsigned Position;
#endif

struct Params {
    const char *input;
    char *output;
    tn_i64 length, input_step, output_step;
    tn_i64 tiles, digit;
    const Total *totals;   /* [row][digit of the key][its value]: elements of the row below it */
    const unsigned *roles; /* [row][digit of the key] */
    Total *words;          /* [row][tile][value]: zero before */
    char *rooms[2];        /* of elements */
    char *place_rooms[2];  /* of positions */
    Shape<KEPT_NDIM, 2> kept;
};

union Room {
    Counts counts[WARPS];
    Element elements[TILE];
#if POSITION_BYTES
    Position places[TILE];
#endif
};

/* --- Looking back --- */

#define WORD_SHIFT   (sizeof(Total) * 8 - 2)
#define WORD_OF_TILE ((Total)1 << WORD_SHIFT) /* a tile's number */
#define WORD_OF_ALL  ((Total)2 << WORD_SHIFT) /* with those of all tiles before it */
#define WORD_NUMBER  (((Total)1 << WORD_SHIFT) - 1)

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

/* --- Places --- */

struct Line {
    char *at;
    tn_i64 step;
};

__device__ __forceinline__ Line line_of(const Params &p, unsigned place, tn_i64 row,
                                        const tn_i64 (&offsets)[2]) {
    if (place == AT_INPUT) return Line{(char *)p.input + offsets[0], p.input_step};
    if (place == AT_OUTPUT) return Line{p.output + offsets[1], p.output_step};
    return Line{p.rooms[place - AT_FIRST] + row * p.length * ELEMENT_BYTES, ELEMENT_BYTES};
}

/* --- The tile --- */

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
template <bool IS_PACKED>
__device__ __forceinline__ void write_tile(Total (&to)[COUNT], const Line &target, const Room &room,
                                           const Total *shifts, int digit, int count,
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

#if POSITION_BYTES
/* Positions follow their elements, which went to `ranks`; `to` is where the element at each place
 * of the room goes. For all threads, which have met since the room was read. */
__device__ __forceinline__ void
move_positions(const Params &p, Room &room, unsigned role, tn_i64 row, int count, char *output,
               const Position (&places)[COUNT], const unsigned (&ranks)[COUNT],
               const Total (&to)[COUNT]) {
#pragma unroll
    for (int k = 0; k < COUNT; k++) room.places[ranks[k]] = places[k];
    __syncthreads();
    const bool is_second = (role >> TO_SHIFT & 3) == AT_SECOND;
    Position *room_to = (Position *)p.place_rooms[is_second] + row * p.length;
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const int at = k * BLOCK + (int)threadIdx.x;
        if (at >= count) continue;
        if (role & IS_LAST)
            *(tn_i64 *)(output + (tn_i64)to[k] * p.output_step) = (tn_i64)room.places[at];
        else
            room_to[to[k]] = room.places[at];
    }
}

__device__ __forceinline__ void read_positions(Position (&places)[COUNT], const Params &p,
                                               unsigned role, tn_i64 row, tn_i64 first, int count) {
    const bool is_second = (role >> FROM_SHIFT & 3) == AT_SECOND;
    const Position *from = (const Position *)p.place_rooms[is_second] + row * p.length + first;
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const int place = place_of(k);
        if (role & IS_FIRST)
            places[k] = (Position)(first + place);
        else if (place < count)
            places[k] = from[place];
    }
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK, 2) KERNEL(const __grid_constant__ Params p) {
    __shared__ Room room;
    __shared__ unsigned sums[ADDERS / 32];
    __shared__ Total shifts[DIGITS];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const tn_i64 row = blockIdx.x / (unsigned)p.tiles, tile = blockIdx.x % (unsigned)p.tiles;
    const unsigned role = p.roles[row * ELEMENT_BYTES + p.digit];
    if (!(role & IS_ACTIVE)) return;
    const int digit = (int)p.digit;
    const tn_i64 first = tile * TILE;
    const int count = p.length - first < TILE ? (int)(p.length - first) : TILE;
    tn_i64 offsets[2] = {0, 0};
    p.kept.walk((Index)row, offsets);
    const Line source = line_of(p, role >> FROM_SHIFT & 3, row, offsets);
    const Line target = line_of(p, role >> TO_SHIFT & 3, row, offsets);
    Element elements[COUNT];
    read_tile(elements, source, first, count);
    unsigned ranks[COUNT], totals[EACH_ADDS], firsts[EACH_ADDS];
#pragma unroll
    for (int k = 0; k < DIGITS / 32; k++) room.counts[warp][k * 32 + lane] = 0;
    __syncwarp();
    rank_in_warp(ranks, elements, digit, count, room.counts[warp]);
    __syncthreads();
    add_warps(room.counts, totals, firsts, sums);
    Total *words = p.words + row * p.tiles * DIGITS + threadIdx.x;
    if (threadIdx.x < DIGITS) publish(words, tile, totals[0]);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        ranks[k] = (ranks[k] & 0xffff) + room.counts[warp][ranks[k] >> 16];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < COUNT; k++) room.elements[ranks[k]] = elements[k];
#if POSITION_BYTES
    Position places[COUNT];
    read_positions(places, p, role, row, first, count);
#endif
    if (threadIdx.x < DIGITS)
        shifts[threadIdx.x] = p.totals[(row * ELEMENT_BYTES + digit) * DIGITS + threadIdx.x] +
                              look_back(words, tile, totals[0]) - firsts[0];
    __syncthreads();
    Total to[COUNT];
    const bool has_target = !POSITION_BYTES || !(role & IS_LAST);
    if (target.step == ELEMENT_BYTES)
        write_tile<true>(to, target, room, shifts, digit, count, has_target);
    else
        write_tile<false>(to, target, room, shifts, digit, count, has_target);
#if POSITION_BYTES
    __syncthreads();
    move_positions(p, room, role, row, count, p.output + offsets[1], places, ranks, to);
#endif
}
