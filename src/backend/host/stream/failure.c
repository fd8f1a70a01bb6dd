/* Keeping a failure for a thread that waits. */
#include "backend/host/stream/failure.h"

#include <stdio.h>

void tni_failure_keep(tni_failure *failure, tn_status status) {
    tni_lock_take(&failure->lock);
    if (failure->status == TN_OK) {
        failure->status = status;
        tn_error_memory(&failure->requested, &failure->used, &failure->cached, &failure->limit);
        snprintf(failure->message, sizeof failure->message, "%s", tn_error_message());
    }
    tni_lock_give(&failure->lock);
}

tn_status tni_failure_report(tni_failure *failure) {
    tni_lock_take(&failure->lock);
    tn_status status = failure->status;
    if (status == TN_ERROR_MEMORY)
        tni_fail_memory(failure->requested, failure->used, failure->cached, failure->limit, "");
    if (status != TN_OK) tn_error_set(failure->message);
    failure->status = TN_OK;
    tni_lock_give(&failure->lock);
    return status;
}
