/* Element-wise work where outputs run along the last axis and some inputs along the one before it:
 * these go through a tile in shared memory, so that both sides are read and written in whole lines.
 *
 * The program defines what elements.cuh asks for, EACH_TRANSPOSED(DO) for the inputs that are
 * transposed (they are not in EACH_INPUT), READ_k elements of one load of input k, WIDTH of others,
 * TILE (rows and columns of a tile, a power of two), OUTER_NDIM axes before the two, WIDE_INDEX.
 * Invariant: READ_k is above 1 only where columns of input k begin aligned and are whole vectors
 * long; WIDTH likewise for rows. A row of the tile has one word more than it needs, against bank
 * conflicts. */
#define MACROS BLOCK, WIDTH, TILE, OUTER_NDIM, WIDE_INDEX, ARGUMENTS
#include "elements.cuh"

struct Params {
    tn_i64 rows, columns; /* of one matrix of outputs */
    tn_i64 row_tiles, column_tiles;
    char *data[ARGUMENTS];
    ScalarValue values[ARGUMENTS];
    tn_i64 row_strides[ARGUMENTS], column_strides[ARGUMENTS];
    Shape<OUTER_NDIM, ARGUMENTS> outer;
};

/* Elements of padding: at least 4 bytes. */
#define PADDING(k) (sizeof(Stored##k) >= 4 ? 1 : 4 / (int)sizeof(Stored##k))

#define SHARED(k) __shared__ Stored##k tile##k[TILE][TILE + PADDING(k)];

/* Reads the tile of transposed input k. Row x of the tile is column x of the matrix. */
#define TO_TILE(k)                                                                                 \
    {                                                                                              \
        const int across = TILE / READ_##k;                                                        \
        Stored##k loaded[TILE * across / BLOCK][READ_##k];                                         \
        const char *from = p.data[k] + offsets[k];                                                 \
        _Pragma("unroll") for (int n = 0; n < TILE * across / BLOCK; n++) {                        \
            int at = n * BLOCK + threadIdx.x, x = at / across, y = at % across * READ_##k;         \
            if (left + x < p.columns && top + y < p.rows)                                          \
                load_vector<Stored##k, READ_##k>(loaded[n],                                        \
                                                 from + (left + x) * p.column_strides[k] +         \
                                                     (top + y) * (tn_i64)sizeof(Stored##k));       \
        }                                                                                          \
        _Pragma("unroll") for (int n = 0; n < TILE * across / BLOCK; n++) {                        \
            int at = n * BLOCK + threadIdx.x, x = at / across, y = at % across * READ_##k;         \
            _Pragma("unroll") for (int i = 0; i < READ_##k; i++) tile##k[x][y + i] = loaded[n][i]; \
        }                                                                                          \
    }

/* The elements e[] of one vector of outputs: values, inputs that lie like it, the tiles; the mask;
 * and what is stored. */
#define PLACE(k) p.data[k] + offsets[k] + row *p.row_strides[k] + column *p.column_strides[k]
#define SCALAR(k)                                                                                  \
    _Pragma("unroll") for (int i = 0; i < WIDTH; i++) e[i].a##k =                                  \
        *(const Stored##k *)p.values[k].bytes;
#define LOAD(k) LOAD_ARGUMENT(k, e, WIDTH, PLACE(k), p.column_strides[k])
#define FROM_TILE(k)                                                                               \
    _Pragma("unroll") for (int i = 0; i < WIDTH; i++) e[i].a##k = tile##k[x + i][y];
#define MASK(k)                                                                                    \
    {                                                                                              \
        tn_u8 mask[WIDTH];                                                                         \
        load_elements<INNER_##k, tn_u8, WIDTH>(mask, PLACE(k), p.column_strides[k]);               \
        _Pragma("unroll") for (int i = 0; i < WIDTH; i++) chosen |= (unsigned)(mask[i] != 0) << i; \
    }
#define STORE(k) STORE_ARGUMENT(k, e, WIDTH, PLACE(k), p.column_strides[k], chosen)

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    EACH_TRANSPOSED(SHARED)
    unsigned block = blockIdx.x;
    unsigned next = block / (unsigned)p.column_tiles;
    const tn_i64 left = (tn_i64)(block - next * (unsigned)p.column_tiles) * TILE;
    block = next / (unsigned)p.row_tiles;
    const tn_i64 top = (tn_i64)(next - block * (unsigned)p.row_tiles) * TILE;
    tn_i64 offsets[ARGUMENTS];
#pragma unroll
    for (int a = 0; a < ARGUMENTS; a++) offsets[a] = 0;
    p.outer.walk((Index)block, offsets);

    EACH_TRANSPOSED(TO_TILE)
    __syncthreads();

    const int across = TILE / WIDTH;
#pragma unroll 2
    for (int at = threadIdx.x; at < TILE * across; at += BLOCK) {
        const int y = at / across, x = at % across * WIDTH;
        const tn_i64 row = top + y, column = left + x;
        if (row >= p.rows || column >= p.columns) continue;
        Element e[WIDTH];
        unsigned chosen = 0;
        EACH_SCALAR(SCALAR)
        EACH_INPUT(LOAD)
        EACH_TRANSPOSED(FROM_TILE)
        EACH_MASK(MASK)
#pragma unroll
        for (int i = 0; i < WIDTH; i++) body(e[i]);
        EACH_OUTPUT(STORE)
    }
}
#undef SHARED
#undef TO_TILE
#undef PLACE
#undef SCALAR
#undef LOAD
#undef FROM_TILE
#undef MASK
#undef STORE
