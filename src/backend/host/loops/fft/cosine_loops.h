/* Steps of cosine and sine transforms before and after a Fourier transform: what one
 * instruction-set level offers.
 *
 * A step takes lines of real numbers, one by one or a block's together; in a block a number is a
 * vector. The transform between is, of n numbers:
 *   type 1        the half of 2 (n - 1) real numbers (sines: 2 (n + 1)) that mirror each other
 *   type 2        the half of n real numbers: the even ones, then the odd ones backwards
 *   type 3        the opposite, from a half to real numbers
 *   type 4        n / 2 complex numbers, made of evens and of odds backwards; if n is odd the half
 *                 of n real numbers: those at n + 8 k, of what mirrors itself at 2 n and at 4 n */
#ifndef TNI_COSINE_LOOPS_H
#define TNI_COSINE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* A step over the numbers [begin, end) of those that tni_cosine_steps() counts. */
typedef struct tni_cosine_step {
    int type;
    bool is_sine;
    int64_t n, begin, end;
    const void *from;
    void *to;
    int64_t from_step, to_step; /* of the real numbers, in reals; the others have no gaps */
    int spread;        /* 2: the real numbers of the transform are real parts of complex ones */
    int swapped;       /* 1: those of a half's transform lie with every two exchanged */
    const void *turns; /* complex: exp(-pi i k / 2n), of type 4 exp(-pi i (8k + 1) / 8n) */
    double scale;      /* of what is written */
    double edge;       /* of the ends that orthogonal transforms weigh, beside the scale */
} tni_cosine_step;

typedef struct tni_cosine_loops {
    /* Indexed by whether lines are a block. */
    void (*before[2])(const tni_cosine_step *step);
    void (*after[2])(const tni_cosine_step *step);
} tni_cosine_loops;

#endif
