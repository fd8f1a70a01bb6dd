/* The shape of each value, and how its array would lie if each node ran by itself. */
#ifndef TNI_KERNEL_EXPRESSION_SHAPES_H
#define TNI_KERNEL_EXPRESSION_SHAPES_H

#include "kernel/expression/places.h"

/* Fills in `shape` and `lies` of a node's place; those of earlier nodes are there. */
tn_status tni_shapes_find(tni_schedule *s, int n);

/* A new array for a value; its axes, slowest first. */
tn_status tni_shapes_new_array(tn_array **result, const tni_schedule *s, int n);
void tni_shapes_axes(int *axes, const tni_schedule *s, int n);

/* Whether an array of the value's shape and dtype lies, and begins, as a new one would. */
bool tni_shapes_lies_as(const tni_schedule *s, int n, const tn_array *array);
/* Whether an array begins where folds take one that is new: on a GPU at a multiple of 16 bytes. */
bool tni_shapes_begins_as_made(const tni_schedule *s, const tn_array *array);

#endif
