/* Loops over masks: counting, compressing, expanding, positions.
 *
 * 64 bytes of a mask become 64 bits, and nothing after that branches on an element. With AVX-512
 * the items of a vector are compressed or expanded under their bits (in registers: compressing into
 * memory is slow on some processors); elsewhere a loop hops from one set bit to the next. Runs of
 * 64 equal bytes, which real masks are full of, are skipped or copied whole. */
#include "backend/host/loops/entry.h"
#include "backend/host/loops/index/index_loops.h"

#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>
#define VECTOR 1
#elif defined(__SSE2__)
#include <immintrin.h>
#define VECTOR 0
#else
#define VECTOR 0
#endif

#define INLINE static inline __attribute__((always_inline))

/* --- Bits --- */

#if VECTOR
INLINE uint64_t bits_of_64(const unsigned char *mask) {
    __m512i bytes = _mm512_loadu_si512(mask);
    return _mm512_test_epi8_mask(bytes, bytes);
}
#elif defined(__AVX2__)
INLINE uint64_t bits_of_32(const unsigned char *mask) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)mask);
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())) &
           UINT64_C(0xffffffff);
}
INLINE uint64_t bits_of_64(const unsigned char *mask) {
    return bits_of_32(mask) | bits_of_32(mask + 32) << 32;
}
#elif defined(__SSE2__)
INLINE uint64_t bits_of_16(const unsigned char *mask) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)mask);
    return ~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) & 0xffffu;
}
INLINE uint64_t bits_of_64(const unsigned char *mask) {
    return bits_of_16(mask) | bits_of_16(mask + 16) << 16 | bits_of_16(mask + 32) << 32 |
           bits_of_16(mask + 48) << 48;
}
#else
INLINE uint64_t bits_of_64(const unsigned char *mask) {
    uint64_t bits = 0;
    for (int k = 0; k < 64; k++)
        bits |= (uint64_t)(mask[k] != 0) << k;
    return bits;
}
#endif

/* The bits of the next `left` bytes, at most 64 of them. */
INLINE uint64_t bits_of(const unsigned char *mask, int64_t left) {
    if (left >= 64) return bits_of_64(mask);
#if VECTOR
    __mmask64 there = (UINT64_C(1) << left) - 1;
    __m512i bytes = _mm512_maskz_loadu_epi8(there, mask);
    return _mm512_test_epi8_mask(bytes, bytes);
#else
    uint64_t bits = 0;
    for (int k = 0; k < left; k++)
        bits |= (uint64_t)(mask[k] != 0) << k;
    return bits;
#endif
}

INLINE int popcount(uint64_t bits) {
    return __builtin_popcountll(bits);
}

static int64_t count_true(const unsigned char *mask, int64_t count) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; i += 64)
        total += popcount(bits_of(mask + i, count - i));
    return total;
}

/* --- One set bit after the other --- */

#define EACH_BIT(bits, k) for (int k; bits && (k = __builtin_ctzll(bits), bits &= bits - 1, 1);)

#define HOPPING(class, type)                                                                       \
    INLINE char *compress_hopping_##class(char *to, const char *from, int64_t stride,              \
                                          const unsigned char *mask, int64_t count) {              \
        for (int64_t i = 0; i < count; i += 64, from += 64 * stride) {                             \
            uint64_t bits = bits_of(mask + i, count - i);                                          \
            if (bits == UINT64_MAX && stride == sizeof(type)) {                                    \
                memcpy(to, from, 64 * sizeof(type));                                               \
                to += 64 * sizeof(type);                                                           \
                continue;                                                                          \
            }                                                                                      \
            EACH_BIT(bits, k) {                                                                    \
                *(type *)(void *)to = *(const type *)(const void *)(from + k * stride);            \
                to += sizeof(type);                                                                \
            }                                                                                      \
        }                                                                                          \
        return to;                                                                                 \
    }                                                                                              \
    INLINE const char *expand_hopping_##class(char *to, int64_t stride, const unsigned char *mask, \
                                              int64_t count, const char *values,                   \
                                              int64_t values_stride) {                             \
        for (int64_t i = 0; i < count; i += 64, to += 64 * stride) {                               \
            uint64_t bits = bits_of(mask + i, count - i);                                          \
            EACH_BIT(bits, k) {                                                                    \
                *(type *)(void *)(to + k * stride) = *(const type *)(const void *)values;          \
                values += values_stride;                                                           \
            }                                                                                      \
        }                                                                                          \
        return values;                                                                             \
    }
HOPPING(0, tni_item1)
HOPPING(1, tni_item2)
HOPPING(2, tni_item4)
HOPPING(3, tni_item8)
HOPPING(4, tni_item16)

/* --- Vectors --- */

#if VECTOR
/* One vector of LANES items, by item size: read under bits, compress, spread, write. A vector is
 * wide: items of 1 and 2 bytes are worked on as 4, and one of 16 bytes is two lanes of 8. */
