/* What is the same for all threads of a block. */
#ifndef TNI_HOST_COMPILER_SPLIT_JUDGE_H
#define TNI_HOST_COMPILER_SPLIT_JUDGE_H

#include "backend/host/compiler/split/kernel.h"

/* Which variables and statements are the same for all threads. */
void tni_split_judge(tni_split_kernel *kernel);

#endif
