/* The form "argreduce": positions of extremes. */
#ifndef TNI_FORMS_ARGREDUCE_H
#define TNI_FORMS_ARGREDUCE_H

#include <tenorite/reduce.h>

/* output[kept] (i64) = position of the first extreme among the elements of input[kept, reduced] in
 * C order of the reduced axes; -1 where all are NaN and NaN is skipped. op is maximum, minimum,
 * fmax or fmin; the latter two skip NaN. */
typedef struct tni_argreduce {
    tn_op op;
    tn_dtype input_dtype;
    char *output;
    const char *input;
    int kept_ndim, reduced_ndim;
    int64_t kept_size, reduced_size;
    int64_t kept_shape[TN_MAX_NDIM], reduced_shape[TN_MAX_NDIM];
    int64_t kept_output[TN_MAX_NDIM], kept_input[TN_MAX_NDIM];
    int64_t reduced_input[TN_MAX_NDIM];
} tni_argreduce;

#endif
