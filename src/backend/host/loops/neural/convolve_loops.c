/* Products of convolutions, which round as they like: a multiplication and an addition may become
 * one instruction. Tiles are as large as the registers hold. */
#include "backend/host/loops/neural/convolve_loops.h"

#include "backend/host/loops/entry.h"

#include <string.h>

#if defined(__AVX512BW__)
enum { VECTOR_BYTES = 64, MOST_ROWS = 8, MOST_SUMS = 24, DOT_WIDTH = 6 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32, MOST_ROWS = 4, MOST_SUMS = 12, DOT_WIDTH = 3 };
#else
enum { VECTOR_BYTES = 16, MOST_ROWS = 4, MOST_SUMS = 12, DOT_WIDTH = 3 };
#endif
enum { MOST_VECTORS = 8 };
#define VECTORS_OF(rows) (MOST_SUMS / (rows) < MOST_VECTORS ? MOST_SUMS / (rows) : MOST_VECTORS)

#define INLINE static inline __attribute__((always_inline))
#define UNROLL_(text) _Pragma(#text)
#define UNROLL(n) UNROLL_(GCC unroll n)

#define SUFFIX f32
#define W float
#include "backend/host/loops/neural/convolve_stamp.h"

#define SUFFIX f64
#define W double
#include "backend/host/loops/neural/convolve_stamp.h"

#define AS_IS(a) (a)
#define RUNS(name, S, W, LOAD, STORE)                                                              \
    static void load_##name(void *run, const char *from, int64_t stride, int64_t count) {          \
        W *to = run;                                                                               \
        if (stride == (int64_t)sizeof(S))                                                          \
            for (int64_t k = 0; k < count; k++)                                                    \
                to[k] = LOAD(((const S *)(const void *)from)[k]);                                  \
        else                                                                                       \
            for (int64_t k = 0; k < count; k++, from += stride)                                    \
                to[k] = LOAD(*(const S *)(const void *)from);                                      \
    }                                                                                              \
    INLINE void store_run_##name(char *to, int64_t stride, const W *run, int64_t count, W alpha,   \
                                 W beta) {                                                         \
        for (int64_t k = 0; k < count; k++, to += stride) {                                        \
            S *at = (S *)(void *)to;                                                               \
            *at = STORE(beta == 0 ? alpha * run[k] : alpha * run[k] + beta * LOAD(*at));           \
        }                                                                                          \
    }                                                                                              \
    static void store_##name(char *to, int64_t stride, const void *run, int64_t count,             \
                             double alpha, double beta) {                                          \
        if (alpha == 1 && beta == 0 && stride == (int64_t)sizeof(S))                               \
            store_run_##name(to, sizeof(S), run, count, 1, 0);                                     \
        else if (beta == 0)                                                                        \
            store_run_##name(to, stride, run, count, (W)alpha, 0);                                 \
        else if (stride == (int64_t)sizeof(S))                                                     \
            store_run_##name(to, sizeof(S), run, count, (W)alpha, (W)beta);                        \
        else                                                                                       \
            store_run_##name(to, stride, run, count, (W)alpha, (W)beta);                           \
    }

RUNS(f16, tn_u16, float, m_f16_to_f32, m_f32_to_f16)
RUNS(bf16, tn_u16, float, m_bf16_to_f32, m_f32_to_bf16)
RUNS(f32, float, float, AS_IS, AS_IS)
RUNS(f64, double, double, AS_IS, AS_IS)

#define LOOPS(stored, working, W)                                                                  \
    {                                                                                              \
        .element = sizeof(W), .lanes = VECTOR_BYTES / sizeof(W), .rows = MOST_ROWS,                \
        .slack = MOST_VECTORS * VECTOR_BYTES / sizeof(W), .load = load_##stored,                   \
        .store = store_##stored, .multiply = multiply_##working, .dot = dot_##working,             \
        .add = add_##working,                                                                      \
    }

extern const tni_convolve_loops LEVEL(tni_convolve_loops)[];
const tni_convolve_loops LEVEL(tni_convolve_loops)[tni_dtype_count] = {
    [TN_F16] = LOOPS(f16, f32, float),
    [TN_BF16] = LOOPS(bf16, f32, float),
    [TN_F32] = LOOPS(f32, f32, float),
    [TN_F64] = LOOPS(f64, f64, double),
};
