/* Gradients of filters whose outputs are vectors. */
#ifndef TNI_HOST_CONVOLVE_OUTER_H
#define TNI_HOST_CONVOLVE_OUTER_H

#include "forms/neural.h"

#include <tenorite/status.h>

#include <stdbool.h>

/* Whether tni_host_convolve_outer() takes a call. */
bool tni_host_convolves_outer(const tni_convolve *call);
tn_status tni_host_convolve_outer(const tni_convolve *call);

#endif
