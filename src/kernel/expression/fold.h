/* Chains that enter reductions: what a group computes for one reduction alone is a map of that. */
#ifndef TNI_KERNEL_EXPRESSION_FOLD_H
#define TNI_KERNEL_EXPRESSION_FOLD_H

#include "kernel/expression/schedule.h"

#include <tenorite/reduce.h>

/* A reduction's options, and the axes that they point to. */
typedef struct tni_fold_options {
    tn_reduce_options options;
    int axes[TN_EXPRESSION_AXES];
} tni_fold_options;
void tni_fold_set_options(tni_fold_options *options, const tni_node *node);

/* Gives each chain that a reduction alone reads a group of its own, which is marked as folded. */
void tni_fold_choose(tni_schedule *s);

/* The reduction with its folded group, where that is one pass; else *is_done is false, and nothing
 * was computed. */
tn_status tni_fold_reduce(tn_array **result, bool *is_done, tni_schedule *s, int reduction,
                          const tn_reduce_options *options);

#endif
