/* Each window notes the tap of its largest element or, of a mean, its share; then each element of
 * dx sums what the windows give that it is in, in the order of their places, as the CUDA backend
 * does. So nothing is written twice. A task has a band of dx along the first axis of an image, in a
 * block of channels, and the windows that meet it.
 *
 * Vectors run over channels that lie beside each other or, for largest elements, over runs: what
 * the rows of all maps of a block have at points that are a multiple of the stride apart, a phase,
 * from map to map. Places are the points of phase 0, also those between maps that are none, which
 * give 0. */
#include "backend/host/forms/neural/pooling_share.h"

#include "backend/host/forms/neural/pooling_rows.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum {
    CHANNELS_MIN = 16,
    BLOCK_BYTES = 256,      /* of channels that a task takes, about */
    BAND_BYTES = 256 << 10, /* of the windows of a band, about */
    RUN = 256               /* places of a run, about */
};

typedef struct job {
    const tni_pooling *call;
    const tni_convolve_loops *loops, *working; /* of the dtype, of the working type */
    const tni_pooling_loops *pooling;
    int64_t element, taps, outer_taps; /* element: of the working type, in bytes */
    bool has_runs, is_direct;          /* is_direct: rows of dx lie as they are computed */
    int64_t points, run; /* points of a phase: of a map, of all of them in whole vectors */
    int64_t margin;      /* points before a run, as far as windows reach, in whole vectors */
    int64_t blocks;      /* of channels */
    int64_t row;         /* elements of a row of windows */
    int64_t outer_rows;  /* of windows, for one along the first axis */
    int64_t band, bands; /* elements along the first axis */
    int64_t *first;      /* the windows of each element of a row of dx */
    tni_pooling_window *windows;
    atomic_bool has_failed;
} job;

/* Taps of a window in order C: their offsets in x from its first one, and their numbers in a whole
 * window. */
typedef struct taps {
    int64_t *offsets, *names;
    int64_t cut[TN_SPATIAL_MAX], count[TN_SPATIAL_MAX]; /* taps that lack at first, and that are */
} taps;

enum { WHOLE, CUT_FIRST, CUT_LAST, LISTS };

/* Memory and place of a task. */
typedef struct room {
    char *kept, *given; /* of each window what was found, or what it gives; both of runs */
    char *x_rows, *phases, *line; /* of runs: rows of x; a row of dx by phases, and whole */
    int64_t *marks;               /* which row of x each is */
    taps lists[LISTS];            /* of windows that are cut, or not, along a row */
    int64_t *row_taps;
    const void **found_rows, **given_rows;
    const char *x, *y;
    char *dx;
    int64_t channels;
    int64_t begin, end; /* of the band, in elements */
    int64_t low, high;  /* windows that meet it along the first axis */
} room;

/* --- Which calls --- */

static bool lies_in_elements(const tni_maps *maps, int ndim, int64_t element) {
    bool is_whole = maps->channel_stride % element == 0;
    for (int k = 0; k < ndim; k++)
        is_whole &= maps->strides[k] % element == 0;
    return is_whole;
}

static bool has_channels(const tni_pooling *call) {
    const int64_t element = tn_dtype_size(call->dtype);
    if (call->dtype != TN_F32 && call->dtype != TN_F64) return false;
    if (call->alpha != 1 || call->beta != 0) return false;
    if (!lies_in_elements(&call->x, call->ndim, element) ||
        !lies_in_elements(&call->y, call->ndim, element) ||
        !lies_in_elements(&call->dx, call->ndim, element))
        return false;
    return call->channels >= CHANNELS_MIN && call->x.channel_stride == element &&
           call->y.channel_stride == element && call->dx.channel_stride == element;
}

/* Rows of dx without a conversion may be any, since they pass through a run. */
static bool has_runs(const tni_pooling *call) {
    return call->kind == TN_POOLING_MAX &&
           call->x.strides[call->ndim - 1] == (int64_t)tn_dtype_size(call->dtype);
}

/* How many points further the last tap of a window lies than its first. */
static int64_t reach_of(const job *j) {
    const int last = j->call->ndim - 1;
    return (j->call->window[last] - 1) / j->call->strides[last];
}

