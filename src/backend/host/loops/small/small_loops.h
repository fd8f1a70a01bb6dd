/* Decompositions of small real matrices, `lanes` at a time: what one instruction-set level offers.
 *
 * A function returns a bit for each matrix that it could not decompose, of which nothing was
 * written; LAPACK does those. Areas may coincide only where a decomposition works in place. */
#ifndef TNI_SMALL_LOOPS_H
#define TNI_SMALL_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* The largest side, and that of rotations, above which LAPACK is as fast. */
enum { TNI_SMALL_SIDE = 32, TNI_SMALL_ROTATED = 16 };

/* The forms' parameters of `count` matrices one after the other, from the first of them; what is
 * in them is as in forms/linalg.h. */
typedef struct tni_small_call {
    int count, m, n, columns;
    bool upper, transposed; /* transposed: of lu, a comes by rows; of lu_solve, vectors go so */
    void *a, *vectors, *values, *other; /* q; u and vh: `vectors` and `other` */
    int64_t *pivots;
} tni_small_call;

typedef struct tni_small_loops {
    int lanes;
    uint32_t (*lu)(const tni_small_call *call);       /* a, pivots */
    uint32_t (*lu_solve)(const tni_small_call *call); /* a, pivots, vectors: the right sides */
    uint32_t (*cholesky)(const tni_small_call *call); /* a */
    uint32_t (*qr)(const tni_small_call *call);       /* a, values: tau, vectors: q or NULL */
    uint32_t (*eigh)(const tni_small_call *call);     /* a, values, vectors: a or NULL */
    uint32_t (*svd)(const tni_small_call *call);      /* a, values, vectors and other, or NULL */
} tni_small_loops;

#endif
