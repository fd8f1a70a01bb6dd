/* The entries of the backend's table: each plans its call and launches the plan. The launch on the
 * immediate stream only runs what the plan would run, so there the entry makes no plan: that is
 * what a plan costs, a few ns. */
#include "backend/host/forms/forms.h"

#define BACKEND host
#define HELD(family, name)                                                                         \
    tn_status tni_host_##name(const struct tni_##name *call, tn_stream *stream) {                  \
        if (stream->is_immediate) return tni_host_run_##name((void *)(uintptr_t)call);             \
        tni_host_plan plan = tni_host_plan_##name(call);                                           \
        return tni_host_launch_queued(&plan, stream);                                              \
    }
#include "forms/forms.def"
