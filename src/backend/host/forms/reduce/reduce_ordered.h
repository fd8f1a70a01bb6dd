/* The form reduce, in order. */
#ifndef TNI_HOST_FORMS_REDUCE_ORDERED_H
#define TNI_HOST_FORMS_REDUCE_ORDERED_H

#include "forms/reduce.h"

#include <tenorite/status.h>

/* Strictly from left to right, with the operation's element-wise loop. */
tn_status tni_fold_ordered(const tni_reduce *call);

#endif
