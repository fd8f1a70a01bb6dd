/* The form "hilbert" on the host: points are shared out. */
#include "backend/host/forms/forms.h"
#include "backend/host/threads.h"
#include "forms/spatial.h"
#include "ops/tree.h"

enum { AXES_MOST = 63, BIT_NS = 2 };

static void place(void *context, int64_t begin, int64_t end) {
    const tni_hilbert *call = context;
    tn_u32 at[AXES_MOST];
    for (int64_t i = begin; i < end; i++) {
        memcpy(at, call->places + i * call->axes, (size_t)call->axes * sizeof *at);
        call->keys[i] = m_hilbert(at, call->axes, call->bits);
    }
}

tn_status tni_host_run_hilbert(void *parameters) {
    tni_hilbert *call = parameters;
    tni_parallel_units(call->count, (int64_t)call->axes * call->bits * BIT_NS, place, call);
    return TN_OK;
}

tni_host_plan tni_host_plan_hilbert(const tni_hilbert *call) {
    return (tni_host_plan){tni_host_run_hilbert, call, sizeof *call,
                           .elements = call->count * call->axes};
}
