/* The gate: what a call looks at before it reaches the driver, as data. */
#include "backend/cuda/driver/gate.h"

#include "core/base/lock.h"

#include <stdio.h>
#include <tenorite/status.h>

atomic_int tni_deferred;
atomic_int tni_cuda_pending;
atomic_int tni_cuda_strict_captures;
tni_gate_hooks tni_gate;

static _Thread_local bool in_callback;
static _Thread_local int entered = -1;

bool tni_cuda_in_callback(void) {
    return in_callback;
}

void tni_cuda_set_in_callback(bool is_calling) {
    in_callback = is_calling;
}

int tni_cuda_entered(void) {
    return entered;
}

void tni_cuda_set_entered(int number) {
    entered = number;
}

/* --- Broken devices --- */

atomic_bool tni_cuda_broken[TNI_MAX_DEVICES];
static char reasons[TNI_MAX_DEVICES][768]; /* set before the flag, and never changed */
static tni_lock lock;

void tni_cuda_set_broken(int number) {
    tni_lock_take(&lock);
    if (!atomic_load(&tni_cuda_broken[number])) {
        snprintf(reasons[number], sizeof reasons[number], "%s", tn_error_message());
        atomic_store_explicit(&tni_cuda_broken[number], true, memory_order_release);
    }
    tni_lock_give(&lock);
}

tn_status tni_cuda_fail_broken(int number) {
    return tni_fail(TN_ERROR_DEVICE,
                    "%s; reported before: after such an error device cuda:%d can't be used any "
                    "more by this process",
                    reasons[number], number);
}
