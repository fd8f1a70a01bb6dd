/* Inner loops of random numbers: what one instruction-set level offers. */
#ifndef TNI_BACKEND_HOST_LOOPS_RANDOM_LOOPS_H
#define TNI_BACKEND_HOST_LOOPS_RANDOM_LOOPS_H

#include "forms/random.h"

/* All elements of `blocks` blocks of words of a filled distribution, from block `first` of the
 * call on. */
typedef void (*tni_random_fill_loop)(char *to, int64_t first, int64_t blocks,
                                     const tni_random *call);
/* How many elements are drawn at a time. */
enum { TNI_RANDOM_CHUNK = 256 };
/* The parameters of elements: each a column, or (`same`) its first number for all of them. */
typedef struct tni_random_columns {
    const double *of[TN_RANDOM_PARAMETERS];
    bool same;
} tni_random_columns;
/* Elements first .. first + count of a drawn one; at most a chunk, unless their parameters are the
 * same. `to` is the first one's place. */
typedef void (*tni_random_draw_loop)(char *to, int64_t first, int64_t count,
                                     const tni_random_columns *columns, const tni_random *call);

typedef struct tni_random_loops {
    tni_random_fill_loop fills[tn_distribution_count][2]; /* of one word an element, of two */
    tni_random_fill_loop bounded[4][2]; /* by the logarithm of an element's bytes */
    const tni_random_draw_loop *draws;  /* by distribution; NULL of filled ones */
} tni_random_loops;

#endif
