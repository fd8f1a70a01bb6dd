/* Devices and their contexts.
 *
 * A function that calls the driver for a device first enters it: that checks what makes every call
 * fail (no driver, a fork, an earlier failure that broke the context), creates the context if it is
 * the first, and makes it current. Another library's context that was current is so again when the
 * device is left. */
#ifndef TNI_CUDA_DRIVER_DEVICE_H
#define TNI_CUDA_DRIVER_DEVICE_H

#include "backend/cuda/driver/driver_types.h"
#include "backend/cuda/table.h"
#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/base/wait.h"

#include <tenorite/status.h>

#include <stdatomic.h>

/* What a kernel and its grid are chosen by. */
typedef struct tni_target {
    int arch; /* compute capability: 90 */
    int multiprocessors;
    int threads_per_multiprocessor;
    int shared_bytes_max; /* of a block that asks for more than 48 KiB */
    int l2_bytes;
} tni_target;

typedef struct tni_cuda_device {
    _Atomic(bool) is_ready; /* the fields below are set */
    int number;
    CUdevice device;
    CUcontext context; /* the primary one, retained for ever */
    tni_target target;
    bool has_pools;
} tni_cuda_device;

/* Opens the driver. Fails in a child of a process that had done so. */
tn_status tni_cuda_open(void);
/* Whether this process is such a child: nothing of the driver may be called. */
bool tni_cuda_is_forked(void);

/* All devices; those that are not ready are zero. */
extern tni_cuda_device tni_cuda_devices[TNI_MAX_DEVICES];

/* A device, with its context made and its attributes read, that need not be current. */
tn_status tni_cuda_device_get(tni_cuda_device **result, int number);

/* The target of a device. In a child of fork, where nothing can be launched, it may be the
 * parent's. */
static inline tn_status tni_cuda_target_get(const tni_target **result, int number) {
    tni_cuda_device *device = &tni_cuda_devices[number];
    if (__builtin_expect(!atomic_load_explicit(&device->is_ready, memory_order_acquire), 0))
        TNI_TRY(tni_cuda_device_get(&device, number));
    *result = &device->target;
    return TN_OK;
}

typedef struct tni_cuda_scope {
    CUcontext other;          /* what has to be popped */
    CUstreamCaptureMode mode; /* of the thread before, if is_relaxed */
    bool is_pushed, is_relaxed;
    tni_break pause; /* while functions of the program are pending */
} tni_cuda_scope;

/* Launches first what waits for its kernel. If that failed, this call fails with the same error,
 * and the failure counts as reported. */
tn_status tni_cuda_enter(tni_cuda_scope *scope, int number);
/* The same for a call that cannot report a failure or must do its work in spite of one: it frees,
 * asks, orders streams. The failure stays for the next tni_cuda_enter(). */
tn_status tni_cuda_enter_quietly(tni_cuda_scope *scope, int number);
/* For calls without a place in the order of work: memory is allocated, modules are loaded. */
tn_status tni_cuda_enter_beside(tni_cuda_scope *scope, int number);
void tni_cuda_leave(tni_cuda_scope *scope);

/* One driver call on a device. */
#define TNI_CUDA_BY(enter, number, call)                                                           \
    do {                                                                                           \
        tni_cuda_scope tni_scope_;                                                                 \
        TNI_TRY(enter(&tni_scope_, number));                                                       \
        tn_status tni_result_ = (call);                                                            \
        tni_cuda_leave(&tni_scope_);                                                               \
        TNI_TRY(tni_result_);                                                                      \
    } while (0)
#define TNI_CUDA_ON(number, call) TNI_CUDA_BY(tni_cuda_enter, number, call)
#define TNI_CUDA_QUIETLY_ON(number, call) TNI_CUDA_BY(tni_cuda_enter_quietly, number, call)

#endif
