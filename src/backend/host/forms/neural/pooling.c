/* The form "pooling" on the host: folds over the taps of a lattice (lattice.h), in which batch and
 * channels are axes, too.
 *
 * Backward, a box owns elements of dx: those from its first window's begin to the next box's. It
 * goes over all windows that meet them, also those of the boxes before, and adds what they have to
 * a lattice of gradients. The largest elements are found again rather than read. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/neural/lattice.h"
#include "backend/host/forms/neural/pooling_rows.h"
#include "backend/host/forms/neural/pooling_share.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum { BOX_BYTES = 64 << 10, SHORT = 6 /* rows that cost more to copy than to fold */ };

typedef struct job {
    const tni_pooling *call;
    const tni_convolve_loops *loops, *working; /* of the dtype, of the working type */
    const tni_pooling_loops *pooling;
    tni_lattice lattice;
    int spatial[TNI_LATTICE_AXES];                     /* of an axis of the lattice; -1: none */
    int64_t y[TNI_LATTICE_AXES], dx[TNI_LATTICE_AXES]; /* strides of the axes */
    int64_t taps, longest; /* longest: elements of dx in a row that a box owns */
    int64_t *offsets;
    /* Of the largest elements: taps by phases, those of places further before first. */
    int64_t phases, phase_size, *first;
    tni_pooling_window *windows;
    atomic_bool has_failed;
} job;

/* Memory of a task, in numbers of the working type. */
typedef struct room {
    char *source, *gradients, *best, *left, *counts, *row;
} room;

/* Points before the first one of what places find and give, as far as a tap reaches. */
static int64_t margin_of(const job *j) {
    return j->call->is_backward && j->call->kind == TN_POOLING_MAX ? j->phase_size : 0;
}

/* --- Axes --- */

static int64_t magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

static double share_of(int64_t places, int64_t lanes) {
    return (double)places / (double)((places + lanes - 1) / lanes * lanes);
}

/* Which axis is the last one: channels (1) that lie beside each other; where rows are short,
 * channels or the batch (0); else (2) the last spatial one. */
static int last_axis(const tni_pooling *call, int64_t lanes) {
    const int last = call->ndim - 1;
    double share = 1, rows = share_of(call->y_shape[last], lanes);
    for (int k = 0; k < call->ndim; k++)
        share *= (double)call->y_shape[k] /
                 (double)(call->y_shape[k] + (call->window[k] - 1) / call->strides[k]);
    if (rows > share) share = rows;
    if (call->y_shape[last] < SHORT) share *= (double)call->y_shape[last] / SHORT;
    const double channels = share_of(call->channels, lanes), batch = share_of(call->batch, lanes);
    if (magnitude(call->x.channel_stride) < magnitude(call->x.strides[last]) && channels > 0.4)
        return 1;
    if (share > 0.6 * (channels > batch ? channels : batch)) return 2;
    return channels >= batch ? 1 : 0;
}

static void add_outer(job *j, int which) {
    const tni_pooling *call = j->call;
    const int64_t size = which ? call->channels : call->batch;
    const int axis = j->lattice.ndim++;
    j->lattice.axes[axis] =
        (tni_lattice_axis){.places = size, .size = size, .step = 1, .phases = 1, .dilation = 1};
    j->lattice.axes[axis].stride = which ? call->x.channel_stride : call->x.batch_stride;
    j->y[axis] = which ? call->y.channel_stride : call->y.batch_stride;
    j->dx[axis] = which ? call->dx.channel_stride : call->dx.batch_stride;
    j->spatial[axis] = -1;
}

static void add_spatial(job *j, int k) {
    const tni_pooling *call = j->call;
    const int axis = j->lattice.ndim++;
    const int64_t step = call->strides[k], window = call->window[k];
    j->lattice.axes[axis] = (tni_lattice_axis){.places = call->y_shape[k],
                                               .size = call->x_shape[k],
                                               .step = step,
                                               .first = -call->pads[k],
                                               .phases = step < window ? step : window,
                                               .dilation = 1,
                                               .reach = (window - 1) / step,
                                               .stride = call->x.strides[k]};
    j->lattice.axes[axis].halo = call->is_backward ? (window - 1) / step : 0;
    j->y[axis] = call->y.strides[k];
    j->dx[axis] = call->dx.strides[k];
    j->spatial[axis] = k;
}