typedef __m512i wide;
enum { LANES_0 = 16, LANES_1 = 16, LANES_2 = 16, LANES_3 = 8, LANES_4 = 4 };

INLINE wide read_0(__mmask16 bits, const char *from) {
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(bits, from));
}
INLINE wide read_1(__mmask16 bits, const char *from) {
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(bits, from));
}
INLINE wide read_2(__mmask16 bits, const char *from) {
    return _mm512_maskz_loadu_epi32(bits, from);
}
INLINE wide read_3(__mmask8 bits, const char *from) {
    return _mm512_maskz_loadu_epi64(bits, from);
}
/* Two lanes for each of four bits. */
INLINE __mmask8 doubled(unsigned bits) {
    static const unsigned char twice[16] = {0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f,
                                            0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};
    return twice[bits & 15];
}
INLINE wide read_4(unsigned bits, const char *from) {
    return _mm512_maskz_loadu_epi64(doubled(bits), from);
}

INLINE void write_0(char *to, __mmask16 bits, wide items) {
    _mm_mask_storeu_epi8(to, bits, _mm512_cvtepi32_epi8(items));
}
INLINE void write_1(char *to, __mmask16 bits, wide items) {
    _mm256_mask_storeu_epi16(to, bits, _mm512_cvtepi32_epi16(items));
}
INLINE void write_2(char *to, __mmask16 bits, wide items) {
    _mm512_mask_storeu_epi32(to, bits, items);
}
INLINE void write_3(char *to, __mmask8 bits, wide items) {
    _mm512_mask_storeu_epi64(to, bits, items);
}
INLINE void write_4(char *to, unsigned bits, wide items) {
    _mm512_mask_storeu_epi64(to, doubled(bits), items);
}

INLINE void write_all_0(char *to, wide items) {
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8(items));
}
INLINE void write_all_1(char *to, wide items) {
    _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi32_epi16(items));
}
INLINE void write_all_2(char *to, wide items) {
    _mm512_storeu_si512(to, items);
}
#define write_all_3 write_all_2
#define write_all_4 write_all_2

INLINE wide pack_2(__mmask16 bits, wide items) {
    return _mm512_maskz_compress_epi32(bits, items);
}
#define pack_0 pack_2
#define pack_1 pack_2
INLINE wide pack_3(__mmask8 bits, wide items) {
    return _mm512_maskz_compress_epi64(bits, items);
}
INLINE wide pack_4(unsigned bits, wide items) {
    return _mm512_maskz_compress_epi64(doubled(bits), items);
}
INLINE wide spread_2(__mmask16 bits, wide items) {
    return _mm512_maskz_expand_epi32(bits, items);
}
#define spread_0 spread_2
#define spread_1 spread_2
INLINE wide spread_3(__mmask8 bits, wide items) {
    return _mm512_maskz_expand_epi64(bits, items);
}
INLINE wide spread_4(unsigned bits, wide items) {
    return _mm512_maskz_expand_epi64(doubled(bits), items);
}

#define LOW(bits, lanes) ((unsigned)(bits) & ((1u << (lanes)) - 1))
/* As many low bits as there are bits set: the lanes that hold something after packing. */
#define PACKED(bits) ((1u << popcount(bits)) - 1)

#define VECTORS(class, type)                                                                       \
    static char *compress_##class(char *to, char *end, const char *from, int64_t stride,           \
                                  const unsigned char *mask, int64_t count) {                      \
        if (stride != sizeof(type))                                                                \
            return compress_hopping_##class(to, from, stride, mask, count);                        \
        enum { LANES = LANES_##class, BYTES = LANES * sizeof(type) };                              \
        for (int64_t i = 0; i < count; i += 64) {                                                  \
            uint64_t all = bits_of(mask + i, count - i);                                           \
            if (!all) continue;                                                                    \
            for (int k = 0; k < 64; k += LANES) {                                                  \
                unsigned bits = LOW(all >> k, LANES);                                              \
                wide items = pack_##class(                                                         \
                    bits, read_##class(bits, from + (i + k) * (int64_t)sizeof(type)));             \
                if (end - to >= BYTES)                                                             \
                    write_all_##class(to, items);                                                  \
                else                                                                               \
                    write_##class(to, PACKED(bits), items);                                        \
                to += popcount(bits) * (int64_t)sizeof(type);                                      \
            }                                                                                      \
        }                                                                                          \
        return to;                                                                                 \
    }                                                                                              \
    static const char *expand_##class(char *to, int64_t stride, const unsigned char *mask,         \
                                      int64_t count, const char *values, int64_t values_stride) {  \
        if (stride != sizeof(type) || values_stride != sizeof(type))                               \
            return expand_hopping_##class(to, stride, mask, count, values, values_stride);         \
        for (int64_t i = 0; i < count; i += 64) {                                                  \
            uint64_t all = bits_of(mask + i, count - i);                                           \
            if (!all) continue;                                                                    \
            for (int k = 0; k < 64; k += LANES_##class) {                                          \
                unsigned bits = LOW(all >> k, LANES_##class);                                      \
                wide items = spread_##class(bits, read_##class(PACKED(bits), values));             \
                write_##class(to + (i + k) * (int64_t)sizeof(type), bits, items);                  \
                values += popcount(bits) * (int64_t)sizeof(type);                                  \
            }                                                                                      \
        }                                                                                          \
        return values;                                                                             \
    }                                                                                              \
    static void expand_one_##class(char *to, int64_t stride, const unsigned char *mask,            \
                                   int64_t count, const char *value) {                             \
        if (stride != sizeof(type)) {                                                              \
            expand_hopping_##class(to, stride, mask, count, value, 0);                             \
            return;                                                                                \
        }                                                                                          \
        wide items = same_##class(value);                                                          \
        for (int64_t i = 0; i < count; i += 64) {                                                  \
            uint64_t all = bits_of(mask + i, count - i);                                           \
            if (!all) continue;                                                                    \
            for (int k = 0; k < 64; k += LANES_##class)                                            \
                write_##class(to + (i + k) * (int64_t)sizeof(type), LOW(all >> k, LANES_##class),  \
                              items);                                                              \
        }                                                                                          \
    }

