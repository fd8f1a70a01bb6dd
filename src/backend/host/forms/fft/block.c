/* A block of lines: loaded, transformed in the caches, stored. */
#include "backend/host/forms/fft/block.h"

#include "backend/host/forms/fft/columns.h"
#include "backend/host/forms/fft/line.h"

#include <string.h>

/* Elements of the input, then zeros up to `count`. */
static void load(const tni_fft_job *job, char *block, const tni_fft_place *from, int64_t given,
                 int64_t count) {
    const tni_fft_loops *loops = job->plan->loops;
    const int64_t element = 2 * loops->lanes * job->part;
    loops->load(block, from, given);
    memset(block + given * element, 0, (size_t)((count - given) * element));
}

/* Pairs of real numbers as complex ones; an odd number of them ends with half a pair. */
static void load_halves(const tni_fft_job *job, char *block, tni_fft_place from) {
    const tni_fft_loops *loops = job->plan->loops;
    const int64_t pairs = job->given / 2, step = from.step;
    from.im = tni_fft_at(from.re, step, job->part);
    from.step = 2 * step;
    load(job, block, &from, pairs, job->plan->n);
    if (job->given % 2 == 0) return;
    from.re = tni_fft_at(from.re, 2 * step * pairs, job->part);
    from.im = NULL;
    loops->load(block + pairs * 2 * loops->lanes * job->part, &from, 1);
}

/* The place of the lines that go as imaginary parts. */
static tni_fft_place second_of(tni_fft_place lines, int64_t part) {
    lines.re = tni_fft_at(lines.re, lines.lanes * lines.apart, part);
    return lines;
}

/* `second` (NULL: there is none): room for the half lines of imaginary parts. */
static void load_input(const tni_fft_job *job, char *block, char *second, tni_fft_place from) {
    const tni_fft_loops *loops = job->plan->loops;
    const int64_t n = job->length;
    tni_fft_place other = second_of(from, job->part);
    switch (job->kind) {
    case TNI_FFT_COMPLEX:
        from.im = tni_fft_at(from.re, 1, job->part);
        if (job->is_backward) {
            from.im = from.re;
            from.re = tni_fft_at(from.re, 1, job->part);
        }
        load(job, block, &from, job->given, n);
        break;
    case TNI_FFT_REAL:
    case TNI_FFT_WHOLE:
        if (second) from.im = other.re;
        if (job->is_half)
            load_halves(job, block, from);
        else
            load(job, block, &from, job->given, n);
        break;
    default: /* HERMITIAN */
        from.im = tni_fft_at(from.re, 1, job->part);
        load(job, block, &from, job->given, n / 2 + 1);
        if (second) {
            other.im = tni_fft_at(other.re, 1, job->part);
            load(job, second, &other, job->given, n / 2 + 1);
            loops->join_lines(block, second, n, job->is_backward);
            break;
        }
        if (job->is_backward != job->is_half) loops->conjugate(block, n / 2 + 1);
        if (job->is_half)
            loops->join(block, n / 2, job->plan->halves);
        else
            loops->mirror(block, n);
    }
}

static void store_lines(const tni_fft_job *job, char *block, tni_fft_place to) {
    const tni_fft_loops *loops = job->plan->loops;
    const int64_t n = job->length, half = n / 2, part = job->part;
    char *const re = to.re;
    to.im = re + part;
    switch (job->kind) {
    case TNI_FFT_COMPLEX:
        if (job->is_backward) {
            to.re = re + part;
            to.im = re;
        }
        loops->store(&to, block, n);
        break;
    case TNI_FFT_REAL:
    case TNI_FFT_WHOLE:
        if (job->is_half) loops->split(block, half, job->plan->halves);
        if (job->is_backward) to.scale_im = -to.scale_im;
        loops->store(&to, block, half + 1);
        if (job->kind == TNI_FFT_REAL) break;
        to.re = tni_fft_at(to.re, (n - 1) * to.step, part);
        to.im = tni_fft_at(to.im, (n - 1) * to.step, part);
        to.step = -to.step;
        to.scale_im = -to.scale_im;
        loops->store(&to, block + 2 * loops->lanes * part, (n - 1) / 2);
        break;
    default: /* HERMITIAN */
        if (job->is_half) {
            to.im = re;
            to.re = tni_fft_at(re, to.step, part);
            to.step *= 2;
            loops->store(&to, block, half);
        } else {
            to.im = NULL;
            loops->store(&to, block, n);
        }
    }
}

static void store_output(const tni_fft_job *job, char *block, char *second, tni_fft_place to) {
    const tni_fft_place other = second_of(to, job->part);
    if (!second) {
        store_lines(job, block, to);
    } else if (job->kind == TNI_FFT_HERMITIAN) {
        to.im = other.re;
        job->plan->loops->store(&to, block, job->length);
    } else {
        job->plan->loops->part_lines(block, second, job->length);
        store_lines(job, block, to);
        store_lines(job, second, other);
    }
}

tn_status tni_fft_block(const tni_fft_job *job, const char *input, char *output, int lanes) {
    const tni_fft_host_plan *plan = job->plan;
    const bool is_paired = lanes > plan->loops->lanes;
    /* One element more than the transform has: the last of a half. */
    const int64_t bytes = (plan->first->room + 1) * 2 * plan->loops->lanes * job->part;
    char *a = NULL;
    TNI_TRY(tni_fft_scratch(&a, TNI_FFT_SLOT_BLOCK, (is_paired ? 3 : 2) * bytes));
    char *const second = is_paired ? a + 2 * bytes : NULL;
    if (is_paired) lanes = plan->loops->lanes;
    load_input(job, a, second,
               (tni_fft_place){(void *)(uintptr_t)input, NULL, job->input_step, job->lanes_apart_in,
                               lanes, 1, 1});
    store_output(job, plan->loops->transform(plan->first, a, a + bytes), second,
                 (tni_fft_place){output, NULL, job->output_step, job->lanes_apart_out, lanes,
                                 job->scale, job->scale});
    return TN_OK;
}

static tni_fft_place columns_at(const tni_fft_job *job, char *at, int64_t step) {
    char *const next = at + job->part;
    return (tni_fft_place){job->is_backward ? next : at,
                           job->is_backward ? at : next,
                           step,
                           2,
                           0,
                           job->scale,
                           job->scale};
}

tn_status tni_fft_beside(const tni_fft_job *job, const char *input, char *output, int64_t lines) {
    const tni_fft_host_plan *plan = job->plan;
    const int64_t n = job->length, lanes = plan->loops->lanes, element = 2 * lanes * job->part;
    const int64_t bytes = plan->first->room * element;
    tni_fft_columns columns = {.loops = plan->loops,
                               .part = job->part,
                               .count = (int)((lines + lanes - 1) / lanes),
                               .plan = plan->first};
    const tni_fft_place from = columns_at(job, (char *)(uintptr_t)input, job->input_step);
    const tni_fft_place to = columns_at(job, output, job->output_step);
    TNI_TRY(tni_fft_scratch(&columns.at[0], TNI_FFT_SLOT_BLOCK, (columns.count + 1) * bytes));
    for (int b = 1; b <= columns.count; b++)
        columns.at[b] = columns.at[b - 1] + bytes;
    tni_fft_columns_load(&columns, &from, lines, job->given);
    for (int b = 0; b < columns.count; b++)
        memset(columns.at[b] + job->given * element, 0, (size_t)((n - job->given) * element));
    tni_fft_columns_transform(&columns, tni_fft_columns_can_leave(&columns, &to, lines));
    tni_fft_columns_store(&columns, &to, lines, n);
    return TN_OK;
}
