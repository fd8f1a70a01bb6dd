/* The last columns of a factorization as a dense matrix. */
#ifndef TNI_HOST_SPARSE_LU_DENSE_H
#define TNI_HOST_SPARSE_LU_DENSE_H

#include "backend/host/forms/sparse/lu/column.h"

/* Whether the columns from k on, of which k was computed, are better factored as a dense matrix. */
bool tni_lu_is_dense(const tni_lu_columns *c, int64_t k);
tn_status tni_lu_finish_dense(tni_lu_columns *c, int64_t k);

#endif
