/* The form "fused_rows": a graph over rows in one pass, with folds of rows among its steps.
 *
 * The graph is that of the form "expression" over the shape (kept axes, reduced axes), each at
 * least one, slowest in the memory of what is computed first. A row lies along the reduced ones.
 * Each value is one of elements or one of rows, and that has strides 0 along the reduced axes. A
 * step TNI_OP_FOLD folds the elements of each row: its `dtype` is the number of its fold. Any other
 * step makes a value of rows where all that it reads are such or scalars. Arguments lie in any way;
 * axes along which all lie alike are one. An output is an input, too, element for element, or
 * overlaps none.
 *
 * A fold has the bits of a reduction, by itself, of the array that its value would be: contiguous
 * and aligned, or the input that it is; of an input that lies so that a reduction would fold it in
 * another way the form says that it does not fit. */
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
    int kept_ndim;
    int64_t rows, length; /* elements along the kept axes, and along the others */
    bool is_permuted;     /* the kept axes of results lie in another order */
    int fold_count;
    tni_row_fold folds[TNI_ROW_FOLDS];
    bool is_row[TNI_EXPRESSION_VALUES];
    bool *fits; /* becomes false, and nothing is queued, where one pass is not possible */
    tni_expression graph;
} tni_fused_rows;

/* Whether axes are one axis for an argument, from one element of which to the next there are so
 * many bytes. How far apart the elements of an axis of one are does not matter. */
static inline bool tni_rows_merge(int64_t *stride, int ndim, const int64_t *shape,
                                  const int64_t *strides) {
    int64_t next = 0;
    bool is_first = true;
    *stride = strides[ndim - 1];
    for (int axis = ndim - 1; axis >= 0; axis--) {
        if (shape[axis] == 1) continue;
        if (is_first) *stride = strides[axis];
        if (!is_first && strides[axis] != next) return false;
        is_first = false;
        next = strides[axis] * shape[axis];
    }
    return true;
}

#endif
