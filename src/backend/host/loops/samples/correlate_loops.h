/* Inner loops of correlations: what one instruction-set level offers. Real numbers and integers
 * only; complex ones are two of them beside each other, which a step of 2 leads through. */
#ifndef TNI_CORRELATE_LOOPS_H
#define TNI_CORRELATE_LOOPS_H

#include <tenorite/dtype.h>

#include <stdbool.h>

/* The largest `width` of all levels, in bytes. */
enum { TNI_CORRELATE_BYTES = 512 };

typedef struct tni_correlate_loops {
    int64_t width; /* of a block, in elements */
    /* sums[j] += sum over k below taps of array[j + k * step] * window[k * step], for all j of a
     * block. */
    void (*block)(void *sums, const void *array, const void *window, int64_t taps, int64_t step);
    /* *sum += sum over k below taps of array[k * step] * window[k * step]. */
    void (*single)(void *sum, const void *array, const void *window, int64_t taps, int64_t step);
} tni_correlate_loops;

#endif
