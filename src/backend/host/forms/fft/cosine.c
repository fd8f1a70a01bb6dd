/* Cosine and sine transforms: a step before a Fourier transform of about the same length, and one
 * after it (loops/cosine_loops.h). */
#include "backend/host/forms/fft/cosine.h"

#include "backend/host/forms/fft/line.h"
#include "backend/host/forms/fft/one_line.h"
#include "backend/host/threads.h"

#include <string.h>

enum { SHARED = 1 << 15, NUMBER_NS = 2 };

static bool is_complex(const tni_fft_job *job) {
    return job->type == 4 && job->count % 2 == 0;
}

void tni_fft_cosine_describe(tni_fft_job *job) {
    const int64_t n = job->count;
    job->kind = job->type == 3    ? TNI_FFT_HERMITIAN
                : is_complex(job) ? TNI_FFT_COMPLEX
                                  : TNI_FFT_REAL;
    job->is_backward = job->type == 3;
    job->length = job->type == 1 ? 2 * (job->is_sine ? n + 1 : n - 1) : is_complex(job) ? n / 2 : n;
}

/* How many numbers a step counts: of the real side of type 1, of halves of types 2 and 3. */
static int64_t count_of(const tni_fft_job *job, bool is_before) {
    const int64_t n = job->count;
    switch (job->type) {
    case 1: return n;
    case 2: return is_before ? (n + 1) / 2 : n / 2 + 1;
    case 3: return is_before ? n / 2 + 1 : (n + 1) / 2;
    default: return n % 2 ? n : n / 2;
    }
}

/* The step without its places. Scales: those of SciPy's sums beside the caller's. */
static tni_cosine_step step_of(const tni_fft_job *job, bool is_before) {
    const double root2 = 1.41421356237309504880, scales[] = {1, 2, 1, 2};
    const bool has_edge = job->is_weighed && (job->type == 1 || job->type == (is_before ? 3 : 2));
    return (tni_cosine_step){.type = job->type,
                             .is_sine = job->is_sine,
                             .n = job->count,
                             .end = count_of(job, is_before),
                             .from_step = 1,
                             .to_step = 1,
                             .spread = 1,
                             .turns = job->plan->turns,
                             .scale = is_before ? 1 : job->scale * scales[job->type - 1],
                             .edge = !has_edge   ? 1
                                     : is_before ? root2
                                                 : 1 / root2};
}

/* The place of real numbers as the parts of complex ones, and the rest of an odd number. */
static tni_fft_place pairs_of(const tni_fft_job *job, char *at, int64_t step, int64_t apart,
                              int lanes) {
    return (tni_fft_place){at, tni_fft_at(at, step, job->part), 2 * step, apart, lanes, 1, 1};
}

static tni_fft_place rest_of(const tni_fft_job *job, tni_fft_place place, int64_t pairs) {
    place.re = tni_fft_at(place.re, pairs * place.step, job->part);
    place.im = NULL;
    return place;
}

/* The transform between: returns the buffer that has the result. */
static char *transform(const tni_fft_job *job, char *a, char *b) {
    const tni_fft_host_plan *plan = job->plan;
    const tni_fft_loops *loops = plan->loops;
    const int64_t n = job->length;
    if (job->kind == TNI_FFT_HERMITIAN) {
        if (job->is_half) {
            loops->join(a, n / 2, plan->halves);
        } else {
            loops->conjugate(a, n / 2 + 1);
            loops->mirror(a, n);
        }
    }
    char *made = loops->transform(plan->first, a, b);
    if (job->kind == TNI_FFT_REAL && job->is_half) loops->split(made, n / 2, plan->halves);
    return made;
}

