/* The form "hull" on the host: of points in order, the chains of those that turn left below and
 * above them (A. M. Andrew, Another efficient algorithm for convex hulls in two dimensions,
 * Information Processing Letters 9, 1979). */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/spatial/predicates.h"
#include "core/base/alloc.h"
#include "forms/spatial.h"

/* Adds a point (its turn) to the chain that begins at `from` of the stack. */
static int64_t add_point(const double *points, int64_t *stack, int64_t count, int64_t from,
                         int64_t turn) {
    while (count - from >= 2 &&
           tni_host_orient(points + 2 * stack[count - 2], points + 2 * stack[count - 1],
                           points + 2 * turn) <= 0)
        count--;
    stack[count] = turn;
    return count + 1;
}

/* `stack` has room for count + 2. Gives the number of corners. */
static int64_t surround(const double *points, int64_t *stack, int64_t count) {
    int64_t corners = 0;
    for (int64_t turn = 0; turn < count; turn++)
        corners = add_point(points, stack, corners, 0, turn);
    const int64_t below = corners - 1;
    for (int64_t turn = count - 2; turn >= 0; turn--)
        corners = add_point(points, stack, corners, below, turn);
    return corners - 1; /* the last one is the first */
}

static bool is_in_range(const int64_t *turns, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        if (turns[k] < 0 || turns[k] >= count) return false;
    return true;
}

tn_status tni_host_run_hull(void *parameters) {
    const tni_hull *call = parameters;
    *call->corner_count = 0;
    if (!is_in_range(call->turns, call->count))
        TNI_FAIL(TN_ERROR_INDEX, "a turn is no number of a point");
    const int64_t bytes = (2 * call->count + 1) * (int64_t)sizeof(double);
    double *points = tni_malloc((size_t)bytes);
    if (!points) return tni_fail_no_memory(bytes);
    if (!tni_host_scale_points(points, call->points, call->turns, call->count)) {
        tni_free(points);
        TNI_FAIL(TN_ERROR_VALUE, "points must be finite");
    }
    if (call->count >= 3) *call->corner_count = surround(points, call->corners, call->count);
    tni_free(points);
    for (int64_t k = 0; k < *call->corner_count; k++)
        call->corners[k] = call->turns[call->corners[k]];
    return TN_OK;
}

TNI_HOST_PLAN(hull, call->count * 20)
