/* The form reduce, elements along a kept axis. */
#ifndef TNI_HOST_FORMS_REDUCE_COLUMNS_H
#define TNI_HOST_FORMS_REDUCE_COLUMNS_H

#include "backend/host/forms/reduce/folding.h"

/* A failure is memory that is out. */
tn_status tni_fold_columns(const tni_folding *folding);
/* Whether columns serve better. */
bool tni_fold_prefers_columns(const tni_folding *folding);

#endif
