/* Each place of a row hands its gradient on to the largest element of its window, which lies where
 * it is in memory: the taps of a row are found, then served. A task has maps of its own, for which
 * it takes the places in their order, as the CUDA backend does. */
#include "backend/host/forms/neural/pooling_back.h"

#include "backend/host/forms/neural/pooling_rows.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum {
    MAPS_MIN = 16,          /* that are enough for the threads */
    ELEMENTS_FEW = 1 << 16, /* fewer are no work to share */
    PLACES_MIN = 4          /* of a row */
};

typedef struct job {
    const tni_pooling *call;
    const tni_pooling_loops *pooling;
    int64_t element, taps;
    atomic_bool has_failed;
} job;

/* Lists of a task: the offsets of the taps in x and dx, of whole windows and of the last cut one;
 * the taps that were found. */
typedef struct lists {
    int64_t *offsets, *targets, *cut_offsets, *cut_targets;
    void *found;
} lists;

/* --- Which calls --- */

static bool lies_in_elements(const tni_maps *maps, int ndim, int64_t element) {
    bool is_whole = maps->channel_stride % element == 0;
    for (int k = 0; k < ndim; k++)
        is_whole &= maps->strides[k] % element == 0;
    return is_whole;
}

/* Windows at neighbouring elements would wait for each other's sums. */
static bool has_rows(const tni_pooling *call) {
    const int64_t element = tn_dtype_size(call->dtype);
    const int last = call->ndim - 1;
    return call->kind == TN_POOLING_MAX && call->strides[last] > 1 &&
           call->y_shape[last] >= PLACES_MIN && call->x.strides[last] == element &&
           call->y.strides[last] == element && call->dx.strides[last] == element;
}

bool tni_host_pools_back(const tni_pooling *call) {
    const int64_t element = tn_dtype_size(call->dtype);
    int64_t count = call->batch * call->channels;
    if (!call->is_backward || (call->dtype != TN_F32 && call->dtype != TN_F64)) return false;
    if (call->alpha != 1 || call->beta != 0) return false;
    if (!lies_in_elements(&call->x, call->ndim, element) ||
        !lies_in_elements(&call->dx, call->ndim, element))
        return false;
    const bool has_maps = count >= MAPS_MIN;
    for (int k = 0; k < call->ndim; k++)
        count *= call->x_shape[k];
    return has_rows(call) && (has_maps || count < ELEMENTS_FEW);
}

/* --- Work --- */

/* Clears elements of dx, from `begin` to before `end` along the first axis. */
static void clear(const job *j, char *dx, int64_t begin, int64_t end) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    int64_t at[TN_SPATIAL_MAX] = {begin};
    for (int k = begin < end ? 0 : -1; k >= 0;) {
        char *to = dx;
        const int64_t count = last == 0 ? end - begin : call->x_shape[last];
        for (k = 0; k <= last; k++)
            to += at[k] * call->dx.strides[k];
        memset(to, 0, (size_t)(count * j->element));
        for (k = last - 1; k >= 0 && ++at[k] == (k == 0 ? end : call->x_shape[k]); k--)
            at[k] = 0;
    }
}

/* Where the window at a place begins in maps. */
static char *begin_of(const tni_maps *maps, const tni_host_window *w, int ndim, char *data) {
    for (int k = 0; k < ndim; k++)
        data += w->begin[k] * maps->strides[k];
    return data;
}

/* Lists the taps of a window that is cut; whole windows have theirs. */
static void list(const job *j, const lists *l, const tni_host_window *w, const int64_t **offsets,
                 const int64_t **targets) {
    const tni_pooling *call = j->call;
    const bool is_whole = w->taps == j->taps;
    *offsets = is_whole ? l->offsets : l->cut_offsets;
    *targets = is_whole ? l->targets : l->cut_targets;
    if (is_whole) return;
    tni_host_window_list(l->cut_offsets, w, call->ndim, call->x.strides, j->element);
    tni_host_window_list(l->cut_targets, w, call->ndim, call->dx.strides, j->element);
}

/* The taps of places at the ends of a row, whose windows are cut along it. */
static void give_cut(const job *j, const lists *l, const tni_pooling_run *run, int64_t begin,
                     const char *x, const char *given, char *dx, const int64_t *targets) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t width = call->window[last], there = call->x_shape[last] - begin;
    const int64_t tap =
        j->pooling->find_cut(x + begin * j->element, run, width, begin < 0 ? -begin : 0,
                             there < width ? there : width, call->propagates_nan);
    if (j->element == sizeof(float))
        *(int32_t *)l->found = (int32_t)tap;
    else
        *(int64_t *)l->found = tap;
    j->pooling->scatter(dx + begin * j->element, given, l->found, targets, 1, 1);
}

