/* Inner loops of recursive filters: what one instruction-set level offers, for one dtype.
 *
 * Coefficients are of the dtype itself: of each section b[0], then b[k] and a[k] for each k from 1
 * to the order, all divided by a[0]. A state is [sections][order + 1], of which the last is 0. */
#ifndef TNI_RECURSION_LOOPS_H
#define TNI_RECURSION_LOOPS_H

#include <tenorite/dtype.h>

typedef struct tni_recursion_run {
    int64_t sections, order, count;  /* count: elements of a line */
    int64_t input_step, output_step; /* between neighbours of a line, in elements */
    const void *coefficients, *input;
    void *output, *state;
} tni_recursion_run;

typedef struct tni_recursion_loops {
    int64_t lanes; /* of `lines`; 0: there is none */
    void (*line)(const tni_recursion_run *run);
    /* So many lines beside each other; each number of a state is `lanes` numbers. */
    void (*lines)(const tni_recursion_run *run);
} tni_recursion_loops;

#endif
