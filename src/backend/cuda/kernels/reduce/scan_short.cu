/* Running folds along many short rows: a block takes whole rows into shared memory, where a team of
 * lanes scans a row.
 *
 * The program defines what scan_rows.cu asks for, and TEAM lanes (a power of two up to 32), CHUNK
 * elements that a lane takes at most (odd); PACKED 1 where input and output are one run of elements
 * each, which are then moved WIDTH and OUTPUT_WIDTH at a time: tiles begin at multiples of them.
 *
 * Invariant: a block's rows with their pitch, TEAM shares, fit into the tile.
 * Algorithm: a lane folds its share of neighbours one after the other, the lanes' totals are
 * scanned across the team, and what lies before a lane is folded into its elements. Shares are odd
 * and rows as long as their shares, so the threads of a warp are in 32 banks. A team of one lane
 * folds from left to right, as the host does. */
#define MACROS BLOCK, TEAM, CHUNK, PACKED, WIDTH, OUTPUT_WIDTH, KEPT_NDIM, WIDE_INDEX
#include "access.cuh"

#define GROUPS 4 /* vectors in flight */
#define TEAMS (BLOCK / TEAM)

struct Params {
    const char *input;
    char *output;
    tn_i64 rows, length;
    tn_i64 input_step, output_step;
    tn_i64 tile_rows; /* of a block */
    NarrowAxis row;   /* the length again, to divide by */
    Shape<KEPT_NDIM, 2> kept;
};

/* Where the element at a place of the tile, counted along its rows, lies in shared memory. */
struct Cursor {
    int row, column;
    __device__ __forceinline__ Cursor(const Params &p, int at) {
        row = divide(p.row, at);
        column = at - row * (int)p.row.size;
    }
    __device__ __forceinline__ int place(int pitch) const { return row * pitch + column; }
    __device__ __forceinline__ void advance(const Params &p) {
        if (++column == (int)p.row.size) {
            column = 0;
            row++;
        }
    }
};

__device__ __forceinline__ const char *element(const Params &p, tn_i64 first, const Cursor &at,
                                               int array) {
    tn_i64 offsets[2] = {0, 0};
    p.kept.walk((Index)(first + at.row), offsets);
    return array == 0 ? p.input + offsets[0] + at.column * p.input_step
                      : p.output + offsets[1] + at.column * p.output_step;
}

__device__ __forceinline__ void read_rows(Accumulator *tile, const Params &p, tn_i64 first,
                                          int count, int pitch) {
#if PACKED
    const Input *from = (const Input *)p.input + first * p.length;
    for (int begin = threadIdx.x * WIDTH; begin < count; begin += GROUPS * BLOCK * WIDTH) {
        Input loaded[GROUPS][WIDTH];
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            const int at = begin + g * BLOCK * WIDTH;
            if (at + WIDTH <= count)
                load_streamed<Input, WIDTH>(loaded[g], from + at);
            else
                for (int i = 0; i < WIDTH; i++)
                    loaded[g][i] = at + i < count ? from[at + i] : Input();
        }
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            const int at = begin + g * BLOCK * WIDTH;
            if (at >= count) break;
            Cursor cursor(p, at);
#pragma unroll
            for (int i = 0; i < WIDTH; i++, cursor.advance(p))
                if (at + i < count) tile[cursor.place(pitch)] = scan_load(loaded[g][i]);
        }
    }
#else
    for (int at = threadIdx.x; at < count; at += BLOCK) {
        Cursor cursor(p, at);
        tile[cursor.place(pitch)] = scan_load(*(const Input *)element(p, first, cursor, 0));
    }
#endif
}

__device__ __forceinline__ void write_rows(const Accumulator *tile, const Params &p, tn_i64 first,
                                           int count, int pitch) {
#if PACKED
    Output *to = (Output *)p.output + first * p.length;
    for (int at = threadIdx.x * OUTPUT_WIDTH; at < count; at += BLOCK * OUTPUT_WIDTH) {
        Cursor cursor(p, at);
        if (at + OUTPUT_WIDTH <= count) {
            Output made[OUTPUT_WIDTH];
#pragma unroll
            for (int i = 0; i < OUTPUT_WIDTH; i++, cursor.advance(p))
                made[i] = fold_store(tile[cursor.place(pitch)]);
            store_streamed<Output, OUTPUT_WIDTH>(to + at, made);
        } else {
            for (int i = at; i < count; i++, cursor.advance(p))
                to[i] = fold_store(tile[cursor.place(pitch)]);
        }
    }
#else
    for (int at = threadIdx.x; at < count; at += BLOCK) {
        Cursor cursor(p, at);
        *(Output *)element(p, first, cursor, 1) = fold_store(tile[cursor.place(pitch)]);
    }
#endif
}

/* A row by its team; every lane of the warp is here. */
__device__ __forceinline__ void scan_row(Accumulator *row, int length, int share, bool there) {
    const int lane = threadIdx.x % TEAM;
    const int begin = lane * share, end = begin + share < length ? begin + share : length;
    const bool has_any = there && begin < length;
    Accumulator total = fold_neutral();
    if (has_any) {
        total = row[begin];
        for (int at = begin + 1; at < end; at++) row[at] = total = fold_op(total, row[at]);
    }
#if TEAM > 1
#pragma unroll
    for (int by = 1; by < TEAM; by *= 2) {
        Accumulator other = shuffle_up(total, by, TEAM);
        if (lane >= by) total = fold_op(other, total);
    }
    const Accumulator before = shuffle_up(total, 1, TEAM);
    if (has_any && lane > 0)
        for (int at = begin; at < end; at++) row[at] = fold_op(before, row[at]);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Accumulator tile[BLOCK * CHUNK];
    const int length = (int)p.length, share = (length + TEAM - 1) / TEAM | 1, pitch = TEAM * share;
    for (tn_i64 first = blockIdx.x * p.tile_rows; first < p.rows;
         first += gridDim.x * p.tile_rows) {
        const int rows = (int)(p.rows - first < p.tile_rows ? p.rows - first : p.tile_rows);
        read_rows(tile, p, first, rows * length, pitch);
        __syncthreads();
        for (int row = 0; row < rows; row += TEAMS) {
            const int own = row + (int)threadIdx.x / TEAM;
            scan_row(tile + own * pitch, length, share, own < rows);
        }
        __syncthreads();
        write_rows(tile, p, first, rows * length, pitch);
        __syncthreads();
    }
}
