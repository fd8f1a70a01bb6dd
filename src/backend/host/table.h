/* The entries of the host's table that are not forms, for backend.c. */
#ifndef TNI_HOST_TABLE_H
#define TNI_HOST_TABLE_H

#include "backend/host/host.h"

/* queue.c */

#endif
