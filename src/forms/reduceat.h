/* The form "reduceat": folds of slices of one axis; addresses, shapes, strides (bytes) and dtypes
 * resolved, access ordered, outputs apart from inputs. The body is the operation `op` of the table
 * on `accumulator`. */
#ifndef TNI_FORMS_REDUCEAT_H
#define TNI_FORMS_REDUCEAT_H

#include "forms/line.h"
#include "forms/reduce.h"

/* output[kept, i] = fold of input[kept, indices[i] .. indices[i + 1]), the last one to the end; of
 * the single element indices[i] where that is empty. Indices are contiguous i64 and not yet checked
 * against `length`: one outside fails with TN_ERROR_INDEX before anything is written. */
typedef struct tni_reduceat {
    tn_op op;
    bool is_ordered;
    tn_dtype input_dtype, accumulator, output_dtype;
    TNI_LINE;
    const char *indices;
    int64_t index_count;
} tni_reduceat;

#endif
