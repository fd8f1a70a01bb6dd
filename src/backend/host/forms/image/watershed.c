/* The form "watershed" on the host: the image foresting transform (Falcao, Stolfi and Lotufo 2004).
 *
 * An element's cost is the highest step of the lowest path to it so far. Elements wait in a queue
 * for each cost, and the cheapest one gives its label to neighbours which it makes cheaper. Queues
 * are linked lists through arrays. Labels below 0 wait at the end of a queue, others at its begin.
 * Which of equal paths wins depends on the queues, so these are SciPy's in all they do: an element
 * that waits alone does not leave its queue when it joins another, a queue that has become empty
 * keeps its last element, and a step beyond the end of a row leads to the next row. What was taken
 * out is in no list any more, so each list ends. */
#include "backend/host/forms/forms.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "forms/measure.h"

#include <stdlib.h>

enum { COSTS = 1 << 16, NOBODY = -1, UNSEEN = COSTS };

typedef struct flood {
    const tni_watershed *call;
    int64_t elements;
    int32_t highest;        /* of all costs */
    int64_t *next, *before; /* in a queue */
    int64_t *offsets;       /* of steps */
    int32_t *costs;
    bool *are_done;
    int64_t first[COSTS], last[COSTS];
} flood;

static void enqueue(flood *f, int64_t at, int32_t cost, bool is_last) {
    const int64_t beside = is_last ? f->last[cost] : f->first[cost];
    f->costs[at] = cost;
    f->next[at] = is_last ? NOBODY : beside;
    f->before[at] = is_last ? beside : NOBODY;
    if (beside != NOBODY) (is_last ? f->next : f->before)[beside] = at;
    if (is_last || f->last[cost] == NOBODY) f->last[cost] = at;
    if (!is_last || f->first[cost] == NOBODY) f->first[cost] = at;
}

static void leave(flood *f, int64_t at) {
    const int32_t cost = f->costs[at];
    const int64_t before = f->before[at], next = f->next[at];
    if (before == NOBODY && next == NOBODY) return;
    if (f->first[cost] == at) f->first[cost] = next;
    if (f->last[cost] == at) f->last[cost] = before;
    if (before != NOBODY) f->next[before] = next;
    if (next != NOBODY) f->before[next] = before;
}

static int64_t take_first(flood *f, int cost) {
    const int64_t at = f->first[cost], next = f->next[at];
    f->first[cost] = next;
    if (next != NOBODY) f->before[next] = NOBODY;
    f->next[at] = f->before[at] = NOBODY;
    return at;
}

/* An element is done: neighbours that are cheaper from here get its label. */
static void spread(flood *f, int64_t at) {
    const tni_watershed *call = f->call;
    const int32_t own = f->costs[at];
    f->are_done[at] = true;
    for (int k = 0; k < call->step_count; k++) {
        const int64_t to = at + f->offsets[k];
        if (to < 0 || to >= f->elements || f->are_done[to]) continue;
        const int32_t step = abs((int32_t)call->image[at] - (int32_t)call->image[to]);
        const int32_t cost = step > own ? step : own;
        if (cost >= f->costs[to]) continue;
        if (f->costs[to] != UNSEEN) leave(f, to);
        call->labels[to] = call->labels[at];
        enqueue(f, to, cost, call->labels[at] < 0);
    }
}

static void run(flood *f) {
    for (int k = 0; k < f->call->step_count; k++) {
        f->offsets[k] = 0;
        for (int axis = 0; axis < f->call->ndim; axis++)
            f->offsets[k] = f->offsets[k] * f->call->shape[axis] + f->call->steps[k].at[axis];
    }
    f->highest = 0;
    for (int64_t at = 0; at < f->elements; at++)
        if (f->call->image[at] > f->highest) f->highest = f->call->image[at];
    for (int cost = 0; cost <= f->highest; cost++)
        f->first[cost] = f->last[cost] = NOBODY;
    for (int64_t at = 0; at < f->elements; at++) {
        f->costs[at] = UNSEEN;
        f->are_done[at] = false;
        f->next[at] = f->before[at] = NOBODY;
        if (f->call->labels[at]) enqueue(f, at, 0, f->call->labels[at] < 0);
    }
    for (int cost = 0; cost <= f->highest; cost++)
        while (f->first[cost] != NOBODY)
            spread(f, take_first(f, cost));
}

tn_status tni_host_run_watershed(void *parameters) {
    const tni_watershed *call = parameters;
    const int64_t elements = tni_image_elements(call->ndim, call->shape);
    const int64_t bytes =
        (int64_t)sizeof(flood) + elements * (2 * 8 + 4 + 1) + call->step_count * 8;
    flood *f = tni_malloc((size_t)bytes);
    if (!f) return tni_fail_no_memory(bytes);
    f->call = call;
    f->elements = elements;
    f->next = (int64_t *)(void *)(f + 1);
    f->before = f->next + elements;
    f->offsets = f->before + elements;
    f->costs = (int32_t *)(void *)(f->offsets + call->step_count);
    f->are_done = (bool *)(f->costs + elements);
    run(f);
    tni_free(f);
    return TN_OK;
}

TNI_HOST_PLAN_OF_STEPS(watershed)
