/* One line: the four-step algorithm, whose columns and rows are blocks shared among the threads, or
 * Bluestein's convolution by a line that has such factors. */
#include "backend/host/forms/fft/line.h"

#include "backend/host/forms/fft/columns.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <string.h>

enum { SHARED = 8192, KEPT_BYTES = 64 << 20, ELEMENT_NS = 3 };

tn_status tni_fft_scratch(void *result, int slot, int64_t bytes) {
    void *memory = tni_scratch(slot, (size_t)bytes);
    if (!memory) return tni_fail_no_memory(bytes);
    memcpy(result, &memory, sizeof memory);
    return TN_OK;
}

#define COPY(name, type)                                                                           \
    static void copy_##name(const tni_fft_place *to, const tni_fft_place *from, int64_t count) {   \
        type *re = to->re, *im = to->im;                                                           \
        const type *from_re = from->re, *from_im = from->im;                                       \
        const type scale_re = (type)to->scale_re, scale_im = (type)to->scale_im;                   \
        for (int64_t k = 0; k < count; k++) {                                                      \
            re[k * to->step] = from_re[k * from->step] * scale_re;                                 \
            if (im) im[k * to->step] = from_im ? from_im[k * from->step] * scale_im : 0;           \
        }                                                                                          \
    }
COPY(f32, float)
COPY(f64, double)

void tni_fft_copy(const tni_fft_place *to, const tni_fft_place *from, int64_t count, int64_t part) {
    (part == 4 ? copy_f32 : copy_f64)(to, from, count);
}

char *tni_fft_step_area(tni_fft_steps *steps, int64_t bytes) {
    char *area = tni_scratch(TNI_FFT_SLOT_BLOCK, (size_t)bytes);
    if (!area) atomic_store(&steps->is_out_of_memory, true);
    return area;
}

static tni_fft_turn turn_of(const tni_fft_steps *steps, const void *block, int64_t at, int columns,
                            int64_t rows) {
    const tni_fft_host_plan *plan = steps->plan;
    const int64_t lanes = plan->loops->lanes, part = plan->part;
    return (tni_fft_turn){
        .to = steps->matrix + at * lanes * 2 * lanes * part,
        .from = block,
        .to_apart = steps->block_bytes / part,
        .count = rows,
        .columns = columns,
        .twiddles = plan->twiddles + (plan->bases ? 0 : at * plan->rows * 2 * lanes * part),
        .bases = plan->bases ? plan->bases + at * plan->rows * 2 * part : NULL,
    };
}

void tni_fft_turn_columns(const tni_fft_steps *steps, const void *block, int64_t at, int columns,
                          int64_t rows) {
    const tni_fft_turn turn = turn_of(steps, block, at, columns, rows);
    steps->plan->loops->turn(&turn);
}

/* How many blocks of columns, or of rows, are a unit: their loads, or stores, are columns. */
static int together(const tni_fft_host_plan *plan, int64_t elements, const tni_fft_place *place) {
    const int64_t bytes = elements * 2 * plan->loops->lanes * plan->part;
    return tni_fft_columns_together(bytes, plan->n / elements * place->step * plan->part);
}

/* Of unit `unit`, of `each` blocks of which there are lines for so many: the first line, and how
 * many lines. */
static int64_t lines_of(int64_t *first, int64_t unit, int64_t each, int64_t count) {
    *first = unit * each;
    return count - *first < each ? count - *first : each;
}

/* Whether the last pass can turn its results: it makes whole blocks of rows. */
static bool can_turn(const tni_fft_lanes *lanes, int64_t count) {
    return lanes->leaves && lanes->passes[lanes->pass_count - 1].before % count == 0;
}

static void transform_columns(void *context, int64_t begin, int64_t end) {
    tni_fft_steps *w = context;
    const tni_fft_host_plan *plan = w->plan;
    const int64_t lanes = plan->loops->lanes, part = plan->part;
    const int64_t bytes = plan->rows * 2 * lanes * part;
    const int most = together(plan, plan->rows, w->from);
    const bool leaves = can_turn(plan->first, lanes);
    char *a = tni_fft_step_area(w, (most + 1) * bytes);
    for (int64_t unit = begin; unit < end && a; unit++) {
        int64_t first, lines = lines_of(&first, unit, most * lanes, plan->columns);
        tni_fft_columns some = {.loops = plan->loops,
                                .part = part,
                                .count = (int)((lines + lanes - 1) / lanes),
                                .plan = plan->first};
        for (int b = 0; b <= some.count; b++)
            some.at[b] = a + b * bytes;
        tni_fft_place from = *w->from;
        from.re = tni_fft_at(from.re, first * from.step, part);
        from.im = tni_fft_at(from.im, first * from.step, part);
        from.apart = from.step;
        from.step *= plan->columns;
        tni_fft_columns_load(&some, &from, lines, plan->rows);
        tni_fft_columns_transform(&some, leaves);
        for (int b = 0; b < some.count; b++, lines -= lanes) {
            const tni_fft_turn turn = turn_of(w, some.at[b], first / lanes + b,
                                              (int)(lines < lanes ? lines : lanes), plan->rows);
            if (leaves)
                plan->loops->leave_turned(plan->first, some.at[b], &turn);
            else
                plan->loops->turn(&turn);
        }
    }
}

