/* The forms of the CUDA backend, tni_cuda_<name>; one file each. */
#ifndef TNI_CUDA_FORMS_H
#define TNI_CUDA_FORMS_H

#include "backend/backend.h"

#include <tenorite/linalg.h>

#define FORM(family, name)                                                                         \
    tn_status tni_cuda_##name(const struct tni_##name *call, tn_stream *stream);
#include "forms/forms.def"

#endif
