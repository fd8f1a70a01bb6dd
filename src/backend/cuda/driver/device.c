/* Devices: opening the driver, primary contexts, attributes.
 *
 * Nothing is asked of the driver before the first call that needs it. A context is made when a
 * device is first entered, shared with all other users of the runtime API in the process, and never
 * given back: at the end of the process other libraries may still use it. After a fork nothing of
 * the driver can be used in the child if the parent had opened it. */
#include "backend/cuda/driver/device.h"

#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/library.h"
#include "core/base/lock.h"
#include "core/base/thread.h"

#include <pthread.h>
#include <stdio.h>
#include <tenorite/status.h>

static struct {
    atomic_int state; /* CLOSED, OPEN, FAILED */
    atomic_bool is_forked;
    int count;
    int error;
    char message[512];
} driver;
enum { CLOSED, OPEN, FAILED };

tni_cuda_device tni_cuda_devices[TNI_MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- Opening --- */

static void after_fork_child(void) {
    if (atomic_load(&driver.state) == OPEN) atomic_store(&driver.is_forked, true);
    pthread_mutex_init(&lock, NULL); /* a thread of the parent may have held it */
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, after_fork_child);
}

static tn_status try_open(void) {
    TNI_TRY(tni_driver_load());
    TNI_TRY(TNI_DRIVER(cuInit, 0));
    TNI_TRY(TNI_DRIVER(cuDeviceGetCount, &driver.count));
    if (driver.count == 0) return tni_cuda_fail(CUDA_ERROR_NO_DEVICE, "cuDeviceGetCount", NULL);
    if (driver.count > TNI_MAX_DEVICES) driver.count = TNI_MAX_DEVICES;
    return TN_OK;
}

static void open_driver(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    if (atomic_load(&driver.state) == CLOSED) {
        bool good = try_open() == TN_OK;
        if (!good) snprintf(driver.message, sizeof driver.message, "%s", tn_error_message());
        atomic_store(&driver.state, good ? OPEN : FAILED);
    }
    pthread_mutex_unlock(&lock);
}

tn_status tni_cuda_open(void) {
    int state = atomic_load_explicit(&driver.state, memory_order_acquire);
    if (state == CLOSED) {
        open_driver();
        state = atomic_load(&driver.state);
    }
    if (state == FAILED) TNI_FAIL(TN_ERROR_DEVICE, "%s", driver.message);
    if (atomic_load_explicit(&driver.is_forked, memory_order_relaxed))
        TNI_FAIL(TN_ERROR_FORKED,
                 "CUDA was used before fork and cannot be used in the child process; fork before "
                 "the first use, or start processes with the method 'spawn' or 'forkserver'");
    return TN_OK;
}

bool tni_cuda_is_forked(void) {
    return atomic_load_explicit(&driver.is_forked, memory_order_relaxed);
}

/* The parent's count stays known in a child, so that the fork is what its errors speak of. */
int tni_cuda_device_count(void) {
    if (atomic_load(&driver.state) == CLOSED) open_driver();
    return atomic_load(&driver.state) == OPEN ? driver.count : 0;
}

/* --- Contexts --- */

static tn_status ask(int *value, CUdevice_attribute attribute, CUdevice device) {
    return TNI_DRIVER(cuDeviceGetAttribute, value, attribute, device);
}

static tn_status make_context(tni_cuda_device *d) {
    tni_gate.prepare_begin();
    tn_status status = TNI_DRIVER(cuDevicePrimaryCtxRetain, &d->context, d->device);
    tni_gate.prepare_end();
    return status;
}

static tn_status make_ready(tni_cuda_device *d, int number) {
    int major, minor, pools;
    d->number = number;
    TNI_TRY(TNI_DRIVER(cuDeviceGet, &d->device, number));
    TNI_TRY(ask(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d->device));
    TNI_TRY(ask(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d->device));
    TNI_TRY(ask(&d->target.multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d->device));
    TNI_TRY(ask(&d->target.threads_per_multiprocessor,
                CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, d->device));
    TNI_TRY(ask(&d->target.shared_bytes_max, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                d->device));
    TNI_TRY(ask(&d->target.l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, d->device));
    TNI_TRY(ask(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, d->device));
    d->target.arch = 10 * major + minor;
    d->has_pools = pools != 0;
    return make_context(d);
}

