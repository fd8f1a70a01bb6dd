/* Views in graphs: arrays that show what an input holds or a node makes. */
#ifndef TNI_KERNEL_EXPRESSION_VIEWS_H
#define TNI_KERNEL_EXPRESSION_VIEWS_H

#include "kernel/expression/places.h"

/* What a view shows of an array, which is never copied. */
tn_status tni_view_show(tn_array **result, const tni_view *view, const tn_array *array);

/* The arrays of the views that are needed and show what is in memory now. */
tn_status tni_views_make(tni_schedule *s);

#endif
