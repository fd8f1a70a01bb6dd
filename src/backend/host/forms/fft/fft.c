/* The form "fft" on the host: axis by axis, the last one first, from the input to the output and
 * then in place.
 *
 * Lines are transformed in blocks, a line a lane; two real lines of odd length share a lane.
 * A line that is too long for that, or has few others beside it, is a matrix of its own (plan.h).
 * Blocks and lines are shared among the threads, and a very long line itself is. */
#include "backend/host/forms/fft/block.h"
#include "backend/host/forms/fft/columns.h"
#include "backend/host/forms/fft/cosine.h"
#include "backend/host/forms/fft/one_line.h"
#include "backend/host/forms/forms.h"
#include "backend/host/threads.h"

#include <stdlib.h>
#include <string.h>

enum {
    ELEMENT_NS = 4,
    NEAR_BYTES = 1 << 16, /* of a block in the nearest caches */
    COLLIDING = 256       /* elements: multiples of it are such distances */
};

typedef struct shared_job {
    const tni_fft_job *job;
    bool by_lines;
    int lanes;
    atomic_int failure; /* tn_status */
} shared_job;

/* Sorts the other axes by their steps in the output, the widest first, and joins those that are
 * one. */
static void arrange(tni_fft_job *job) {
    for (int k = 1; k < job->outer_count; k++)
        for (int j = k;
             j > 0 && llabs(job->outer[j].output_apart) > llabs(job->outer[j - 1].output_apart);
             j--) {
            const __typeof__(job->outer[0]) other = job->outer[j];
            job->outer[j] = job->outer[j - 1];
            job->outer[j - 1] = other;
        }
    int last = 0;
    for (int k = 1; k < job->outer_count; k++) {
        __typeof__(job->outer[0]) *slow = &job->outer[last], *fast = &job->outer[k];
        if (slow->input_apart == fast->extent * fast->input_apart &&
            slow->output_apart == fast->extent * fast->output_apart) {
            fast->extent *= slow->extent;
            *slow = *fast;
        } else {
            job->outer[++last] = *fast;
        }
    }
    if (job->outer_count > 0) job->outer_count = last + 1;
}

/* Takes the axis whose lines are to be lanes out of the others: the nearest one that fills a block,
 * else the longest. */
static void choose_lanes(tni_fft_job *job) {
    const int lanes = job->plan->loops->lanes;
    int best = -1;
    job->lane_count = 1;
    job->lanes_apart_in = job->lanes_apart_out = 0;
    for (int k = job->outer_count - 1; k >= 0; k--) {
        if (best < 0 || job->outer[k].extent > job->outer[best].extent) best = k;
        if (job->outer[best].extent >= lanes) break;
    }
    if (best < 0) return;
    job->lane_count = job->outer[best].extent;
    job->lanes_apart_in = job->outer[best].input_apart;
    job->lanes_apart_out = job->outer[best].output_apart;
    job->outer_count--;
    memmove(&job->outer[best], &job->outer[best + 1],
            (size_t)(job->outer_count - best) * sizeof job->outer[0]);
}

/* Whether lines lie side by side and their elements far apart. */
static bool are_columns(const tni_fft_job *job) {
    return job->kind == TNI_FFT_COMPLEX && !job->type && job->lanes_apart_in == 2 &&
           job->lanes_apart_out == 2 && job->lane_count > job->plan->loops->lanes;
}

/* Blocks of columns that go together. */
static int blocks_beside(const tni_fft_job *job) {
    const int64_t element = 2 * job->plan->loops->lanes * job->part;
    const int64_t step =
        llabs(job->input_step) > llabs(job->output_step) ? job->input_step : job->output_step;
    return tni_fft_columns_together(job->plan->first->room * element, step * job->part);
}

/* So many lines: a block, or two of real lines, of which the second may not be full. */
static tn_status run_block(const tni_fft_job *job, const char *input, char *output, int64_t lines) {
    const int64_t lanes = job->plan->loops->lanes;
    if (job->type) return tni_fft_cosine_block(job, input, output, (int)lines);
    if (are_columns(job)) return tni_fft_beside(job, input, output, lines);
    if (lines <= lanes || lines == 2 * lanes) return tni_fft_block(job, input, output, (int)lines);
    TNI_TRY(tni_fft_block(job, input, output, (int)lanes));
    return tni_fft_block(job, input + lanes * job->lanes_apart_in * job->part,
                         output + lanes * job->lanes_apart_out * job->part, (int)(lines - lanes));
}

static void run_units(void *context, int64_t begin, int64_t end) {
    shared_job *s = context;
    const tni_fft_job *job = s->job;
    const int64_t blocks = (job->lane_count + s->lanes - 1) / s->lanes;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t rest = unit / blocks, in = 0, out = 0;
        const int64_t first = unit % blocks * s->lanes, left = job->lane_count - first;
        for (int k = job->outer_count - 1; k >= 0; k--) {
            const int64_t at = rest % job->outer[k].extent;
            rest /= job->outer[k].extent;
            in += at * job->outer[k].input_apart;
            out += at * job->outer[k].output_apart;
        }
        in += first * job->lanes_apart_in;
        out += first * job->lanes_apart_out;
        const char *input = job->input + in * job->part;
        char *output = job->output + out * job->part;
        const tn_status status =
            !s->by_lines ? run_block(job, input, output, left < s->lanes ? left : s->lanes)
            : job->type  ? tni_fft_cosine_line(job, input, output)
                         : tni_fft_one_line(job, input, output);
        if (status != TN_OK) atomic_store(&s->failure, (int)status);
    }
}

