/* Inner loops of pooling, over places as in convolve_loops.h: what one instruction-set level offers
 * for a working type. */
#ifndef TNI_POOLING_LOOPS_H
#define TNI_POOLING_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* A run of places, and taps as offsets into a source. */
typedef struct tni_pooling_run {
    const void *source;
    const int64_t *offsets;
    int64_t taps, places;
} tni_pooling_run;

typedef struct tni_pooling_loops {
    /* results[place] = the largest or the sum of source[offsets[tap] + place] over the taps. NaN is
     * no element: the largest of none is -infinity; in the second function it is the largest. */
    void (*largest)(void *results, const tni_pooling_run *run);
    void (*largest_or_nan)(void *results, const tni_pooling_run *run);
    void (*sum)(void *results, const tni_pooling_run *run);
    /* gradients[offset + place] += left[place] for each tap. */
    void (*spread)(void *gradients, const void *left, const tni_pooling_run *run);
    /* The same of the first tap that has what `largest` has, which is NaN only with NaN; then left
     * is 0. */
    void (*claim)(void *gradients, void *left, const void *largest, const tni_pooling_run *run);
    /* run[k] /= outer * counts[k] */
    void (*divide)(void *run, const void *counts, double outer, int64_t count);
} tni_pooling_loops;

#endif
