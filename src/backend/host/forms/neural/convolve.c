/* The form "convolve" on the host: matrix products over boxes of places, whose windows are not
 * copied (lattice.h).
 *
 * y is one product for each box: filters as panels of rows, times the taps of the box's lattice.
 * dx is as many as the strides have remainders: the places q stride + remainder of dx read dy
 * through those taps that reach a whole place, so that nothing is multiplied by zeros in between.
 * These products are called classes. dw is in convolve_outer.c and, of few channels, in
 * convolve_filter.c.
 *
 * Each element of a result is summed in one order, that of channels and taps, whichever thread does
 * it. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/neural/convolve_channels.h"
#include "backend/host/forms/neural/convolve_copy.h"
#include "backend/host/forms/neural/convolve_filter.h"
#include "backend/host/forms/neural/convolve_lattice.h"
#include "backend/host/forms/neural/convolve_outer.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum {
    TASKS = 8,      /* rather than fewer tasks, each takes some of the result's channels */
    CHANNELS = 128, /* more of them are summed one part after the other, over more places */
    SHORT = 16      /* rows of fewer places are rather copied, as are halves of channels */
};

typedef struct job {
    const tni_convolve *call;
    const tni_convolve_loops *loops;
    tni_lattice lattice;
    tni_lattice_maps maps;
    const tni_maps *from, *to;
    int64_t channels, results; /* of a group: of the source, of the result */
    int64_t chunk;             /* channels that are summed at once */
    int64_t steps[TN_SPATIAL_MAX], remainders[TN_SPATIAL_MAX], classes;
    int64_t *class_begin;            /* its first tap */
    int64_t *tap_offset, *tap_place; /* in the lattice, in elements; in the filters, in bytes */
    int64_t *offsets;                /* of a chunk's taps, class by class */
    int64_t taps, panels, padded;    /* padded: rows of all panels of a group */
    int64_t splits;                  /* of a group's panels */
    int64_t sums_apart;
    bool by_rows; /* places row by row: else they go on over what lies between rows */
    char *weights;
    atomic_bool has_failed;
} job;

/* --- Axes --- */

/* The place in dy that tap r reads for place 0 of a remainder of dx; false: none. */
static bool reads(int64_t *place, const tni_convolve *call, int k, int64_t remainder, int64_t r) {
    const int64_t at = remainder + call->pads[k] - r * call->dilations[k];
    *place = at / call->strides[k];
    return at % call->strides[k] == 0;
}

/* The lattice of dy by places of dx, of all remainders. */
static void find_dx_lattice(job *j) {
    const tni_convolve *call = j->call;
    int64_t first[TN_SPATIAL_MAX], reach[TN_SPATIAL_MAX] = {0}, places[TN_SPATIAL_MAX] = {0}, place;
    for (int k = 0; k < call->ndim; k++) {
        int64_t last = INT64_MIN;
        first[k] = INT64_MAX;
        for (int64_t rest = 0; rest < j->remainders[k]; rest++)
            for (int64_t r = 0; r < call->w_shape[k]; r++)
                if (reads(&place, call, k, rest, r)) {
                    if (place < first[k]) first[k] = place;
                    if (place > last) last = place;
                }
        if (first[k] > last) first[k] = last = 0;
        reach[k] = last - first[k];
        places[k] = (call->x_shape[k] + call->strides[k] - 1) / call->strides[k];
    }
    tni_lattice_order(&j->lattice, &j->maps, call->ndim, call->batch, places, reach);
    j->lattice.channel_stride = call->y.channel_stride;
    j->lattice.axes[j->maps.batch].stride = call->y.batch_stride;
    for (int k = 0; k < call->ndim; k++) {
        tni_lattice_axis *axis = &j->lattice.axes[j->maps.spatial[k]];
        axis->size = call->y_shape[k];
        axis->stride = call->y.strides[k];
        axis->first = first[k];
    }
}

/* --- Taps --- */

static void remainders_of(int64_t *rest, const job *j, int64_t kind) {
    for (int k = j->call->ndim - 1; k >= 0; k--) {
        rest[k] = kind % j->remainders[k];
        kind /= j->remainders[k];
    }
}