static void list_offsets(job *j) {
    const tni_pooling *call = j->call;
    for (int64_t tap = 0; tap < j->taps; tap++) {
        int64_t rest = tap, offset = 0;
        for (int axis = j->lattice.ndim - 1; axis >= 0; axis--) {
            if (j->spatial[axis] < 0) continue;
            const int64_t window = call->window[j->spatial[axis]];
            offset += tni_lattice_tap(&j->lattice.axes[axis], rest % window);
            rest /= window;
        }
        j->offsets[tap] = offset;
    }
}

/* Each phase has the same points, and its taps are offsets into it. */
static void list_windows(job *j) {
    int64_t count = 0;
    for (int64_t phase = 0; phase < j->phases; phase++) {
        j->first[phase] = count;
        for (int64_t tap = 0; tap < j->taps; tap++) {
            const int64_t place = phase * j->phase_size - j->offsets[tap];
            if (place > 0 || place <= -j->phase_size) continue;
            int64_t at = count++;
            for (; at > j->first[phase] && j->windows[at - 1].place > place; at--)
                j->windows[at] = j->windows[at - 1];
            j->windows[at] = (tni_pooling_window){place, tap};
        }
    }
    j->first[j->phases] = count;
}

static void describe(job *j) {
    const tni_pooling *call = j->call;
    j->loops = j->lattice.loops = &tni_loops_level()->convolve[call->dtype];
    j->working = &tni_loops_level()->convolve[call->dtype == TN_F64 ? TN_F64 : TN_F32];
    j->pooling = tni_loops_level()->pooling[call->dtype == TN_F64];
    j->lattice.outside = call->kind != TN_POOLING_MAX ? 0
                         : call->propagates_nan       ? -__builtin_inf()
                                                      : __builtin_nan("");
    const int last = last_axis(call, j->loops->lanes);
    for (int which = 0; which < 2; which++)
        if (which != last) add_outer(j, which);
    j->taps = 1;
    for (int k = 0; k < call->ndim; k++) {
        add_spatial(j, k);
        j->taps *= call->window[k];
    }
    if (last < 2) add_outer(j, last);
    tni_lattice_cut(&j->lattice, 1, BOX_BYTES);
    const tni_lattice_axis *row = &j->lattice.axes[j->lattice.ndim - 1];
    j->longest = row->size;
    j->phase_size = row->phase_apart;
    j->phases = j->lattice.size / j->phase_size;
}

/* --- Boxes --- */

/* How many elements each window along an axis has: of those that are there, or with the pads. */
static int64_t count_of(const job *j, int axis, int64_t place) {
    const tni_lattice_axis *a = &j->lattice.axes[axis];
    if (j->spatial[axis] < 0 || place < 0 || place >= a->places) return 1;
    const int64_t begin = place * a->step + a->first;
    const int64_t end = begin + j->call->window[j->spatial[axis]];
    if (j->call->kind != TN_POOLING_AVERAGE_INSIDE) /* -first is the pad */
        return (end < a->size - a->first ? end : a->size - a->first) - begin;
    return (end < a->size ? end : a->size) - (begin > 0 ? begin : 0);
}

static void set_counts(const job *j, const tni_lattice_box *box, char *counts) {
    const int last = j->lattice.ndim - 1;
    for (int64_t k = 0; k < box->count[last]; k++) {
        const int64_t count = count_of(j, last, box->begin[last] + k);
        if (j->loops->element == sizeof(float))
            ((float *)(void *)counts)[k] = (float)count;
        else
            ((double *)(void *)counts)[k] = (double)count;
    }
}

/* Divides a row of a box by the counts of its windows. */
static void divide_row(const job *j, const tni_lattice_box *box, const tni_lattice_row *row,
                       char *at, const char *counts, int64_t count) {
    double outer = 1;
    for (int axis = 0; axis < j->lattice.ndim - 1; axis++)
        outer *= (double)count_of(j, axis, box->begin[axis] + row->at[axis]);
    j->pooling->divide(at, counts, outer, count);
}

