/* What is the same for all threads of a block. */
#ifndef TNI_HOST_COMPILER_SPLIT_JUDGE_H
#define TNI_HOST_COMPILER_SPLIT_JUDGE_H

#include "backend/host/compiler/split/kernel.h"

/* Which variables and statements are the same for all threads. */
void tni_split_judge(tni_split_kernel *kernel);
/* Whether an expression has one value for all threads; `repeated`: whether each thread can find its
 * value again at any place, without memory. */
bool tni_split_is_uniform(const tni_split_kernel *kernel, int first, int end);
bool tni_split_is_repeated(const tni_split_kernel *kernel, int first, int end);

/* Whether the statement is an assignment to variables that are the same for all threads, and
 * nothing else. */
bool tni_split_is_assignment(const tni_split_kernel *kernel, int first, int end);

#endif
