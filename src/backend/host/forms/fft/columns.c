/* Columns: a few rows of all blocks at a time. */
#include "backend/host/forms/fft/columns.h"

#include "backend/host/forms/fft/line.h"

#include <stdlib.h>

enum {
    ROWS = 8,                 /* at a time */
    TOGETHER_BYTES = 3 << 18, /* of all blocks */
    FAR_BYTES = 1 << 11       /* of a step from which on blocks go together */
};

int tni_fft_columns_together(int64_t block_bytes, int64_t step_bytes) {
    int count = TNI_FFT_COLUMN_BLOCKS;
    while (count > 1 && (count + 1) * block_bytes > TOGETHER_BYTES)
        count /= 2;
    return llabs(step_bytes) < FAR_BYTES ? 1 : count;
}

/* The place of element k of the lines of a block; those of the last block may be fewer. */
static tni_fft_place place_of(const tni_fft_columns *columns, const tni_fft_place *first, int block,
                              int64_t k, int64_t lines) {
    const int lanes = columns->loops->lanes;
    const int64_t at = k * first->step + block * lanes * first->apart, left = lines - block * lanes;
    tni_fft_place place = *first;
    place.re = tni_fft_at(place.re, at, columns->part);
    place.im = tni_fft_at(place.im, at, columns->part);
    place.lanes = left < lanes ? (int)left : lanes;
    return place;
}

static int64_t bytes_of(const tni_fft_columns *columns, int64_t rows) {
    return rows * 2 * columns->loops->lanes * columns->part;
}

/* The rows that are taken next; blocks that are alone go through all of them. */
static int64_t rows_at(const tni_fft_columns *columns, int64_t left) {
    return columns->count > 1 && left > ROWS ? ROWS : left;
}

/* Whether complex columns fill all blocks and lie side by side. */
static bool are_beside(const tni_fft_columns *columns, const tni_fft_place *place, int64_t lines) {
    const char *re = place->re, *im = place->im;
    return place->apart == 2 && im && llabs(im - re) == columns->part &&
           lines == (int64_t)columns->count * columns->loops->lanes;
}

void tni_fft_columns_load(tni_fft_columns *columns, const tni_fft_place *from, int64_t lines,
                          int64_t rows) {
    columns->has_entered =
        columns->plan->enters && rows == columns->plan->n && are_beside(columns, from, lines);
    if (columns->has_entered) {
        columns->loops->enter(columns->plan, columns->at, columns->count, from);
        return;
    }
    for (int64_t k = 0, some; k < rows; k += some) {
        some = rows_at(columns, rows - k);
        for (int b = 0; b < columns->count; b++) {
            const tni_fft_place place = place_of(columns, from, b, k, lines);
            columns->loops->load(columns->at[b] + bytes_of(columns, k), &place, some);
        }
    }
}

bool tni_fft_columns_can_leave(const tni_fft_columns *columns, const tni_fft_place *to,
                               int64_t lines) {
    return columns->plan->leaves && are_beside(columns, to, lines);
}

void tni_fft_columns_transform(tni_fft_columns *columns, bool keeps_last) {
    char **const at = columns->at, **const left = at + columns->count;
    const tni_fft_lanes *plan = columns->plan;
    const int first = columns->has_entered, end = plan->pass_count - keeps_last;
    columns->keeps_last = keeps_last;
    for (int b = 0; b < columns->count; b++) {
        char *made = plan->inner ? columns->loops->transform(plan, at[b], *left)
                                 : columns->loops->run_passes(plan, at[b], *left, first, end);
        if (made == at[b]) continue;
        *left = at[b];
        at[b] = made;
    }
}

void tni_fft_columns_store(const tni_fft_columns *columns, const tni_fft_place *to, int64_t lines,
                           int64_t rows) {
    if (columns->keeps_last) {
        columns->loops->leave(columns->plan, columns->at, columns->count, to);
        return;
    }
    for (int64_t k = 0, some; k < rows; k += some) {
        some = rows_at(columns, rows - k);
        for (int b = 0; b < columns->count; b++) {
            const tni_fft_place place = place_of(columns, to, b, k, lines);
            columns->loops->store(&place, columns->at[b] + bytes_of(columns, k), some);
        }
    }
}