/* The number is checked, the driver open. */
static tn_status find_device(tni_cuda_device **result, int number) {
    tn_status status = TN_OK;
    if (number < 0 || number >= driver.count)
        TNI_FAIL(TN_ERROR_DEVICE, "cudaErrorInvalidDevice: invalid device ordinal (cuda:%d of %d)",
                 number, driver.count);
    tni_cuda_device *d = &tni_cuda_devices[number];
    if (!atomic_load_explicit(&d->is_ready, memory_order_acquire)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&d->is_ready)) {
            int before = tni_cuda_entered();
            tni_cuda_set_entered(-1); /* what fails here fails without a context, and breaks none */
            status = make_ready(d, number);
            tni_cuda_set_entered(before);
            if (status == TN_OK) atomic_store_explicit(&d->is_ready, true, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    *result = d;
    return status;
}

tn_status tni_cuda_device_get(tni_cuda_device **result, int number) {
    TNI_TRY(tni_cuda_open());
    return find_device(result, number);
}

tn_status tni_cuda_enter(tni_cuda_scope *scope, int number) {
    if (__builtin_expect(atomic_load_explicit(&tni_deferred, memory_order_relaxed), 0))
        TNI_TRY(tni_gate.flush());
    return tni_cuda_enter_beside(scope, number);
}

tn_status tni_cuda_enter_quietly(tni_cuda_scope *scope, int number) {
    if (__builtin_expect(atomic_load_explicit(&tni_deferred, memory_order_relaxed), 0))
        tni_gate.wait();
    return tni_cuda_enter_beside(scope, number);
}

/* A strict capture makes the driver refuse what this library may do safely, such as allocating: so
 * the thread is relaxed while it is in the driver. */
static void relax(tni_cuda_scope *scope) {
    scope->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    scope->is_relaxed = tni_driver.cuThreadExchangeStreamCaptureMode(&scope->mode) == CUDA_SUCCESS;
}

static void unrelax(tni_cuda_scope *scope) {
    tni_driver.cuThreadExchangeStreamCaptureMode(&scope->mode);
}

static tn_status make_current(tni_cuda_scope *scope, int number) {
    tni_cuda_device *d;
    CUcontext current = NULL;
    TNI_TRY(find_device(&d, number));
    if (__builtin_expect(atomic_load_explicit(&tni_cuda_broken[number], memory_order_acquire), 0))
        return tni_cuda_fail_broken(number);
    tni_cuda_set_entered(number);
    scope->is_pushed = scope->is_relaxed = false;
    TNI_TRY(TNI_DRIVER(cuCtxGetCurrent, &current));
    if (__builtin_expect(current != d->context, 0)) {
        scope->is_pushed = current != NULL;
        if (current)
            TNI_TRY(TNI_DRIVER(cuCtxPushCurrent_v2, d->context));
        else
            TNI_TRY(TNI_DRIVER(cuCtxSetCurrent, d->context));
    }
    if (__builtin_expect(atomic_load_explicit(&tni_cuda_strict_captures, memory_order_relaxed) > 0,
                         0))
        relax(scope);
    return TN_OK;
}

tn_status tni_cuda_enter_beside(tni_cuda_scope *scope, int number) {
    TNI_TRY(tni_cuda_open());
    if (__builtin_expect(tni_cuda_in_callback(), 0))
        TNI_FAIL(TN_ERROR_RUNTIME, "a function that a stream calls may not use the device");
    scope->pause.hook = NULL;
    if (__builtin_expect(atomic_load_explicit(&tni_cuda_pending, memory_order_relaxed) > 0, 0))
        scope->pause = tni_break_begin();
    tn_status status = make_current(scope, number);
    if (__builtin_expect(status != TN_OK, 0)) tni_break_end(scope->pause);
    return status;
}

void tni_cuda_leave(tni_cuda_scope *scope) {
    if (__builtin_expect(scope->is_relaxed, 0)) unrelax(scope);
    if (scope->is_pushed) tni_driver.cuCtxPopCurrent_v2(&scope->other);
    if (__builtin_expect(scope->pause.hook != NULL, 0)) tni_break_end(scope->pause);
}
