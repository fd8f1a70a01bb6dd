/* What the files of core that reduce share. */
#ifndef TNI_REDUCE_INTERNAL_H
#define TNI_REDUCE_INTERNAL_H

#include "core/rules/reduce_table.h"

/* One reduction whose dtypes are decided. */
typedef struct tni_reduce_request {
    tn_op op;
    tni_statistic statistic;
    int flags;
    bool is_ordered;
    tn_dtype loop;        /* the op's T: an initial value is converted to it first */
    tn_dtype accumulator; /* partial results */
    tn_dtype output;      /* of a result that is made here */
    const tn_array *array;
    const tn_reduce_options *options;
} tni_reduce_request;

/* NumPy lets axis 0 of a 0-d array pass for folds, and for what skips NaN. */
static inline bool tni_takes_scalar_axis(const tni_reduce_request *request) {
    return request->statistic == TNI_STATISTIC_FOLD || request->flags & TNI_SKIPS_NAN;
}

#endif
