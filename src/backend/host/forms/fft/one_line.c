/* One line of any kind, through one of complex numbers. */
#include "backend/host/forms/fft/one_line.h"

#include "backend/host/forms/fft/line.h"
#include "backend/host/forms/fft/real_line.h"
#include "backend/host/threads.h"

#include <string.h>

enum { SHARED = 8192, PAIR_NS = 2 };

/* Two areas beside each other for what is not yet, or no longer, as the line is to be. */
static tn_status areas(const tni_fft_job *job, char **first, char **second) {
    const int64_t bytes = (job->length + 8) * 2 * job->part;
    TNI_TRY(tni_fft_scratch(first, TNI_FFT_SLOT_LINE, 2 * bytes));
    *second = *first + bytes;
    return TN_OK;
}

/* The place of complex numbers (is_real: real ones), without gaps. */
static tni_fft_place packed(char *at, const tni_fft_job *job, bool is_real) {
    return (tni_fft_place){at, is_real ? NULL : at + job->part, is_real ? 1 : 2, 0, 1, 1, 1};
}

static tni_fft_place exchanged(tni_fft_place place) {
    void *const re = place.re;
    place.re = place.im;
    place.im = re;
    return place;
}

/* Copies the input, with zeros after it up to `count`, if it is shorter; changes the place. */
static void fill_up(const tni_fft_job *job, tni_fft_place *from, char *area, int64_t count) {
    if (job->given == count) return;
    const bool is_real = !from->im;
    const tni_fft_place to = packed(area, job, is_real);
    tni_fft_copy(&to, from, job->given, job->part);
    memset(tni_fft_at(area, job->given * to.step, job->part), 0,
           (size_t)((count - job->given) * to.step * job->part));
    *from = to;
}

static tn_status complex_line(const tni_fft_job *job, tni_fft_place from, tni_fft_place to,
                              char *area) {
    fill_up(job, &from, area, job->length);
    if (job->is_backward) {
        from = exchanged(from);
        to = exchanged(to);
    }
    return tni_fft_line(job->plan, &from, &to);
}

/* Elements above the half, from those below. */
static void mirror(const tni_fft_job *job, const tni_fft_place *to) {
    const int64_t n = job->length, count = (n - 1) / 2;
    tni_fft_place from = *to, other = *to;
    from.re = tni_fft_at(to->re, to->step, job->part);
    from.im = tni_fft_at(to->im, to->step, job->part);
    other.re = tni_fft_at(to->re, (n - 1) * to->step, job->part);
    other.im = tni_fft_at(to->im, (n - 1) * to->step, job->part);
    other.step = -to->step;
    other.scale_re = 1;
    other.scale_im = -1;
    tni_fft_copy(&other, &from, count, job->part);
}

/* Whether a real line goes as two halves of a matrix: an odd one of small factors. */
static bool is_matrix(const tni_fft_job *job) {
    return !job->is_half && !job->plan->convolved;
}

/* --- The step between 2 half real numbers and half complex ones --- */

typedef struct halves {
    tni_fft_line_loop loop;
    char *to;
    const char *from;
    int64_t half;
    const char *roots;
} halves;

static void run_halves(void *context, int64_t begin, int64_t end) {
    const halves *h = context;
    h->loop(h->to, h->from, h->half, h->roots, begin, end);
}

static void change_halves(const tni_fft_job *job, tni_fft_line_loop loop, void *to,
                          const void *from) {
    const int64_t half = job->length / 2, count = half / 2 + 1;
    halves context = {loop, to, from, half, job->plan->halves};
    if (count < SHARED)
        run_halves(&context, 0, count);
    else
        tni_parallel_units(count, PAIR_NS, run_halves, &context);
}

static tn_status real_line(const tni_fft_job *job, tni_fft_place from, tni_fft_place to,
                           char *first, char *second) {
    const int64_t n = job->length, half = n / 2;
    from.im = NULL;
    fill_up(job, &from, first, n);
    const bool is_direct = job->is_half && to.step == 2 && !job->is_backward;
    if (is_matrix(job)) {
        if (job->is_backward) to.scale_im = -to.scale_im;
        TNI_TRY(tni_fft_real_line(job->plan, &from, &to));
        if (job->kind == TNI_FFT_WHOLE) mirror(job, &to);
        return TN_OK;
    }
    tni_fft_place made = is_direct ? to : packed(second, job, false);
    if (job->is_half) {
        from.im = tni_fft_at(from.re, from.step, job->part);
        from.step *= 2;
    }
    made.scale_re = made.scale_im = job->scale;
    TNI_TRY(tni_fft_line(job->plan, &from, &made));
    if (job->is_half) change_halves(job, job->plan->loops->split_line, made.re, made.re);
    if (!is_direct) {
        to.scale_re = 1;
        to.scale_im = job->is_backward ? -1 : 1;
        tni_fft_copy(&to, &made, half + 1, job->part);
    }
    if (job->kind == TNI_FFT_WHOLE) mirror(job, &to);
    return TN_OK;
}

static tn_status hermitian_line(const tni_fft_job *job, tni_fft_place from, tni_fft_place to,
                                char *first, char *second) {
    const int64_t n = job->length, half = n / 2, part = job->part;
    const bool conjugates = job->is_backward != job->is_half;
    fill_up(job, &from, first, half + 1);
    if (is_matrix(job)) return tni_fft_hermitian_line(job->plan, &from, &to, job->is_backward);
    if (conjugates || from.step != 2 || !job->is_half) {
        tni_fft_place copy = packed(first, job, false);
        copy.scale_im = conjugates ? -1 : 1;
        tni_fft_copy(&copy, &from, half + 1, part);
        from = packed(first, job, false);
    }
    if (job->is_half) {
        change_halves(job, job->plan->loops->join_line, second, from.re);
        from = packed(second, job, false);
        to.im = to.re;
        to.re = tni_fft_at(to.re, to.step, part);
        to.step *= 2;
    } else {
        mirror(job, &from);
        memset(from.im, 0, (size_t)part);
        to.im = NULL;
    }
    return tni_fft_line(job->plan, &from, &to);
}

tn_status tni_fft_one_line(const tni_fft_job *job, const char *input, char *output) {
    void *const at = (void *)(uintptr_t)input;
    tni_fft_place from = {at, (char *)at + job->part, job->input_step, 0, 1, 1, 1};
    tni_fft_place to = {output, output + job->part, job->output_step, 0, 1, job->scale, job->scale};
    char *first = NULL, *second = NULL;
    TNI_TRY(areas(job, &first, &second));
    switch (job->kind) {
    case TNI_FFT_COMPLEX: return complex_line(job, from, to, first);
    case TNI_FFT_REAL:
    case TNI_FFT_WHOLE: return real_line(job, from, to, first, second);
    default: return hermitian_line(job, from, to, first, second);
    }
}
