/* The forms of the host, one file each: tni_host_plan_<name>() plans a call, and
 * tni_host_run_<name>() is what the plan runs. The table's entry tni_host_<name>() plans the call
 * and launches the plan (stream/launch.h). */
#ifndef TNI_HOST_FORMS_H
#define TNI_HOST_FORMS_H

#include "backend/backend.h"
#include "backend/host/stream/launch.h"

/* What this backend lacks. */
#define LACKS_host_batch_norm TNI_LACKED
#define LACKS_host_join TNI_LACKED

#define BACKEND host
#define HELD(family, name)                                                                         \
    tni_host_plan tni_host_plan_##name(const struct tni_##name *call);                             \
    tn_status tni_host_run_##name(void *params);                                                   \
    tn_status tni_host_##name(const struct tni_##name *call, tn_stream *stream);
#include "forms/forms.def"

/* The plan of a form whose parameters are the call itself: `work` is how many elements it is, an
 * expression of `call`. */
#define TNI_HOST_PLAN(form, work)                                                                  \
    tni_host_plan tni_host_plan_##form(const tni_##form *call) {                                   \
        return (tni_host_plan){tni_host_run_##form, call, sizeof *call, .elements = (work)};       \
    }

/* The same of an image whose call points to its neighbours, call->steps. */
#define TNI_HOST_PLAN_OF_STEPS(form)                                                               \
    static tn_status run_copy(void *parameters) {                                                  \
        tni_##form *call = parameters;                                                             \
        call->steps = (const void *)(call + 1);                                                    \
        return tni_host_run_##form(call);                                                          \
    }                                                                                              \
    tni_host_plan tni_host_plan_##form(const tni_##form *call) {                                   \
        return (tni_host_plan){tni_host_run_##form,                                                \
                               call,                                                               \
                               sizeof *call,                                                       \
                               .more = call->steps,                                                \
                               .more_bytes = (size_t)call->step_count * sizeof *call->steps,       \
                               .run_copy = run_copy,                                               \
                               .elements = tni_image_elements(call->ndim, call->shape)};           \
    }

#endif
