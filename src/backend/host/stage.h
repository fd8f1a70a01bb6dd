/* Moves into a thread's stage. */
#ifndef TNI_STAGE_H
#define TNI_STAGE_H

#include <stdint.h>

/* to[r][c] (contiguous) = from[r * row_stride + c * column_stride], elements of 1, 2, 4, 8 or 16 bytes. */
void tni_transpose_tile(void *to, const void *from, int64_t item_bytes, int64_t rows,
                        int64_t columns, int64_t row_stride, int64_t column_stride);

#endif