/* Whether lines are better off one by one. So are those that lie at distances where the lines of a
 * block would push each other out of the caches. */
static bool goes_by_lines(const tni_fft_job *job, int64_t n, int64_t lines) {
    const int64_t part = job->part, lanes = tni_fft_lane_count(part);
    const bool is_packed = job->input_step <= 2 && job->output_step <= 2;
    if (!tni_fft_is_line(n, part)) return false;
    if (!tni_fft_fits_block(n, part)) return true;
    const bool collide = n % COLLIDING == 0 && n * lanes * 2 * part > NEAR_BYTES;
    return lines < lanes / 2 || (is_packed && collide);
}

static tn_status run_job(tni_fft_job *job) {
    const bool is_real = job->kind != TNI_FFT_COMPLEX;
    int64_t lines = 1;
    job->is_half = is_real && job->length % 2 == 0;
    const int64_t n = job->is_half ? job->length / 2 : job->length;
    for (int k = 0; k < job->outer_count; k++)
        lines *= job->outer[k].extent;
    shared_job shared = {.job = job, .by_lines = goes_by_lines(job, n, lines)};
    tni_fft_wish wish = {
        n, job->part, shared.by_lines ? TNI_FFT_LINE : TNI_FFT_BLOCKS, job->is_half, 0, 0};
    if (job->type == 2 || job->type == 3 || (job->type == 4 && job->count % 2 == 0)) {
        wish.type = job->type == 4 ? 4 : 2;
        wish.cosines = job->count;
    }
    TNI_TRY(tni_fft_host_plan_get(&job->plan, &wish));
    arrange(job);
    choose_lanes(job);
    shared.lanes = shared.by_lines ? 1 : job->plan->loops->lanes;
    if (!shared.by_lines && is_real && !job->is_half && !job->type) shared.lanes *= 2;
    if (!shared.by_lines && are_columns(job)) shared.lanes *= blocks_beside(job);
    const int64_t blocks = (job->lane_count + shared.lanes - 1) / shared.lanes;
    int64_t units = blocks;
    for (int k = 0; k < job->outer_count; k++)
        units *= job->outer[k].extent;
    if (units < 2 || (shared.by_lines && units < tni_thread_count()))
        run_units(&shared, 0, units);
    else
        tni_parallel_units(units, n * shared.lanes * ELEMENT_NS, run_units, &shared);
    tni_fft_plan_release(&job->plan->head);
    return shared.failure == TN_OK ? TN_OK : tni_fail_no_memory(0);
}

/* The transforms along the axis `at`. Of axes that come later only what was given exists. */
static void describe(tni_fft_job *job, const tni_fft *call, int at) {
    const bool is_first = at == call->ndim - 1;
    const tni_fft_axis *axis = &call->dims[at];
    job->part = tn_dtype_size(call->dtype) / 2;
    job->kind = is_first ? call->kind : TNI_FFT_COMPLEX;
    job->is_backward = call->is_backward;
    job->length = axis->length;
    job->given = axis->given;
    job->type = call->kind == TNI_FFT_COSINE || call->kind == TNI_FFT_SINE ? call->type : 0;
    job->is_sine = call->kind == TNI_FFT_SINE;
    job->is_weighed = call->is_weighed;
    job->count = axis->length;
    if (job->type) tni_fft_cosine_describe(job);
    job->input_step = (is_first ? axis->input_stride : axis->output_stride) / job->part;
    job->output_step = axis->output_stride / job->part;
    job->scale = at == call->batch_count ? call->scale : 1;
    job->input = is_first ? call->input : call->output;
    job->output = call->output;
    job->outer_count = 0;
    for (int k = 0; k < call->ndim; k++) {
        const tni_fft_axis *other = &call->dims[k];
        int64_t extent = k < at ? other->given : other->length;
        if (k == call->ndim - 1 && call->kind == TNI_FFT_REAL) extent = other->length / 2 + 1;
        if (k == at || extent == 1) continue;
        job->outer[job->outer_count].extent = extent;
        job->outer[job->outer_count].input_apart =
            (is_first ? other->input_stride : other->output_stride) / job->part;
        job->outer[job->outer_count++].output_apart = other->output_stride / job->part;
    }
}

tn_status tni_host_run_fft(void *parameters) {
    const tni_fft *call = parameters;
    for (int k = call->ndim - 1; k >= call->batch_count; k--) {
        tni_fft_job job;
        describe(&job, call, k);
        TNI_TRY(run_job(&job));
    }
    return TN_OK;
}

tni_host_plan tni_host_plan_fft(const tni_fft *call) {
    int64_t elements = 8;
    for (int k = 0; k < call->ndim; k++)
        elements *= call->dims[k].length;
    return (tni_host_plan){tni_host_run_fft, call, sizeof *call, .elements = elements};
}
