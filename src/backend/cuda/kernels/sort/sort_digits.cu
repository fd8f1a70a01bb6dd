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
#define MACROS                                                                                     \
    ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, KEPT_NDIM, WIDE_INDEX, BLOCK, COUNT,          \
        POSITION_BYTES, WIDE
#include "sort_tile.cuh"

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

/* --- Places --- */

__device__ __forceinline__ Line line_of(const Params &p, unsigned place, tn_i64 row,
                                        const tn_i64 (&offsets)[2]) {
    if (place == AT_INPUT) return Line{(char *)p.input + offsets[0], p.input_step};
    if (place == AT_OUTPUT) return Line{p.output + offsets[1], p.output_step};
    return Line{p.rooms[place - AT_FIRST] + row * p.length * ELEMENT_BYTES, ELEMENT_BYTES};
}

#if POSITION_BYTES
/* Positions follow their elements, which went to `ranks`; `to` is where the element at each place
 * of the room goes. For all threads, which have met since the room was read. */
__device__ __forceinline__ void move_positions(const Params &p, Room &room, unsigned role,
                                               tn_i64 row, int count, char *output,
                                               const Position (&places)[COUNT],
                                               const unsigned (&ranks)[COUNT],
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
    unsigned ranks[COUNT];
#if POSITION_BYTES
    Position places[COUNT];
#endif
    place_tile(elements, digit, count, room, sums, shifts,
               p.totals + (row * ELEMENT_BYTES + digit) * DIGITS, p.words + row * p.tiles * DIGITS,
               tile, ranks, [&] {
#if POSITION_BYTES
                   read_positions(places, p, role, row, first, count);
#endif
               });
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
