/* The form "convolve" where the result is dw. */
#ifndef TNI_HOST_CONVOLVE_FILTER_H
#define TNI_HOST_CONVOLVE_FILTER_H

#include "forms/neural.h"

#include <tenorite/status.h>

tn_status tni_host_convolve_filter(const tni_convolve *call);

#endif