INLINE wide same_0(const char *value) {
    return _mm512_set1_epi32(*(const tni_item1 *)(const void *)value);
}
INLINE wide same_1(const char *value) {
    return _mm512_set1_epi32(*(const tni_item2 *)(const void *)value);
}
INLINE wide same_2(const char *value) {
    return _mm512_set1_epi32((int)*(const tni_item4 *)(const void *)value);
}
INLINE wide same_3(const char *value) {
    return _mm512_set1_epi64((long long)*(const tni_item8 *)(const void *)value);
}
INLINE wide same_4(const char *value) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)value));
}

static int64_t *positions(int64_t *to, int64_t *end, const unsigned char *mask, int64_t count,
                          int64_t first) {
    const __m512i ramp = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (int64_t i = 0; i < count; i += 64) {
        uint64_t all = bits_of(mask + i, count - i);
        if (!all) continue;
        for (int k = 0; k < 64; k += 8) {
            unsigned bits = LOW(all >> k, 8);
            __m512i at = _mm512_add_epi64(ramp, _mm512_set1_epi64(first + i + k));
            at = _mm512_maskz_compress_epi64((__mmask8)bits, at);
            if (end - to >= 8)
                _mm512_storeu_si512(to, at);
            else
                _mm512_mask_storeu_epi64(to, (__mmask8)PACKED(bits), at);
            to += popcount(bits);
        }
    }
    return to;
}
#else
#define VECTORS(class, type)                                                                       \
    static char *compress_##class(char *to, char *end, const char *from, int64_t stride,           \
                                  const unsigned char *mask, int64_t count) {                      \
        (void)end;                                                                                 \
        return stride == sizeof(type)                                                              \
                   ? compress_hopping_##class(to, from, sizeof(type), mask, count)                 \
                   : compress_hopping_##class(to, from, stride, mask, count);                      \
    }                                                                                              \
    static const char *expand_##class(char *to, int64_t stride, const unsigned char *mask,         \
                                      int64_t count, const char *values, int64_t values_stride) {  \
        return expand_hopping_##class(to, stride, mask, count, values, values_stride);             \
    }                                                                                              \
    static void expand_one_##class(char *to, int64_t stride, const unsigned char *mask,            \
                                   int64_t count, const char *value) {                             \
        expand_hopping_##class(to, stride, mask, count, value, 0);                                 \
    }

static int64_t *positions(int64_t *to, int64_t *end, const unsigned char *mask, int64_t count,
                          int64_t first) {
    (void)end;
    for (int64_t i = 0; i < count; i += 64) {
        uint64_t bits = bits_of(mask + i, count - i);
        EACH_BIT(bits, k) *to++ = first + i + k;
    }
    return to;
}
#endif

VECTORS(0, tni_item1)
VECTORS(1, tni_item2)
VECTORS(2, tni_item4)
VECTORS(3, tni_item8)
VECTORS(4, tni_item16)

/* The quotient of doubles, cut, is exact below 2**53: k - 1 / size never rounds up to k there. No
 * mask is larger. */
static void divide(int64_t *positions, int64_t count, int64_t size, int64_t *to,
                   int64_t to_stride) {
    const double divisor = (double)size;
    for (int64_t j = 0; j < count; j++) {
        int64_t quotient = (int64_t)((double)positions[j] / divisor);
        to[j * to_stride] = positions[j] - quotient * size;
        positions[j] = quotient;
    }
}

extern const tni_mask_loops LEVEL(tni_mask_loops);
const tni_mask_loops LEVEL(tni_mask_loops) = {
    .count = count_true,
    .compress = {compress_0, compress_1, compress_2, compress_3, compress_4},
    .expand = {expand_0, expand_1, expand_2, expand_3, expand_4},
    .expand_one = {expand_one_0, expand_one_1, expand_one_2, expand_one_3, expand_one_4},
    .positions = positions,
    .divide = divide,
};