static void run_forward(const job *j, const tni_lattice_box *box, const room *r) {
    const tni_pooling *call = j->call;
    const int last = j->lattice.ndim - 1;
    const tni_pooling_run run = {
        .source = r->source, .offsets = j->offsets, .taps = j->taps, .places = j->lattice.places};
    tni_lattice_row row = {.point = 0};
    tni_lattice_fill(r->source, &j->lattice, box, call->x.data, 1);
    if (call->kind != TN_POOLING_MAX) {
        j->pooling->sum(r->best, &run);
        set_counts(j, box, r->counts);
    } else {
        (call->propagates_nan ? j->pooling->largest_or_nan : j->pooling->largest)(r->best, &run);
    }
    do {
        char *to = call->y.data + box->begin[last] * j->y[last];
        char *from = r->best + row.point * j->loops->element;
        for (int axis = 0; axis < last; axis++)
            to += (box->begin[axis] + row.at[axis]) * j->y[axis];
        if (call->kind != TN_POOLING_MAX)
            divide_row(j, box, &row, from, r->counts, box->count[last]);
        j->loops->store(to, j->y[last], from, box->count[last], call->alpha, call->beta);
    } while (tni_lattice_next(&row, &j->lattice, box->count));
}

/* --- Backward --- */

/* dy at the places of a box, those before it too, with zeros at other points; of means, divided. */
static void fill_left(const job *j, const tni_lattice_box *box, const room *r) {
    const tni_pooling *call = j->call;
    const int last = j->lattice.ndim - 1;
    const int64_t element = j->loops->element;
    const int64_t skipped = box->begin[last] < 0 ? -box->begin[last] : 0;
    tni_lattice_row row = {.point = 0};
    const int64_t before = margin_of(j), size = before > 0 ? before : j->lattice.apart;
    memset(r->left - before * element, 0, (size_t)((before + size) * element));
    if (call->kind != TN_POOLING_MAX) set_counts(j, box, r->counts);
    do {
        const char *from = call->y.data + (box->begin[last] + skipped) * j->y[last];
        bool is_there = true;
        for (int axis = 0; axis < last && is_there; axis++) {
            const int64_t place = box->begin[axis] + row.at[axis];
            is_there = place >= 0;
            from += place * j->y[axis];
        }
        if (!is_there) continue;
        char *to = r->left + (row.point + skipped) * element;
        j->loops->load(to, from, j->y[last], box->count[last] - skipped);
        if (call->kind != TN_POOLING_MAX)
            divide_row(j, box, &row, to, r->counts + skipped * element, box->count[last] - skipped);
    } while (tni_lattice_next(&row, &j->lattice, box->count));
}

/* Whether tap `tap` of the places at `row` is on the source along all axes but the last; there it
 * is for those from *begin to before *end. */
static bool clip_tap(int64_t *begin, int64_t *end, const job *j, const tni_lattice_box *box,
                     const tni_lattice_row *row, int64_t tap) {
    const int last = j->lattice.ndim - 1;
    *begin = 0;
    *end = box->count[last];
    for (int axis = last; axis >= 0; axis--) {
        if (j->spatial[axis] < 0) continue;
        const tni_lattice_axis *a = &j->lattice.axes[axis];
        const int64_t window = j->call->window[j->spatial[axis]];
        const int64_t place = box->begin[axis] + (axis < last ? row->at[axis] : 0);
        const int64_t at = place * a->step + a->first + tap % window;
        tap /= window;
        if (axis < last && (at < 0 || at >= a->size)) return false;
        if (axis < last) continue;
        if (at < 0) *begin = (-at + a->step - 1) / a->step;
        const int64_t there = at < a->size ? (a->size - at + a->step - 1) / a->step : 0;
        if (there < *end) *end = there;
    }
    return *begin < *end;
}

/* Gives each largest element its gradient: places find their taps, which points look for. */
static void share(const job *j, const room *r) {
    const int64_t element = j->loops->element, margin = margin_of(j);
    const tni_pooling_run run = {
        .source = r->source, .offsets = j->offsets, .taps = j->taps, .places = j->lattice.places};
    const void *given = r->left, *found = r->best;
    const int64_t none = 0;
    tni_pooling_share share = {.rows = 1,
                               .elements = 1,
                               .channels = j->phase_size,
                               .given_apart = 1,
                               .found_apart = 1,
                               .given = &given,
                               .found = &found,
                               .taps = &none,
                               .windows = j->windows};
    memset(r->best - margin * element, -1, (size_t)(2 * margin * element));
    j->pooling->find(r->best, &run, false);
    for (int64_t phase = 0; phase < j->phases; phase++) {
        share.first = j->first + phase;
        share.to = r->gradients + phase * j->phase_size * element;
        j->pooling->share(&share);
    }
}

/* The same where NaN may be the largest: what is around the maps must not be taken for an element,
 * and each tap goes over what it meets. */
