/* The test double of cuSOLVER, as tests see it: it computes nothing, and tells what it was asked
 * for. */
#ifndef TESTS_FAKE_CUSOLVER_H
#define TESTS_FAKE_CUSOLVER_H

#include "fake_cuda.h"

#include <stdint.h>

/* The last decomposition; numbers are cuSOLVER's own. */
typedef struct fake_decomposition {
    const char *function;
    int64_t m, n; /* or n and the columns of b */
    int type;
    const void *a;
    const int *info;
} fake_decomposition;
/* The status of decompositions from now on (0: they go well). */
FAKE_API void fake_cusolver_fail(int status);
/* What polar decompositions say from now on that they moved a matrix by; below 0: the negative of
 * the status that they fail with. */
FAKE_API void fake_cusolver_move(double error);
FAKE_API long fake_cusolver_count(void);
FAKE_API fake_decomposition fake_cusolver_get(void);

#endif
