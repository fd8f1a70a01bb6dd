/* The form "scan": running folds along one axis; addresses, shapes, strides (bytes) and dtypes
 * resolved, access ordered, outputs apart from inputs. The body is the operation `op` of the table
 * on `accumulator`. */
#ifndef TNI_FORMS_SCAN_H
#define TNI_FORMS_SCAN_H

#include "forms/reduce.h"

/* output[kept, i] = fold of input[kept, 0 .. i]. `length` and `size` (of kept) are at least 1. */
typedef struct tni_scan {
    tn_op op;
    int flags; /* TNI_SKIPS_NAN */
    tn_dtype input_dtype, accumulator, output_dtype;
    char *output;
    const char *input;
    int64_t length, output_stride, input_stride;
    int ndim;
    int64_t size;
    int64_t shape[TN_MAX_NDIM], output_strides[TN_MAX_NDIM], input_strides[TN_MAX_NDIM];
} tni_scan;

#endif
