/* Maps: what operations make of arrays, to be reduced without being made. */
#ifndef TNI_MAP_H
#define TNI_MAP_H

#include "core/elementwise/operands.h"
#include "forms/body.h"

/* Inputs that broadcast together, and steps over them (forms/body.h): values are inputs, then what
 * steps make. One input is an array. */
typedef struct tni_map {
    int input_count, step_count;
    tni_asked *asked; /* as that of the body */
    const int *order; /* axes of the array, slowest first; NULL: order K of the inputs */
    const tn_array *inputs[TNI_BODY_INPUTS]; /* NULL: a scalar */
    tn_scalar scalars[TNI_BODY_INPUTS];      /* in the dtype that steps read */
    tni_expression_step steps[TNI_BODY_STEPS];
    int8_t dtypes[TNI_BODY_VALUES];
} tni_map;

void tni_map_init(tni_map *map, int count, const tn_array *const *inputs);

/* Adds op(a) or, with b >= 0, op(a, b) in the loop of T = dtype, which the operation has, and the
 * conversions that it needs; returns the new value's number. */
int tni_map_add(tni_map *map, tn_op op, tn_dtype dtype, int a, int b);

/* Opens the inputs and describes the body over the array that is never made. */
tn_status tni_map_open(tni_body *body, const tni_map *map, const tn_array *never_made,
                       tni_operands *operands);

/* Where the array that is never made is said to lie: where an input does. */
void *tni_map_base(const tni_body *body);

#endif