static void claim(const job *j, const tni_lattice_box *box, const room *r) {
    const int64_t element = j->loops->element;
    tni_pooling_run run = {
        .source = r->source, .offsets = j->offsets, .taps = j->taps, .places = j->lattice.places};
    tni_lattice_row row = {.point = 0};
    run.taps = 1;
    do {
        for (int64_t tap = 0; tap < j->taps; tap++) {
            int64_t begin, end;
            if (!clip_tap(&begin, &end, j, box, &row, tap)) continue;
            const int64_t at = (row.point + begin) * element;
            run.source = r->source + at;
            run.offsets = j->offsets + tap;
            run.places = end - begin;
            j->pooling->claim(r->gradients + at, r->left + at, r->best + at, &run);
        }
    } while (tni_lattice_next(&row, &j->lattice, box->count));
}

/* The elements of dx along an axis that a box owns. */
static void owned_of(int64_t *begin, int64_t *end, const tni_lattice_axis *a,
                     const tni_lattice_box *box, int axis) {
    const int64_t first = box->begin[axis] + a->halo, after = box->begin[axis] + box->count[axis];
    *begin = first == 0 ? 0 : first * a->step + a->first;
    *end = after >= a->places ? a->size : after * a->step + a->first;
    if (*begin < 0) *begin = 0;
    if (*end > a->size) *end = a->size;
}

/* The offset of an element of an axis in the lattice of a box; -1: it is in no window. */
static int64_t offset_of(const tni_lattice_axis *a, const tni_lattice_box *box, int axis,
                         int64_t element) {
    const int64_t from = element - a->first - box->begin[axis] * a->step;
    if (a->step == 1) return from < a->points ? from * a->apart : -1;
    const int64_t phase = from % a->step, point = from / a->step;
    return phase < a->phases && point < a->points ? tni_lattice_offset(a, phase, point) : -1;
}

/* Elements of a row of dx from `begin` on by pairs, where both phases have them. Gives how many. */
static int64_t copy_pairs(const job *j, char *row, const char *gradients, int64_t begin,
                          int64_t end, int64_t from) {
    const tni_lattice_axis *a = &j->lattice.axes[j->lattice.ndim - 1];
    const char *phases[2];
    int64_t pairs = (end - begin) / 2;
    for (int k = 0; k < 2; k++) {
        const int64_t at = begin + k - from, point = at / 2;
        phases[k] = gradients + tni_lattice_offset(a, at % 2, point) * j->loops->element;
        if (pairs > a->points - point) pairs = a->points - point;
    }
    if (pairs <= 0) return 0;
    j->working->merge(row, phases[0], phases[1], 2 * pairs);
    return 2 * pairs;
}

/* The gradients of a row of dx, elements from `begin` to before `end` of the last axis. */
static void copy_row(const job *j, const tni_lattice_box *box, char *row, const char *gradients,
                     int64_t begin, int64_t end) {
    const int last = j->lattice.ndim - 1;
    const tni_lattice_axis *a = &j->lattice.axes[last];
    const int64_t element = j->loops->element, from = a->first + box->begin[last] * a->step;
    if (a->step == 2 && a->phases == 2) {
        const int64_t count = copy_pairs(j, row, gradients, begin, end, from);
        row += count * element;
        begin += count;
        if (begin == end) return;
    }
    if (a->phases < a->step || from + a->points * a->step < end)
        memset(row, 0, (size_t)((end - begin) * element));
    for (int64_t phase = 0; phase < a->phases; phase++) {
        const int64_t skipped = (begin - from - phase + a->step - 1) / a->step; /* points */
        const int64_t first = from + phase + skipped * a->step;
        const int64_t there = (end - first + a->step - 1) / a->step, left = a->points - skipped;
        if (first < end && left > 0)
            j->working->store(row + (first - begin) * element, a->step * element,
                              gradients + tni_lattice_offset(a, phase, skipped) * element,
                              there < left ? there : left, 1, 0);
    }
}

