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

tn_status tni_reduce_run(tn_array **result, const tni_reduce_request *request, tn_stream *stream);

/* The reduced axes as a bit set. `scalar_axis`: axis 0 of a 0-d array is let pass. */
tn_status tni_reduce_axes(uint64_t *reduced, const tn_array *array,
                          const tn_reduce_options *options, bool scalar_axis);

/* NumPy lets axis 0 of a 0-d array pass for folds, and for what skips NaN. */
static inline bool tni_takes_scalar_axis(const tni_reduce_request *request) {
    return request->statistic == TNI_STATISTIC_FOLD || request->flags & TNI_SKIPS_NAN;
}

/* The result's shape; returns its ndim. */
int tni_reduce_shape(int64_t *shape, const tn_array *array, uint64_t reduced, bool keepdims);

/* Whether an output that was given may be written as the result of `name`. */
tn_status tni_reduce_check_output(const tn_array *output, int ndim, const int64_t *shape,
                                  const char *name, bool keepdims);

/* Mean, var and std of complex elements where elements are left out or moments taken, and ptp. */
tn_status tni_reduce_composed(tn_array **result, const tni_reduce_request *request,
                              tn_stream *stream);

/* The array with the operation's identity where it was NaN: what an integer fold of floats needs,
 * which would convert NaN first. */
tn_status tni_without_nan(tn_array **result, const tn_array *array, tn_op op, tn_stream *stream);

/* Gives a finished array to the caller: as `*result` if that is NULL, else by writing it there.
 * Takes over the reference in any case. */
tn_status tni_reduce_deliver(tn_array **result, tn_array *made, tn_stream *stream);

#endif
