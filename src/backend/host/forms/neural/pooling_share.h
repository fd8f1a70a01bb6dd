/* Pooling backward where channels lie beside each other. */
#ifndef TNI_HOST_POOLING_SHARE_H
#define TNI_HOST_POOLING_SHARE_H

#include "forms/neural.h"

#include <tenorite/status.h>

#include <stdbool.h>

/* Whether tni_host_pooling_share() takes a call: its elements need neither conversion nor scale. */
bool tni_host_shares_pooling(const tni_pooling *call);
tn_status tni_host_pooling_share(const tni_pooling *call);

#endif
