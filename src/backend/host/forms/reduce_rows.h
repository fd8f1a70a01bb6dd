/* What reduce_rows.c gives to other files. */
#ifndef TNI_HOST_FORMS_REDUCE_ROWS_H
#define TNI_HOST_FORMS_REDUCE_ROWS_H

#include "backend/host/forms/folding.h"

/* The two shapes of work. A failure is memory that is out. */
tn_status tni_fold_rows(const tni_folding *folding);

#endif
