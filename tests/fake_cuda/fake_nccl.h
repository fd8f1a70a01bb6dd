/* The test double of NCCL, as tests see it: ranks are those of one process, and sums are of
 * floats. */
#ifndef TESTS_FAKE_NCCL_H
#define TESTS_FAKE_NCCL_H

#include "fake_cuda.h"

/* The number that ncclCommGetAsyncError gives from now on (0: all is well). */
FAKE_API void fake_nccl_fail(int result);
/* How many communicators were made and not destroyed or aborted, and how many calls were done. */
FAKE_API long fake_nccl_living(void);
FAKE_API long fake_nccl_calls(void);

#endif