static void describe_runs(job *j) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t step = call->strides[last], lanes = j->working->lanes;
    const int64_t given = (call->y_shape[last] - 1) * step + call->window[last];
    const int64_t there = call->x_shape[last] + call->pads[last];
    j->points = ((given > there ? given : there) + step - 1) / step;
    j->margin = (reach_of(j) + lanes - 1) / lanes * lanes;
    const int64_t most = j->points < RUN ? RUN / j->points : 1;
    j->blocks = (call->channels + most - 1) / most;
    const int64_t maps = (call->channels + j->blocks - 1) / j->blocks;
    j->run = (maps * j->points + lanes - 1) / lanes * lanes;
    j->row = j->margin + j->run;
}

static void describe(job *j) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    j->loops = &tni_loops_level()->convolve[call->dtype];
    j->working = &tni_loops_level()->convolve[call->dtype == TN_F64 ? TN_F64 : TN_F32];
    j->element = j->working->element;
    j->pooling = tni_loops_level()->pooling[call->dtype == TN_F64];
    j->has_runs = !has_channels(call);
    j->is_direct = j->loops == j->working && call->dx.strides[last] == j->element &&
                   call->alpha == 1 && call->beta == 0;
    j->outer_taps = j->outer_rows = 1;
    for (int k = 0; k < last; k++) {
        j->outer_taps *= call->window[k];
        if (k > 0) j->outer_rows *= call->y_shape[k];
    }
    j->taps = j->outer_taps * call->window[last];
    const int64_t some = BLOCK_BYTES / j->element;
    j->blocks = call->channels >= 2 * some ? call->channels / some : 1;
    j->row = call->y_shape[last] * (call->channels / j->blocks + 2 * CHANNELS_MIN);
    if (j->has_runs) describe_runs(j);
    const int64_t bytes = j->row * j->outer_rows * j->element;
    const int64_t windows = last == 0 || bytes > BAND_BYTES ? 1 : BAND_BYTES / bytes;
    j->band = last == 0 ? call->x_shape[0] : windows * call->strides[0];
    j->bands = (call->x_shape[0] + j->band - 1) / j->band;
}

bool tni_host_shares_pooling(const tni_pooling *call) {
    if (!call->is_backward || (!has_channels(call) && !has_runs(call))) return false;
    job j = {.call = call};
    describe(&j);
    const int64_t more = call->ndim == 1 ? 1 : call->window[0] / call->strides[0] + 2;
    return j.row * j.outer_rows * j.element * more <= 16 * BAND_BYTES;
}

/* --- Windows --- */

/* Elements of a phase of x, which windows of the last places may read on after. */
static int64_t phase_size(const job *j) {
    return j->run + j->margin;
}

static int64_t x_row_bytes(const job *j) {
    return phase_size(j) * j->call->strides[j->call->ndim - 1] * j->element;
}

/* Where a row of windows lies. */
static char *kept_row(const job *j, const room *m, const int64_t *place) {
    int64_t number = j->call->ndim > 1 ? place[0] - m->low : 0;
    for (int k = 1; k < j->call->ndim - 1; k++)
        number = number * j->call->y_shape[k] + place[k];
    return m->kept + number * j->row * j->element;
}

/* Lists the taps of a window, unless they are those of the window before. */
static void list_taps(const job *j, taps *list, const tni_host_window *w, const int64_t *place) {
    const tni_pooling *call = j->call;
    bool is_listed = true;
    for (int k = 0; k < call->ndim; k++) {
        const int64_t cut = w->begin[k] - place[k] * call->strides[k] + call->pads[k];
        is_listed &= list->cut[k] == cut && list->count[k] == w->count[k];
        list->cut[k] = cut;
        list->count[k] = w->count[k];
    }
    if (is_listed) return;
    tni_host_window_list(list->offsets, w, call->ndim, call->x.strides, j->element);
    for (int64_t tap = 0; tap < w->taps; tap++) {
        int64_t rest = tap, name = 0, size = 1;
        for (int k = call->ndim - 1; k >= 0; k--) {
            name += (rest % w->count[k] + list->cut[k]) * size;
            rest /= w->count[k];
            size *= call->window[k];
        }
        list->names[tap] = name;
    }
}

