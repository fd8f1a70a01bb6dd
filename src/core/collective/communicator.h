/* Communicators between their life (communicator.c) and their calls (run.c). */
#ifndef TNI_COLLECTIVE_COMMUNICATOR_H
#define TNI_COLLECTIVE_COMMUNICATOR_H

#include "core/base/lock.h"
#include "forms/collective.h"

struct tn_communicator {
    tn_device device;
    const tni_collectives *backend;
    _Atomic(void *) implementation; /* NULL: it is ended */
};

/* What the backend knows it by; TN_ERROR_COLLECTIVE where it is ended. */
tn_status tni_communicator_open(void **implementation, tn_communicator *communicator);

#endif
