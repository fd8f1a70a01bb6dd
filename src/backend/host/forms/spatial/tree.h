/* Trees of points as ops/tree.h takes them, and their shapes that have code of their own. */
#ifndef TNI_HOST_TREE_H
#define TNI_HOST_TREE_H

#include "forms/spatial.h"
#include "ops/tree.h"

static inline tn_tree_view tni_host_tree_view(const tni_tree *tree, double p) {
    return (tn_tree_view){.points = tree->points,
                          .boxes = tree->boxes,
                          .periods = tree->periods,
                          .order = tree->order,
                          .count = tree->count,
                          .axes = tree->axes,
                          .levels = tree->levels,
                          .norm = m_tree_norm(p),
                          .p = p};
}

/* Runs a statement with the view's axes and norm as constants where they are usual ones. */
#define TNI_HOST_TREE_USUAL(view, statement)                                                       \
    do {                                                                                           \
        if ((view).norm == TN_TREE_TWO && !(view).periods && (view).axes == 2) {                   \
            (view).norm = TN_TREE_TWO, (view).axes = 2, (view).periods = NULL;                     \
            statement;                                                                             \
        } else if ((view).norm == TN_TREE_TWO && !(view).periods && (view).axes == 3) {            \
            (view).norm = TN_TREE_TWO, (view).axes = 3, (view).periods = NULL;                     \
            statement;                                                                             \
        } else if ((view).norm == TN_TREE_TWO && (view).axes == 3) {                               \
            (view).norm = TN_TREE_TWO, (view).axes = 3;                                            \
            if ((view).periods) statement;                                                         \
        } else if ((view).norm == TN_TREE_TWO && !(view).periods) {                                \
            (view).norm = TN_TREE_TWO, (view).periods = NULL;                                      \
            statement;                                                                             \
        } else {                                                                                   \
            statement;                                                                             \
        }                                                                                          \
    } while (0)

/* The row that is computed as the t-th one, or -1 for one that is not there. */
static inline int64_t tni_host_turn(const int64_t *turns, int64_t t, int64_t rows) {
    if (!turns) return t;
    return turns[t] >= 0 && turns[t] < rows ? turns[t] : -1;
}

#endif