static const char *begin_of(const tni_maps *maps, const tni_host_window *w, int ndim,
                            const char *data) {
    for (int k = 0; k < ndim; k++)
        data += w->begin[k] * maps->strides[k];
    return data;
}

/* Those that are not cut along a row share taps. */
static void find_row(const job *j, room *m, int64_t *place) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    char *found = kept_row(j, m, place);
    const char *given = m->y;
    for (int k = 0; k < last; k++)
        given += place[k] * call->y.strides[k];
    for (place[last] = 0; place[last] < call->y_shape[last]; place[last]++) {
        tni_host_window w;
        tni_host_window_find(&w, call, place);
        if (call->kind != TN_POOLING_MAX) {
            const int64_t count = call->kind == TN_POOLING_AVERAGE ? w.padded : w.taps;
            j->pooling->divide_run(found, given, (double)count, m->channels);
        } else {
            const bool is_whole = w.count[last] == call->window[last];
            taps *list = &m->lists[is_whole ? WHOLE : w.begin[last] == 0 ? CUT_FIRST : CUT_LAST];
            list_taps(j, list, &w, place);
            const tni_pooling_run run = {.source = begin_of(&call->x, &w, call->ndim, m->x),
                                         .offsets = list->offsets,
                                         .names = list->names,
                                         .taps = w.taps,
                                         .places = m->channels};
            j->pooling->find(found, &run, call->propagates_nan);
        }
        found += m->channels * j->element;
        given += call->y.strides[last];
    }
}

/* --- Windows of runs --- */

/* A phase of a row of x. A point that no window of a place has is 0, so that the places between
 * maps are found without a second look. */
static void load_phase(const job *j, const room *m, char *to, const char *from, int64_t phase) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t step = call->strides[last], size = call->x_shape[last], pad = call->pads[last];
    const int64_t before = phase < pad ? (pad - phase + step - 1) / step : 0;
    const int64_t first = before * step + phase - pad;
    const tni_convolve_rows rows = {.rows = m->channels,
                                    .count = first < size ? (size - first + step - 1) / step : 0,
                                    .apart = call->x.channel_stride,
                                    .stride = step * call->x.strides[last],
                                    .run_apart = j->points};
    j->loops->load_rows(to, from + first * call->x.strides[last], &rows, before,
                        j->points - before - rows.count,
                        call->propagates_nan ? -__builtin_inf() : __builtin_nan(""));
    if ((call->y_shape[last] - 1) * step + call->window[last] < j->points * step)
        for (int64_t map = 1; map <= m->channels && phase == step - 1; map++)
            memset(to + (map * j->points - 1) * j->element, 0, (size_t)j->element);
}

/* The row of x of all maps at a position. */
static const char *x_row(const job *j, const room *m, const int64_t *at) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const char *from = m->x;
    int64_t slot = 0, mark = 0;
    for (int k = 0; k < last; k++) {
        from += at[k] * call->x.strides[k];
        slot = slot * call->window[k] + at[k] % call->window[k];
        mark = mark * call->x_shape[k] + at[k];
    }
    char *row = m->x_rows + slot * x_row_bytes(j);
    if (m->marks[slot] == mark) return row;
    m->marks[slot] = mark;
    for (int64_t phase = 0; phase < call->strides[last] && phase < call->window[last]; phase++)
        load_phase(j, m, row + phase * phase_size(j) * j->element, from, phase);
    return row;
}

/* Lists the taps of a row's windows: those of the rows of x that are there. */
static int64_t list_run_taps(const job *j, const room *m, const int64_t *place) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t width = call->window[last], step = call->strides[last];
    const taps *list = &m->lists[WHOLE];
    int64_t count = 0, at[TN_SPATIAL_MAX];
    for (int64_t number = 0; number < j->outer_taps; number++) {
        int64_t rest = number;
        bool is_there = true;
        for (int k = last - 1; k >= 0 && is_there; k--) {
            at[k] = place[k] * call->strides[k] - call->pads[k] + rest % call->window[k];
            rest /= call->window[k];
            is_there = at[k] >= 0 && at[k] < call->x_shape[k];
        }
        if (!is_there) continue;
        const int64_t row = (x_row(j, m, at) - m->x_rows) / j->element;
        for (int64_t r = 0; r < width; r++, count++) {
            list->offsets[count] = row + r % step * phase_size(j) + r / step;
            list->names[count] = number * width + r;
        }
    }
    return count;
}

