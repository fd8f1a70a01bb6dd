/* A line of an odd number of real numbers, and back, as a matrix of odd sides.
 *
 * Two real columns are transformed as the parts of a complex one. Of what a real column becomes the
 * first half of the rows says all, and so does the first half of the columns on the way back. */
#include "backend/host/forms/fft/real_line.h"

#include <string.h>

/* Blocks of `count` lines that a unit takes: two whole ones, or what is left, one by one. */
typedef struct blocks {
    int64_t first, last;
    bool is_paired;
} blocks;

static blocks blocks_of(int64_t unit, int64_t count, int64_t lanes) {
    const int64_t all = (count + lanes - 1) / lanes, first = 2 * unit;
    return (blocks){first, first + 2 < all ? first + 2 : all, (first + 2) * lanes <= count};
}

static int64_t units_of(int64_t count, int64_t lanes) {
    return ((count + lanes - 1) / lanes + 1) / 2;
}

static int lanes_at(int64_t block, int64_t count, int64_t lanes) {
    return (int)(count - block * lanes < lanes ? count - block * lanes : lanes);
}

static void transform_columns(void *context, int64_t begin, int64_t end) {
    tni_fft_steps *w = context;
    const tni_fft_host_plan *plan = w->plan;
    const tni_fft_loops *loops = plan->loops;
    const int64_t lanes = loops->lanes, bytes = plan->rows * 2 * lanes * plan->part;
    const int64_t half = plan->rows / 2 + 1;
    char *a = tni_fft_step_area(w, 3 * bytes);
    for (int64_t unit = begin; unit < end && a; unit++) {
        const blocks some = blocks_of(unit, plan->columns, lanes);
        for (int64_t k = some.first; k < some.last; k += some.is_paired ? 2 : 1) {
            tni_fft_place from = *w->from;
            from.re = tni_fft_at(from.re, k * lanes * from.step, plan->part);
            from.im = NULL;
            from.apart = from.step;
            from.step *= plan->columns;
            from.lanes = lanes_at(k, plan->columns, lanes);
            if (some.is_paired) from.im = tni_fft_at(from.re, lanes * from.apart, plan->part);
            loops->load(a, &from, plan->rows);
            char *made = loops->transform(plan->first, a, a + bytes);
            if (some.is_paired) {
                loops->part_lines(made, a + 2 * bytes, plan->rows);
                tni_fft_turn_columns(w, a + 2 * bytes, k + 1, (int)lanes, half);
            }
            tni_fft_turn_columns(w, made, k, from.lanes, half);
        }
    }
}

/* Element k of row r is the line's element r + k rows: the first half of a row lies in the first
 * half of the line, and the others mirror elements of it. */
static void store_half(const tni_fft_steps *w, const char *made, int64_t block) {
    const tni_fft_host_plan *plan = w->plan;
    const int64_t lanes = plan->loops->lanes, part = plan->part, first = block * lanes;
    const int64_t half = plan->columns / 2 + 1;
    tni_fft_place to = *w->to, other = to;
    const int64_t mirrored = plan->n - first - half * plan->rows;
    other.re = tni_fft_at(to.re, mirrored * to.step, part);
    other.im = tni_fft_at(to.im, mirrored * to.step, part);
    other.scale_im = -to.scale_im;
    other.apart = -to.step;
    other.step = -to.step * plan->rows;
    to.re = tni_fft_at(to.re, first * to.step, part);
    to.im = tni_fft_at(to.im, first * to.step, part);
    to.apart = to.step;
    to.step *= plan->rows;
    to.lanes = other.lanes = lanes_at(block, plan->rows / 2 + 1, lanes);
    plan->loops->store(&to, made, half);
    plan->loops->store(&other, made + half * 2 * lanes * part, plan->columns - half);
}

static void transform_rows(void *context, int64_t begin, int64_t end) {
    tni_fft_steps *w = context;
    char *b = tni_fft_step_area(w, w->block_bytes);
    for (int64_t k = begin; k < end && b; k++)
        store_half(w, w->plan->loops->transform(w->plan->second, w->matrix + k * w->block_bytes, b),
                   k);
}

