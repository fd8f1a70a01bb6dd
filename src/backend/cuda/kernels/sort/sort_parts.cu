/* The last launch of a selection: all elements to their classes, which the pivots part, in one
 * reading and one writing.
 *
 * The program defines what sort_tile.cuh and sort_pivots.cuh ask for, KEPT_NDIM and WIDE_INDEX. A
 * class is treated as a digit of the key (sort_digits.cu), so the order within it stays. With
 * POSITION_BYTES the output gets positions, and `elements` the elements, row by row. */
#define MACROS                                                                                     \
    ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, KEPT_NDIM, WIDE_INDEX, BLOCK, COUNT,          \
        POSITION_BYTES, WIDE, PIVOTS
#include "sort_pivots.cuh"
#include "sort_tile.cuh"

struct Params {
    const char *input;
    char *output;
    tn_i64 length, input_step, output_step;
    tn_i64 tiles;
    const Total *firsts; /* [row][class]: elements before those of the class */
    Total *words;        /* [row][tile][class]: zero before */
    char *elements;      /* packed rows */
    const Pivot *pivots; /* [row][pivot] */
    Shape<KEPT_NDIM, 2> kept;
};

extern "C" __global__ void __launch_bounds__(BLOCK, 2) KERNEL(const __grid_constant__ Params p) {
    __shared__ Room room;
    __shared__ unsigned sums[ADDERS / 32];
    __shared__ Total shifts[DIGITS];
    const tn_i64 row = blockIdx.x / (unsigned)p.tiles, tile = blockIdx.x % (unsigned)p.tiles;
    const tn_i64 first = tile * TILE;
    const int count = p.length - first < TILE ? (int)(p.length - first) : TILE;
    tn_i64 offsets[2] = {0, 0};
    p.kept.walk((Index)row, offsets);
    const Line source = {(char *)p.input + offsets[0], p.input_step};
#if POSITION_BYTES
    const Line target = {p.elements + row * p.length * ELEMENT_BYTES, ELEMENT_BYTES};
#else
    const Line target = {p.output + offsets[1], p.output_step};
#endif
    Pivots pivots;
#pragma unroll
    for (int k = 0; k < PIVOTS; k++) pivots.keys[k] = p.pivots[row * PIVOTS + k].prefix;
    Element elements[COUNT];
    read_tile(elements, source, first, count);
    unsigned ranks[COUNT];
    Total to[COUNT];
    place_tile(elements, pivots, count, room, sums, shifts, p.firsts + row * DIGITS,
               p.words + row * p.tiles * DIGITS, tile, ranks, [] {});
    if (target.step == ELEMENT_BYTES)
        write_tile<true>(to, target, room, shifts, pivots, count, true);
    else
        write_tile<false>(to, target, room, shifts, pivots, count, true);
#if POSITION_BYTES
    __syncthreads();
#pragma unroll
    for (int k = 0; k < COUNT; k++) room.places[ranks[k]] = (Position)(first + place_of(k));
    __syncthreads();
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const int at = k * BLOCK + (int)threadIdx.x;
        if (at < count)
            *(tn_i64 *)(p.output + offsets[1] + (tn_i64)to[k] * p.output_step) =
                (tn_i64)room.places[at];
    }
#endif
}
