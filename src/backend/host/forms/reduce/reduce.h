/* The form reduce, for forms that are made of it. */
#ifndef TNI_HOST_FORMS_REDUCE_H
#define TNI_HOST_FORMS_REDUCE_H

#include "forms/reduce.h"

#include <tenorite/status.h>

/* Reduces in the calling thread and its helpers. */
tn_status tni_host_reduce_run(const tni_reduce *call);

#endif
