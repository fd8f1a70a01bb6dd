/* The forms of the CUDA backend, one file each: tni_plan_<name>() plans a call, and the table's
 * entry tni_cuda_<name>() plans it for the stream's device and launches it. */
#ifndef TNI_CUDA_FORMS_H
#define TNI_CUDA_FORMS_H

#include "backend/backend.h"

struct tni_plan;

/* What this backend lacks. */
#define LACKS_cuda_chamfer TNI_LACKED
#define LACKS_cuda_csr_factor TNI_LACKED
#define LACKS_cuda_csr_factor_solve TNI_LACKED
#define LACKS_cuda_csr_paths TNI_LACKED
#define LACKS_cuda_csr_spanning TNI_LACKED
#define LACKS_cuda_csr_traverse TNI_LACKED
#define LACKS_cuda_hull TNI_LACKED
#define LACKS_cuda_lstsq TNI_LACKED
#define LACKS_cuda_value_indices TNI_LACKED
#define LACKS_cuda_watershed TNI_LACKED
#define LACKS_cuda_propagate TNI_LACKED
#define LACKS_cuda_triangle_slopes TNI_LACKED
#define LACKS_cuda_triangulate TNI_LACKED

#define BACKEND cuda
#define HELD(family, name)                                                                         \
    tn_status tni_plan_##name(struct tni_plan *plan, const struct tni_##name *call);               \
    tn_status tni_cuda_##name(const struct tni_##name *call, tn_stream *stream);
#include "forms/forms.def"

#endif
