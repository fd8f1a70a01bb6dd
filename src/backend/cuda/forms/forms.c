/* The entries of the backend's table: each plans its call and launches the plan. */
#include "backend/cuda/forms/forms.h"

#include "backend/cuda/forms/plan.h"

#define BACKEND cuda
#define HELD(family, name)                                                                         \
    tn_status tni_cuda_##name(const struct tni_##name *call, tn_stream *stream) {                  \
        const tni_target *target;                                                                  \
        tni_plan plan;                                                                             \
        TNI_TRY(tni_cuda_target_get(&target, stream->device.number));                              \
        tni_plan_init(&plan, target);                                                              \
        TNI_TRY(tni_plan_##name(&plan, call));                                                     \
        return tni_plan_launch(&plan, stream);                                                     \
    }
#include "forms/forms.def"
