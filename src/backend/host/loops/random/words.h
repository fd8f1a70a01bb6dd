/* Philox's blocks side by side: a vector holds one 32-bit word of as many blocks as it has places
 * of 64 bits. The upper half of a place is not looked at by the products, so that a round needs no
 * masks. */
#ifndef TNI_BACKEND_HOST_LOOPS_RANDOM_WORDS_H
#define TNI_BACKEND_HOST_LOOPS_RANDOM_WORDS_H

#include "backend/host/loops/entry.h"
#include "backend/host/loops/random/loops.h"
#include "ops/random.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "two words of 32 bits are taken for one of 64, the first of them its lower half"
#endif

#if defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { WIDE_BYTES = 64 };
#define PHILOX_MULTIPLY(a, b) (wide) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
#elif defined(__AVX2__)
enum { WIDE_BYTES = 32 };
#define PHILOX_MULTIPLY(a, b) (wide) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#elif defined(__SSE2__)
enum { WIDE_BYTES = 16 };
#define PHILOX_MULTIPLY(a, b) (wide) _mm_mul_epu32((__m128i)(a), (__m128i)(b))
#else
enum { WIDE_BYTES = 16 };
#define PHILOX_MULTIPLY(a, b) (((a) & (wide){UINT32_MAX, UINT32_MAX}) * (b))
#endif
typedef uint64_t wide __attribute__((vector_size(WIDE_BYTES)));
enum { WIDE = WIDE_BYTES / 8 };

/* A count of blocks that philox_blocks makes whole vectors of: arrays have as many places. */
static inline int whole_vectors(int count) {
    return (count + WIDE - 1) / WIDE * WIDE;
}

/* Writes the first two words of each block, as one of 64 bits, and the last two. */
static inline void philox_blocks(uint64_t *low, uint64_t *high, int count, const uint64_t *blocks,
                                 const uint64_t *sequences, uint64_t key) {
    const wide none = {0}, by_a = none + 0xd2511f53u, by_c = none + 0xcd9e8d57u;
    const wide mask = none + UINT32_MAX;
    for (int at = 0; at < count; at += WIDE) {
        wide a, c;
        memcpy(&a, blocks + at, sizeof a);
        memcpy(&c, sequences + at, sizeof c);
        wide b = a >> 32, d = c >> 32;
        uint32_t k = (uint32_t)key, l = (uint32_t)(key >> 32);
        for (int round = 0; round < 10; round++) {
            wide p = PHILOX_MULTIPLY(a, by_a), q = PHILOX_MULTIPLY(c, by_c);
            a = (q >> 32) ^ b ^ (none + k);
            b = q;
            c = (p >> 32) ^ d ^ (none + l);
            d = p;
            k += 0x9e3779b9u;
            l += 0xbb67ae85u;
        }
        a = (a & mask) | b << 32;
        c = (c & mask) | d << 32;
        memcpy(low + at, &a, sizeof a);
        memcpy(high + at, &c, sizeof c);
    }
}

#endif
