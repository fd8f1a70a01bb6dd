/* Windows that are a box over the last two axes: a block computes a tile of COLUMNS by LINES * ROWS
 * outputs, a thread ROWS of them below each other, of a tile of the image in shared memory.
 *
 * window.cuh says what a program defines; beside that
 *   OUTER          axes before these two
 *   HEIGHT, WIDTH  of the window
 *   WIRES          HEIGHT * WIDTH for a network: Working find_rank(Working (&)[WIRES]); else 1
 *   DIVIDED        sums are divided */
#define MACROS                                                                                     \
    BLOCK, WIDE_INDEX, OUTER, OP, VALUES, WEIGHTED, SYMMETRY, SKIPS, HEIGHT, WIDTH, WIRES, ROWS,   \
        DIVIDED
#include "window.cuh"

struct Params {
    const char *input;
    char *output;
    const Working *weights;
    tn_i64 tiles, row_tiles, column_tiles, rank;
    double beyond, divisor;
    tn_i64 sizes[2], low[2], edges[2], input_strides[2], output_strides[2];
    WindowValues<Working, VALUES> values;
    Shape<OUTER, 2> outer; /* the last one: without axes it has no bytes */
};

#define COLUMNS 32
#define LINES (BLOCK / COLUMNS)
#define TILE_WIDTH (COLUMNS + WIDTH - 1)
#define TILE_HEIGHT (LINES * ROWS + HEIGHT - 1)
#define COUNT (HEIGHT * WIDTH)
#define UNROLL (COUNT <= 64 ? HEIGHT + ROWS - 1 : 1)

typedef Working Tile[TILE_HEIGHT][TILE_WIDTH];

__device__ __forceinline__ void fill_tile(Tile &tile, const Params &p, const char *from, tn_i64 top,
                                          tn_i64 left) {
    for (int y = threadIdx.x / COLUMNS; y < TILE_HEIGHT; y += LINES) {
        const tn_i64 row = edge_index(top + y, p.sizes[0], p.edges[0]);
        const char *line = from + row * p.input_strides[0];
        for (int x = threadIdx.x % COLUMNS; x < TILE_WIDTH; x += COLUMNS) {
            const tn_i64 column = edge_index(left + x, p.sizes[1], p.edges[1]);
            tile[y][x] = row < 0 || column < 0
                             ? (Working)p.beyond
                             : image_load(*(const Stored *)(line + column * p.input_strides[1]));
        }
    }
}

__device__ __forceinline__ Working weight_at(const Params &p, const Working *weights, int k) {
#if VALUES
    return p.values.at[k];
#elif WEIGHTED
    return weights[k];
#else
    return (Working)1;
#endif
}

#if OP == 0 && SYMMETRY
/* The window is one line. */
__device__ __forceinline__ void combine(Working (&results)[ROWS], const Params &p, const Tile &tile,
                                        const Working *weights, int y, int x) {
    const int half = COUNT / 2;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#define ELEMENT(k) tile[y + r + (HEIGHT > 1 ? (k) : 0)][x + (HEIGHT > 1 ? 0 : (k))]
        Working sum = ELEMENT(half) * weight_at(p, weights, half);
#pragma unroll
        for (int k = 0; k < half; k++) {
            const Working low = ELEMENT(k), high = ELEMENT(COUNT - 1 - k);
            sum =
                add_product(SYMMETRY == 1 ? low + high : low - high, weight_at(p, weights, k), sum);
        }
#undef ELEMENT
        results[r] = sum;
    }
}
#elif OP < 3
/* A result with the next element of its window. */
__device__ __forceinline__ Working combine_one(Working result, Working element, Working weight) {
    if (OP == 0 && SKIPS && !counts(weight)) return result;
    if (OP == 0)
        return VALUES || WEIGHTED ? add_product(element, weight, result) : result + element;
    if (VALUES || WEIGHTED) element = OP == 1 ? element - weight : element + weight;
    return OP == 1 ? lesser(result, element) : larger(result, element);
}
__device__ __forceinline__ void combine(Working (&results)[ROWS], const Params &p, const Tile &tile,
                                        const Working *weights, int y, int x) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const Working first = tile[y + r][x], weight = weight_at(p, weights, 0);
        results[r] = OP == 0 || !(VALUES || WEIGHTED) ? first
                     : OP == 1 ? first - weight
                               : first + weight;
        if (OP == 0) results[r] = 0;
    }
#pragma unroll UNROLL
    for (int line = 0; line < HEIGHT + ROWS - 1; line++) {
        Working elements[WIDTH];
#pragma unroll
        for (int k = 0; k < WIDTH; k++) elements[k] = tile[y + line][x + k];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (line < r || line >= r + HEIGHT) continue;
#pragma unroll
            for (int k = 0; k < WIDTH; k++)
                results[r] = combine_one(results[r], elements[k],
                                         weight_at(p, weights, (line - r) * WIDTH + k));
        }
    }
}
#else
struct TileWindow {
    const Tile &tile;
    int y, x;
    __device__ __forceinline__ Working operator()(int k) const {
        return tile[y + k / WIDTH][x + k % WIDTH];
    }
};
__device__ __forceinline__ void combine(Working (&results)[ROWS], const Params &p, const Tile &tile,
                                        const Working *, int y, int x) {
#pragma unroll 1
    for (int r = 0; r < ROWS; r++) {
        const TileWindow window = {tile, y + r, x};
#if OP == 3
        Working wires[WIRES];
#pragma unroll
        for (int k = 0; k < WIRES; k++) wires[k] = window(k);
        const Working found = find_rank(wires);
#else
        const Working found = search_rank<Working>(COUNT, (int)p.rank, window);
#endif
#pragma unroll
        for (int k = 0; k < ROWS; k++)
            if (k == r) results[k] = found;
    }
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Tile tile;
    __shared__ Working weights[WEIGHTED ? COUNT : 1];
    for (int k = threadIdx.x; WEIGHTED && k < COUNT; k += BLOCK) weights[k] = p.weights[k];
    const int x = threadIdx.x % COLUMNS, y = threadIdx.x / COLUMNS * ROWS;
    for (tn_i64 number = blockIdx.x; number < p.tiles; number += gridDim.x) {
        const tn_i64 rows = number / p.column_tiles, outer = rows / p.row_tiles;
        const tn_i64 left = (number - rows * p.column_tiles) * COLUMNS;
        const tn_i64 top = (rows - outer * p.row_tiles) * (LINES * ROWS);
        tn_i64 offsets[2] = {0, 0};
        p.outer.walk((Index)outer, offsets);
        __syncthreads();
        fill_tile(tile, p, p.input + offsets[0], top - p.low[0], left - p.low[1]);
        __syncthreads();
        Working results[ROWS];
        combine(results, p, tile, weights, y, x);
        char *to = p.output + offsets[1] + (left + x) * p.output_strides[1];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (left + x >= p.sizes[1] || top + y + r >= p.sizes[0]) continue;
            const Working result = DIVIDED ? results[r] / (Working)p.divisor : results[r];
            *(Result *)(to + (top + y + r) * p.output_strides[0]) = image_store(result);
        }
    }
}