/* Where a tap of a class lies in the lattice; false: the class has it not. */
static bool find_tap(int64_t *offset, const job *j, const int64_t *rest, const int64_t *r) {
    const tni_convolve *call = j->call;
    *offset = 0;
    for (int k = 0; k < call->ndim; k++) {
        const tni_lattice_axis *axis = &j->lattice.axes[j->maps.spatial[k]];
        int64_t place;
        if (call->result == TNI_CONVOLVE_Y) {
            *offset += tni_lattice_tap(axis, r[k]);
        } else {
            if (!reads(&place, call, k, rest[k], r[k])) return false;
            *offset += tni_lattice_offset(axis, 0, place - axis->first);
        }
    }
    return true;
}

static void list_taps(job *j) {
    const tni_convolve *call = j->call;
    const int64_t taps = tni_convolve_taps(call);
    int64_t rest[TN_SPATIAL_MAX], r[TN_SPATIAL_MAX], count = 0, offset;
    for (int64_t kind = 0; kind < j->classes; kind++) {
        remainders_of(rest, j, kind);
        j->class_begin[kind] = count;
        for (int64_t tap = 0; tap < taps; tap++) {
            tni_convolve_tap(r, call, tap);
            if (!find_tap(&offset, j, rest, r)) continue;
            j->tap_offset[count] = offset;
            j->tap_place[count] = 0;
            for (int k = 0; k < call->ndim; k++)
                j->tap_place[count] += r[k] * call->w.strides[k];
            count++;
        }
        const int64_t begin = j->class_begin[kind], of_class = count - begin;
        for (int64_t c = 0; c < j->chunk; c++)
            for (int64_t t = 0; t < of_class; t++)
                j->offsets[begin * j->chunk + c * of_class + t] =
                    c * j->lattice.size + j->tap_offset[begin + t];
    }
    j->class_begin[j->classes] = j->taps = count;
}

/* --- Filters --- */

/* Rows of panel `panel`. */
static int64_t rows_of(const job *j, int64_t panel) {
    const int64_t left = j->results - panel * j->loops->rows;
    if (left >= j->loops->rows) return j->loops->rows;
    return left > 4 ? j->loops->rows : left > 2 ? 4 : left;
}

/* Panels as [class][channel][tap][row], with zeros for rows that are not there. */
static void pack_panels(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const tni_maps *w = &j->call->w;
    const bool is_y = j->call->result == TNI_CONVOLVE_Y;
    const int64_t result_stride = is_y ? w->batch_stride : w->channel_stride;
    const int64_t channel_stride = is_y ? w->channel_stride : w->batch_stride;
    for (int64_t k = begin; k < end; k++) {
        const int64_t group = k / j->panels, panel = k % j->panels, first = panel * j->loops->rows;
        const int64_t rows = rows_of(j, panel), left = j->results - first;
        const char *from = w->data + group * j->call->outputs * w->batch_stride;
        char *to =
            j->weights + (group * j->padded + first) * j->channels * j->taps * j->loops->element;
        from += first * result_stride;
        if (left < rows) memset(to, 0, (size_t)(rows * j->channels * j->taps * j->loops->element));
        for (int64_t kind = 0; kind < j->classes; kind++)
            for (int64_t c = 0; c < j->channels; c++) {
                const int64_t taps = j->class_begin[kind + 1] - j->class_begin[kind];
                const int64_t *places = j->tap_place + j->class_begin[kind];
                for (int64_t row = 0; row < rows && row < left; row++)
                    j->loops->pick(to + row * j->loops->element, rows,
                                   from + c * channel_stride + row * result_stride, places, taps);
                to += rows * taps * j->loops->element;
            }
    }
}

/* --- Boxes --- */

/* What a task computes: panels of a group in a box. */
typedef struct task {
    tni_lattice_box box;
    int64_t group, begin, end; /* panels */
    char *source, *sums;
} task;

static int64_t sums_of(const job *j) {
    const bool keeps = j->chunk < j->channels;
    const int64_t panels = keeps ? (j->panels + j->splits - 1) / j->splits * j->classes : 1;
    return panels * j->loops->rows * j->sums_apart;
}

