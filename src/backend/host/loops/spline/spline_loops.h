/* Inner loops of splines: what one instruction-set level offers. */
#ifndef TNI_SPLINE_LOOPS_H
#define TNI_SPLINE_LOOPS_H

#include "forms/spline.h"

typedef struct tni_spline_loops {
    /* The form's outputs [begin, end). Flags of is_outside are only set. */
    void (*evaluate)(const tni_spline *call, int64_t begin, int64_t end);
    /* to[k] -= factor * from[k], of k below n. */
    void (*subtract)(double *to, const double *from, double factor, int64_t n);
} tni_spline_loops;

#endif
