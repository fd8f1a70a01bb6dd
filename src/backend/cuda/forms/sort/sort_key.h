/* What kernels of sorting know of a dtype: the macros that sort.cuh asks for. */
#ifndef TNI_CUDA_FORMS_SORT_KEY_H
#define TNI_CUDA_FORMS_SORT_KEY_H

#include <tenorite/dtype.h>

#include <stdbool.h>
#include <stdint.h>

/* A form names them first, in this order. */
#define TNI_SORT_KEY "ELEMENT_BYTES", "KIND", "MANTISSA", "DESCENDING", "TIES"
enum { TNI_SORT_KEY_COUNT = 5 };

/* Sets their values. `has_ties`: NaNs must have one key, and so must -0 and 0. */
void tni_sort_key_set(int16_t *numbers, tn_dtype dtype, bool is_descending, bool has_ties);

#endif
