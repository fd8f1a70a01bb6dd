/* Running folds along an axis whose neighbours are neighbours in memory: one pass over the data.
 *
 * The program defines Input, Accumulator, Output, scan_load, fold_op, fold_neutral, fold_store; COUNT elements of a thread, WIDTH elements of one load where
 * rows begin at multiples of it (else 1), OUTPUT_WIDTH likewise, KEPT_NDIM, WIDE_INDEX; LOOK 1 where rows
 * are longer than a tile and few: every tile is a block's, and blocks look back; 0: a block scans one
 * row, tile after tile.
 *
 * Algorithm: a tile is BLOCK x COUNT elements, read in the order of memory, turned in shared memory so that
 * each thread has neighbours, scanned there; lanes, warps and tiles follow; results go back the same
 * way. */
#include "scan.cuh"

struct Params {
    const char *input;
    char *output;
    tn_i64 rows, length, tiles; /* tiles of a row */
    tn_i64 places;              /* of a row in the arrays of `look` */
    tn_i64 input_step, output_step;
    Look look;
    Shape<KEPT_NDIM, 2> kept;
};

#define TILE (BLOCK * COUNT)

/* The elements of each thread lie side by side, and where they are many, 16 bytes apart from the next
 * thread's: against bank conflicts. */
#define STAGED_GAP(T)   (COUNT * (int)sizeof(T) % 32 == 0 ? 16 : 0)
#define STAGED(T, at)   ((T *)(staging + (at) * (int)sizeof(T) + (at) / COUNT * STAGED_GAP(T)))
#define STAGED_BYTES(T) (BLOCK * (COUNT * (int)sizeof(T) + STAGED_GAP(T)))
#define STAGING_BYTES                                                                              \
    (STAGED_BYTES(Input) > STAGED_BYTES(Output) ? STAGED_BYTES(Input) : STAGED_BYTES(Output))

/* Elements [0, count) of a tile into this thread's COUNT neighbours. */
__device__ __forceinline__ void read_tile(Accumulator (&x)[COUNT], const char *from, tn_i64 step,
                                          int count, char *staging) {
    if (count == TILE && WIDTH > 1) {
        Input loaded[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT / WIDTH; k++) {
            Input part[WIDTH];
            load_vector<Input, WIDTH>(part, (const Input *)from + (k * BLOCK + threadIdx.x) * WIDTH);
#pragma unroll
            for (int i = 0; i < WIDTH; i++) loaded[k * WIDTH + i] = part[i];
        }
#pragma unroll
        for (int k = 0; k < COUNT / WIDTH; k++) {
            Input part[WIDTH];
#pragma unroll
            for (int i = 0; i < WIDTH; i++) part[i] = loaded[k * WIDTH + i];
            store_vector<Input, WIDTH>(STAGED(Input, (k * BLOCK + (int)threadIdx.x) * WIDTH), part);
        }
    } else {
        Input loaded[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            int at = k * BLOCK + threadIdx.x;
            loaded[k] = at < count ? *(const Input *)(from + at * step) : Input();
        }
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            *STAGED(Input, k * BLOCK + (int)threadIdx.x) = loaded[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        int at = (int)threadIdx.x * COUNT + k;
        x[k] = at < count ? scan_load(*STAGED(Input, at)) : fold_neutral();
    }
    __syncthreads();
}

__device__ __forceinline__ void write_tile(char *to, tn_i64 step, int count,
                                           const Accumulator (&x)[COUNT], char *staging) {
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        *STAGED(Output, (int)threadIdx.x * COUNT + k) = fold_store(x[k]);
    __syncthreads();
    if (count == TILE && OUTPUT_WIDTH > 1) {
#pragma unroll
        for (int k = 0; k < COUNT / OUTPUT_WIDTH; k++) {
            Output part[OUTPUT_WIDTH];
            load_vector<Output, OUTPUT_WIDTH>(
                part, STAGED(Output, (k * BLOCK + (int)threadIdx.x) * OUTPUT_WIDTH));
            store_vector<Output, OUTPUT_WIDTH>(
                (Output *)to + (k * BLOCK + threadIdx.x) * OUTPUT_WIDTH, part);
        }
    } else {
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            int at = k * BLOCK + threadIdx.x;
            if (at < count) *(Output *)(to + at * step) = *STAGED(Output, at);
        }
    }
    __syncthreads();
}

/* Scans the block's values; gives the fold of what lies before this thread and of the whole tile. */
__device__ __forceinline__ Accumulator scan_tile(Accumulator (&x)[COUNT], Accumulator *warps,
                                                 Accumulator &total) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int k = 1; k < COUNT; k++) x[k] = fold_op(x[k - 1], x[k]);
    Accumulator sum = x[COUNT - 1];
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        Accumulator other = shuffle_up(sum, by, 32);
        if (lane >= by) sum = fold_op(other, sum);
    }
    if (lane == 31) warps[warp] = sum;
    Accumulator before = shuffle_up(sum, 1, 32);
    if (lane == 0) before = fold_neutral();
    __syncthreads();
    Accumulator all = fold_neutral(), of_warps = fold_neutral();
#pragma unroll
    for (int k = 0; k < BLOCK / 32; k++) {
        if (k == warp) of_warps = all;
        all = fold_op(all, warps[k]);
    }
    total = all;
    return fold_op(of_warps, before);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ __align__(16) char staging[STAGING_BYTES];
    __shared__ Accumulator warps[BLOCK / 32 + 1];
    Accumulator x[COUNT], total;
#if LOOK
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(p.look.ticket, 1u);
    __syncthreads();
    const unsigned row = ticket / (unsigned)p.tiles, tile = ticket % (unsigned)p.tiles;
    tn_i64 offsets[2] = {0, 0};
    p.kept.walk((Index)row, offsets);
    const tn_i64 first = (tn_i64)tile * TILE;
    const int count = p.length - first < TILE ? (int)(p.length - first) : TILE;
    read_tile(x, p.input + offsets[0] + first * p.input_step, p.input_step, count, staging);
    Accumulator before = scan_tile(x, warps, total);
    if (threadIdx.x < 32) {
        Accumulator earlier = look_back(p.look, row * p.places, tile, p.tiles, total);
        if (threadIdx.x == 0) warps[BLOCK / 32] = earlier;
    }
    __syncthreads();
    before = fold_op(warps[BLOCK / 32], before);
#pragma unroll
    for (int k = 0; k < COUNT; k++) x[k] = fold_op(before, x[k]);
    write_tile(p.output + offsets[1] + first * p.output_step, p.output_step, count, x,
               staging);
#else
    for (tn_i64 row = blockIdx.x; row < p.rows; row += gridDim.x) {
        tn_i64 offsets[2] = {0, 0};
        p.kept.walk((Index)row, offsets);
        Accumulator carried = fold_neutral();
#pragma unroll 1
        for (tn_i64 first = 0; first < p.length; first += TILE) {
            const int count = p.length - first < TILE ? (int)(p.length - first) : TILE;
            read_tile(x, p.input + offsets[0] + first * p.input_step, p.input_step, count,
                      staging);
            Accumulator before = fold_op(carried, scan_tile(x, warps, total));
#pragma unroll
            for (int k = 0; k < COUNT; k++) x[k] = fold_op(before, x[k]);
            carried = fold_op(carried, total);
            write_tile(p.output + offsets[1] + first * p.output_step, p.output_step, count, x,
                       staging);
        }
    }
#endif
}
