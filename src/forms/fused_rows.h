/* The form "fused_rows": a graph over rows in one pass, with folds of rows among its steps.
 *
 * The graph is that of the form "expression" over the shape (rows, length). Each value is one of
 * elements or one of rows. A step TNI_OP_FOLD folds the elements of each row: its `dtype` is the
 * number of its fold. Any other step makes a value of rows where all that it reads are such or
 * scalars. Arguments lie packed: along both axes, along the row alone (strides[0] is 0), one number
 * a row (strides[1] is 0), or are one number (both are 0). An output is an input, too, element for
 * element, or overlaps none.
 *
 * A fold has the bits of a reduction, by itself, of the array that its value would be: contiguous
 * and aligned, or the input that it is. */
#ifndef TNI_FORMS_FUSED_ROWS_H
#define TNI_FORMS_FUSED_ROWS_H

#include "forms/expression.h"
#include "forms/reduce.h"

#define TNI_OP_FOLD ((tn_op)-3)

enum { TNI_ROW_FOLDS = 8 };

/* What a reduction is beside its shape (forms/reduce.h). */
typedef struct tni_row_fold {
    tn_op op;
    tni_statistic statistic;
    tn_dtype input, accumulator, output;
    double correction;
} tni_row_fold;

typedef struct tni_fused_rows {
    int fold_count;
    tni_row_fold folds[TNI_ROW_FOLDS];
    bool is_row[TNI_EXPRESSION_VALUES];
    bool *fits; /* becomes false, and nothing is queued, where one pass is not possible */
    tni_expression graph;
} tni_fused_rows;

#endif
