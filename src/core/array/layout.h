/* Collapsing: several operands over one shape, made as few-dimensional as their strides allow.
 * After it the last axis is the fastest (smallest strides of the first operand), axes of size 1
 * are gone, and neighbouring axes that every operand walks as one are one. */
#ifndef TNI_LAYOUT_H
#define TNI_LAYOUT_H

#include <stdint.h>
#include <tenorite/array.h>

/* In place. strides[k] is operand k's stride array (bytes, TN_MAX_NDIM long). Axes may be reordered
 * (and negative strides common to all flipped, with `offsets` receiving the byte shift per operand)
 * only when `reorder` is true: for element-wise work, not where order of elements matters.
 * Returns the new ndim (0 for one element). `offsets` may be NULL when reorder is false. */
int tni_layout_collapse(int ndim, int64_t *shape, int count, int64_t *const *strides,
                        int64_t *offsets, bool reorder);

/* The axes in the order that a new array for these operands should have, largest stride first
 * (NumPy's order K): axes change places only where no operand wants them as they are. */
void tni_layout_order(int *order, int ndim, int count, const int64_t *const *strides);

/* The axes in the order that a copy of one array has: largest stride first, broadcast axes last. */
void tni_layout_order_like(int *order, int ndim, const int64_t *strides);

#endif
