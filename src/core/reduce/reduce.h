/* One reduction whose dtypes are decided: its run, and the parts that files of this room share. */
#ifndef TNI_REDUCE_H
#define TNI_REDUCE_H

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
    const struct tni_map *map; /* makes the array (map.h); NULL: it is there */
    struct tni_body *body;     /* of the map: room that the caller has */
    const tn_reduce_options *options;
} tni_reduce_request;

/* NumPy lets axis 0 of a 0-d array pass for folds, and for what skips NaN. */
static inline bool tni_takes_scalar_axis(const tni_reduce_request *request) {
    return request->statistic == TNI_STATISTIC_FOLD || request->flags & TNI_SKIPS_NAN;
}

tn_status tni_reduce_run(tn_array **result, const tni_reduce_request *request, tn_stream *stream);
/* The reduced axes as a bit set. `scalar_axis`: axis 0 of a 0-d array is let pass. */
tn_status tni_reduce_axes(uint64_t *reduced, const tn_array *array,
                          const tn_reduce_options *options, bool scalar_axis);
/* The result's shape; returns its ndim. */
int tni_reduce_shape(int64_t *shape, const tn_array *array, uint64_t reduced, bool keepdims);
/* Fails for several axes of an operation whose order matters. */
tn_status tni_reduce_check_order(const tni_reduce_request *request, uint64_t reduced);
/* Whether an output that was given may be written as the result of `name`. */
tn_status tni_reduce_check_output(const tn_array *output, int ndim, const int64_t *shape,
                                  const char *name, bool keepdims);

#endif
