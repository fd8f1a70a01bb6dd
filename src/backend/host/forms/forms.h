/* The forms of the host, one file each: tni_host_plan_<name>() plans a call, and
 * tni_host_run_<name>() is what the plan runs. The table's entry tni_host_<name>() plans the call
 * and launches the plan (stream/launch.h). */
#ifndef TNI_HOST_FORMS_H
#define TNI_HOST_FORMS_H

#include "backend/backend.h"
#include "backend/host/stream/launch.h"

/* What this backend lacks. */
#define LACKS_host_join TNI_LACKED

#define BACKEND host
#define HELD(family, name)                                                                         \
    tni_host_plan tni_host_plan_##name(const struct tni_##name *call);                             \
    tn_status tni_host_run_##name(void *params);                                                   \
    tn_status tni_host_##name(const struct tni_##name *call, tn_stream *stream);
#include "forms/forms.def"

#endif
