/* Columns: blocks beside each other, of lines that lie side by side and whose elements lie far
 * apart. All of them go through the rows of memory together, since a few numbers at a time of each
 * row would cost more than the transform. */
#ifndef TNI_HOST_FFT_COLUMNS_H
#define TNI_HOST_FFT_COLUMNS_H

#include "backend/host/forms/fft/plan.h"

enum { TNI_FFT_COLUMN_BLOCKS = 4 };

/* Blocks of one plan, and after them one that is free. */
typedef struct tni_fft_columns {
    const tni_fft_loops *loops;
    int64_t part;
    int count;
    const tni_fft_lanes *plan;
    bool has_entered; /* the first pass was done while loading */
    bool keeps_last;  /* the last pass is done while storing */
    char *at[TNI_FFT_COLUMN_BLOCKS + 1];
} tni_fft_columns;

/* How many blocks of so many bytes go together: as many as fit the second cache with a free one;
 * just one where elements lie near each other. */
int tni_fft_columns_together(int64_t block_bytes, int64_t step_bytes);

/* Loads so many rows of `lines` lines, of which the first block begins at `from`. */
void tni_fft_columns_load(tni_fft_columns *columns, const tni_fft_place *from, int64_t lines,
                          int64_t rows);
/* The passes between; `keeps_last`: all but the last one. */
void tni_fft_columns_transform(tni_fft_columns *columns, bool keeps_last);
/* Whether the last pass can store so many lines at `to`. */
bool tni_fft_columns_can_leave(const tni_fft_columns *columns, const tni_fft_place *to,
                               int64_t lines);
void tni_fft_columns_store(const tni_fft_columns *columns, const tni_fft_place *to, int64_t lines,
                           int64_t rows);

#endif