static void store_gradients(const job *j, const tni_lattice_box *box, const room *r) {
    const tni_pooling *call = j->call;
    const int last = j->lattice.ndim - 1;
    const tni_lattice_axis *axes = j->lattice.axes;
    int64_t begin[TNI_LATTICE_AXES], end[TNI_LATTICE_AXES], at[TNI_LATTICE_AXES];
    for (int axis = 0; axis <= last; axis++) {
        owned_of(&begin[axis], &end[axis], &axes[axis], box, axis);
        if (begin[axis] >= end[axis]) return;
        at[axis] = begin[axis];
    }
    const int64_t count = end[last] - begin[last];
    const bool is_direct = j->loops == j->working && j->dx[last] == j->loops->element &&
                           call->alpha == 1 && call->beta == 0;
    for (int axis = last; axis >= 0;) {
        char *to = call->dx.data + begin[last] * j->dx[last];
        int64_t offset = 0;
        for (int k = 0; k < last; k++) {
            const int64_t of_axis = offset < 0 ? -1 : offset_of(&axes[k], box, k, at[k]);
            offset = of_axis < 0 ? -1 : offset + of_axis;
            to += at[k] * j->dx[k];
        }
        char *row = is_direct ? to : r->row;
        if (offset < 0)
            memset(row, 0, (size_t)(count * j->loops->element));
        else
            copy_row(j, box, row, r->gradients + offset * j->loops->element, begin[last],
                     end[last]);
        if (!is_direct) j->loops->store(to, j->dx[last], row, count, call->alpha, call->beta);
        for (axis = last - 1; axis >= 0 && ++at[axis] == end[axis]; axis--)
            at[axis] = begin[axis];
    }
}

static void run_backward(const job *j, tni_lattice_box *box, const room *r) {
    const tni_pooling *call = j->call;
    const tni_pooling_run run = {
        .source = r->source, .offsets = j->offsets, .taps = j->taps, .places = j->lattice.places};
    const bool is_max = call->kind == TN_POOLING_MAX, is_shared = is_max && !call->propagates_nan;
    fill_left(j, box, r);
    if (is_max) tni_lattice_fill(r->source, &j->lattice, box, call->x.data, 1);
    if (!is_shared)
        memset(r->gradients, 0, (size_t)((j->lattice.size + j->loops->slack) * j->loops->element));
    if (is_shared) {
        share(j, r);
    } else if (is_max) {
        j->pooling->largest_or_nan(r->best, &run);
        claim(j, box, r);
    } else {
        j->pooling->spread(r->gradients, r->left, &run);
    }
    store_gradients(j, box, r);
}

/* --- The call --- */

static void run_boxes(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const tni_lattice *l = &j->lattice;
    const int64_t element = j->loops->element, slack = j->loops->slack;
    const int64_t margin = margin_of(j), most = l->apart > margin ? l->apart : margin;
    const int64_t source = (l->size + slack) * element, places = (margin + most + slack) * element;
    const int64_t row = (j->longest + slack) * element;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)(2 * source + 3 * places + row));
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return;
    }
    const room r = {.source = scratch,
                    .gradients = scratch + source,
                    .best = scratch + 2 * source + margin * element,
                    .left = scratch + 2 * source + places + margin * element,
                    .counts = scratch + 2 * source + 2 * places,
                    .row = scratch + 2 * source + 3 * places};
    for (int64_t k = begin; k < end; k++) {
        tni_lattice_box box;
        tni_lattice_find(&box, l, k);
        if (j->call->is_backward)
            run_backward(j, &box, &r);
        else
            run_forward(j, &box, &r);
    }
}

tn_status tni_host_run_pooling(void *params) {
    const tni_pooling *call = params;
    if (tni_host_pools_rows(call)) return tni_host_pooling_rows(call);
    if (tni_host_shares_pooling(call)) return tni_host_pooling_share(call);
    job j = {.call = call};
    describe(&j);
    const int64_t bytes = j.taps * (int64_t)(sizeof *j.offsets + sizeof *j.windows) +
                          (j.phases + 1) * (int64_t)sizeof *j.first;
    j.offsets = tni_malloc((size_t)bytes);
    if (j.offsets) {
        j.windows = (tni_pooling_window *)(void *)(j.offsets + j.taps);
        j.first = (int64_t *)(void *)(j.windows + j.taps);
        list_offsets(&j);
        list_windows(&j);
        const int64_t steps = j.lattice.places * (2 + j.taps) / j.loops->lanes;
        tni_parallel_units(j.lattice.boxes, 100 + steps * (call->is_backward ? 4 : 1), run_boxes,
                           &j);
    }
    tni_free(j.offsets);
    if (j.offsets && !atomic_load(&j.has_failed)) return TN_OK;
    return tni_fail_no_memory(bytes);
}

tni_host_plan tni_host_plan_pooling(const tni_pooling *call) {
    int64_t elements = call->batch * call->channels;
    for (int k = 0; k < call->ndim; k++)
        elements *= call->is_backward ? call->x_shape[k] : call->y_shape[k] * call->window[k];
    return (tni_host_plan){tni_host_run_pooling, call, sizeof *call, .elements = elements};
}
