/* Chains that enter reductions: what a group computes for one reduction alone is a map of that. */
#ifndef TNI_KERNEL_EXPRESSION_FOLD_H
#define TNI_KERNEL_EXPRESSION_FOLD_H

#include "kernel/expression/places.h"

#include <tenorite/reduce.h>

/* A reduction's options, and the axes that they point to. */
typedef struct tni_fold_options {
    tn_reduce_options options;
    int axes[TN_EXPRESSION_AXES];
} tni_fold_options;
void tni_fold_set_options(tni_fold_options *options, const tni_node *node);

/* Whether an operation costs the host less than to store what it makes. */
bool tni_fold_is_cheap(const tni_node *node);

/* Gives each reduction's group the nodes that enter it. They stay in their own groups, too. */
tn_status tni_fold_choose(tni_schedule *s);

/* A reduction with the nodes that enter it, where that is one pass; else *is_done is false, and
 * nothing was computed. */
tn_status tni_fold_reduce(tn_array **result, bool *is_done, tni_schedule *s, int group,
                          const tn_reduce_options *options);

#endif
