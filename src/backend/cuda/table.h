/* The functions that CUDA's table holds, made from the list of entries; forms/forms.h has the
 * forms. */
#ifndef TNI_CUDA_TABLE_H
#define TNI_CUDA_TABLE_H

#include "backend/backend.h"

/* clang-format off */
#define ENTRY(result, name, parameters) result tni_cuda_##name parameters;
#include "backend/entries.def"
/* clang-format on */

#endif
