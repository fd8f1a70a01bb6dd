/* The form "chamfer" on the host: each element looks at its neighbours before it, in a walk through
 * all elements, and at those after it in a walk back (Rosenfeld and Pfaltz 1966). What it looks at
 * is done, so the walks have one thread. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/image/lines.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

typedef struct walk {
    const tni_chamfer *call;
    int direction;    /* 1: neighbours before an element, -1: after it */
    int64_t *offsets; /* of steps */
} walk;

/* Whether a step from a place leads to an element. */
static bool is_inside(const walk *w, const tni_neighbour *step, const int64_t *place) {
    for (int axis = 0; axis < w->call->ndim; axis++) {
        const int64_t at = place[axis] + w->direction * step->at[axis];
        if (at < 0 || at >= w->call->shape[axis]) return false;
    }
    return true;
}

/* Whether all steps from a place do. */
static bool is_amid(const tni_chamfer *call, const int64_t *place, int axes) {
    for (int axis = 0; axis < axes; axis++)
        if (place[axis] == 0 || place[axis] == call->shape[axis] - 1) return false;
    return true;
}

/* Takes the nearest of the neighbours in one direction. */
static inline void look(const walk *w, const int64_t *place, int64_t at, bool is_free) {
    const tni_chamfer *call = w->call;
    int32_t least = call->distances[at];
    int64_t from = at;
    for (int k = 0; k < call->step_count && least != 0; k++) {
        if (!is_free && !is_inside(w, &call->steps[k], place)) continue;
        const int64_t to = at + w->direction * w->offsets[k];
        const int32_t beside = call->distances[to];
        if (beside < 0 || (least >= 0 && beside + 1 >= least)) continue;
        least = beside + 1;
        from = to;
    }
    call->distances[at] = least;
    if (call->nearest) call->nearest[at] = call->nearest[from];
}

/* A line that begins, in the walk's direction, at the element `at`. */
static void walk_line(const walk *w, int64_t *place, int64_t at) {
    const int last = w->call->ndim - 1;
    const bool is_between = is_amid(w->call, place, last);
    const int64_t length = w->call->shape[last];
    for (int64_t x = 0; x < length; x++) {
        place[last] = w->direction > 0 ? x : length - 1 - x;
        look(w, place, at + w->direction * x, is_between && x > 0 && x < length - 1);
    }
}

static void walk_through(const walk *w, int64_t elements) {
    const tni_chamfer *call = w->call;
    const int64_t length = call->shape[call->ndim - 1], lines = elements / length;
    int64_t place[TN_MAX_NDIM];
    for (int64_t k = 0; k < lines; k++) {
        const int64_t line = w->direction > 0 ? k : lines - 1 - k;
        tni_line_place(place, line, call->ndim, call->shape);
        walk_line(w, place, w->direction > 0 ? line * length : (line + 1) * length - 1);
    }
}

tn_status tni_host_run_chamfer(void *parameters) {
    const tni_chamfer *call = parameters;
    const int64_t elements = tni_image_elements(call->ndim, call->shape);
    const int64_t bytes = (call->step_count + 1) * (int64_t)sizeof(int64_t);
    walk w = {call, 1, tni_malloc((size_t)bytes)};
    if (!w.offsets) return tni_fail_no_memory(bytes);
    for (int k = 0; k < call->step_count; k++) {
        w.offsets[k] = 0;
        for (int axis = 0; axis < call->ndim; axis++)
            w.offsets[k] = w.offsets[k] * call->shape[axis] + call->steps[k].at[axis];
    }
    for (int64_t at = 0; at < elements; at++) {
        call->distances[at] = call->mask[at] ? -1 : 0;
        if (call->nearest) call->nearest[at] = at;
    }
    walk_through(&w, elements);
    w.direction = -1;
    walk_through(&w, elements);
    tni_free(w.offsets);
    return TN_OK;
}

TNI_HOST_PLAN_OF_STEPS(chamfer)
