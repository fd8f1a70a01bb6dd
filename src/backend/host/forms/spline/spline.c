/* The form "spline" on the host: values of x are shared out among the threads. */
#include "forms/spline.h"
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"

#include <string.h>

enum { BLOCK = 32 }; /* values that a loop takes together */

static void evaluate(void *context, int64_t begin, int64_t end) {
    tni_loops_level()->spline->evaluate(context, begin, end);
}

/* About how many nanoseconds one x takes. */
static int64_t estimate(const tni_spline *call) {
    int64_t terms = 1, ns = 0;
    for (int axis = 0; axis < call->ndim; axis++) {
        const tni_spline_axis *of = &call->axes[axis];
        int64_t steps = 0;
        while (steps < 63 && of->intervals >> steps)
            steps++;
        terms *= of->terms < 1 ? 1 : of->terms;
        ns += steps + of->terms;
    }
    return ns + (call->coefficients ? terms * call->width / 2 : 0) + 2;
}

tn_status tni_host_run_spline(void *parameters) {
    tni_spline *call = parameters;
    const int64_t grain = 1000 / estimate(call);
    if (call->is_outside) memset(call->is_outside, 0, (size_t)call->ndim);
    tni_parallel_short(call->count, grain < BLOCK ? BLOCK : grain & -BLOCK, evaluate, call);
    return TN_OK;
}

TNI_HOST_PLAN(spline, call->count * call->width)
