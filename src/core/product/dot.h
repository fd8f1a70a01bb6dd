/* Dot products as reductions: sums of products that are never made. */
#ifndef TNI_DOT_H
#define TNI_DOT_H

#include <tenorite/reduce.h>

/* What is multiplied and added up. */
typedef struct tni_dot {
    const tn_array *a, *b; /* they broadcast together */
    tn_dtype dtype;        /* of the result; both are converted to it */
    bool conjugates;       /* a */
} tni_dot;

/* The sums over the axes of `options` in one pass. `is_done` false: the backend does not take the
 * operands as they lie, and nothing has been computed. */
tn_status tni_dot_fold(tn_array **result, bool *is_done, const tni_dot *dot,
                       const tn_reduce_options *options, tn_stream *stream);

#endif