/* Windows that are cut along the row, found again without what the pads have. */
static void find_cut(const job *j, const room *m, const tni_pooling_run *run, char *found) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t step = call->strides[last], size = call->x_shape[last];
    const int64_t width = call->window[last];
    for (int64_t map = 0; map < m->channels; map++)
        for (int64_t k = 0; k < call->y_shape[last]; k++) {
            const int64_t begin = k * step - call->pads[last], at = map * j->points + k;
            if (begin >= 0 && begin + width <= size) continue;
            const int64_t tap = j->pooling->find_cut(
                m->x_rows + at * j->element, run, width, begin < 0 ? -begin : 0,
                size - begin < width ? size - begin : width, call->propagates_nan);
            if (j->element == sizeof(float))
                ((int32_t *)(void *)found)[at] = (int32_t)tap;
            else
                ((int64_t *)(void *)found)[at] = tap;
        }
}

static void find_run(const job *j, room *m, int64_t *place) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    char *found = kept_row(j, m, place), *given = m->given + (found - m->kept);
    const char *from = m->y;
    const tni_convolve_rows rows = {.rows = m->channels,
                                    .count = call->y_shape[last],
                                    .apart = call->y.channel_stride,
                                    .stride = call->y.strides[last],
                                    .run_apart = j->points};
    for (int k = 0; k < last; k++)
        from += place[k] * call->y.strides[k];
    memset(given, 0, (size_t)(j->margin * j->element));
    j->loops->load_rows(given + j->margin * j->element, from, &rows, 0, j->points - rows.count, 0);
    const tni_pooling_run run = {.taps = list_run_taps(j, m, place),
                                 .source = m->x_rows,
                                 .offsets = m->lists[WHOLE].offsets,
                                 .names = m->lists[WHOLE].names,
                                 .places = j->run};
    found += j->margin * j->element;
    const bool is_strange = j->pooling->find(found, &run, call->propagates_nan);
    if (is_strange && call->propagates_nan) find_cut(j, m, &run, found);
}

/* A row of dx from its phases, of which two can be merged where they go. */
static void store_phases(const job *j, const room *m, char *to) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t step = call->strides[last], bytes = j->run * j->element, pad = call->pads[last];
    const tni_convolve_rows rows = {.rows = m->channels,
                                    .count = call->x_shape[last],
                                    .apart = call->dx.channel_stride,
                                    .stride = call->dx.strides[last],
                                    .run_apart = j->points * step};
    const char *line = step == 1 ? m->phases : m->line;
    if (step == 2 && j->is_direct) {
        const char *even = m->phases + pad % 2 * bytes + pad / 2 * j->element;
        const char *odd = m->phases + (pad + 1) % 2 * bytes + (pad + 1) / 2 * j->element;
        for (int64_t map = 0; map < rows.rows; map++, to += rows.apart)
            j->working->merge(to, even + map * j->points * j->element,
                              odd + map * j->points * j->element, rows.count);
        return;
    }
    if (step == 2) j->working->merge(m->line, m->phases, m->phases + bytes, 2 * j->run);
    for (int64_t phase = 0; step > 2 && phase < step; phase++)
        j->working->store(m->line + phase * j->element, step * j->element,
                          m->phases + phase * bytes, j->run, 1, 0);
    j->loops->store_rows(to, line + pad * j->element, &rows, call->alpha, call->beta);
}

/* --- Elements --- */

/* The rows of windows that a row of dx is in, in the order of their places. */
static int64_t list_rows(const job *j, const room *m, const int64_t *at) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const bool is_mean = call->kind != TN_POOLING_MAX;
    int64_t count = 0, place[TN_SPATIAL_MAX];
    for (int64_t number = j->outer_taps - 1; number >= 0; number--) {
        int64_t rest = number;
        bool is_there = true;
        for (int k = last - 1; k >= 0 && is_there; k--) {
            const int64_t from = at[k] + call->pads[k] - rest % call->window[k];
            rest /= call->window[k];
            place[k] = from / call->strides[k];
            is_there = from >= 0 && from % call->strides[k] == 0 && place[k] < call->y_shape[k];
        }
        if (!is_there) continue;
        const char *given = m->y;
        for (int k = 0; k < last; k++)
            given += place[k] * call->y.strides[k];
        const char *found = kept_row(j, m, place) + j->margin * j->element;
        m->found_rows[count] = found;
        m->given_rows[count] = is_mean ? found : j->has_runs ? m->given + (found - m->kept) : given;
        m->row_taps[count++] = is_mean ? 0 : number * call->window[last];
    }
    return count;
}

