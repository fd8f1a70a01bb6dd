/* Transposition (tni_transpose of loops.h) for one level.
 *
 * Algorithm: where the source is contiguous down the rows, square blocks of one vector are
 * transposed in registers: log2(n) rounds of interleaving rows i and i + n/2. The last block of a
 * side is moved back until it fits, so some elements are moved twice. What is narrower than a
 * block, and any other source, goes element by element. */
#include "backend/host/loops/elementwise/form.h"
#include "backend/host/loops/level.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef struct item16 {
    uint64_t low, high;
} item16;

#define VECTOR(bits, bytes)                                                                        \
    typedef uint##bits##_t u##bits##_in_##bytes __attribute__((vector_size(bytes)));
VECTOR(8, 16)
VECTOR(16, 16)
VECTOR(16, 32)
VECTOR(32, 16)
VECTOR(32, 32)
VECTOR(32, 64)
VECTOR(64, 16)
VECTOR(64, 32)
VECTOR(64, 64)

#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define LOW_2 0, 2
#define HIGH_2 1, 3
#define LOW_4_PAIRS 0, 1, 8, 9, 2, 3, 10, 11
#define HIGH_4_PAIRS 4, 5, 12, 13, 6, 7, 14, 15
#define LOW_2_PAIRS 0, 1, 4, 5
#define HIGH_2_PAIRS 2, 3, 6, 7
#define LOW_1_PAIRS 0, 1
#define HIGH_1_PAIRS 2, 3

/* Items of 4 bytes and more fill the level's vectors, and leave them past the caches if asked. */
enum { LINE_BYTES = 64 };
#if defined(__AVX512BW__)
#define STREAM(to, v) _mm512_stream_si512((__m512i *)(void *)(to), (__m512i)(v))
#elif defined(__AVX2__)
#define STREAM(to, v) _mm256_stream_si256((__m256i *)(void *)(to), (__m256i)(v))
#elif defined(__SSE2__)
#define STREAM(to, v) _mm_stream_si128((__m128i *)(void *)(to), (__m128i)(v))
#else
#define STREAM(to, v) memcpy(to, &(v), sizeof(v))
#endif
#define STORE(to, v) memcpy(to, &(v), sizeof(v))

/* One n by n block: from + c * from_column is a vector down the rows, to + r * to_row one along the
 * columns. */
#define BLOCK(type, vector, n, lanes, store)                                                       \
    INLINE void block_##type(char *to, int64_t to_row, const char *from, int64_t from_column,      \
                             int streams) {                                                        \
        vector v[n], w[n];                                                                         \
        for (int c = 0; c < n; c++)                                                                \
            memcpy(&v[c], from + c * from_column, sizeof v[c]);                                    \
        for (int round = 1; round < n; round *= 2) {                                               \
            for (int c = 0; c < n / 2; c++) {                                                      \
                w[2 * c] = __builtin_shufflevector(v[c], v[c + n / 2], LOW_##lanes);               \
                w[2 * c + 1] = __builtin_shufflevector(v[c], v[c + n / 2], HIGH_##lanes);          \
            }                                                                                      \
            memcpy(v, w, sizeof v);                                                                \
        }                                                                                          \
        for (int r = 0; r < n; r++) {                                                              \
            if (streams)                                                                           \
                store(to + r * to_row, v[r]);                                                      \
            else                                                                                   \
                STORE(to + r * to_row, v[r]);                                                      \
        }                                                                                          \
    }

/* Blocks go down the rows, as the source lies in memory; of the result whole cache lines are
 * written together. */
#define TILE(type, vector, n, lanes, store)                                                        \
    BLOCK(type, vector, n, lanes, store)                                                           \
    INLINE void blocks_##type(const tni_transposition *t, int streams) {                           \
        const int64_t size = sizeof(type), width = LINE_BYTES / size > n ? LINE_BYTES / size : n;  \
        for (int64_t left = 0; left < t->columns; left += width)                                   \
            for (int64_t top = 0; top < t->rows; top += n) {                                       \
                int64_t r = top + n <= t->rows ? top : t->rows - n;                                \
                for (int64_t x = left; x < left + width && x < t->columns; x += n) {               \
                    int64_t c = x + n <= t->columns ? x : t->columns - n;                          \
                    block_##type(t->to + r * t->to_row + c * size, t->to_row,                      \
                                 t->from + c * t->from_column + r * size, t->from_column,          \
                                 streams && c == x);                                               \
                }                                                                                  \
            }                                                                                      \
    }                                                                                              \
    static void tile_##type(const tni_transposition *t) {                                          \
        const int64_t size = sizeof(type);                                                         \
        if (t->from_row != size || t->rows < n || t->columns < n) {                                \
            for (int64_t c = 0; c < t->columns; c++)                                               \
                for (int64_t r = 0; r < t->rows; r++)                                              \
                    memcpy(t->to + r * t->to_row + c * size,                                       \
                           t->from + c * t->from_column + r * t->from_row, sizeof(type));          \
        } else if (t->streams) {                                                                   \
            blocks_##type(t, 1);                                                                   \
        } else {                                                                                   \
            blocks_##type(t, 0);                                                                   \
        }                                                                                          \
    }

TILE(uint8_t, u8_in_16, 16, 16, STORE)
#if defined(__AVX512BW__)
TILE(uint16_t, u16_in_32, 16, 16, STORE)
TILE(uint32_t, u32_in_64, 16, 16, STREAM)
TILE(uint64_t, u64_in_64, 8, 8, STREAM)
TILE(item16, u64_in_64, 4, 4_PAIRS, STREAM)
#elif defined(__AVX2__)
TILE(uint16_t, u16_in_16, 8, 8, STORE)
TILE(uint32_t, u32_in_32, 8, 8, STREAM)
TILE(uint64_t, u64_in_32, 4, 4, STREAM)
TILE(item16, u64_in_32, 2, 2_PAIRS, STREAM)
#else
TILE(uint16_t, u16_in_16, 8, 8, STORE)
TILE(uint32_t, u32_in_16, 4, 4, STREAM)
TILE(uint64_t, u64_in_16, 2, 2, STREAM)
TILE(item16, u64_in_16, 1, 1_PAIRS, STREAM)
#endif

void LEVEL(tni_transpose)(const tni_transposition *t);

void LEVEL(tni_transpose)(const tni_transposition *given) {
    tni_transposition upright = *given;
    const tni_transposition *t = &upright;
    if (given->from_row == -(int64_t)given->item_bytes) { /* from the last row on */
        upright.from += (given->rows - 1) * given->from_row;
        upright.to += (given->rows - 1) * given->to_row;
        upright.from_row = -given->from_row;
        upright.to_row = -given->to_row;
    }
    switch (t->item_bytes) {
    case 1: tile_uint8_t(t); return;
    case 2: tile_uint16_t(t); return;
    case 4: tile_uint32_t(t); return;
    case 8: tile_uint64_t(t); return;
    default: tile_item16(t); return;
    }
}
