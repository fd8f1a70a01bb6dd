/* The form "convolve" where each channel has a filter of its own and channels lie beside each other
 * in memory. */
#ifndef TNI_HOST_DEPTHWISE_H
#define TNI_HOST_DEPTHWISE_H

#include "forms/neural.h"

#include <tenorite/status.h>

#include <stdbool.h>

bool tni_host_is_depthwise(const tni_convolve *call);
tn_status tni_host_depthwise(const tni_convolve *call);

#endif
