/* The form "convolve" where channels lie beside each other in memory. */
#ifndef TNI_HOST_CONVOLVE_CHANNELS_H
#define TNI_HOST_CONVOLVE_CHANNELS_H

#include "forms/neural.h"

#include <tenorite/status.h>

#include <stdbool.h>

bool tni_host_convolves_channels(const tni_convolve *call);
tn_status tni_host_convolve_channels(const tni_convolve *call);

#endif
