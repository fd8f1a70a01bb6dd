/* Inner loops of pooling, over places as in convolve_loops.h: what one instruction-set level offers
 * for a working type. */
#ifndef TNI_POOLING_LOOPS_H
#define TNI_POOLING_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* A place of the result whose channels lie beside each other: taps as offsets into the maps and
 * into their gradients, which get shares of what is given. */
typedef struct tni_pooling_back {
    const void *source, *given;
    void *gradients;
    const int64_t *offsets, *targets;
    int64_t taps, channels;
} tni_pooling_back;

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
    /* `claim` and `spread` of a place, without what is largest, and with the number that a mean is
     * divided by. `counts_nan`: a NaN is the largest. */
    void (*claim_back)(const tni_pooling_back *place, bool counts_nan);
    void (*spread_back)(const tni_pooling_back *place, double count);
    /* The first tap, an integer of the element's size, that has the largest element of each place;
     * -1: there is none. Places are `step` elements of the source apart. */
    void (*find)(void *taps, const tni_pooling_run *run, int64_t step, bool counts_nan);
    /* The tap of one window, the number of its first row's first element being 0: only columns from
     * `low` to before `high` of `width` are there. */
    int64_t (*find_cut)(const void *source, const tni_pooling_run *run, int64_t width, int64_t low,
                        int64_t high, bool counts_nan);
    /* gradients[targets[taps[place]] + place step] += given[place], where there is a tap. */
    void (*scatter)(void *gradients, const void *given, const void *taps, const int64_t *targets,
                    int64_t step, int64_t places);
    /* run[k] /= outer * counts[k] */
    void (*divide)(void *run, const void *counts, double outer, int64_t count);
} tni_pooling_loops;

#endif
