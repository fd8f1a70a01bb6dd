/* Pooling forward of maps whose channels lie beside each other. */
#ifndef TNI_HOST_POOLING_ROWS_H
#define TNI_HOST_POOLING_ROWS_H

#include "forms/neural.h"

#include <tenorite/status.h>

#include <stdbool.h>

/* Whether tni_host_pooling_rows() takes a call: its elements need no conversion, either. */
bool tni_host_pools_rows(const tni_pooling *call);
tn_status tni_host_pooling_rows(const tni_pooling *call);

#endif
