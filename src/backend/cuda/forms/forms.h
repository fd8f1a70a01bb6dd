/* The forms that the CUDA backend has: FORM(name), implemented by tni_cuda_<name>. One line per form as
 * its file comes into being; what is not listed here, core reports as not implemented. */
#ifndef TNI_CUDA_FORMS_H
#define TNI_CUDA_FORMS_H

#include "backend/backend.h"

/* clang-format off */
#define TNI_CUDA_FORMS(FORM) \
    FORM(elementwise) \
    FORM(reduce) \
    FORM(argreduce) \
    FORM(scan) \
    FORM(ufunc_at) \
    FORM(reduceat) \
    FORM(take) \
    FORM(put) \
    FORM(places) \
    FORM(compress) \
    FORM(expand) \
    FORM(nonzero) \
    FORM(arange) \
    FORM(join) \
    FORM(matmul)
/* clang-format on */

#define FORM(name) tn_status tni_cuda_##name(const struct tni_##name *call, tn_stream *stream);
TNI_CUDA_FORMS(FORM)
#undef FORM

#endif
