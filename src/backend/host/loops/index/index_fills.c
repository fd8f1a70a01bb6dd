/* Loops that fill memory with ranges: start + i * step, in the arithmetic that NumPy uses for the
 * dtype: integers wrap; halves are computed in float and rounded once; complex numbers part by
 * part. A range of fewer than 2**31 elements counts in i32, which converts to floats faster. */
#include "backend/host/loops/entry.h"
#include "backend/host/loops/index/index_loops.h"

#include <math.h>

/* Elements that wrap: unsigned arithmetic of the same width. */
#define RANGE_I(suffix, type)                                                                      \
    static void arange_##suffix(char *to, int64_t first, int64_t count, const tni_arange *range) { \
        type *out = (type *)(void *)to, step = (type)range->step.u;                                \
        type start = (type)(range->start.u + (uint64_t)first * range->step.u);                     \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = (type)(start + (type)((type)i * step));                                       \
    }
RANGE_I(8, uint8_t)
RANGE_I(16, uint16_t)
RANGE_I(32, uint32_t)
RANGE_I(64, uint64_t)

#define RANGE_LOOP(statement)                                                                      \
    do {                                                                                           \
        if (first + count <= INT32_MAX) {                                                          \
            const int32_t from = (int32_t)first;                                                   \
            for (int32_t k = 0; k < (int32_t)count; k++) {                                         \
                const int32_t i = from + k;                                                        \
                statement;                                                                         \
            }                                                                                      \
        } else                                                                                     \
            for (int64_t k = 0; k < count; k++) {                                                  \
                const int64_t i = first + k;                                                       \
                statement;                                                                         \
            }                                                                                      \
    } while (0)

#define RANGE_F(suffix, type, storage, store)                                                      \
    static void arange_##suffix(char *to, int64_t first, int64_t count, const tni_arange *range) { \
        storage *out = (storage *)(void *)to;                                                      \
        const type start = (type)range->start.f, step = (type)range->step.f;                       \
        RANGE_LOOP(out[k] = store(start + (type)i * step));                                        \
    }
RANGE_F(f16, float, uint16_t, m_f32_to_f16)
RANGE_F(bf16, float, uint16_t, m_f32_to_bf16)
RANGE_F(f32, float, float, )
RANGE_F(f64, double, double, )

#define RANGE_C(suffix, type)                                                                      \
    static void arange_##suffix(char *to, int64_t first, int64_t count, const tni_arange *range) { \
        type *out = (type *)(void *)to;                                                            \
        const type re = (type)range->start.c[0], re_step = (type)range->step.c[0];                 \
        const type im = (type)range->start.c[1], im_step = (type)range->step.c[1];                 \
        RANGE_LOOP(out[2 * (int64_t)k] = re + (type)i * re_step;                                   \
                   out[2 * (int64_t)k + 1] = im + (type)i * im_step);                              \
    }
RANGE_C(c64, float)
RANGE_C(c128, double)

/* --- Evenly spaced values: `parts` doubles an element --- */

static inline __attribute__((always_inline)) void linspace_parts(double *out, int64_t first,
                                                                 int64_t count,
                                                                 const tni_arange *range,
                                                                 int parts) {
    const double *start = range->start.c, *step = range->step.c;
    if (range->divisor != 0)
        for (int64_t k = 0; k < count; k++)
            for (int part = 0; part < parts; part++)
                out[parts * k + part] =
                    (double)(first + k) / range->divisor * step[part] + start[part];
    else
        for (int part = 0; part < parts; part++)
            RANGE_LOOP(out[parts * (int64_t)k + part] = (double)i * step[part] + start[part]);
    if (range->has_last && first + count == range->count)
        for (int part = 0; part < parts; part++)
            out[parts * (count - 1) + part] = range->last.c[part];
    if (range->rounds_down)
        for (int64_t k = 0; k < parts * count; k++)
            out[k] = floor(out[k]);
}
static void linspace_f64(char *to, int64_t first, int64_t count, const tni_arange *range) {
    linspace_parts((double *)(void *)to, first, count, range, 1);
}
static void linspace_c128(char *to, int64_t first, int64_t count, const tni_arange *range) {
    linspace_parts((double *)(void *)to, first, count, range, 2);
}

extern const tni_fill_loops LEVEL(tni_fill_loops);
const tni_fill_loops LEVEL(tni_fill_loops) = {
    .arange = {[TN_B8] = arange_8,
               [TN_I8] = arange_8,
               [TN_U8] = arange_8,
               [TN_I16] = arange_16,
               [TN_U16] = arange_16,
               [TN_I32] = arange_32,
               [TN_U32] = arange_32,
               [TN_I64] = arange_64,
               [TN_U64] = arange_64,
               [TN_F16] = arange_f16,
               [TN_BF16] = arange_bf16,
               [TN_F32] = arange_f32,
               [TN_F64] = arange_f64,
               [TN_C64] = arange_c64,
               [TN_C128] = arange_c128},
    .linspace = {[TN_F64] = linspace_f64, [TN_C128] = linspace_c128},
};
