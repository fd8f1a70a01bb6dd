/* Views in graphs: arrays that show what an input holds or a node makes. */
#ifndef TNI_KERNEL_EXPRESSION_VIEWS_H
#define TNI_KERNEL_EXPRESSION_VIEWS_H

#include "kernel/expression/places.h"

/* A view that shows of a value what `shown` shows of `base`, an array in the same memory that lies
 * as the value will. TN_ERROR_NOT_IMPLEMENTED of an evaluation where the value lies otherwise. */
tn_status tni_view_lying(int *value, tn_expression *e, int from, const tn_array *base,
                         const tn_array *shown);

/* What a view shows of an array, which is never copied. */
tn_status tni_view_show(tn_array **result, const tni_view *view, const tn_array *array);

/* The arrays of the views that are needed and show what is in memory now. */
tn_status tni_views_make(tni_schedule *s);

#endif
