/* Each place of the result is a fold of rows, the channels at the elements of its window, which are
 * read where they lie. */
#include "backend/host/forms/neural/pooling_rows.h"

#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>

enum { CHANNELS_MIN = 16 };

typedef struct job {
    const tni_pooling *call;
    const tni_convolve_loops *loops;
    const tni_pooling_loops *pooling;
    int64_t element, taps;
    atomic_bool has_failed;
} job;

bool tni_host_pools_rows(const tni_pooling *call) {
    const int64_t element = tn_dtype_size(call->dtype);
    bool is_whole = call->dtype == TN_F32 || call->dtype == TN_F64;
    for (int k = 0; k < call->ndim; k++)
        is_whole &= call->x.strides[k] % element == 0;
    return is_whole && !call->is_backward && call->channels >= CHANNELS_MIN &&
           call->x.channel_stride == element;
}

void tni_host_window_find(tni_host_window *w, const tni_pooling *call, const int64_t *place) {
    w->taps = w->padded = 1;
    for (int k = 0; k < call->ndim; k++) {
        const int64_t begin = place[k] * call->strides[k] - call->pads[k];
        const int64_t end = begin + call->window[k], size = call->x_shape[k];
        const int64_t padded = size + call->pads[k];
        w->begin[k] = begin < 0 ? 0 : begin;
        w->count[k] = (end < size ? end : size) - w->begin[k];
        w->taps *= w->count[k];
        w->padded *= (end < padded ? end : padded) - begin;
    }
}

void tni_host_window_list(int64_t *offsets, const tni_host_window *w, int ndim,
                          const int64_t *strides, int64_t element) {
    int64_t at[TN_SPATIAL_MAX] = {0}, offset = 0;
    for (int64_t tap = 0; tap < w->taps; tap++) {
        offsets[tap] = offset / element;
        for (int k = ndim - 1; k >= 0; k--) {
            offset += strides[k];
            if (++at[k] < w->count[k]) break;
            offset -= at[k] * strides[k];
            at[k] = 0;
        }
    }
}

static void fold_place(const job *j, const int64_t *place, int64_t image, int64_t *offsets,
                       const int64_t *inner, char *sums) {
    const tni_pooling *call = j->call;
    tni_host_window w;
    tni_host_window_find(&w, call, place);
    const char *source = call->x.data + image * call->x.batch_stride;
    char *to = call->y.data + image * call->y.batch_stride;
    for (int k = 0; k < call->ndim; k++) {
        source += w.begin[k] * call->x.strides[k];
        to += place[k] * call->y.strides[k];
    }
    if (w.taps < j->taps)
        tni_host_window_list(offsets, &w, call->ndim, call->x.strides, j->element);
    const tni_pooling_run run = {.source = source,
                                 .offsets = w.taps < j->taps ? offsets : inner,
                                 .taps = w.taps,
                                 .places = call->channels};
    double alpha = call->alpha;
    if (call->kind == TN_POOLING_MAX) {
        (call->propagates_nan ? j->pooling->largest_or_nan : j->pooling->largest)(sums, &run);
    } else {
        j->pooling->sum(sums, &run);
        alpha /= (double)(call->kind == TN_POOLING_AVERAGE ? w.padded : w.taps);
    }
    j->loops->store(to, call->y.channel_stride, sums, call->channels, alpha, call->beta);
}

/* Rows of places along the last axis. */
static void fold_rows(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const tni_pooling *call = j->call;
    const int last = call->ndim - 1;
    const int64_t lists = j->taps * (int64_t)sizeof(int64_t);
    const int64_t bytes = 2 * lists + call->channels * j->element + 64;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)bytes);
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return;
    }
    int64_t *offsets = (int64_t *)(void *)scratch, *inner = offsets + j->taps;
    char *sums = scratch + (2 * lists + 63) / 64 * 64;
    tni_host_window whole = {.taps = j->taps};
    for (int k = 0; k < call->ndim; k++)
        whole.count[k] = call->window[k];
    tni_host_window_list(inner, &whole, call->ndim, call->x.strides, j->element);
    for (int64_t number = begin; number < end; number++) {
        int64_t place[TN_SPATIAL_MAX], rest = number;
        for (int k = last - 1; k >= 0; k--) {
            place[k] = rest % call->y_shape[k];
            rest /= call->y_shape[k];
        }
        for (place[last] = 0; place[last] < call->y_shape[last]; place[last]++)
            fold_place(j, place, rest, offsets, inner, sums);
    }
}

tn_status tni_host_pooling_rows(const tni_pooling *call) {
    job j = {.call = call, .taps = 1};
    int64_t rows = call->batch;
    j.loops = &tni_loops_level()->convolve[call->dtype];
    j.pooling = tni_loops_level()->pooling[call->dtype == TN_F64];
    j.element = j.loops->element;
    for (int k = 0; k < call->ndim; k++) {
        j.taps *= call->window[k];
        if (k < call->ndim - 1) rows *= call->y_shape[k];
    }
    const int64_t steps = call->channels * j.taps / j.loops->lanes;
    tni_parallel_units(rows, call->y_shape[call->ndim - 1] * (20 + steps), fold_rows, &j);
    if (!atomic_load(&j.has_failed)) return TN_OK;
    return tni_fail_no_memory(2 * j.taps * (int64_t)sizeof(int64_t));
}
