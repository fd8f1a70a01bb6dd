/* Columns of incomplete factors. */
#ifndef TNI_HOST_SPARSE_LU_INCOMPLETE_H
#define TNI_HOST_SPARSE_LU_INCOMPLETE_H

#include "backend/host/forms/sparse/lu/column.h"

/* Drops small elements of column k. *pivot below 0 becomes the row of a pivot that is not 0. */
tn_status tni_lu_drop(tni_lu_columns *c, int64_t k, int32_t *pivot);

#endif
