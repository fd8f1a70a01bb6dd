/* Vectors of unsigned keys of W = 16, 32 or 64 bits, on the levels that have them: vector_W of
 * LANES_W keys, loose_W at any address. Masks of lanes have a bit for each.
 *
 * take_W(v, other, larger): of two keys the larger in the lanes of a mask, the smaller in others.
 * load_some_W, store_some_W: the first n keys, if there are so many; others are read as the
 * largest.
 * below_KIND(v, bound), squeeze_KIND(v, mask): the lanes of items of that KIND (sort_items.c) whose
 * keys are below a bound; the lanes of a mask first. Such a mask has BITS_KIND bits for an item.
 *
 * AVX2 compares signed integers: it takes keys of 64 bits with the topmost bit inverted (BIAS_W),
 * except in below_KIND. */
#ifndef TNI_SORT_VECTORS_H
#define TNI_SORT_VECTORS_H

#include "ops/types.h"

#include <immintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#ifdef __AVX512BW__
enum { VECTOR_BYTES = 64 };
#define LANES_16 32
#define LANES_32 16
#define LANES_64 8
#else
enum { VECTOR_BYTES = 32 };
#define LANES_16 16
#define LANES_32 8
#define LANES_64 4
#endif

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

enum { TNI_NETWORK_VECTORS = 16, TNI_SAMPLE = 64 };

/* Lists of lanes, for shuffles in vectors of LANES of them. */
#define LIST_4(f, i) f(i), f(i + 1), f(i + 2), f(i + 3)
#define LIST_8(f, i) LIST_4(f, i), LIST_4(f, i + 4)
#define LIST_16(f, i) LIST_8(f, i), LIST_8(f, i + 8)
#define LIST_32(f, i) LIST_16(f, i), LIST_16(f, i + 16)
#define TURNED_1(i) (((i) ^ 1) % LANES)
#define TURNED_2(i) (((i) ^ 2) % LANES)
#define TURNED_3(i) (((i) ^ 3) % LANES)
#define TURNED_4(i) (((i) ^ 4) % LANES)
#define TURNED_7(i) (((i) ^ 7) % LANES)
#define TURNED_8(i) (((i) ^ 8) % LANES)
#define TURNED_15(i) (((i) ^ 15) % LANES)
#define TURNED_16(i) (((i) ^ 16) % LANES)
#define TURNED_31(i) (((i) ^ 31) % LANES)
#define LOW_SWAP(i, bit) ((i) & (bit) ? LANES + ((i) ^ (bit)) % LANES : (i))
#define HIGH_SWAP(i, bit) ((i) & (bit) ? LANES + (i) : ((i) ^ (bit)) % LANES)
#define LOW_SWAP_1(i) LOW_SWAP(i, 1)
#define LOW_SWAP_2(i) LOW_SWAP(i, 2)
#define LOW_SWAP_4(i) LOW_SWAP(i, 4)
#define LOW_SWAP_8(i) LOW_SWAP(i, 8)
#define HIGH_SWAP_1(i) HIGH_SWAP(i, 1)
#define HIGH_SWAP_2(i) HIGH_SWAP(i, 2)
#define HIGH_SWAP_4(i) HIGH_SWAP(i, 4)
#define HIGH_SWAP_8(i) HIGH_SWAP(i, 8)
#define LOW_ZIP(i) ((i) % 2 * LANES + (i) / 2)
#define HIGH_ZIP(i) ((i) % 2 * LANES + (i) / 2 + LANES / 2)

/* A mask of the lanes whose number has the bit. */
INLINE uint32_t lanes_with(int bit) {
    return bit == 1   ? 0xAAAAAAAA
           : bit == 2 ? 0xCCCCCCCC
           : bit == 4 ? 0xF0F0F0F0
           : bit == 8 ? 0xFF00FF00
                      : 0xFFFF0000;
}

