/* What kernels of sorting know of a dtype: the macros that sort.cuh asks for. */
#ifndef TNI_CUDA_FORMS_SORT_KEY_H
#define TNI_CUDA_FORMS_SORT_KEY_H

#include <tenorite/dtype.h>

#include <stdbool.h>
#include <stdint.h>

/* A form names them first, in this order. */
#define TNI_SORT_KEY "ELEMENT_BYTES", "KIND", "MANTISSA", "DESCENDING"
enum { TNI_SORT_KEY_COUNT = 4 };

/* Sets their values. */
void tni_sort_key_set(int16_t *numbers, tn_dtype dtype, bool is_descending);

#endif
