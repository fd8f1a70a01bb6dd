/* Inner loops of histograms with bins of one width, and of the extent of values: what one
 * instruction-set level offers. */
#ifndef TNI_BIN_LOOPS_H
#define TNI_BIN_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum { TNI_BIN_IN_DOUBT = -1 };

/* The place of a value among the bins is (value - first) * scale. That of an edge is a whole
 * number but for `doubt`, so a value whose place is farther from all whole numbers lies on the
 * same side of each edge as its place says. */
typedef struct tni_bin_guess {
    double first, scale, doubt;
    int32_t count; /* of the bins */
} tni_bin_guess;

typedef struct tni_bin_loops {
    /* bins[i] = the bin of values[i]; `count` of what is in none; TNI_BIN_IN_DOUBT where only the
     * edges can tell, and then true. */
    bool (*f32)(int64_t *bins, const void *values, int64_t n, const tni_bin_guess *guess);
    bool (*f64)(int64_t *bins, const void *values, int64_t n, const tni_bin_guess *guess);
    /* The least and the largest of n values, at least one; both NaN where a value is. */
    void (*extent_f32)(double ends[2], const void *values, int64_t n);
    void (*extent_f64)(double ends[2], const void *values, int64_t n);
} tni_bin_loops;

#endif
