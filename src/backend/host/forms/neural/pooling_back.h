/* Pooling backward to the largest elements of rows. */
#ifndef TNI_HOST_POOLING_BACK_H
#define TNI_HOST_POOLING_BACK_H

#include "forms/neural.h"

#include <tenorite/status.h>

#include <stdbool.h>

/* Whether tni_host_pooling_back() takes a call: its elements need neither conversion nor scale. */
bool tni_host_pools_back(const tni_pooling *call);
tn_status tni_host_pooling_back(const tni_pooling *call);

#endif