static void share_row(const job *j, const room *m, const int64_t *at) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const bool is_mean = call->kind != TN_POOLING_MAX;
    char *to = m->dx;
    for (int k = 0; k < last; k++)
        to += at[k] * call->dx.strides[k];
    tni_pooling_share share = {.rows = list_rows(j, m, at),
                               .elements = call->x_shape[last],
                               .channels = m->channels,
                               .apart = call->dx.strides[last] / j->element,
                               .given_apart =
                                   is_mean ? m->channels : call->y.strides[last] / j->element,
                               .found_apart = m->channels,
                               .given = m->given_rows,
                               .found = is_mean ? NULL : m->found_rows,
                               .taps = m->row_taps,
                               .first = j->first,
                               .windows = j->windows,
                               .to = to};
    if (j->has_runs) {
        share.elements = call->strides[last];
        share.channels = share.apart = j->run;
        share.given_apart = share.found_apart = 1;
        share.to = m->phases;
    }
    j->pooling->share(&share);
    if (j->has_runs) store_phases(j, m, to);
}

/* The windows of each phase by their places, which are before the element's point. */
static void list_run_windows(job *j) {
    const int last = j->call->ndim - 1;
    const int64_t step = j->call->strides[last];
    int64_t count = 0;
    for (int64_t phase = 0; phase < step; phase++) {
        j->first[phase] = count;
        for (int64_t k = reach_of(j); k >= 0; k--)
            if (k * step + phase < j->call->window[last])
                j->windows[count++] = (tni_pooling_window){-k, k * step + phase};
    }
    j->first[step] = count;
}

/* The windows of each element of a row by their places. */
static void list_windows(job *j) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t elements = call->x_shape[last];
    const bool is_mean = call->kind != TN_POOLING_MAX;
    int64_t count = 0;
    for (int64_t element = 0; element < elements; element++) {
        j->first[element] = count;
        for (int64_t tap = call->window[last] - 1; tap >= 0; tap--) {
            const int64_t from = element + call->pads[last] - tap;
            const int64_t place = from / call->strides[last];
            if (from < 0 || from % call->strides[last] || place >= call->y_shape[last]) continue;
            j->windows[count++] = (tni_pooling_window){place, is_mean ? 0 : tap};
        }
    }
    j->first[elements] = count;
}

/* --- Tasks --- */

static void run_band(const job *j, room *m) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t step = call->strides[0], begin = m->begin + call->pads[0] - call->window[0] + 1;
    int64_t place[TN_SPATIAL_MAX] = {0}, at[TN_SPATIAL_MAX] = {0};
    int k;
    m->low = begin > 0 ? (begin + step - 1) / step : 0;
    m->high = (m->end - 1 + call->pads[0]) / step + 1;
    if (m->high > call->y_shape[0]) m->high = call->y_shape[0];
    place[0] = last > 0 ? m->low : 0;
    for (k = last == 0 || m->low < m->high ? 0 : -1; k >= 0;) {
        (j->has_runs ? find_run : find_row)(j, m, place);
        for (k = last - 1; k >= 0 && ++place[k] == (k ? call->y_shape[k] : m->high); k--)
            place[k] = k ? 0 : m->low;
    }
    at[0] = last > 0 ? m->begin : 0;
    do {
        share_row(j, m, at);
        for (k = last - 1; k >= 0 && ++at[k] == (k ? call->x_shape[k] : m->end); k--)
            at[k] = 0;
    } while (k >= 0);
}

static int64_t block_begin(const job *j, int64_t block) {
    if (j->has_runs) return block * j->call->channels / j->blocks;
    if (block == j->blocks) return j->call->channels;
    return block * j->call->channels / j->blocks / CHANNELS_MIN * CHANNELS_MIN;
}

