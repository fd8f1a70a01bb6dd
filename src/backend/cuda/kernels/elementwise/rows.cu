/* Element-wise work on two axes where some arguments are the same in every row or along a row: what
 * does not change is read once.
 *
 * The program defines what elements.cuh asks for (INNER_VECTOR or INNER_CONSTANT everywhere),
 * WIDTH, UNROLL rows in flight, LANES threads along a row (a power of two), OUTER_0, OUTER_1, ...:
 * 1 where an argument changes from row to row.
 * Algorithm: a block stands on LANES x WIDTH columns and BLOCK / LANES rows and walks down;
 * arguments that are the same in every row stay in registers, those along a row are one load that a
 * warp shares. */
#define MACROS BLOCK, WIDTH, UNROLL, LANES, WIDE_INDEX, ARGUMENTS
#include "elements.cuh"

struct Params {
    tn_i64 rows, columns; /* columns in elements */
    tn_i64 row_blocks;    /* blocks of threads that share the rows of one strip of columns */
    char *data[ARGUMENTS];
    ScalarValue values[ARGUMENTS];
    tn_i64 row_strides[ARGUMENTS];
};

#define ROW_THREADS (BLOCK / LANES)

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const unsigned strip = blockIdx.x / (unsigned)p.row_blocks;
    const unsigned share = blockIdx.x - strip * (unsigned)p.row_blocks;
    const tn_i64 column = ((tn_i64)strip * LANES + threadIdx.x % LANES) * WIDTH;
    if (column >= p.columns) return;
    Element fixed[WIDTH];
#define SCALAR(k)                                                                                  \
    _Pragma("unroll") for (int i = 0; i < WIDTH; i++) fixed[i].a##k =                              \
        *(const Stored##k *)p.values[k].bytes;
#define FIXED(k)                                                                                   \
    if (!OUTER_##k)                                                                                \
    LOAD_ARGUMENT(k, fixed, WIDTH,                                                                 \
                  p.data[k] + (INNER_##k == INNER_VECTOR ? column * sizeof(Stored##k) : 0), 0)
    EACH_SCALAR(SCALAR)
    EACH_INPUT(FIXED)
    const tn_i64 step = p.row_blocks * (ROW_THREADS * UNROLL);
#pragma unroll 1
    for (tn_i64 first = (tn_i64)share * (ROW_THREADS * UNROLL) + threadIdx.x / LANES;
         first < p.rows; first += step) {
        Element e[UNROLL][WIDTH];
        unsigned chosen[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            tn_i64 row = first + u * ROW_THREADS;
            chosen[u] = 0;
#pragma unroll
            for (int i = 0; i < WIDTH; i++) e[u][i] = fixed[i];
            if (row >= p.rows) continue;
#define PLACE(k)                                                                                   \
    p.data[k] + row *p.row_strides[k] + (INNER_##k == INNER_VECTOR ? column * sizeof(Stored##k) : 0)
#define LOAD(k)                                                                                    \
    if (OUTER_##k) LOAD_ARGUMENT(k, e[u], WIDTH, PLACE(k), 0)
#define MASK(k)                                                                                    \
    {                                                                                              \
        tn_u8 mask[WIDTH];                                                                         \
        load_elements<INNER_##k, tn_u8, WIDTH>(mask, PLACE(k), 1);                                 \
        _Pragma("unroll") for (int i = 0; i < WIDTH; i++) chosen[u] |= (unsigned)(mask[i] != 0)    \
                                                                       << i;                       \
    }
            EACH_INPUT(LOAD)
            EACH_MASK(MASK)
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            tn_i64 row = first + u * ROW_THREADS;
            if (row >= p.rows) break;
#pragma unroll
            for (int i = 0; i < WIDTH; i++) body(e[u][i]);
#define STORE(k) STORE_ARGUMENT(k, e[u], WIDTH, PLACE(k), 0, chosen[u])
            EACH_OUTPUT(STORE)
        }
    }
#undef SCALAR
#undef FIXED
#undef PLACE
#undef LOAD
#undef MASK
#undef STORE
}