#define VECTOR(W)                                                                                  \
    typedef uint##W##_t vector_##W __attribute__((vector_size(VECTOR_BYTES)));                     \
    typedef uint##W##_t loose_##W                                                                  \
        __attribute__((vector_size(VECTOR_BYTES), aligned(W / 8), may_alias));
VECTOR(16)
VECTOR(32)
VECTOR(64)

#define BIAS_16 0
#define BIAS_32 0

#ifdef __AVX512BW__

#define BIAS_64 0
#define MASK(W) TN_PASTE(__mmask, LANES_##W)
#define COMPARISONS(W)                                                                             \
    INLINE vector_##W least_##W(vector_##W v, vector_##W other) {                                  \
        return (vector_##W)_mm512_min_epu##W((__m512i)v, (__m512i)other);                          \
    }                                                                                              \
    INLINE vector_##W most_##W(vector_##W v, vector_##W other) {                                   \
        return (vector_##W)_mm512_max_epu##W((__m512i)v, (__m512i)other);                          \
    }                                                                                              \
    INLINE vector_##W take_##W(vector_##W v, vector_##W other, uint32_t larger) {                  \
        return (vector_##W)_mm512_mask_max_epu##W((__m512i)least_##W(v, other), (MASK(W))larger,   \
                                                  (__m512i)v, (__m512i)other);                     \
    }                                                                                              \
    INLINE MASK(W) some_##W(int64_t n) {                                                           \
        return (MASK(W))(n >= LANES_##W ? ~UINT32_C(0) : n > 0 ? (UINT32_C(1) << n) - 1 : 0);      \
    }                                                                                              \
    INLINE vector_##W load_some_##W(const void *from, int64_t n) {                                 \
        return (vector_##W)_mm512_mask_loadu_epi##W(_mm512_set1_epi32(-1), some_##W(n), from);     \
    }                                                                                              \
    INLINE void store_some_##W(void *to, vector_##W v, int64_t n) {                                \
        _mm512_mask_storeu_epi##W(to, some_##W(n), (__m512i)v);                                    \
    }
COMPARISONS(16)
COMPARISONS(32)
COMPARISONS(64)

INLINE uint32_t below_key2(vector_16 v, vector_16 bound) {
    return _mm512_cmplt_epu16_mask((__m512i)v, (__m512i)bound);
}
INLINE uint32_t below_key4(vector_32 v, vector_32 bound) {
    return _mm512_cmplt_epu32_mask((__m512i)v, (__m512i)bound);
}
INLINE uint32_t below_key8(vector_64 v, vector_64 bound) {
    return _mm512_cmplt_epu64_mask((__m512i)v, (__m512i)bound);
}
/* Of both lanes of a pair the first holds the key. */
INLINE uint32_t below_pair(vector_64 v, vector_64 bound) {
    const uint32_t keys = _mm512_mask_cmplt_epu64_mask(0x55, (__m512i)v, (__m512i)bound);
    return keys | keys << 1;
}
/* Zero, made anew: without it an AMD processor waits for what the register of the result held, even
 * where the instruction sets all lanes. */
INLINE __m512i fresh(void) {
    __m512i zero = _mm512_setzero_si512();
    __asm__("" : "+v"(zero));
    return zero;
}
/* An instruction that some processors of this level lack. */
#define COMPRESSES_2 __attribute__((target("avx512vbmi2")))
INLINE COMPRESSES_2 vector_16 squeeze_key2(vector_16 v, uint32_t mask) {
    return (vector_16)_mm512_mask_compress_epi16(fresh(), mask, (__m512i)v);
}
INLINE vector_32 squeeze_key4(vector_32 v, uint32_t mask) {
    return (vector_32)_mm512_mask_compress_epi32(fresh(), (__mmask16)mask, (__m512i)v);
}
INLINE vector_64 squeeze_key8(vector_64 v, uint32_t mask) {
    return (vector_64)_mm512_mask_compress_epi64(fresh(), (__mmask8)mask, (__m512i)v);
}
#define HELD_2 LANES_16
enum { BITS_key2 = 1, BITS_key4 = 1, BITS_key8 = 1, BITS_pair = 2 }; /* of a mask, by item */

