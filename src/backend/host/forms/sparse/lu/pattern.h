/* The structure of a matrix that is factored. */
#ifndef TNI_HOST_SPARSE_LU_PATTERN_H
#define TNI_HOST_SPARSE_LU_PATTERN_H

#include "forms/factors.h"

#include <tenorite/status.h>

/* The structure of a square matrix by columns, checked, and the same by rows. */
typedef struct tni_lu_pattern {
    int64_t n;
    int64_t *starts, *row_starts;
    int32_t *rows, *columns;
} tni_lu_pattern;

/* Copies and checks; TN_ERROR_VALUE for a broken structure. */
tn_status tni_lu_pattern_make(tni_lu_pattern *pattern, const tni_csr_factor *call);
void tni_lu_pattern_release(tni_lu_pattern *pattern);

/* Puts columns beside each other that are eliminated after each other, without more fill: the
 * elimination tree of the same graph, children first. In place. */
tn_status tni_lu_postorder(int32_t *order, const tni_lu_pattern *pattern, bool is_product);

#endif
