/* The entries of the backend's table: each plans its call and launches the plan. */
#include "backend/cuda/forms/forms.h"

#include "backend/cuda/forms/plan.h"

static tn_status begin(tni_plan *plan, const tn_stream *stream) {
    tni_cuda_device *device;
    TNI_TRY(tni_cuda_device_get(&device, stream->device.number));
    tni_plan_init(plan, &device->target);
    return TN_OK;
}

#define FORM(family, name)                                                                         \
    tn_status tni_cuda_##name(const struct tni_##name *call, tn_stream *stream) {                  \
        tni_plan plan;                                                                             \
        TNI_TRY(begin(&plan, stream));                                                             \
        TNI_TRY(tni_plan_##name(&plan, call));                                                     \
        return tni_plan_launch(&plan, stream);                                                     \
    }
#include "forms/forms.def"
