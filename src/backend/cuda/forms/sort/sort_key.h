/* What kernels of sorting know of a dtype: the macros that sort.cuh asks for. */
#ifndef TNI_CUDA_FORMS_SORT_KEY_H
#define TNI_CUDA_FORMS_SORT_KEY_H

#include "backend/cuda/forms/step.h"
#include "forms/sort.h"

/* Among the MACROS of a step. `has_ties`: NaNs must have one key, and so must -0 and 0. */
#define TNI_SORT_KEY(dtype, is_descending, has_ties)                                               \
    .ELEMENT_BYTES = tn_dtype_size(dtype), .KIND = tni_sort_kind(dtype),                           \
    .MANTISSA = tni_sort_mantissa(dtype), .DESCENDING = is_descending,                             \
    .TIES = tni_sort_ties(dtype, has_ties)
/* The same of a call, and the shape of its rows. */
#define TNI_SORT_MACROS(call)                                                                      \
    TNI_SORT_KEY((call)->dtype, (call)->is_descending,                                             \
                 (call)->gives_positions || (call)->is_stable),                                    \
        .KEPT_NDIM = (call)->ndim, .WIDE_INDEX = tni_form_is_wide((call)->size)

int16_t tni_sort_kind(tn_dtype dtype);
int16_t tni_sort_mantissa(tn_dtype dtype);
bool tni_sort_ties(tn_dtype dtype, bool has_ties);

#endif
