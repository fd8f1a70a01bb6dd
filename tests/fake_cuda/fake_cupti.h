/* The test double of CUPTI, as tests see it. */
#ifndef TESTS_FAKE_CUPTI_H
#define TESTS_FAKE_CUPTI_H

#include "fake_cuda.h"

/* What it says its version is; it is asked once in a process. */
FAKE_API void fake_cupti_set_version(uint32_t version);
/* The n-th call from now on (1: the next) of a function fails; NULL: none does. */
FAKE_API void fake_cupti_fail(const char *function, long n);
/* Calls of a function so far. */
FAKE_API long fake_cupti_calls(const char *function);
/* Whether labels come before the work that they belong to (at first they come after it). */
FAKE_API void fake_cupti_set_order(bool are_labels_first);
/* Labels that threads have pushed and not popped; kinds of records that are on. */
FAKE_API long fake_cupti_pushed(void);
FAKE_API long fake_cupti_enabled(void);

#endif