static void set_task(const job *j, room *m, int64_t task) {
    const tni_pooling *call = j->call;
    const int64_t band = task % j->bands, block = task / j->bands % j->blocks;
    const int64_t image = task / j->bands / j->blocks;
    const int64_t channel = block_begin(j, block);
    m->channels = block_begin(j, block + 1) - channel;
    m->begin = band * j->band;
    m->end = band + 1 == j->bands ? call->x_shape[0] : m->begin + j->band;
    m->x = call->x.data + image * call->x.batch_stride + channel * call->x.channel_stride;
    m->y = call->y.data + image * call->y.batch_stride + channel * call->y.channel_stride;
    m->dx = call->dx.data + image * call->dx.batch_stride + channel * call->dx.channel_stride;
    for (int64_t k = 0; j->has_runs && k < j->outer_taps; k++)
        m->marks[k] = -1;
}

/* Memory of a task; what lies between the maps of a run is 0. */
static bool enter(room *m, job *j) {
    const tni_pooling *call = j->call;
    const int64_t rows = call->ndim == 1 ? 1 : (j->band + call->window[0]) / call->strides[0] + 2;
    const int64_t kept = (rows * j->outer_rows * j->row * j->element + 63) / 64 * 64;
    const int64_t lists = (2 * LISTS * j->taps + 4 * j->outer_taps) * (int64_t)sizeof(int64_t);
    const int64_t x_rows = j->outer_taps * x_row_bytes(j);
    const int64_t dx_row = j->run * call->strides[call->ndim - 1] * j->element;
    const int64_t bytes = kept + (j->has_runs ? kept + x_rows + 2 * dx_row : 0) + lists;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)bytes);
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return false;
    }
    *m = (room){.kept = scratch};
    scratch += kept;
    if (j->has_runs) {
        m->given = scratch;
        m->x_rows = m->given + kept;
        m->phases = m->x_rows + x_rows;
        m->line = m->phases + dx_row;
        scratch = m->line + dx_row;
        memset(m->x_rows, 0, (size_t)x_rows);
    }
    m->row_taps = (int64_t *)(void *)scratch;
    for (int k = 0; k < LISTS; k++) {
        m->lists[k] = (taps){.offsets = m->row_taps, .names = m->row_taps + j->taps};
        m->row_taps += 2 * j->taps;
    }
    m->marks = m->row_taps + j->outer_taps;
    m->found_rows = (const void **)(void *)(m->marks + j->outer_taps);
    m->given_rows = m->found_rows + j->outer_taps;
    return true;
}

static void run_tasks(void *context, int64_t begin, int64_t end) {
    job *j = context;
    room m;
    if (!enter(&m, j)) return;
    for (int64_t k = begin; k < end; k++) {
        set_task(j, &m, k);
        run_band(j, &m);
    }
}

tn_status tni_host_pooling_share(const tni_pooling *call) {
    job j = {.call = call};
    describe(&j);
    const int last = call->ndim - 1;
    const int64_t elements = j.has_runs ? call->strides[last] : call->x_shape[last];
    const int64_t windows = (call->window[last] + call->strides[last] - 1) / call->strides[last];
    const size_t bytes =
        sizeof *j.first * (size_t)(elements + 1) + sizeof *j.windows * (size_t)(elements * windows);
    j.first = tni_malloc(bytes);
    if (j.first) {
        int64_t share = j.taps;
        j.windows = (tni_pooling_window *)(void *)(j.first + elements + 1);
        (j.has_runs ? list_run_windows : list_windows)(&j);
        for (int k = 0; k < call->ndim; k++)
            share = (share + call->strides[k] - 1) / call->strides[k];
        int64_t places = j.band * j.row * (2 + 2 * share);
        for (int k = 1; k < last; k++)
            places *= call->x_shape[k];
        tni_parallel_units(call->batch * j.blocks * j.bands, 100 + places / 8, run_tasks, &j);
    }
    tni_free(j.first);
    if (j.first && !atomic_load(&j.has_failed)) return TN_OK;
    return tni_fail_no_memory((int64_t)bytes);
}
