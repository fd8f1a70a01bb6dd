/* Whole blocks of halves to float and back, by vectors where the level has them. */
#ifndef TNI_BACKEND_HOST_LOOPS_HALF_BLOCK_H
#define TNI_BACKEND_HOST_LOOPS_HALF_BLOCK_H

#include "backend/host/loops/elementwise/form.h"
#include "backend/host/loops/entry.h"

/* `count` halves at a distance of `stride` bytes to consecutive floats. */
INLINE void load_f16(float *to, const char *from, int64_t stride, int64_t count) {
    int64_t i = 0;
    if (stride == 2) {
        const tn_u16 *a = (const tn_u16 *)from;
#if defined(__AVX512F__)
        for (; i + 16 <= count; i += 16)
            _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(a + i))));
#elif defined(__F16C__)
        for (; i + 8 <= count; i += 8)
            _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i))));
#endif
        for (; i < count; i++)
            to[i] = m_f16_to_f32(a[i]);
    }
    for (; i < count; i++)
        to[i] = m_f16_to_f32(READ(tn_u16, from, stride));
}

INLINE void store_f16(char *to, const float *from, int64_t stride, int64_t count) {
    int64_t i = 0;
    if (stride == 2) {
        tn_u16 *r = (tn_u16 *)to;
#if defined(__AVX512F__)
        for (; i + 16 <= count; i += 16)
            _mm256_storeu_si256((__m256i *)(r + i),
                                _mm512_cvtps_ph(_mm512_loadu_ps(from + i),
                                                _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__F16C__)
        for (; i + 8 <= count; i += 8)
            _mm_storeu_si128((__m128i *)(r + i),
                             _mm256_cvtps_ph(_mm256_loadu_ps(from + i),
                                             _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#endif
        for (; i < count; i++)
            r[i] = m_f32_to_f16(from[i]);
    }
    for (; i < count; i++)
        AT(tn_u16, to, stride) = m_f32_to_f16(from[i]);
}

INLINE void load_bf16(float *to, const char *from, int64_t stride, int64_t count) {
    if (stride == 2) {
        INDEPENDENT EACH to[i] = m_bf16_to_f32(((const tn_u16 *)from)[i]);
    } else {
        EACH to[i] = m_bf16_to_f32(READ(tn_u16, from, stride));
    }
}

INLINE void store_bf16(char *to, const float *from, int64_t stride, int64_t count) {
    if (stride == 2) {
        INDEPENDENT EACH((tn_u16 *)to)[i] = m_f32_to_bf16(from[i]);
    } else {
        EACH AT(tn_u16, to, stride) = m_f32_to_bf16(from[i]);
    }
}

#endif