/* The places of a class in a box: its axes end where the result does. */
static bool clip(int64_t *count, const job *j, const task *t, const int64_t *rest) {
    const int batch = j->maps.batch;
    count[batch] = t->box.count[batch];
    for (int k = 0; k < j->call->ndim; k++) {
        const int axis = j->maps.spatial[k];
        const int64_t size =
            j->call->result == TNI_CONVOLVE_Y ? j->call->y_shape[k] : j->call->x_shape[k];
        const int64_t places = (size - rest[k] + j->steps[k] - 1) / j->steps[k];
        const int64_t left = places - t->box.begin[axis];
        if (left <= 0) return false;
        count[axis] = left < t->box.count[axis] ? left : t->box.count[axis];
    }
    return true;
}

/* Writes rows of sums, `count` places of a class along each axis. */
static void store_panel(const job *j, const task *t, int64_t panel, const int64_t *rest,
                        const int64_t *count, const char *sums) {
    const tni_convolve *call = j->call;
    const int last = j->lattice.ndim - 1, batch = j->maps.batch;
    const int64_t first = panel * j->loops->rows, left = j->results - first;
    const int64_t rows = left < j->loops->rows ? left : j->loops->rows;
    int64_t strides[TNI_LATTICE_AXES];
    char *to = j->to->data + (t->group * j->results + first) * j->to->channel_stride;
    strides[batch] = j->to->batch_stride;
    to += t->box.begin[batch] * strides[batch];
    for (int k = 0; k < call->ndim; k++) {
        const int axis = j->maps.spatial[k];
        strides[axis] = j->steps[k] * j->to->strides[k];
        to += t->box.begin[axis] * strides[axis] + rest[k] * j->to->strides[k];
    }
    int inner = last - 1; /* whose rows are written together */
    while (inner > 0 && count[inner] == 1)
        inner--;
    const tni_convolve_rows sizes = {.rows = count[inner],
                                     .count = count[last],
                                     .apart = strides[inner],
                                     .stride = strides[last],
                                     .run_apart = j->lattice.axes[inner].apart};
    int64_t outer[TNI_LATTICE_AXES];
    for (int axis = 0; axis <= last; axis++)
        outer[axis] = axis == inner ? 1 : count[axis];
    for (int64_t k = 0; k < rows; k++, to += j->to->channel_stride) {
        tni_lattice_row row = {.point = 0};
        const char *from = sums + k * j->sums_apart * j->loops->element;
        do {
            char *at = to;
            for (int axis = 0; axis < last; axis++)
                at += row.at[axis] * strides[axis];
            j->loops->store_rows(at, from + row.point * j->loops->element, &sizes, call->alpha,
                                 call->beta);
        } while (tni_lattice_next(&row, &j->lattice, outer));
    }
}

/* The sums of a panel in a class, of the channels from `channel` on. */
static void multiply_panel(const job *j, const task *t, int64_t panel, int64_t kind,
                           int64_t channel, const int64_t *count, char *sums) {
    const int64_t begin = j->class_begin[kind], taps = j->class_begin[kind + 1] - begin;
    const int64_t rows = rows_of(j, panel), element = j->loops->element;
    const int64_t some = j->channels - channel < j->chunk ? j->channels - channel : j->chunk;
    const int64_t depth = j->channels * j->taps, last = j->lattice.ndim - 1;
    const int64_t at = (t->group * j->padded + panel * j->loops->rows) * depth +
                       (begin * j->channels + channel * taps) * rows;
    tni_convolve_product product = {.rows = (int)rows,
                                    .accumulates = channel > 0,
                                    .depth = some * taps,
                                    .places = j->lattice.places,
                                    .apart = j->sums_apart,
                                    .weights = j->weights + at * element,
                                    .source = t->source,
                                    .offsets = j->offsets + begin * j->chunk,
                                    .sums = sums};
    if (!j->by_rows) {
        j->loops->multiply(&product);
        return;
    }
    tni_lattice_row row = {.point = 0};
    product.places = count[last];
    do {
        product.source = t->source + row.point * element;
        product.sums = sums + row.point * element;
        j->loops->multiply(&product);
    } while (tni_lattice_next(&row, &j->lattice, count));
}

