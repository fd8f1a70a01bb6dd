/* What reduce_columns.c gives to other files. */
#ifndef TNI_HOST_FORMS_REDUCE_COLUMNS_H
#define TNI_HOST_FORMS_REDUCE_COLUMNS_H

#include "backend/host/forms/folding.h"

tn_status tni_fold_columns(const tni_folding *folding);
/* Whether columns serve better. */
bool tni_fold_prefers_columns(const tni_folding *folding);

#endif
