/* Transposition of one tile: the source is walked along its rows (its fast axis) in small blocks, so that
 * a line read is used before it leaves the cache. */
#include "backend/host/stage.h"

#include <string.h>

typedef struct item16 {
    uint64_t low, high;
} item16;

enum { BLOCK = 8 };

#define TRANSPOSE(name, type)                                                                      \
    static void name(type *restrict to, const char *restrict from, int64_t rows, int64_t columns,  \
                     int64_t row_stride, int64_t column_stride) {                                  \
        for (int64_t r0 = 0; r0 < rows; r0 += BLOCK) {                                             \
            int64_t r1 = r0 + BLOCK < rows ? r0 + BLOCK : rows;                                    \
            for (int64_t c = 0; c < columns; c++) {                                                \
                const char *column = from + c * column_stride;                                     \
                for (int64_t r = r0; r < r1; r++)                                                  \
                    memcpy(&to[r * columns + c], column + r * row_stride, sizeof(type));           \
            }                                                                                      \
        }                                                                                          \
    }
TRANSPOSE(transpose_1, uint8_t)
TRANSPOSE(transpose_2, uint16_t)
TRANSPOSE(transpose_4, uint32_t)
TRANSPOSE(transpose_8, uint64_t)
TRANSPOSE(transpose_16, item16)

void tni_transpose_tile(void *to, const void *from, int64_t item_bytes, int64_t rows,
                        int64_t columns, int64_t row_stride, int64_t column_stride) {
    switch (item_bytes) {
    case 1: transpose_1(to, from, rows, columns, row_stride, column_stride); return;
    case 2: transpose_2(to, from, rows, columns, row_stride, column_stride); return;
    case 4: transpose_4(to, from, rows, columns, row_stride, column_stride); return;
    case 8: transpose_8(to, from, rows, columns, row_stride, column_stride); return;
    default: transpose_16(to, from, rows, columns, row_stride, column_stride); return;
    }
}