#else

#define BIAS_64 (UINT64_C(1) << 63)

/* Lanes of `other` where those of a mask are set. GCC knows the comparison again by its lanes. */
INLINE __m256i blend_16(__m256i v, __m256i other, __m256i mask) {
    return _mm256_blendv_epi8(v, other, mask);
}
INLINE __m256i blend_32(__m256i v, __m256i other, __m256i mask) {
    return (__m256i)_mm256_blendv_ps((__m256)v, (__m256)other, (__m256)mask);
}
INLINE __m256i blend_64(__m256i v, __m256i other, __m256i mask) {
    return (__m256i)_mm256_blendv_pd((__m256d)v, (__m256d)other, (__m256d)mask);
}

/* The lanes of a mask as all bits of those lanes. */
INLINE __m256i lanes_16(uint32_t mask) {
    const vector_16 bits = {1,     2,     4,     8,     0x10,   0x20,   0x40,   0x80,
                            0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000};
    return (__m256i)((bits & (uint16_t)mask) != 0);
}
INLINE __m256i lanes_32(uint32_t mask) {
    const vector_32 bits = {1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80};
    return (__m256i)((bits & mask) != 0);
}
INLINE __m256i lanes_64(uint32_t mask) {
    const vector_64 bits = {1, 2, 4, 8};
    return (__m256i)((bits & (uint64_t)mask) != 0);
}
#define COMPARISONS(W)                                                                             \
    INLINE vector_##W least_##W(vector_##W v, vector_##W other) {                                  \
        return (vector_##W)_mm256_min_epu##W((__m256i)v, (__m256i)other);                          \
    }                                                                                              \
    INLINE vector_##W most_##W(vector_##W v, vector_##W other) {                                   \
        return (vector_##W)_mm256_max_epu##W((__m256i)v, (__m256i)other);                          \
    }                                                                                              \
    INLINE vector_##W take_##W(vector_##W v, vector_##W other, uint32_t larger) {                  \
        return (vector_##W)blend_##W((__m256i)least_##W(v, other), (__m256i)most_##W(v, other),    \
                                     lanes_##W(larger));                                           \
    }
COMPARISONS(16)
COMPARISONS(32)

INLINE __m256i is_above_64(vector_64 v, vector_64 other) {
    return _mm256_cmpgt_epi64((__m256i)v, (__m256i)other);
}
INLINE vector_64 least_64(vector_64 v, vector_64 other) {
    return (vector_64)blend_64((__m256i)v, (__m256i)other, is_above_64(v, other));
}
INLINE vector_64 most_64(vector_64 v, vector_64 other) {
    return (vector_64)blend_64((__m256i)other, (__m256i)v, is_above_64(v, other));
}
INLINE vector_64 take_64(vector_64 v, vector_64 other, uint32_t larger) {
    return (vector_64)blend_64((__m256i)v, (__m256i)other,
                               is_above_64(v, other) ^ lanes_64(larger));
}

