/* The first failure of work that runs later, kept with its message until a wait reports it. */
#ifndef TNI_HOST_FAILURE_H
#define TNI_HOST_FAILURE_H

#include "core/base/error.h"
#include "core/base/lock.h"

/* Zeros, but for the message, are none. */
typedef struct tni_failure {
    tni_lock lock; /* guards the rest; no lock is taken under it */
    tn_status status;
    int64_t requested, used, cached, limit; /* of TN_ERROR_MEMORY */
    char message[1024];
} tni_failure;

/* Keeps the calling thread's last failure, unless one is kept already. */
void tni_failure_keep(tni_failure *failure, tn_status status);
/* Makes the kept failure the calling thread's; TN_OK where none is kept. */
tn_status tni_failure_report(tni_failure *failure);

#endif
