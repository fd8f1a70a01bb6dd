/* What sort_counts.c gives to other files. */
#ifndef TNI_HOST_SORT_COUNTS_H
#define TNI_HOST_SORT_COUNTS_H

#include "core/base/error.h"
#include "forms/sort.h"

/* A call for which tni_sort_counts is true. */
tn_status tni_host_sort_counts(const tni_sort *call);

#endif