tn_status tni_fft_cosine_block(const tni_fft_job *job, const char *input, char *output, int lanes) {
    const tni_fft_host_plan *plan = job->plan;
    const tni_fft_loops *loops = plan->loops;
    const int64_t n = job->count, number = loops->lanes * job->part, given = job->given;
    const int64_t bytes = (plan->first->room + 1) * 2 * number;
    const bool is_spread = job->kind != TNI_FFT_COMPLEX && !job->is_half;
    tni_cosine_step before = step_of(job, true), after = step_of(job, false);
    char *a = NULL;
    TNI_TRY(tni_fft_scratch(&a, TNI_FFT_SLOT_BLOCK, 2 * bytes));
    char *const b = a + bytes;
    tni_fft_place from =
        pairs_of(job, (char *)(uintptr_t)input, job->input_step, job->lanes_apart_in, lanes);
    loops->load(b, &from, given / 2);
    from = rest_of(job, from, given / 2);
    if (given % 2) loops->load(b + (given - 1) * number, &from, 1);
    memset(b + given * number, 0, (size_t)((n - given) * number));
    if (is_spread) memset(a, 0, (size_t)(2 * n * number));
    before.from = b;
    before.to = a;
    before.spread = after.spread = is_spread ? 2 : 1;
    after.swapped = job->kind == TNI_FFT_HERMITIAN && job->is_half;
    loops->cosine.before[1](&before);
    char *const made = transform(job, a, b), *const numbers = made == a ? b : a;
    after.from = made;
    after.to = numbers;
    loops->cosine.after[1](&after);
    tni_fft_place to = pairs_of(job, output, job->output_step, job->lanes_apart_out, lanes);
    loops->store(&to, numbers, n / 2);
    to = rest_of(job, to, n / 2);
    if (n % 2) loops->store(&to, numbers + (n - 1) * number, 1);
    return TN_OK;
}

typedef struct shared_step {
    tni_cosine_step step;
    void (*run)(const tni_cosine_step *step);
} shared_step;

static void run_part(void *context, int64_t begin, int64_t end) {
    const shared_step *shared = context;
    tni_cosine_step step = shared->step;
    step.begin = begin;
    step.end = end;
    shared->run(&step);
}

static void run_step(const tni_cosine_step *step, void (*run)(const tni_cosine_step *step)) {
    shared_step shared = {*step, run};
    if (step->end < SHARED)
        run(step);
    else
        tni_parallel_units(step->end, NUMBER_NS, run_part, &shared);
}

/* The numbers of a line that is shorter than the transform, with zeros after them. */
static void fill_up(const tni_fft_job *job, tni_cosine_step *before, char *area) {
    const tni_fft_place to = {area, NULL, 1, 0, 1, 1, 1};
    const tni_fft_place from = {(void *)(uintptr_t)before->from, NULL, job->input_step, 0, 1, 1, 1};
    tni_fft_copy(&to, &from, job->given, job->part);
    memset(area + job->given * job->part, 0, (size_t)((job->count - job->given) * job->part));
    before->from = area;
    before->from_step = 1;
}

tn_status tni_fft_cosine_line(const tni_fft_job *job, const char *input, char *output) {
    const tni_cosine_loops *loops = &job->plan->loops->cosine;
    tni_cosine_step before = step_of(job, true), after = step_of(job, false);
    const bool is_real_input = job->kind == TNI_FFT_REAL;
    const int64_t longest = job->count > job->length ? job->count : job->length;
    const int64_t bytes = (longest + 8) * job->part;
    tni_fft_job inner = *job;
    char *area = NULL;
    TNI_TRY(tni_fft_scratch(&area, TNI_FFT_SLOT_COSINE, 3 * bytes));
    char *const made = area + bytes;
    before.from = input;
    before.from_step = job->input_step;
    before.to = area;
    if (job->given < job->count) fill_up(job, &before, area + 2 * bytes);
    run_step(&before, loops->before[0]);
    inner.type = 0;
    inner.scale = 1;
    inner.given = job->kind == TNI_FFT_HERMITIAN ? job->length / 2 + 1 : job->length;
    inner.input_step = is_real_input ? 1 : 2;
    inner.output_step = job->kind == TNI_FFT_HERMITIAN ? 1 : 2;
    TNI_TRY(tni_fft_one_line(&inner, area, made));
    after.from = made;
    after.to = output;
    after.to_step = job->output_step;
    run_step(&after, loops->after[0]);
    return TN_OK;
}
