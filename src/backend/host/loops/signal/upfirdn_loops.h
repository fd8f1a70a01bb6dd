/* Inner loops of lines that are filtered at another rate: what one instruction-set level offers.
 *
 * Taps are sorted by phases: a row of `width` for each place between two elements, from the last
 * tap to the first, with zeros where the row has fewer. */
#ifndef TNI_UPFIRDN_LOOPS_H
#define TNI_UPFIRDN_LOOPS_H

#include <tenorite/dtype.h>

typedef struct tni_upfirdn_run {
    int64_t width, up, down;
    int64_t first;         /* place of the first output in the upsampled line */
    int64_t count, length; /* of outputs, of the line's elements */
    int64_t step;          /* from one of the line to the next, in elements */
    const void *taps, *input;
    void *output;
} tni_upfirdn_run;

typedef struct tni_upfirdn_loops {
    int64_t lanes; /* of `lines` */
    /* One line. */
    void (*line)(const tni_upfirdn_run *run);
    /* So many lines beside each other. */
    void (*lines)(const tni_upfirdn_run *run);
} tni_upfirdn_loops;

#endif
