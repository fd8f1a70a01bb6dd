/* The form reduce, elements along the reduced axes. */
#ifndef TNI_HOST_FORMS_REDUCE_ROWS_H
#define TNI_HOST_FORMS_REDUCE_ROWS_H

#include "backend/host/forms/reduce/folding.h"

/* A failure is memory that is out. */
tn_status tni_fold_rows(const tni_folding *folding);

#endif
