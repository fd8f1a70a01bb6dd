/* The test double of cuFFT, as tests see it: it computes by direct sums, when the stream gets
 * there, and refuses what cuFFT refuses or would compute wrongly. */
#ifndef TESTS_FAKE_CUFFT_H
#define TESTS_FAKE_CUFFT_H

#include "fake_cuda.h"

#include <stdint.h>

/* The n-th plan from now on (1: the next) that is made is answered by `status`; 0: none. */
FAKE_API void fake_cufft_fail(int n, int status);
/* Plans made and transforms queued so far; plans that exist. */
FAKE_API long fake_cufft_made(void);
FAKE_API long fake_cufft_transforms(void);
FAKE_API long fake_cufft_plans(void);
/* What was done wrong so far; empty if nothing was. */
FAKE_API const char *fake_cufft_complaint(void);

/* The last plan that was made. */
typedef struct fake_transforms {
    int type, rank;
    long long n[3], inembed[3], onembed[3], istride, ostride, idist, odist, batch;
    bool is_plain; /* embeds were NULL */
} fake_transforms;
FAKE_API fake_transforms fake_cufft_get(void);

#endif
