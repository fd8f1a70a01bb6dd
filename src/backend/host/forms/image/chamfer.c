/* The form "chamfer" on the host: each element looks at its neighbours before it, in a walk through
 * all elements, and at those after it in a walk back (Rosenfeld and Pfaltz 1966). What it looks at
 * is done, so the walks have one thread. */
#include "backend/host/forms/forms.h"
#include "forms/measure.h"

/* Whether a step from a place leads to an element; *offset is how many elements further it is. */
static bool find_neighbour(int64_t *offset, const tni_chamfer *call, const tni_neighbour *step,
                           const int64_t *place, int direction) {
    *offset = 0;
    for (int axis = 0; axis < call->ndim; axis++) {
        const int by = direction * step->at[axis];
        const int64_t at = place[axis] + by;
        if (at < 0 || at >= call->shape[axis]) return false;
        *offset = *offset * call->shape[axis] + by;
    }
    return true;
}

/* Takes the nearest of the neighbours in one direction: 1 those before an element, -1 after. */
static void look(const tni_chamfer *call, const int64_t *place, int64_t at, int direction) {
    int32_t least = call->distances[at];
    int64_t from = at;
    for (int k = 0; k < call->step_count && least != 0; k++) {
        int64_t offset;
        if (!find_neighbour(&offset, call, &call->steps[k], place, direction)) continue;
        const int32_t beside = call->distances[at + offset];
        if (beside < 0 || (least >= 0 && beside + 1 >= least)) continue;
        least = beside + 1;
        from = at + offset;
    }
    call->distances[at] = least;
    if (call->nearest) call->nearest[at] = call->nearest[from];
}

tn_status tni_host_run_chamfer(void *parameters) {
    const tni_chamfer *call = parameters;
    const int64_t elements = tni_image_elements(call->ndim, call->shape);
    int64_t place[TN_MAX_NDIM] = {0};
    for (int64_t at = 0; at < elements; at++) {
        call->distances[at] = call->mask[at] ? -1 : 0;
        if (call->nearest) call->nearest[at] = at;
    }
    for (int64_t at = 0; at < elements; at++) {
        look(call, place, at, 1);
        for (int axis = call->ndim - 1; axis >= 0 && ++place[axis] == call->shape[axis]; axis--)
            place[axis] = 0;
    }
    for (int axis = 0; axis < call->ndim; axis++)
        place[axis] = call->shape[axis] - 1;
    for (int64_t at = elements - 1; at >= 0; at--) {
        look(call, place, at, -1);
        for (int axis = call->ndim - 1; axis >= 0 && --place[axis] < 0; axis--)
            place[axis] = call->shape[axis] - 1;
    }
    return TN_OK;
}

static tn_status run_copy(void *parameters) {
    tni_chamfer *call = parameters;
    call->steps = (const void *)(call + 1);
    return tni_host_run_chamfer(call);
}

tni_host_plan tni_host_plan_chamfer(const tni_chamfer *call) {
    return (tni_host_plan){.run = tni_host_run_chamfer,
                           .params = call,
                           .bytes = sizeof *call,
                           .more = call->steps,
                           .more_bytes = (size_t)call->step_count * sizeof *call->steps,
                           .run_copy = run_copy,
                           .elements = tni_image_elements(call->ndim, call->shape)};
}
