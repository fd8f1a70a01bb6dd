/* The entries of the backend's table: each plans its call and launches the plan. */
#include "backend/host/forms/forms.h"

#define DEVICE_FORM(family, name)
#define FORM(family, name)                                                                         \
    tn_status tni_host_##name(const struct tni_##name *call, tn_stream *stream) {                  \
        tni_host_plan plan = tni_host_plan_##name(call);                                           \
        return tni_host_launch(&plan, stream);                                                     \
    }
#include "forms/forms.def"