static void run_task(const job *j, task *t) {
    const char *source = j->from->data + t->group * j->channels * j->from->channel_stride;
    const int64_t bytes = j->loops->rows * j->sums_apart * j->loops->element;
    int64_t rest[TN_SPATIAL_MAX], count[TNI_LATTICE_AXES];
    for (int64_t channel = 0; channel < j->channels; channel += j->chunk) {
        const int64_t left = j->channels - channel;
        char *sums = t->sums;
        tni_lattice_fill(t->source, &j->lattice, &t->box,
                         source + channel * j->from->channel_stride,
                         left < j->chunk ? left : j->chunk);
        for (int64_t kind = 0; kind < j->classes; kind++) {
            remainders_of(rest, j, kind);
            if (!clip(count, j, t, rest)) continue;
            for (int64_t panel = t->begin; panel < t->end; panel++) {
                multiply_panel(j, t, panel, kind, channel, count, sums);
                if (left <= j->chunk) store_panel(j, t, panel, rest, count, sums);
                if (j->chunk < j->channels) sums += bytes;
            }
        }
    }
}

static void run_tasks(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const int64_t source = (j->chunk * j->lattice.size + j->loops->slack) * j->loops->element,
                  bytes = source + sums_of(j) * j->loops->element + 64;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)bytes);
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return;
    }
    for (int64_t k = begin; k < end; k++) {
        const int64_t split = k % j->splits, rest = k / j->splits;
        task t = {.group = rest % j->call->groups,
                  .begin = split * j->panels / j->splits,
                  .end = (split + 1) * j->panels / j->splits,
                  .source = scratch,
                  .sums = scratch + (source + 63) / 64 * 64};
        tni_lattice_find(&t.box, &j->lattice, rest / j->call->groups);
        run_task(j, &t);
    }
}

/* --- The call --- */

static void describe(job *j) {
    const tni_convolve *call = j->call;
    const bool is_y = call->result == TNI_CONVOLVE_Y;
    j->loops = j->lattice.loops = &tni_loops_level()->convolve[call->dtype];
    j->from = is_y ? &call->x : &call->y;
    j->to = is_y ? &call->y : &call->x;
    j->channels = is_y ? call->inputs : call->outputs;
    j->results = is_y ? call->outputs : call->inputs;
    j->classes = 1;
    for (int k = 0; k < call->ndim; k++) {
        const int64_t size = call->x_shape[k];
        j->steps[k] = is_y ? 1 : call->strides[k];
        j->remainders[k] = j->steps[k] < size ? j->steps[k] : is_y ? 1 : size;
        j->classes *= j->remainders[k];
    }
    if (is_y)
        tni_convolve_lattice(&j->lattice, &j->maps, call);
    else
        find_dx_lattice(j);
    tni_lattice_cut(&j->lattice, j->channels < CHANNELS ? j->channels : CHANNELS,
                    TNI_LATTICE_BYTES);
    j->chunk = tni_convolve_channels(&j->lattice, j->channels);
    j->sums_apart = j->lattice.apart + j->loops->lanes;
    j->panels = (j->results + j->loops->rows - 1) / j->loops->rows;
    j->padded = (j->panels - 1) * j->loops->rows + rows_of(j, j->panels - 1);
    const int64_t tasks = call->groups * j->lattice.boxes, lanes = j->loops->lanes;
    j->splits = (TASKS + tasks - 1) / tasks;
    if (j->splits > j->panels) j->splits = j->panels;
    int64_t rows = 1;
    for (int k = 0; k < j->lattice.ndim - 1; k++)
        rows *= j->lattice.axes[k].box;
    rows *= (j->lattice.axes[j->lattice.ndim - 1].box + lanes - 1) / lanes;
    j->by_rows = j->chunk == j->channels && rows * lanes < j->lattice.apart * 9 / 10;
}

