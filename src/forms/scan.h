/* The form "scan": running folds along one axis; addresses, shapes, strides (bytes) and dtypes
 * resolved, access ordered, outputs apart from inputs. The body is the operation `op` of the table
 * on `accumulator`. */
#ifndef TNI_FORMS_SCAN_H
#define TNI_FORMS_SCAN_H

#include "forms/line.h"
#include "forms/reduce.h"

/* output[kept, i] = fold of input[kept, 0 .. i]. `length` and `size` (of kept) are at least 1. */
typedef struct tni_scan {
    tn_op op;
    int flags; /* TNI_SKIPS_NAN */
    tn_dtype input_dtype, accumulator, output_dtype;
    TNI_LINE;
} tni_scan;

#endif
