/* What sort_order.c gives to other files. */
#ifndef TNI_HOST_SORT_ORDER_H
#define TNI_HOST_SORT_ORDER_H

#include "forms/sort.h"

/* Writes the output of a row that is in order, or the other way round, and returns true; else
 * false, soon. Short rows are sorted as fast. */
bool tni_host_sort_in_order(const tni_sort *call, const char *input, char *output);

#endif
