/* The functions that the host's table of communicators holds (forms/collective.def). */
#ifndef TNI_HOST_COLLECTIVES_TABLE_H
#define TNI_HOST_COLLECTIVES_TABLE_H

#include "forms/collective.h"

#define COLLECTIVE(result, name, parameters) result tni_host_collective_##name parameters;
#include "forms/collective.def"

#endif