static void transform_rows(void *context, int64_t begin, int64_t end) {
    tni_fft_steps *w = context;
    const tni_fft_host_plan *plan = w->plan;
    const int64_t lanes = plan->loops->lanes, part = plan->part;
    const int most = together(plan, plan->columns, w->to);
    char *left = tni_fft_step_area(w, w->block_bytes);
    for (int64_t unit = begin; unit < end && left; unit++) {
        int64_t first;
        const int64_t lines = lines_of(&first, unit, most * lanes, plan->rows);
        tni_fft_columns some = {.loops = plan->loops,
                                .part = part,
                                .count = (int)((lines + lanes - 1) / lanes),
                                .plan = plan->second};
        for (int b = 0; b < some.count; b++)
            some.at[b] = w->matrix + (first / lanes + b) * w->block_bytes;
        some.at[some.count] = left;
        tni_fft_place to = *w->to;
        to.re = tni_fft_at(to.re, first * to.step, part);
        to.im = tni_fft_at(to.im, first * to.step, part);
        to.apart = to.step;
        to.step *= plan->rows;
        tni_fft_columns_transform(&some, tni_fft_columns_can_leave(&some, &to, lines));
        tni_fft_columns_store(&some, &to, lines, plan->columns);
        left = some.at[some.count];
    }
}

tn_status tni_fft_take_steps(tni_fft_steps *w) {
    const tni_fft_host_plan *plan = w->plan;
    const int64_t lanes = plan->loops->lanes, row_blocks = (plan->rows + lanes - 1) / lanes;
    w->block_bytes = plan->columns * 2 * lanes * plan->part;
    const int64_t bytes = row_blocks * w->block_bytes;
    void *owned = NULL;
    if (bytes > KEPT_BYTES) {
        owned = tni_malloc((size_t)bytes + TNI_FFT_VECTOR_BYTES);
        if (!owned) return tni_fail_no_memory(bytes);
        w->matrix = (char *)owned + TNI_FFT_VECTOR_BYTES - (uintptr_t)owned % TNI_FFT_VECTOR_BYTES;
    } else {
        TNI_TRY(tni_fft_scratch(&w->matrix, TNI_FFT_SLOT_MATRIX, bytes));
    }
    if (plan->n < SHARED) {
        w->columns(w, 0, w->column_units);
        w->rows(w, 0, w->row_units);
    } else {
        tni_parallel_units(w->column_units, plan->n / w->column_units * ELEMENT_NS, w->columns, w);
        tni_parallel_units(w->row_units, plan->n / w->row_units * ELEMENT_NS, w->rows, w);
    }
    tni_free(owned);
    return w->is_out_of_memory ? tni_fail_no_memory(bytes) : TN_OK;
}

static tn_status four_steps(const tni_fft_host_plan *plan, const tni_fft_place *from,
                            const tni_fft_place *to) {
    const int64_t columns = together(plan, plan->rows, from) * plan->loops->lanes;
    const int64_t rows = together(plan, plan->columns, to) * plan->loops->lanes;
    tni_fft_steps steps = {.plan = plan,
                           .from = from,
                           .to = to,
                           .columns = transform_columns,
                           .rows = transform_rows,
                           .column_units = (plan->columns + columns - 1) / columns,
                           .row_units = (plan->rows + rows - 1) / rows};
    return tni_fft_take_steps(&steps);
}

static tn_status convolve(const tni_fft_host_plan *plan, const tni_fft_place *from,
                          const tni_fft_place *to) {
    const int64_t whole = plan->convolved->n, part = plan->part;
    char *line = NULL;
    TNI_TRY(tni_fft_scratch(&line, TNI_FFT_SLOT_CHIRP, whole * 2 * part));
    const tni_fft_place straight = {line, line + part, 2, 0, 1, 1, 1};
    const tni_fft_place exchanged = {line + part, line, 2, 0, 1, 1, 1};
    tni_fft_copy(&straight, from, plan->n, part);
    plan->loops->multiply(line, line, plan->chirp, plan->n);
    memset(line + plan->n * 2 * part, 0, (size_t)((whole - plan->n) * 2 * part));
    TNI_TRY(tni_fft_line(plan->convolved, &straight, &straight));
    plan->loops->multiply(line, line, plan->spectrum, whole);
    TNI_TRY(tni_fft_line(plan->convolved, &exchanged, &exchanged));
    plan->loops->multiply(line, line, plan->chirp, plan->n);
    tni_fft_copy(to, &straight, plan->n, part);
    return TN_OK;
}

tn_status tni_fft_line(const tni_fft_host_plan *plan, const tni_fft_place *from,
                       const tni_fft_place *to) {
    return (plan->convolved ? convolve : four_steps)(plan, from, to);
}
