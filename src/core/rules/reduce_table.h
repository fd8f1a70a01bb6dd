/* The meaning of the reductions of the table: facts, dtypes and identities. */
#ifndef TNI_REDUCE_TABLE_H
#define TNI_REDUCE_TABLE_H

#include "core/array/array.h"
#include "forms/argreduce.h"
#include "forms/reduce.h"
#include "forms/reduceat.h"
#include "forms/scan.h"
#include "forms/ufunc_at.h"

#include <tenorite/elementwise.h>
#include <tenorite/reduce.h>

/* The facts of a reduction of the table. */
typedef struct tni_reduction_fact {
    const char *name, *doc;
    tn_op op;
    tni_statistic statistic;
    int flags;
} tni_reduction_fact;
const tni_reduction_fact *tni_reduction_get(tn_reduction reduction);
const tni_reduction_fact *tni_argreduction_get(tn_argreduction reduction);
const tni_reduction_fact *tni_scan_get(tn_scan_kind scan);

/* Whether folds with the operation must go from the first element to the last: others may be
 * computed in any grouping (NumPy's "reorderable"). */
bool tni_op_is_ordered(tn_op op);

/* The dtype in which op folds an array of `input`: as NumPy's reduce, accumulate and reduceat find
 * it. `dtype` is the caller's wish, `out` the dtype of a given output (TN_DTYPE_NONE: none);
 * `method` is for messages. Fails for operations that are not binary with one output. */
tn_status tni_reduce_dtype(tn_dtype *loop, tn_op op, tn_dtype input, tn_dtype dtype, tn_dtype out,
                           const char *method);

/* The dtype in which partial results are kept: f32 for the halves unless the fold is ordered. */
tn_dtype tni_accumulator(tn_op op, tn_dtype loop);

/* The operation's identity in a dtype; false if it has none. All bits for -1 of an unsigned
 * dtype. */
bool tni_op_identity_value(void *value, tn_op op, tn_dtype dtype);

#endif
