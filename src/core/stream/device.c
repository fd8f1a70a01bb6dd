/* Devices: which there are, and the calling thread's current one.
 *
 * Everything is asked of the backend's table when it is needed; nothing happens when the library is
 * loaded. A device's number is below TNI_MAX_DEVICES. */
#include "core/stream/device.h"

#include "backend/backend.h"
#include "core/base/error.h"
#include "core/base/thread.h"
#include "core/base/wait.h"
#include "core/base/waiting.h"
#include "core/trace/trace.h"

#include <stdlib.h>
#include <string.h>

tn_backend tn_backend_primary(void) {
    static atomic_int found = -1;
    int primary = atomic_load_explicit(&found, memory_order_relaxed);
    if (primary >= 0) return (tn_backend)primary;
    const char *wish = getenv("TENORITE_BACKEND");
    if (wish && strcmp(wish, "host") == 0)
        primary = TN_BACKEND_HOST;
    else if ((wish && strcmp(wish, "cuda") == 0) || tn_device_count(TN_BACKEND_CUDA) > 0)
        primary = TN_BACKEND_CUDA;
    else
        primary = TN_BACKEND_HOST;
    atomic_store_explicit(&found, primary, memory_order_relaxed);
    return (tn_backend)primary;
}

int tn_device_count(tn_backend backend) {
    const tni_backend *table = tni_backend_get(backend);
    int count = table ? table->device_count() : 0;
    return count < 0 ? 0 : count < TNI_MAX_DEVICES ? count : TNI_MAX_DEVICES;
}

/* TENORITE_BACKEND must be a backend's name, or empty. */
static tn_status check_wish(void) {
    const char *wish = getenv("TENORITE_BACKEND");
    if (!wish || !*wish || strcmp(wish, "host") == 0 || strcmp(wish, "cuda") == 0) return TN_OK;
    TNI_FAIL(TN_ERROR_VALUE, "TENORITE_BACKEND=%s is no backend: 'host' and 'cuda' are allowed",
             wish);
}

tn_status tni_device_check(tn_device device) {
    TNI_TRY(check_wish());
    const tni_backend *table = tni_backend_get((tn_backend)device.backend);
    if (table && table->device_count() < 0) return TN_ERROR_VALUE;
    int count = tn_device_count((tn_backend)device.backend);
    if (device.number >= 0 && device.number < count) return TN_OK;
    return tni_fail(TN_ERROR_DEVICE, "%s (%s:%d of %d)",
                    tni_device_error_text(TNI_DEVICE_NO_DEVICE),
                    tn_backend_name((tn_backend)device.backend), device.number, count);
}

/* The table of a device's backend, once the device is known to be there. */
static tn_status find_backend(const tni_backend **table, tn_device device) {
    TNI_TRY(tni_device_check(device));
    *table = tni_backend_get((tn_backend)device.backend);
    return TN_OK;
}

tn_device tn_device_get_current(void) {
    if (!tni_self.has_device) {
        tni_self.device = (tn_device){(int16_t)tn_backend_primary(), 0};
        tni_self.has_device = true;
    }
    return tni_self.device;
}

tn_status tn_device_set_current(tn_device device) {
    const tni_backend *table;
    TNI_TRY(find_backend(&table, device));
    tni_self.device = device;
    tni_self.has_device = true;
    return TN_OK;
}

static tn_status wait_slice(const void *context, int64_t timeout_ns) {
    const tn_device *device = context;
    return tni_backend_get((tn_backend)device->backend)
        ->device_synchronize(device->number, timeout_ns);
}

tn_status tn_device_synchronize(tn_device device, int64_t timeout_ns) {
    const tni_backend *table;
    TNI_TRY(find_backend(&table, device));
    tni_look_device(TNI_LOOK_DEVICE_WAIT, device);
    int64_t begun = tni_trace_begin(TNI_TRACE_ON | TNI_LOG_WAIT);
    tn_status status = tni_wait(wait_slice, &device, timeout_ns);
    if (begun)
        tni_trace_end(&(tni_traced){
            .kind = TN_TRACE_WAIT, .begun = begun, .text = "wait for a device", .device = device});
    return status;
}

tn_status tn_device_get_memory_info(tn_device device, int64_t *free_bytes, int64_t *total_bytes) {
    const tni_backend *table;
    TNI_TRY(find_backend(&table, device));
    return table->memory_info(device.number, free_bytes, total_bytes);
}

tn_status tn_device_get_name(tn_device device, char *name, size_t size) {
    const tni_backend *table;
    TNI_TRY(find_backend(&table, device));
    if (size == 0) TNI_FAIL(TN_ERROR_VALUE, "no room for the device's name");
    return table->device_name(device.number, name, size);
}

tn_status tn_device_get_level(tn_device device, char *level, size_t size) {
    const tni_backend *table;
    TNI_TRY(find_backend(&table, device));
    if (size == 0) TNI_FAIL(TN_ERROR_VALUE, "no room for the device's level");
    return table->device_level(device.number, level, size);
}