tn_status tni_fft_real_line(const tni_fft_host_plan *plan, const tni_fft_place *from,
                            const tni_fft_place *to) {
    const int64_t lanes = plan->loops->lanes;
    tni_fft_steps steps = {.plan = plan,
                           .from = from,
                           .to = to,
                           .columns = transform_columns,
                           .rows = transform_rows,
                           .column_units = units_of(plan->columns, lanes),
                           .row_units = (plan->rows / 2 + lanes) / lanes};
    return tni_fft_take_steps(&steps);
}

/* The way back. Element k of column c is the line's element c + k columns. */
static void load_half(const tni_fft_steps *w, char *block, int64_t at) {
    const tni_fft_host_plan *plan = w->plan;
    const int64_t lanes = plan->loops->lanes, part = plan->part, first = at * lanes;
    const int64_t half = plan->rows / 2 + 1, rest = plan->rows - half;
    char *const second = block + half * 2 * lanes * part;
    tni_fft_place from = *w->from, other = from;
    const int64_t mirrored = plan->n - first - half * plan->columns;
    other.re = tni_fft_at(from.re, mirrored * from.step, part);
    other.im = tni_fft_at(from.im, mirrored * from.step, part);
    other.apart = -from.step;
    other.step = -from.step * plan->columns;
    from.re = tni_fft_at(from.re, first * from.step, part);
    from.im = tni_fft_at(from.im, first * from.step, part);
    from.apart = from.step;
    from.step *= plan->columns;
    from.lanes = other.lanes = lanes_at(at, plan->columns / 2 + 1, lanes);
    plan->loops->load(block, &from, half);
    plan->loops->load(second, &other, rest);
    plan->loops->conjugate(w->conjugates ? block : second, w->conjugates ? half : rest);
    if (at == 0) memset(block + lanes * part, 0, (size_t)part);
}

static void transform_half_columns(void *context, int64_t begin, int64_t end) {
    tni_fft_steps *w = context;
    const tni_fft_host_plan *plan = w->plan;
    const int64_t lanes = plan->loops->lanes, bytes = plan->rows * 2 * lanes * plan->part;
    char *a = tni_fft_step_area(w, 2 * bytes);
    for (int64_t k = begin; k < end && a; k++) {
        load_half(w, a, k);
        tni_fft_turn_columns(w, plan->loops->transform(plan->first, a, a + bytes), k,
                             lanes_at(k, plan->columns / 2 + 1, lanes), plan->rows);
    }
}

static void transform_real_rows(void *context, int64_t begin, int64_t end) {
    tni_fft_steps *w = context;
    const tni_fft_host_plan *plan = w->plan;
    const int64_t lanes = plan->loops->lanes;
    char *b = tni_fft_step_area(w, w->block_bytes);
    for (int64_t unit = begin; unit < end && b; unit++) {
        const blocks some = blocks_of(unit, plan->rows, lanes);
        for (int64_t k = some.first; k < some.last; k += some.is_paired ? 2 : 1) {
            char *block = w->matrix + k * w->block_bytes;
            tni_fft_place to = *w->to;
            to.re = tni_fft_at(to.re, k * lanes * to.step, plan->part);
            to.im = NULL;
            to.apart = to.step;
            to.step *= plan->rows;
            to.lanes = lanes_at(k, plan->rows, lanes);
            if (some.is_paired) {
                to.im = tni_fft_at(to.re, lanes * to.apart, plan->part);
                plan->loops->join_lines(block, block + w->block_bytes, plan->columns, false);
            } else {
                plan->loops->mirror(block, plan->columns);
            }
            plan->loops->store(&to, plan->loops->transform(plan->second, block, b), plan->columns);
        }
    }
}

tn_status tni_fft_hermitian_line(const tni_fft_host_plan *plan, const tni_fft_place *from,
                                 const tni_fft_place *to, bool conjugates) {
    const int64_t lanes = plan->loops->lanes;
    tni_fft_steps steps = {.plan = plan,
                           .from = from,
                           .to = to,
                           .conjugates = conjugates,
                           .columns = transform_half_columns,
                           .rows = transform_real_rows,
                           .column_units = (plan->columns / 2 + lanes) / lanes,
                           .row_units = units_of(plan->rows, lanes)};
    return tni_fft_take_steps(&steps);
}
