/* Inner loops of correlations for b8, the unsigned integers, f32 and f64.
 *
 * A block of outputs stays in vector registers while the window passes: each of its elements is
 * multiplied with the vectors of the array that stand beside it. Sums of many taps are made of
 * sums of a few hundred, which keeps rounding errors of floats small. */
#include "backend/host/loops/samples/correlate_loops.h"

#include "backend/host/loops/entry.h"
#include "backend/host/loops/vector_bytes.h"

#include <string.h>

enum { VECTORS = 8, TAPS = 256 };
_Static_assert(VECTORS *VECTOR_BYTES <= TNI_CORRELATE_BYTES, "blocks are too wide");

#define STAMP(name, T, ADD, MULTIPLY)                                                              \
    typedef T vector_##name __attribute__((vector_size(VECTOR_BYTES)));                            \
    typedef T loose_##name __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));      \
    typedef T element_##name __attribute__((may_alias));                                           \
    static void block_##name(void *to, const void *from, const void *beside, int64_t taps,         \
                             int64_t step) {                                                       \
        enum { LANES = VECTOR_BYTES / sizeof(T) };                                                 \
        const element_##name *array = from, *window = beside;                                      \
        loose_##name *sums = to;                                                                   \
        for (int64_t done = 0; done < taps; done += TAPS) {                                        \
            const int64_t n = taps - done < TAPS ? taps - done : TAPS;                             \
            vector_##name some[VECTORS];                                                           \
            memset(some, 0, sizeof some);                                                          \
            for (int64_t k = done; k < done + n; k++) {                                            \
                const T weight = window[k * step];                                                 \
                const vector_##name all = weight - (vector_##name){0};                             \
                const element_##name *at = array + k * step;                                       \
                _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) {                        \
                    const vector_##name here =                                                     \
                        *(const loose_##name *)(const void *)(at + v * LANES);                     \
                    some[v] = ADD(some[v], MULTIPLY(here, all));                                   \
                }                                                                                  \
            }                                                                                      \
            for (int v = 0; v < VECTORS; v++)                                                      \
                sums[v] = ADD((vector_##name)sums[v], some[v]);                                    \
        }                                                                                          \
    }                                                                                              \
    static void single_##name(void *to, const void *from, const void *beside, int64_t taps,        \
                              int64_t step) {                                                      \
        const element_##name *array = from, *window = beside;                                      \
        T sum = *(element_##name *)to;                                                             \
        for (int64_t done = 0; done < taps; done += TAPS) {                                        \
            const int64_t n = taps - done < TAPS ? taps - done : TAPS;                             \
            T some = 0;                                                                            \
            for (int64_t k = done; k < done + n; k++)                                              \
                some = (T)ADD(some, MULTIPLY(array[k * step], window[k * step]));                  \
            sum = (T)ADD(sum, some);                                                               \
        }                                                                                          \
        *(element_##name *)to = sum;                                                               \
    }

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define OR(a, b) ((a) | (b))
#define AND(a, b) ((a) & (b))
STAMP(b8, tn_u8, OR, AND)
STAMP(u8, tn_u8, PLUS, TIMES)
STAMP(u16, tn_u16, PLUS, TIMES)
STAMP(u32, tn_u32, PLUS, TIMES)
STAMP(u64, tn_u64, PLUS, TIMES)
STAMP(f32, float, PLUS, TIMES)
STAMP(f64, double, PLUS, TIMES)

#define ENTRY(name, T)                                                                             \
    { VECTORS *VECTOR_BYTES / sizeof(T), block_##name, single_##name }
extern const tni_correlate_loops LEVEL(tni_correlate_loops)[];
const tni_correlate_loops LEVEL(tni_correlate_loops)[tni_dtype_count] = {
    [TN_B8] = ENTRY(b8, tn_u8),    [TN_U8] = ENTRY(u8, tn_u8),    [TN_U16] = ENTRY(u16, tn_u16),
    [TN_U32] = ENTRY(u32, tn_u32), [TN_U64] = ENTRY(u64, tn_u64), [TN_F32] = ENTRY(f32, float),
    [TN_F64] = ENTRY(f64, double),
};
