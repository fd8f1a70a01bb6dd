/* Products of convolutions, which round as they like: a multiplication and an addition may become
 * one instruction. Tiles are as large as the registers hold. */
#include "backend/host/loops/neural/convolve_loops.h"

#include "backend/host/loops/elementwise/half_block.h"
#include "backend/host/loops/entry.h"
#include "backend/host/loops/neural/vector.h"

#include <string.h>

#if defined(__AVX512BW__)
enum { MOST_ROWS = 8, MOST_SUMS = 24, DOT_WIDTH = 6, CHANNEL_VECTORS = 4 };
#else
enum { MOST_ROWS = 4, MOST_SUMS = 12, DOT_WIDTH = 3, CHANNEL_VECTORS = 2 };
#endif
enum {
    MOST_VECTORS = 8,
    MOST_FILTERS = 6,
    PLACES = 4,
    DEPTH_PLACES = 6,
    OUTER_ROWS = MOST_SUMS / 2
};
#define VECTORS_OF(rows) (MOST_SUMS / (rows) < MOST_VECTORS ? MOST_SUMS / (rows) : MOST_VECTORS)

#define UNROLL_(text) _Pragma(#text)
#define UNROLL(n) UNROLL_(GCC unroll n)

#define SUFFIX f32
#define W float
#include "backend/host/loops/neural/convolve_stamp.h"

#include "backend/host/loops/neural/channels_stamp.h"
#undef W
#undef SUFFIX

#define SUFFIX f64
#define W double
#include "backend/host/loops/neural/convolve_stamp.h"

#include "backend/host/loops/neural/channels_stamp.h"
#undef W
#undef SUFFIX

#define AS_IS(a) (a)

#define STORED f16
#define SUFFIX f32
#define S tn_u16
#define W float
#define LOAD m_f16_to_f32
#define STORE m_f32_to_f16
#define LOAD_BLOCK load_f16
#define STORE_BLOCK store_f16
#define IS_PLAIN 0
#include "backend/host/loops/neural/runs_stamp.h"

#define STORED bf16
#define SUFFIX f32
#define S tn_u16
#define W float
#define LOAD m_bf16_to_f32
#define STORE m_f32_to_bf16
#define LOAD_BLOCK load_bf16
#define STORE_BLOCK store_bf16
#define IS_PLAIN 0
#include "backend/host/loops/neural/runs_stamp.h"

#define STORED f32
#define SUFFIX f32
#define S float
#define W float
#define LOAD AS_IS
#define STORE AS_IS
#define IS_PLAIN 1
#include "backend/host/loops/neural/runs_stamp.h"

#define STORED f64
#define SUFFIX f64
#define S double
#define W double
#define LOAD AS_IS
#define STORE AS_IS
#define IS_PLAIN 1
#include "backend/host/loops/neural/runs_stamp.h"

#define LOOPS(stored, working, W)                                                                  \
    {                                                                                              \
        .element = sizeof(W), .lanes = VECTOR_BYTES / sizeof(W), .rows = MOST_ROWS,                \
        .slack = MOST_VECTORS * VECTOR_BYTES / sizeof(W), .load = read_##stored,                   \
        .pick = pick_##stored, .store = write_##stored, .load_rows = load_rows_##stored,           \
        .store_rows = store_rows_##stored, .multiply = multiply_##working,                         \
        .multiply_channels = multiply_channels_##working,                                          \
        .multiply_depth = multiply_depth_##working, .dot = dot_##working,                          \
        .multiply_outer = multiply_outer_##working, .dot_channels = dot_channels_##working,        \
        .add = add_##working, .merge = merge_##working, .transpose = transpose_##working,          \
    }

extern const tni_convolve_loops LEVEL(tni_convolve_loops)[];
const tni_convolve_loops LEVEL(tni_convolve_loops)[tni_dtype_count] = {
    [TN_F16] = LOOPS(f16, f32, float),
    [TN_BF16] = LOOPS(bf16, f32, float),
    [TN_F32] = LOOPS(f32, f32, float),
    [TN_F64] = LOOPS(f64, f64, double),
};
