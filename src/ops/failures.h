/* What the record of a failure is about, for the kernel that writes it and the host. */
#ifndef TNI_OPS_FAILURES_H
#define TNI_OPS_FAILURES_H

typedef enum tn_failure {
    TN_FAILURE_INDEX,    /* an index out of bounds of an axis */
    TN_FAILURE_SEGMENT,  /* an index of a reduceat; in place of the axis is the operation */
    TN_FAILURE_MATRIX,   /* without a decomposition; in place of the index is a text's address */
    TN_FAILURE_STRUCTURE /* of a sparse matrix, with a text likewise */
} tn_failure;

#endif
