/* Running folds along an axis whose neighbours are neighbours in memory: one pass over the data.
 *
 * The program defines Input, Accumulator, Output, scan_load, fold_op, fold_neutral, fold_store;
 * COUNT elements of a thread, a multiple of LANE; WIDTH elements of one load where rows begin at
 * multiples of it (else 1), OUTPUT_WIDTH likewise, KEPT_NDIM, WIDE_INDEX, GROUP, PLACE_BYTES; LOOK
 * 1 where rows are longer than a tile and few: every tile is a block's, and blocks look back; 0: a
 * block scans one row, tile after tile.
 *
 * Algorithm: a tile is BLOCK x COUNT elements. A warp has neighbours, in chunks of 32 x LANE: a
 * thread reads LANE neighbours of each chunk, so that a chunk is read as it lies, and all stays in
 * registers. Lanes, chunks, warps and tiles follow each other. */
#define MACROS BLOCK, COUNT, LOOK, GROUP, WIDTH, OUTPUT_WIDTH, KEPT_NDIM, WIDE_INDEX, PLACE_BYTES
#include "scan.cuh"

#define LANE 4
#define CHUNKS (COUNT / LANE)
#define CHUNK (32 * LANE)
#define TILE (BLOCK * COUNT)

struct Params {
    const char *input;
    char *output;
    tn_i64 rows, length;
    tn_i64 input_step, output_step;
    tn_i64 tile_count; /* of a row */
    Place *tiles, *groups, *sections;
    tn_i64 tile_places, group_places, section_places; /* of a row */
    Shape<KEPT_NDIM, 2> kept;
};

/* Of a tile, the first element of this thread. */
__device__ __forceinline__ int first_of_thread() {
    return (int)(threadIdx.x / 32) * (32 * COUNT) + (int)(threadIdx.x % 32) * LANE;
}

__device__ __forceinline__ void read_tile(Accumulator (&x)[COUNT], const char *from, tn_i64 step,
                                          int count) {
    const int first = first_of_thread();
    Input loaded[COUNT];
    if (count == TILE && WIDTH > 1) {
#pragma unroll
        for (int k = 0; k < COUNT / WIDTH; k++) {
            Input part[WIDTH];
            load_streamed<Input, WIDTH>(part, (const Input *)from + first +
                                                  k * WIDTH / LANE * CHUNK + k * WIDTH % LANE);
#pragma unroll
            for (int i = 0; i < WIDTH; i++) loaded[k * WIDTH + i] = part[i];
        }
#pragma unroll
        for (int k = 0; k < COUNT; k++) x[k] = scan_load(loaded[k]);
        return;
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        int at = first + k / LANE * CHUNK + k % LANE;
        loaded[k] = at < count ? *(const Input *)(from + at * step) : Input();
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        x[k] = first + k / LANE * CHUNK + k % LANE < count ? scan_load(loaded[k]) : fold_neutral();
}

/* Stores each chunk's elements after what lies before them. */
__device__ __forceinline__ void write_tile(char *to, tn_i64 step, int count,
                                           const Accumulator (&x)[COUNT],
                                           const Accumulator (&before)[CHUNKS],
                                           const Accumulator &earlier) {
    const int first = first_of_thread();
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const Accumulator base = fold_op(earlier, before[k]);
        Output part[LANE];
#pragma unroll
        for (int i = 0; i < LANE; i++) part[i] = fold_store(fold_op(base, x[k * LANE + i]));
        if (count == TILE && OUTPUT_WIDTH > 1) {
#pragma unroll
            for (int i = 0; i < LANE; i += OUTPUT_WIDTH) {
                Output vector[OUTPUT_WIDTH];
#pragma unroll
                for (int j = 0; j < OUTPUT_WIDTH; j++) vector[j] = part[i + j];
                store_streamed<Output, OUTPUT_WIDTH>((Output *)to + first + k * CHUNK + i, vector);
            }
        } else {
#pragma unroll
            for (int i = 0; i < LANE; i++) {
                int at = first + k * CHUNK + i;
                if (at < count) *(Output *)(to + at * step) = part[i];
            }
        }
    }
}

/* Scans the thread's neighbours; gives the fold of what lies before each of its chunks in the tile,
 * and of the whole tile. */
__device__ __forceinline__ Accumulator scan_tile(Accumulator (&x)[COUNT],
                                                 Accumulator (&before)[CHUNKS],
                                                 Accumulator *warps) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Accumulator sums[CHUNKS];
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
#pragma unroll
        for (int i = 1; i < LANE; i++)
            x[k * LANE + i] = fold_op(x[k * LANE + i - 1], x[k * LANE + i]);
        sums[k] = x[k * LANE + LANE - 1];
    }
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
#pragma unroll
        for (int k = 0; k < CHUNKS; k++) {
            Accumulator other = shuffle_up(sums[k], by, 32);
            if (lane >= by) sums[k] = fold_op(other, sums[k]);
        }
    }
    Accumulator carried = fold_neutral();
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        Accumulator lower = shuffle_up(sums[k], 1, 32), whole = shuffle_from(sums[k], 31);
        before[k] = lane == 0 ? carried : fold_op(carried, lower);
        carried = fold_op(carried, whole);
    }
    if (lane == 0) warps[warp] = carried;
    __syncthreads();
    Accumulator all = fold_neutral(), of_warps = fold_neutral();
#pragma unroll
    for (int k = 0; k < BLOCK / 32; k++) {
        if (k == warp) of_warps = all;
        all = fold_op(all, warps[k]);
    }
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) before[k] = fold_op(of_warps, before[k]);
    return all;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4) KERNEL(const __grid_constant__ Params p) {
    __shared__ Accumulator warps[BLOCK / 32 + 1];
    Accumulator x[COUNT], before[CHUNKS];
#if LOOK
    const unsigned row = blockIdx.x / (unsigned)p.tile_count,
                   tile = blockIdx.x % (unsigned)p.tile_count;
    tn_i64 offsets[2] = {0, 0};
    p.kept.walk((Index)row, offsets);
    const tn_i64 first = (tn_i64)tile * TILE;
    const int count = p.length - first < TILE ? (int)(p.length - first) : TILE;
    read_tile(x, p.input + offsets[0] + first * p.input_step, p.input_step, count);
    const Accumulator total = scan_tile(x, before, warps);
    const Look look = {p.tiles,       p.groups,       p.sections,
                       p.tile_places, p.group_places, p.section_places};
    if (threadIdx.x < 32) {
        Accumulator earlier = look_back(look, row, tile, p.tile_count, total);
        if (threadIdx.x == 0) warps[BLOCK / 32] = earlier;
    }
    __syncthreads();
    write_tile(p.output + offsets[1] + first * p.output_step, p.output_step, count, x, before,
               warps[BLOCK / 32]);
#else
    for (tn_i64 row = blockIdx.x; row < p.rows; row += gridDim.x) {
        tn_i64 offsets[2] = {0, 0};
        p.kept.walk((Index)row, offsets);
        Accumulator carried = fold_neutral();
#pragma unroll 1
        for (tn_i64 first = 0; first < p.length; first += TILE) {
            const int count = p.length - first < TILE ? (int)(p.length - first) : TILE;
            read_tile(x, p.input + offsets[0] + first * p.input_step, p.input_step, count);
            const Accumulator total = scan_tile(x, before, warps);
            write_tile(p.output + offsets[1] + first * p.output_step, p.output_step, count, x,
                       before, carried);
            carried = fold_op(carried, total);
            __syncthreads();
        }
    }
#endif
}
