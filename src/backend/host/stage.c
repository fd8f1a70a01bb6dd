/* Transposition of one tile. Where the source is contiguous along the tile's rows, square blocks of one
 * vector are transposed in registers: log2(n) rounds of interleaving rows i and i + n/2. What is left
 * over, and any other source, goes element by element. */
#include "backend/host/stage.h"

#include <stdbool.h>
#include <string.h>

typedef struct item16 {
    uint64_t low, high;
} item16;

typedef uint8_t v16u8 __attribute__((vector_size(16)));
typedef uint16_t v8u16 __attribute__((vector_size(16)));
typedef uint32_t v4u32 __attribute__((vector_size(16)));
typedef uint64_t v2u64 __attribute__((vector_size(16)));

#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define LOW_2 0, 2
#define HIGH_2 1, 3

/* One n by n block: from[c] is a vector along the rows, to[r] one along the columns. */
#define TRANSPOSE_BLOCK(type, vector, n)                                                           \
    static inline void block_##type(type *to, int64_t to_stride, const char *from,                 \
                                    int64_t from_stride) {                                         \
        vector v[n], w[n];                                                                         \
        for (int c = 0; c < n; c++)                                                                \
            memcpy(&v[c], from + c * from_stride, sizeof v[c]);                                    \
        for (int round = 1; round < n; round *= 2) {                                               \
            for (int c = 0; c < n / 2; c++) {                                                      \
                w[2 * c] = __builtin_shufflevector(v[c], v[c + n / 2], LOW_##n);                   \
                w[2 * c + 1] = __builtin_shufflevector(v[c], v[c + n / 2], HIGH_##n);              \
            }                                                                                      \
            memcpy(v, w, sizeof v);                                                                \
        }                                                                                          \
        for (int r = 0; r < n; r++)                                                                \
            memcpy(to + r * to_stride, &v[r], sizeof v[r]);                                        \
    }
TRANSPOSE_BLOCK(uint8_t, v16u8, 16)
TRANSPOSE_BLOCK(uint16_t, v8u16, 8)
TRANSPOSE_BLOCK(uint32_t, v4u32, 4)
TRANSPOSE_BLOCK(uint64_t, v2u64, 2)
#define block_item16(to, to_stride, from, from_stride) memcpy(to, from, 16)

#define TRANSPOSE(type, n)                                                                         \
    static void tile_##type(type *restrict to, const char *restrict from, int64_t rows,            \
                            int64_t columns, int64_t row_stride, int64_t column_stride) {          \
        bool whole = row_stride == (int64_t)sizeof(type);                                          \
        int64_t block_rows = whole ? rows / n * n : 0, block_columns = columns / n * n;            \
        for (int64_t c = 0; c < block_columns && whole; c += n)                                    \
            for (int64_t r = 0; r < block_rows; r += n)                                            \
                block_##type(to + r * columns + c, columns,                                        \
                             from + c * column_stride + r * (int64_t)sizeof(type), column_stride); \
        for (int64_t c = 0; c < columns; c++)                                                      \
            for (int64_t r = c < block_columns ? block_rows : 0; r < rows; r++)                    \
                memcpy(&to[r * columns + c], from + c * column_stride + r * row_stride,            \
                       sizeof(type));                                                              \
    }
TRANSPOSE(uint8_t, 16)
TRANSPOSE(uint16_t, 8)
TRANSPOSE(uint32_t, 4)
TRANSPOSE(uint64_t, 2)
TRANSPOSE(item16, 1)

void tni_transpose_tile(void *to, const void *from, int64_t item_bytes, int64_t rows,
                        int64_t columns, int64_t row_stride, int64_t column_stride) {
    switch (item_bytes) {
    case 1: tile_uint8_t(to, from, rows, columns, row_stride, column_stride); return;
    case 2: tile_uint16_t(to, from, rows, columns, row_stride, column_stride); return;
    case 4: tile_uint32_t(to, from, rows, columns, row_stride, column_stride); return;
    case 8: tile_uint64_t(to, from, rows, columns, row_stride, column_stride); return;
    default: tile_item16(to, from, rows, columns, row_stride, column_stride); return;
    }
}
