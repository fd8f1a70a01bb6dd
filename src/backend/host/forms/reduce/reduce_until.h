/* The form reduce, folds that one element may decide. */
#ifndef TNI_HOST_FORMS_REDUCE_UNTIL_H
#define TNI_HOST_FORMS_REDUCE_UNTIL_H

#include "backend/host/forms/reduce/folding.h"

/* Rows of truths that one element may decide (stop is not -1). */
void tni_fold_until(const tni_folding *folding);

#endif
