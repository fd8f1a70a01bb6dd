/* Graphs over rows that a backend computes in one pass, folds of rows among their steps. */
#ifndef TNI_KERNEL_EXPRESSION_ROWS_H
#define TNI_KERNEL_EXPRESSION_ROWS_H

#include "kernel/expression/places.h"

/* The whole graph as one call of the form "fused_rows", where it is one; else *is_done is false,
 * and nothing was computed. */
tn_status tni_rows_evaluate(bool *is_done, tni_schedule *s);

#endif
