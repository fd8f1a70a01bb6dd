/* Sorting networks in vector registers, for up to 16 vectors of keys: Batcher's bitonic sort. Keys
 * that are missing in the last vector are taken as the largest.
 *
 * Element i of the whole is lane i % LANES of vector i / LANES. A step (span, distance) compares
 * each i with i ^ distance; the smaller comes first where i & span is 0, else last. */
#ifndef TNI_SORT_NETWORK_H
#define TNI_SORT_NETWORK_H

#include <immintrin.h>
#include <stdint.h>

#define TNI_INLINE static inline __attribute__((always_inline))

enum { TNI_NETWORK_VECTORS = 16 };

/* Each part of `bytes` bytes exchanged with its neighbour. */
TNI_INLINE __m512i tni_exchange(__m512i vector, int bytes) {
    switch (bytes) {
    case 4: return _mm512_shuffle_epi32(vector, 0xB1);
    case 8: return _mm512_shuffle_epi32(vector, 0x4E);
    case 16: return _mm512_shuffle_i32x4(vector, vector, 0xB1);
    default: return _mm512_shuffle_i32x4(vector, vector, 0x4E);
    }
}

/* The lanes whose number has the bit. */
TNI_INLINE unsigned tni_lanes(int bit) {
    return bit == 1 ? 0xAAAA : bit == 2 ? 0xCCCC : bit == 4 ? 0xF0F0 : 0xFF00;
}

#define TNI_NETWORK(suffix, type, LANES, MASK, epu, load, store)                                     \
    /* Steps within vectors: the upper of two lanes takes the larger, or, where the span turns the \
     * order round, the lower one. */ \
    TNI_INLINE void tni_step_within_##suffix(__m512i *v, int count, int span, int distance) {        \
        _Pragma("GCC unroll 16") for (int i = 0; i < count; i++) {                                   \
            unsigned turned = span < LANES ? tni_lanes(span) : i * LANES & span ? ~0u : 0;           \
            __m512i other = tni_exchange(v[i], distance * (int)sizeof(type));                        \
            __m512i least = _mm512_min_##epu(v[i], other);                                           \
            v[i] =                                                                                   \
                _mm512_mask_max_##epu(least, (MASK)(tni_lanes(distance) ^ turned), v[i], other);     \
        }                                                                                            \
    }                                                                                                \
    TNI_INLINE void tni_step_across_##suffix(__m512i *v, int count, int span, int apart) {           \
        _Pragma("GCC unroll 16") for (int i = 0; i < count; i++) {                                   \
            if (i & apart) continue;                                                                 \
            int first = i * LANES & span ? i | apart : i, last = first ^ apart;                      \
            __m512i least = _mm512_min_##epu(v[i], v[i | apart]);                                    \
            __m512i most = _mm512_max_##epu(v[i], v[i | apart]);                                     \
            v[first] = least;                                                                        \
            v[last] = most;                                                                          \
        }                                                                                            \
    }                                                                                                \
    TNI_INLINE void tni_merge_##suffix(__m512i *v, int count, int span) {                            \
        if (span > count * LANES) return;                                                            \
        if (span >= 16 * LANES) tni_step_across_##suffix(v, count, span, 8);                         \
        if (span >= 8 * LANES) tni_step_across_##suffix(v, count, span, 4);                          \
        if (span >= 4 * LANES) tni_step_across_##suffix(v, count, span, 2);                          \
        if (span >= 2 * LANES) tni_step_across_##suffix(v, count, span, 1);                          \
        if (LANES == 16 && span >= 16) tni_step_within_##suffix(v, count, span, 8);                  \
        if (span >= 8) tni_step_within_##suffix(v, count, span, 4);                                  \
        if (span >= 4) tni_step_within_##suffix(v, count, span, 2);                                  \
        tni_step_within_##suffix(v, count, span, 1);                                                 \
    }                                                                                                \
    /* More than half of `count` vectors hold keys. */                                               \
    TNI_INLINE void tni_sort_vectors_##suffix(type *to, const type *from, int n, int count) {        \
        __m512i v[TNI_NETWORK_VECTORS];                                                              \
        MASK there[TNI_NETWORK_VECTORS];                                                             \
        _Pragma("GCC unroll 16") for (int i = 0; i < count; i++) {                                   \
            int left = n - i * LANES;                                                                \
            unsigned lanes = left >= LANES ? ~0u : left > 0 ? (1u << left) - 1 : 0;                  \
            there[i] = (MASK)lanes;                                                                  \
            v[i] = load(_mm512_set1_epi32(-1), there[i], from + i * LANES);                          \
        }                                                                                            \
        _Pragma("GCC unroll 8") for (int power = 1; power <= 8; power++)                             \
            tni_merge_##suffix(v, count, 1 << power);                                                \
        _Pragma("GCC unroll 16") for (int i = 0; i < count; i++)                                     \
            store(to + i * LANES, there[i], v[i]);                                                   \
    }                                                                                                \
    static void tni_network_##suffix(type *to, const type *from, int n) {                            \
        int count = (n + LANES - 1) / LANES;                                                         \
        if (count <= 1)                                                                              \
            tni_sort_vectors_##suffix(to, from, n, 1);                                               \
        else if (count == 2)                                                                         \
            tni_sort_vectors_##suffix(to, from, n, 2);                                               \
        else if (count <= 4)                                                                         \
            tni_sort_vectors_##suffix(to, from, n, 4);                                               \
        else if (count <= 8)                                                                         \
            tni_sort_vectors_##suffix(to, from, n, 8);                                               \
        else                                                                                         \
            tni_sort_vectors_##suffix(to, from, n, 16);                                              \
    }

#endif
