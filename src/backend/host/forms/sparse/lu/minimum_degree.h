/* An order of columns that keeps factors sparse. */
#ifndef TNI_HOST_SPARSE_LU_MINIMUM_DEGREE_H
#define TNI_HOST_SPARSE_LU_MINIMUM_DEGREE_H

#include "backend/host/forms/sparse/lu/pattern.h"

/* By minimum degree in the graph of a + transposed a
 * or (is_product) transposed a x a: order[k] is the column that comes as number k. */
tn_status tni_lu_minimum_degree(int32_t *order, const tni_lu_pattern *pattern, bool is_product);

#endif
