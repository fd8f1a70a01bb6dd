/* Each window notes the tap of its largest element or, of a mean, its share; then each element of
 * dx sums what the windows give that it is in, in the order of their places, as the CUDA backend
 * does. So nothing is written twice.
 *
 * Vectors run over channels that lie beside each other. A task has a band of dx along the first
 * axis of an image, in a block of channels, and the windows that meet it. */
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
    BLOCK_BYTES = 256,     /* of channels that a task takes, about */
    BAND_BYTES = 256 << 10 /* of the windows of a band, about */
};

typedef struct job {
    const tni_pooling *call;
    const tni_pooling_loops *pooling;
    int64_t element, taps, outer_taps;
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
    char *kept;        /* of each window what was found, or what it gives */
    taps lists[LISTS]; /* of windows that are cut, or not, along a row */
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
    return call->channels >= CHANNELS_MIN && call->x.channel_stride == element &&
           call->y.channel_stride == element && call->dx.channel_stride == element;
}

static void describe(job *j) {
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    j->element = tn_dtype_size(call->dtype);
    j->pooling = tni_loops_level()->pooling[call->dtype == TN_F64];
    j->outer_taps = j->outer_rows = 1;
    for (int k = 0; k < last; k++) {
        j->outer_taps *= call->window[k];
        if (k > 0) j->outer_rows *= call->y_shape[k];
    }
    j->taps = j->outer_taps * call->window[last];
    const int64_t some = BLOCK_BYTES / j->element;
    j->blocks = call->channels >= 2 * some ? call->channels / some : 1;
    j->row = call->y_shape[last] * (call->channels / j->blocks + 2 * CHANNELS_MIN);
    const int64_t bytes = j->row * j->outer_rows * j->element;
    const int64_t windows = last == 0 || bytes > BAND_BYTES ? 1 : BAND_BYTES / bytes;
    j->band = last == 0 ? call->x_shape[0] : windows * call->strides[0];
    j->bands = (call->x_shape[0] + j->band - 1) / j->band;
}

bool tni_host_shares_pooling(const tni_pooling *call) {
    const int64_t element = tn_dtype_size(call->dtype);
    if (!call->is_backward || (call->dtype != TN_F32 && call->dtype != TN_F64)) return false;
    if (call->alpha != 1 || call->beta != 0) return false;
    if (!lies_in_elements(&call->x, call->ndim, element) ||
        !lies_in_elements(&call->y, call->ndim, element) ||
        !lies_in_elements(&call->dx, call->ndim, element))
        return false;
    if (!has_channels(call)) return false;
    job j = {.call = call};
    describe(&j);
    const int64_t more = call->ndim == 1 ? 1 : call->window[0] / call->strides[0] + 2;
    return j.row * j.outer_rows * j.element * more <= 16 * BAND_BYTES;
}

/* --- Windows --- */

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
            j->pooling->find(found, &run, 1, call->propagates_nan);
        }
        found += m->channels * j->element;
        given += call->y.strides[last];
    }
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
        m->found_rows[count] = kept_row(j, m, place);
        m->given_rows[count] = is_mean ? m->found_rows[count] : given;
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
    const tni_pooling_share share = {.rows = list_rows(j, m, at),
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
    j->pooling->share(&share);
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
        find_row(j, m, place);
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
}

static void run_tasks(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const tni_pooling *call = j->call;
    const int64_t rows = call->ndim == 1 ? 1 : (j->band + call->window[0]) / call->strides[0] + 2;
    const int64_t kept = (rows * j->outer_rows * j->row * j->element + 63) / 64 * 64;
    const int64_t lists = (2 * LISTS * j->taps + 3 * j->outer_taps) * (int64_t)sizeof(int64_t);
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)(lists + kept));
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return;
    }
    room m = {.kept = scratch};
    m.row_taps = (int64_t *)(void *)(scratch + kept);
    for (int k = 0; k < LISTS; k++) {
        m.lists[k] = (taps){.offsets = m.row_taps, .names = m.row_taps + j->taps};
        m.row_taps += 2 * j->taps;
    }
    m.found_rows = (const void **)(void *)(m.row_taps + j->outer_taps);
    m.given_rows = m.found_rows + j->outer_taps;
    for (int64_t k = begin; k < end; k++) {
        set_task(j, &m, k);
        run_band(j, &m);
    }
}

tn_status tni_host_pooling_share(const tni_pooling *call) {
    job j = {.call = call};
    describe(&j);
    const int last = call->ndim - 1;
    const int64_t elements = call->x_shape[last];
    const int64_t windows = (call->window[last] + call->strides[last] - 1) / call->strides[last];
    const size_t bytes =
        sizeof *j.first * (size_t)(elements + 1) + sizeof *j.windows * (size_t)(elements * windows);
    j.first = tni_malloc(bytes);
    if (j.first) {
        int64_t share = j.taps;
        j.windows = (tni_pooling_window *)(void *)(j.first + elements + 1);
        list_windows(&j);
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