static void run_job(job *j) {
    const tni_convolve *call = j->call;
    tni_parallel_units(call->groups * j->panels, 1 + j->loops->rows * j->channels * j->taps,
                       pack_panels, j);
    const int64_t products =
        j->lattice.places * j->channels * j->taps * (j->padded / j->splits) / j->loops->lanes;
    tni_parallel_units(call->groups * j->lattice.boxes * j->splits, 100 + products, run_tasks, j);
}

static tn_status run_lattice(const tni_convolve *call) {
    job j = {.call = call};
    describe(&j);
    const int64_t taps = tni_convolve_taps(call);
    const int64_t tables = j.classes + 1 + (2 + j.chunk) * taps;
    const int64_t weights = call->groups * j.padded * j.channels * taps * j.loops->element;
    tn_status status = TN_OK;
    int64_t *table = tni_malloc(sizeof *table * (size_t)tables);
    j.weights = tni_malloc((size_t)weights);
    if (table && j.weights) {
        j.class_begin = table;
        j.tap_offset = table + j.classes + 1;
        j.tap_place = j.tap_offset + taps;
        j.offsets = j.tap_place + taps;
        list_taps(&j);
        run_job(&j);
    }
    if (!table || !j.weights || atomic_load(&j.has_failed))
        status = tni_fail_no_memory(weights + tables * (int64_t)sizeof *table);
    tni_free(table);
    tni_free(j.weights);
    return status;
}

/* --- Other ways --- */

/* Whether axis k of a filter has one tap that is at each element. */
static bool is_plain(const tni_convolve *call, int k) {
    return call->w_shape[k] == 1 && call->strides[k] == 1 && call->pads[k] == 0;
}

/* The call with neighbouring axes that filters do not see as one, where they lie as one. */
static void merge_axes(tni_convolve *call) {
    for (int k = call->ndim - 1; k > 0; k--) {
        if (!is_plain(call, k) || !is_plain(call, k - 1) ||
            call->x.strides[k - 1] != call->x.strides[k] * call->x_shape[k] ||
            call->y.strides[k - 1] != call->y.strides[k] * call->y_shape[k])
            continue;
        call->x_shape[k] = call->y_shape[k] *= call->x_shape[k - 1];
        call->ndim--;
        for (int axis = k - 1; axis < call->ndim; axis++) {
            call->x_shape[axis] = call->x_shape[axis + 1];
            call->y_shape[axis] = call->y_shape[axis + 1];
            call->w_shape[axis] = call->w_shape[axis + 1];
            call->pads[axis] = call->pads[axis + 1];
            call->strides[axis] = call->strides[axis + 1];
            call->dilations[axis] = call->dilations[axis + 1];
            call->x.strides[axis] = call->x.strides[axis + 1];
            call->y.strides[axis] = call->y.strides[axis + 1];
            call->w.strides[axis] = call->w.strides[axis + 1];
        }
    }
}

tn_status tni_host_run_convolve(void *params) {
    tni_convolve changed = *(const tni_convolve *)params;
    const tni_convolve *call = &changed;
    const bool is_dw = call->result == TNI_CONVOLVE_DW;
    const int64_t places =
        (call->result == TNI_CONVOLVE_Y ? call->y_shape : call->x_shape)[call->ndim - 1];
    if (tni_host_convolves_channels(call)) return tni_host_convolve_channels(call);
    const bool is_half = tn_dtype_size(call->dtype) == 2;
    if ((places < SHORT || (is_half && call->x.channel_stride == 2)) &&
        tni_host_convolves_copies(call))
        return tni_host_convolve_copies(call);
    merge_axes(&changed);
    if (tni_host_convolves_outer(call)) return tni_host_convolve_outer(call);
    return is_dw ? tni_host_convolve_filter(call) : run_lattice(call);
}

tni_host_plan tni_host_plan_convolve(const tni_convolve *call) {
    int64_t elements = call->batch * call->groups * call->inputs * call->outputs;
    for (int k = 0; k < call->ndim; k++)
        elements *= call->y_shape[k] * call->w_shape[k];
    return (tni_host_plan){tni_host_run_convolve, call, sizeof *call, .elements = elements};
}
