/* The form "reduce": folds over any axes; addresses, shapes, strides (bytes) and dtypes resolved,
 * access ordered, outputs apart from inputs. The body is the operation `op` of the table on
 * `accumulator`. */
#ifndef TNI_FORMS_REDUCE_H
#define TNI_FORMS_REDUCE_H

#include "forms/body.h"

#include <tenorite/reduce.h>

enum { TNI_SKIPS_NAN = 1, TNI_COUNTS = 2, TNI_ROOT = 4 };

/* The result of a fold: the fold itself; divided by the count; the second moment. */
typedef enum tni_statistic {
    TNI_STATISTIC_FOLD,
    TNI_STATISTIC_MEAN,
    TNI_STATISTIC_VAR,
    TNI_STATISTIC_STD,
    TNI_STATISTIC_PTP /* in tables only: two folds and a difference */
} tni_statistic;

/* output[kept] = statistic over the reduced axes of input[kept, reduced].
 *
 * An element is read as `input_dtype`, made an `accumulator` (with TNI_COUNTS: 1 or 0, b8 before),
 * and dropped where the mask is false or, with TNI_SKIPS_NAN, where it is NaN. Kept and reduced
 * axes are collapsed apart; `reduced` axes are in the array's order if the fold is ordered, else in
 * any. reduced_size is at least 1. The second moment is real: f32 or f64 accumulators, no
 * initial. With TNI_ROOT a fold that is no moment becomes its square root once it is an output.
 *
 * With a body the input is the array that its steps make: `input_dtype` is that of the last step,
 * strides are those of an array that lies contiguous in memory, and `input` is the address of the
 * body's first input, so that (address - input) / size is the number of an element. A fold with a
 * body is not ordered. The body lives as long as the call does. */
typedef struct tni_reduce {
    tn_op op;
    tni_statistic statistic;
    int flags;         /* TNI_SKIPS_NAN, TNI_COUNTS, TNI_ROOT */
    bool is_ordered;   /* strictly from the first element to the last */
    bool is_unaligned; /* the input's elements lie at any address (the backend takes such) */
    bool has_initial;
    tn_dtype input_dtype, accumulator, output_dtype;
    double correction;
    _Alignas(16) unsigned char initial[16]; /* of the accumulator's dtype */
    char *output;
    const char *input;
    const char *mask; /* b8; NULL: none */
    int kept_ndim, reduced_ndim;
    int64_t kept_size, reduced_size;
    int64_t kept_shape[TN_MAX_NDIM], reduced_shape[TN_MAX_NDIM];
    int64_t kept_output[TN_MAX_NDIM], kept_input[TN_MAX_NDIM], kept_mask[TN_MAX_NDIM];
    int64_t reduced_input[TN_MAX_NDIM], reduced_mask[TN_MAX_NDIM];
    const tni_body *body; /* has a step at least; NULL: the input as it lies */
} tni_reduce;

#endif
