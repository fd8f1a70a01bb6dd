/* Where a kernel is cut. */
#ifndef TNI_HOST_COMPILER_SPLIT_PLAN_H
#define TNI_HOST_COMPILER_SPLIT_PLAN_H

#include "backend/host/compiler/split/kernel.h"

/* Finds the loops over threads and the variables that they share. */
void tni_split_plan(tni_split_kernel *kernel);
/* How a statement of a list that is split is run. */
typedef enum {
    TNI_IN_LOOP,  /* by each thread, in the loop of its neighbours */
    TNI_ONCE,     /* by the block */
    TNI_SPLIT,    /* by the block, its parts each in one of these ways */
    TNI_SEPARATES /* nothing to run */
} tni_split_way;
tni_split_way tni_split_way_of(const tni_split_kernel *kernel, int statement);

#endif