/* A row of places: those whose windows are whole along it are taken together. */
static void give_row(const job *j, const lists *l, int64_t *place, char *x, const char *dy,
                     char *dx) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t step = call->strides[last], pad = call->pads[last], places = call->y_shape[last];
    const int64_t width = call->window[last], room = call->x_shape[last] - width + pad;
    int64_t first = (pad + step - 1) / step; /* that does not begin before the row */
    int64_t after = room < 0 ? 0 : room / step + 1;
    const int64_t *offsets, *targets;
    tni_host_window w;
    if (after > places) after = places;
    if (first > after) first = after;
    place[last] = 0;
    tni_host_window_find(&w, call, place);
    w.taps = w.taps / w.count[last] * width; /* as if the row had no ends */
    w.begin[last] = 0;
    w.count[last] = width;
    list(j, l, &w, &offsets, &targets);
    x = begin_of(&call->x, &w, call->ndim, x);
    dx = begin_of(&call->dx, &w, call->ndim, dx);
    tni_pooling_run run = {
        .source = x, .offsets = offsets, .taps = w.taps, .places = after - first};
    for (int64_t k = 0; k < places; k++) {
        const int64_t begin = k * step - pad;
        const char *given = dy + k * j->element;
        if (k < first || k >= after) {
            give_cut(j, l, &run, begin, x, given, dx, targets);
            continue;
        }
        run.source = x + begin * j->element;
        j->pooling->find(l->found, &run, step, call->propagates_nan);
        j->pooling->scatter(dx + begin * j->element, given, l->found, targets, step, run.places);
        k = after - 1;
    }
}

/* The elements along the first axis are cleared when the first window has them. */
static void give_maps(const job *j, const lists *l, char *x, const char *dy, char *dx) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    int64_t place[TN_SPATIAL_MAX] = {0}, cleared = 0;
    for (int k = 0; k >= 0;) {
        const char *row = dy;
        const int64_t outer = last == 0 ? call->y_shape[0] - 1 : place[0];
        const int64_t end = outer * call->strides[0] - call->pads[0] + call->window[0];
        const int64_t needed = end < call->x_shape[0] ? end : call->x_shape[0];
        clear(j, dx, cleared, needed);
        cleared = needed > cleared ? needed : cleared;
        for (k = 0; k < last; k++)
            row += place[k] * call->y.strides[k];
        give_row(j, l, place, x, row, dx);
        for (k = last - 1; k >= 0 && ++place[k] == call->y_shape[k]; k--)
            place[k] = 0;
    }
    clear(j, dx, cleared, call->x_shape[0]);
}

static void run_tasks(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const tni_pooling *call = j->call;
    const int64_t list_bytes = j->taps * (int64_t)sizeof(int64_t);
    const int64_t row = (call->y_shape[call->ndim - 1] + 1) * j->element;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)(4 * list_bytes + row));
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return;
    }
    int64_t *at = (int64_t *)(void *)scratch;
    const lists l = {at, at + j->taps, at + 2 * j->taps, at + 3 * j->taps, at + 4 * j->taps};
    tni_host_window whole = {.taps = j->taps};
    for (int k = 0; k < call->ndim; k++)
        whole.count[k] = call->window[k];
    tni_host_window_list(l.offsets, &whole, call->ndim, call->x.strides, j->element);
    tni_host_window_list(l.targets, &whole, call->ndim, call->dx.strides, j->element);
    for (int64_t map = begin; map < end; map++) {
        const int64_t image = map / call->channels, channel = map % call->channels;
        give_maps(
            j, &l, call->x.data + image * call->x.batch_stride + channel * call->x.channel_stride,
            call->y.data + image * call->y.batch_stride + channel * call->y.channel_stride,
            call->dx.data + image * call->dx.batch_stride + channel * call->dx.channel_stride);
    }
}

tn_status tni_host_pooling_back(const tni_pooling *call) {
    job j = {.call = call, .taps = 1, .element = tn_dtype_size(call->dtype)};
    int64_t places = 1, elements = 1;
    j.pooling = tni_loops_level()->pooling[call->dtype == TN_F64];
    for (int k = 0; k < call->ndim; k++) {
        j.taps *= call->window[k];
        places *= call->y_shape[k];
        elements *= call->x_shape[k];
    }
    const int64_t ns = (places * (10 + j.taps) + elements) / 8;
    tni_parallel_units(call->batch * call->channels, 100 + ns, run_tasks, &j);
    if (!atomic_load(&j.has_failed)) return TN_OK;
    return tni_fail_no_memory(4 * j.taps * (int64_t)sizeof(int64_t));
}
