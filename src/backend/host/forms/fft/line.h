/* One line of complex numbers, as long as any. */
#ifndef TNI_HOST_FFT_LINE_H
#define TNI_HOST_FFT_LINE_H

#include "backend/host/forms/fft/plan.h"

#include <stdatomic.h>

/* Slots of tni_scratch(): a block's buffers, a line's matrix, Bluestein's line, a caller's, and
 * what cosines are transformed from and to. */
enum {
    TNI_FFT_SLOT_BLOCK,
    TNI_FFT_SLOT_MATRIX,
    TNI_FFT_SLOT_CHIRP,
    TNI_FFT_SLOT_LINE,
    TNI_FFT_SLOT_COSINE
};

/* Transforms the line at `from` to `to`, which may be the same. Of the places only parts and step
 * count, and of `to` the scales. Shares a long line among the threads. */
tn_status tni_fft_line(const tni_fft_host_plan *plan, const tni_fft_place *from,
                       const tni_fft_place *to);

/* The two steps of a line that is a matrix: tasks over (blocks of) columns, then of rows, with a
 * tni_fft_steps as their context. */
typedef struct tni_fft_steps {
    const tni_fft_host_plan *plan;
    const tni_fft_place *from, *to;
    bool conjugates;
    char *matrix;
    int64_t block_bytes; /* of the matrix: columns of as many rows as there are lanes */
    atomic_bool is_out_of_memory;
    int64_t column_units, row_units;
    void (*columns)(void *steps, int64_t begin, int64_t end);
    void (*rows)(void *steps, int64_t begin, int64_t end);
} tni_fft_steps;
tn_status tni_fft_take_steps(tni_fft_steps *steps);
/* A buffer of the task; a failure, NULL, is reported. */
char *tni_fft_step_area(tni_fft_steps *steps, int64_t bytes);
/* A block of columns, transformed, from the block-th of them on, into the matrix: its first `rows`
 * rows. */
void tni_fft_turn_columns(const tni_fft_steps *steps, const void *block, int64_t at, int columns,
                          int64_t rows);

/* Memory of a slot; the failure is reported. */
tn_status tni_fft_scratch(void *result, int slot, int64_t bytes);

/* The place of the part that lies so many real numbers on. */
static inline void *tni_fft_at(const void *part_at, int64_t count, int64_t part) {
    return part_at ? (char *)(uintptr_t)part_at + count * part : NULL;
}

/* Copies `count` complex numbers from one place to another, times the scales of `to`. */
void tni_fft_copy(const tni_fft_place *to, const tni_fft_place *from, int64_t count, int64_t part);

#endif
