/* What every launch of a sort has: the key's macros, and the shape of the rows. */
#ifndef TNI_CUDA_FORMS_SORT_STEP_H
#define TNI_CUDA_FORMS_SORT_STEP_H

#include "backend/cuda/forms/plan.h"
#include "backend/cuda/forms/sort/sort_key.h"
#include "forms/sort.h"

/* Behind these a form has macros of its own, up to five. */
#define TNI_SORT_MACROS TNI_SORT_KEY, "KEPT_NDIM", "WIDE_INDEX"
enum { TNI_SORT_OWN = 5 };

/* Begins a launch; `own` has the values of the form's own macros. */
void tni_sort_step(tni_plan *plan, const tni_form *form, const tni_sort *call,
                   const int own[TNI_SORT_OWN]);
/* The shape of the rows, with the strides of the input, the output or both. */
void tni_sort_put_kept(tni_plan *plan, const tni_sort *call, bool has_input, bool has_output);

#endif