INLINE vector_16 load_some_16(const void *from, int64_t n) {
    vector_16 v = (vector_16){0} - 1;
    if (n >= LANES_16) return *(const loose_16 *)from;
    if (n > 0) memcpy(&v, from, 2 * (size_t)n);
    return v;
}
INLINE void store_some_16(void *to, vector_16 v, int64_t n) {
    if (n >= LANES_16)
        *(loose_16 *)to = v;
    else if (n > 0)
        memcpy(to, &v, 2 * (size_t)n);
}
#define SOME(W)                                                                                    \
    INLINE vector_##W load_some_##W(const void *from, int64_t n) {                                 \
        if (n >= LANES_##W) return *(const loose_##W *)from;                                       \
        if (n <= 0) return (vector_##W){0} - 1;                                                    \
        const __m256i there = lanes_##W((UINT32_C(1) << n) - 1);                                   \
        return (vector_##W)(_mm256_maskload_epi##W(from, there) | ~there);                         \
    }                                                                                              \
    INLINE void store_some_##W(void *to, vector_##W v, int64_t n) {                                \
        if (n >= LANES_##W)                                                                        \
            *(loose_##W *)to = v;                                                                  \
        else if (n > 0)                                                                            \
            _mm256_maskstore_epi##W(to, lanes_##W((UINT32_C(1) << n) - 1), (__m256i)v);            \
    }
SOME(32)
SOME(64)

INLINE uint32_t below_key4(vector_32 v, vector_32 bound) {
    const uint32_t top = UINT32_C(1) << 31;
    const __m256i below = _mm256_cmpgt_epi32((__m256i)(bound ^ top), (__m256i)(v ^ top));
    return (uint32_t)_mm256_movemask_ps((__m256)below);
}
/* Masks are those of lanes of 4 bytes. */
INLINE uint32_t below_key8(vector_64 v, vector_64 bound) {
    return (uint32_t)_mm256_movemask_ps((__m256)is_above_64(bound ^ BIAS_64, v ^ BIAS_64));
}
INLINE uint32_t below_pair(vector_64 v, vector_64 bound) {
    const __m256i below = is_above_64(bound ^ BIAS_64, v ^ BIAS_64);
    return (uint32_t)_mm256_movemask_ps((__m256)_mm256_shuffle_epi32(below, 0x44));
}

/* For each mask of eight lanes their numbers, a byte each. */
#define SQUEEZED_LANE(mask, k)                                                                     \
    ((mask) >> k & 1 ? UINT64_C(k) << 8 * __builtin_popcount((mask) & ((1 << k) - 1)) : 0)
#define SQUEEZED(mask)                                                                             \
    SQUEEZED_LANE(mask, 0) | SQUEEZED_LANE(mask, 1) | SQUEEZED_LANE(mask, 2) |                     \
        SQUEEZED_LANE(mask, 3) | SQUEEZED_LANE(mask, 4) | SQUEEZED_LANE(mask, 5) |                 \
        SQUEEZED_LANE(mask, 6) | SQUEEZED_LANE(mask, 7)
#define SQUEEZED_4(mask) SQUEEZED(mask), SQUEEZED(mask + 1), SQUEEZED(mask + 2), SQUEEZED(mask + 3)
#define SQUEEZED_16(mask)                                                                          \
    SQUEEZED_4(mask), SQUEEZED_4(mask + 4), SQUEEZED_4(mask + 8), SQUEEZED_4(mask + 12)
#define SQUEEZED_64(mask)                                                                          \
    SQUEEZED_16(mask), SQUEEZED_16(mask + 16), SQUEEZED_16(mask + 32), SQUEEZED_16(mask + 48)
static const uint64_t squeezed[256] = {SQUEEZED_64(0), SQUEEZED_64(64), SQUEEZED_64(128),
                                       SQUEEZED_64(192)};

INLINE vector_32 squeeze_key4(vector_32 v, uint32_t mask) {
    const __m256i lanes =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&squeezed[mask & 0xFF]));
    return (vector_32)_mm256_permutevar8x32_epi32((__m256i)v, lanes);
}
INLINE vector_64 squeeze_key8(vector_64 v, uint32_t mask) {
    return (vector_64)squeeze_key4((vector_32)v, mask);
}
#define COMPRESSES_2
#define HELD_2 0
enum { BITS_key4 = 1, BITS_key8 = 2, BITS_pair = 4 };
#endif

#define below_packed below_key8
#define squeeze_packed squeeze_key8
#define squeeze_pair squeeze_key8
enum { BITS_packed = BITS_key8 };

#endif
