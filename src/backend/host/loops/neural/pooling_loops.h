/* Inner loops of pooling, over places as in convolve_loops.h: what one instruction-set level offers
 * for a working type. */
#ifndef TNI_POOLING_LOOPS_H
#define TNI_POOLING_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* A run of places, and taps as offsets into a source; the taps' names where they are found, NULL:
 * 0, 1, ... */
typedef struct tni_pooling_run {
    const void *source;
    const int64_t *offsets;
    int64_t taps, places;
    const int64_t *names;
} tni_pooling_run;

/* A window of an element: its place in a row of windows, and the tap that the element is. */
typedef struct tni_pooling_window {
    int64_t place, tap;
} tni_pooling_window;

/* What the windows of elements give them, each of these a run of `channels`: element e is in
 * windows first[e] to before first[e + 1] of each row. With `found`, which lie as what is given
 * does but for the steps, a window gives only to the tap that was found. All lie apart in
 * elements. */
typedef struct tni_pooling_share {
    int64_t rows, elements, channels, apart, given_apart, found_apart;
    const void *const *given, *const *found; /* of each row; found NULL: all are given to */
    const int64_t *taps;                     /* of each row, added to those of the windows */
    const int64_t *first;
    const tni_pooling_window *windows;
    void *to;
} tni_pooling_share;

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
    void (*share)(const tni_pooling_share *share);
    /* The first tap, an integer of the element's size, that has the largest element of each place;
     * -1: there is none. False: each place has an element above -infinity and, with counts_nan, no
     * NaN. */
    bool (*find)(void *taps, const tni_pooling_run *run, bool counts_nan);
    /* The tap of one window, the number of its first row's first element being 0: only columns from
     * `low` to before `high` of `width` are there. */
    int64_t (*find_cut)(const void *source, const tni_pooling_run *run, int64_t width, int64_t low,
                        int64_t high, bool counts_nan);
    /* run[k] /= outer * counts[k] */
    void (*divide)(void *run, const void *counts, double outer, int64_t count);
    /* to[k] = from[k] / by */
    void (*divide_run)(void *to, const void *from, double by, int64_t count);
} tni_pooling_loops;

#endif
