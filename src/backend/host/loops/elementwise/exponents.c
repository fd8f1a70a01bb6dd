/* ldexp by the processor's own instruction, which rounds once, where there is one (AVX-512). */
#include "backend/host/loops/entry.h"

#if defined(__AVX512F__)
#include <immintrin.h>

/* Vectors of T with as many exponents, up to the last ones that `mask` leaves. */
#define EXPONENTS_f32(mask, at) _mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(mask, at))
#define EXPONENTS_f64(mask, at)                                                                    \
    _mm512_cvtepi32_pd(_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(mask, at)))

#define STAMP(D, T, VECTOR, MASK, suffix)                                                          \
    static void ldexp_rows_##D(char *const *args, int64_t step, int64_t n) {                       \
        enum { LANES = 64 / sizeof(T) };                                                           \
        const T *from = (const T *)(const void *)args[0];                                          \
        const tn_i32 *by = (const tn_i32 *)(const void *)args[1];                                  \
        T *to = (T *)(void *)args[2];                                                              \
        const VECTOR one = _mm512_set1_##suffix((T)*by);                                           \
        for (int64_t i = 0; i < n; i += LANES) {                                                   \
            const MASK mask = (MASK)(n - i < LANES ? (1u << (n - i)) - 1 : (1u << LANES) - 1);     \
            const VECTOR exponents = step ? EXPONENTS_##D(mask, by + i) : one;                     \
            const VECTOR x = _mm512_maskz_loadu_##suffix(mask, from + i);                          \
            _mm512_mask_storeu_##suffix(to + i, mask, _mm512_scalef_##suffix(x, exponents));       \
        }                                                                                          \
    }                                                                                              \
    static void ldexp_##D(char *const *args, const int64_t *strides, int64_t n) {                  \
        const bool is_row = strides[0] == sizeof(T) && strides[2] == sizeof(T);                    \
        if (is_row && n > 0 && (strides[1] == sizeof(tn_i32) || strides[1] == 0)) {                \
            ldexp_rows_##D(args, strides[1], n);                                                   \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const T x = *(const T *)(const void *)(args[0] + i * strides[0]);                      \
            const tn_i32 by = *(const tn_i32 *)(const void *)(args[1] + i * strides[1]);           \
            *(T *)(void *)(args[2] + i * strides[2]) = m_ldexp(x, by);                             \
        }                                                                                          \
    }

STAMP(f32, float, __m512, __mmask16, ps)
STAMP(f64, double, __m512d, __mmask8, pd)
#define ENTRIES {tni_op_ldexp, tni_dtype_f32, ldexp_f32}, {tni_op_ldexp, tni_dtype_f64, ldexp_f64},
#else
#define ENTRIES
#endif

extern const tni_loop_entry LEVEL(tni_loops_exponents)[];
const tni_loop_entry LEVEL(tni_loops_exponents)[] = {ENTRIES{0, 0, NULL}};
