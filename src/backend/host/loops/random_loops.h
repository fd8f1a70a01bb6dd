/* Inner loops of random numbers: what one instruction-set level offers. */
#ifndef TNI_BACKEND_HOST_LOOPS_RANDOM_LOOPS_H
#define TNI_BACKEND_HOST_LOOPS_RANDOM_LOOPS_H

#include "forms/random.h"

/* All elements of `blocks` blocks of words of a filled distribution, from block `first` of the
 * call on. */
typedef void (*tni_random_fill_loop)(char *to, int64_t first, int64_t blocks,
                                     const tni_random *call);
/* Elements first .. first + count of a drawn one; `numbers` are the parameters of each, `step`
 * doubles apart. */
typedef void (*tni_random_draw_loop)(char *to, int64_t first, int64_t count, const double *numbers,
                                     int64_t step, const tni_random *call);

typedef struct tni_random_loops {
    tni_random_fill_loop fills[tn_distribution_count][2]; /* of one word an element, of two */
    tni_random_fill_loop bounded[4][2]; /* by the logarithm of an element's bytes */
    tni_random_draw_loop draws[tn_distribution_count];
    tni_random_draw_loop many[tn_distribution_count]; /* faster ones; NULL: none */
} tni_random_loops;

#endif
