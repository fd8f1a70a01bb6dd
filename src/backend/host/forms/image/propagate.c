/* The form "propagate" on the host: what was set is looked at once, in the order in which it was
 * set, and sets what it may. The image lies in a larger one whose rim is never set, so that no
 * place of a window has to be compared with the ends of the axes. */
#include "backend/host/forms/forms.h"
#include "core/base/alloc.h"
#include "forms/image.h"

#include <string.h>

typedef struct spreading {
    const tni_propagate *call;
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM], before[TN_MAX_NDIM]; /* with the rim */
    int64_t size;
    char *open;       /* what may be set and is not */
    int64_t *offsets; /* from an element to those whose windows have it */
    int64_t *queue;
} spreading;

static void measure(spreading *s) {
    const tni_propagate *call = s->call;
    s->size = 1;
    for (int k = call->ndim - 1; k >= 0; k--) {
        const int64_t low = call->low[k], high = call->size[k] - 1 - low;
        const int64_t rim = (low < 0 ? -low : low) > (high < 0 ? -high : high)
                                ? (low < 0 ? -low : low)
                                : (high < 0 ? -high : high);
        s->before[k] = rim;
        s->shape[k] = call->shape[k] + 2 * rim;
        s->strides[k] = s->size;
        s->size *= s->shape[k];
    }
}

static void find_offsets(spreading *s) {
    const tni_propagate *call = s->call;
    for (int64_t k = 0; k < call->count; k++) {
        int64_t place = call->places ? call->places[k] : k, offset = 0;
        for (int axis = call->ndim - 1; axis >= 0; axis--) {
            offset -= (place % call->size[axis] - call->low[axis]) * s->strides[axis];
            place /= call->size[axis];
        }
        s->offsets[k] = offset;
    }
}

/* Where element `at` of the image lies in the larger one. */
static int64_t larger_place(const spreading *s, int64_t at) {
    int64_t place = 0;
    for (int k = s->call->ndim - 1; k >= 0; k--) {
        place += (at % s->call->shape[k] + s->before[k]) * s->strides[k];
        at /= s->call->shape[k];
    }
    return place;
}

static int64_t rows_of(const tni_propagate *call) {
    int64_t rows = 1;
    for (int k = 0; k < call->ndim - 1; k++)
        rows *= call->shape[k];
    return rows;
}

/* Fills `open` and the queue; gives how many are in it. */
static int64_t begin(spreading *s) {
    const tni_propagate *call = s->call;
    const int64_t row = call->shape[call->ndim - 1], rows = rows_of(call);
    int64_t count = 0;
    for (int64_t k = 0; k < rows; k++) {
        const int64_t place = larger_place(s, k * row);
        const char *image = call->image + k * row, *fresh = call->fresh + k * row;
        char *open = s->open + place;
        for (int64_t i = 0; i < row; i++)
            open[i] = !image[i];
        for (int64_t i = 0; call->allowed && i < row; i++)
            open[i] = (char)(open[i] & (call->allowed[k * row + i] != 0));
        for (int64_t i = 0; i < row; i++)
            if (fresh[i]) s->queue[count++] = place + i;
    }
    return count;
}

static void spread(spreading *s, int64_t count) {
    for (int64_t done = 0; done < count; done++)
        for (int64_t k = 0; k < s->call->count; k++) {
            const int64_t place = s->queue[done] + s->offsets[k];
            if (!s->open[place]) continue;
            s->open[place] = 0;
            s->queue[count++] = place;
        }
}

/* What is allowed and not open any more is set. */
static void end(const spreading *s) {
    const tni_propagate *call = s->call;
    const int64_t row = call->shape[call->ndim - 1], rows = rows_of(call);
    for (int64_t k = 0; k < rows; k++) {
        const char *open = s->open + larger_place(s, k * row);
        char *image = call->image + k * row;
        if (!call->allowed) {
            for (int64_t i = 0; i < row; i++)
                image[i] = (char)(image[i] | !open[i]);
            continue;
        }
        const char *allowed = call->allowed + k * row;
        for (int64_t i = 0; i < row; i++)
            image[i] = (char)(image[i] | (!open[i] & (allowed[i] != 0)));
    }
}

tn_status tni_host_run_propagate(void *params) {
    spreading s = {.call = params};
    int64_t elements = 1;
    tn_status status = TN_OK;
    for (int k = 0; k < s.call->ndim; k++)
        elements *= s.call->shape[k];
    if (s.call->ndim == 0) return TN_OK;
    measure(&s);
    s.open = tni_malloc((size_t)s.size);
    s.offsets = tni_malloc((size_t)s.call->count * sizeof(int64_t));
    s.queue = tni_malloc((size_t)elements * sizeof(int64_t));
    if (s.open && s.offsets && s.queue) {
        memset(s.open, 0, (size_t)s.size);
        find_offsets(&s);
        spread(&s, begin(&s));
        end(&s);
    } else {
        status = tni_fail_no_memory(s.size + elements * (int64_t)sizeof(int64_t));
    }
    tni_free(s.queue);
    tni_free(s.offsets);
    tni_free(s.open);
    return status;
}

tni_host_plan tni_host_plan_propagate(const tni_propagate *call) {
    int64_t elements = call->count;
    for (int k = 0; k < call->ndim; k++)
        elements *= call->shape[k];
    return (tni_host_plan){tni_host_run_propagate, call, sizeof *call, .elements = elements};
}
