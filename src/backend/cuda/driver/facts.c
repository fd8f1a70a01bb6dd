/* Facts of devices: names, attributes, limits, and which devices reach each other's memory. */
#include "backend/cuda/driver/facts.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"

#include <stdio.h>
#include <string.h>
#include <tenorite/cuda.h>

static const struct {
    int number;
    const char *name;
} attributes[] = {
#define ATTRIBUTE(number, name) {number, #name},
#include "backend/cuda/driver/attributes.def"
};

/* A CUdevice, without a context. */
static tn_status get_handle(CUdevice *device, int number) {
    TNI_TRY(tni_cuda_open());
    return TNI_DRIVER(cuDeviceGet, device, number);
}

tn_status tni_cuda_device_name(int number, char *name, size_t size) {
    CUdevice device;
    TNI_TRY(get_handle(&device, number));
    return TNI_DRIVER(cuDeviceGetName, name, (int)size, device);
}

tn_status tni_cuda_memory_info(int number, int64_t *free_bytes, int64_t *total_bytes) {
    size_t free_size, total_size;
    TNI_CUDA_ON(number, TNI_DRIVER(cuMemGetInfo_v2, &free_size, &total_size));
    *free_bytes = (int64_t)free_size;
    *total_bytes = (int64_t)total_size;
    return TN_OK;
}

tn_status tn_cuda_get_attribute(int *value, int attribute, int number) {
    CUdevice device;
    TNI_TRY(get_handle(&device, number));
    return TNI_DRIVER(cuDeviceGetAttribute, value, attribute, device);
}

bool tn_cuda_attribute(const char **name, int *attribute, int number) {
    if (number < 0 || (size_t)number >= sizeof attributes / sizeof *attributes) return false;
    *name = attributes[number].name;
    *attribute = attributes[number].number;
    return true;
}

tn_status tn_cuda_get_compute_capability(int *capability, int number) {
    CUdevice device;
    int major, minor;
    TNI_TRY(get_handle(&device, number));
    TNI_TRY(TNI_DRIVER(cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                       device));
    TNI_TRY(TNI_DRIVER(cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                       device));
    *capability = 10 * major + minor;
    return TN_OK;
}

tn_status tni_cuda_device_level(int number, char *level, size_t size) {
    int capability;
    TNI_TRY(tn_cuda_get_compute_capability(&capability, number));
    snprintf(level, size, "sm_%d", capability);
    return TN_OK;
}

tn_status tn_cuda_get_pci_bus_id(char *text, size_t size, int number) {
    CUdevice device;
    TNI_TRY(get_handle(&device, number));
    return TNI_DRIVER(cuDeviceGetPCIBusId, text, (int)size, device);
}

tn_status tn_cuda_find_pci_bus_id(int *number, const char *text) {
    CUdevice wanted, device;
    TNI_TRY(tni_cuda_open());
    int count = tni_cuda_device_count();
    TNI_TRY(TNI_DRIVER(cuDeviceGetByPCIBusId, &wanted, text));
    for (int k = 0; k < count; k++) {
        TNI_TRY(TNI_DRIVER(cuDeviceGet, &device, k));
        if (device != wanted) continue;
        *number = k;
        return TN_OK;
    }
    return tni_cuda_fail(CUDA_ERROR_INVALID_DEVICE, "cuDeviceGetByPCIBusId", NULL);
}

tn_status tn_cuda_get_uuid(unsigned char uuid[16], int number) {
    CUdevice device;
    CUuuid answer;
    TNI_TRY(get_handle(&device, number));
    TNI_TRY(TNI_DRIVER(cuDeviceGetUuid_v2, &answer, device));
    memcpy(uuid, answer.bytes, 16);
    return TN_OK;
}

tn_status tn_cuda_get_total_memory(int64_t *bytes, int number) {
    CUdevice device;
    size_t size;
    TNI_TRY(get_handle(&device, number));
    TNI_TRY(TNI_DRIVER(cuDeviceTotalMem_v2, &size, device));
    *bytes = (int64_t)size;
    return TN_OK;
}

tn_status tn_cuda_get_limit(size_t *value, int limit, int number) {
    TNI_CUDA_ON(number, TNI_DRIVER(cuCtxGetLimit, value, limit));
    return TN_OK;
}

tn_status tn_cuda_set_limit(int limit, size_t value, int number) {
    TNI_CUDA_ON(number, TNI_DRIVER(cuCtxSetLimit, limit, value));
    return TN_OK;
}

tn_status tn_cuda_get_priority_range(int *least, int *greatest, int number) {
    TNI_CUDA_ON(number, TNI_DRIVER(cuCtxGetStreamPriorityRange, least, greatest));
    return TN_OK;
}

tn_status tn_cuda_get_context(uintptr_t *context, int number) {
    tni_cuda_device *d;
    TNI_TRY(tni_cuda_device_get(&d, number));
    *context = (uintptr_t)d->context;
    return TN_OK;
}

tn_status tn_cuda_driver_version(int *version) {
    TNI_TRY(tni_cuda_open());
    return TNI_DRIVER(cuDriverGetVersion, version);
}

/* --- Peers --- */

tn_status tn_cuda_can_access_peer(bool *can, int number, int peer) {
    CUdevice device, other;
    int answer;
    TNI_TRY(get_handle(&device, number));
    TNI_TRY(get_handle(&other, peer));
    TNI_TRY(TNI_DRIVER(cuDeviceCanAccessPeer, &answer, device, other));
    *can = answer != 0;
    return TN_OK;
}

tn_status tn_cuda_enable_peer_access(int number, int peer) {
    tni_cuda_device *other;
    TNI_TRY(tni_cuda_device_get(&other, peer));
    TNI_CUDA_ON(number, TNI_DRIVER(cuCtxEnablePeerAccess, other->context, 0));
    return TN_OK;
}

tn_status tn_cuda_disable_peer_access(int number, int peer) {
    tni_cuda_device *other;
    TNI_TRY(tni_cuda_device_get(&other, peer));
    TNI_CUDA_ON(number, TNI_DRIVER(cuCtxDisablePeerAccess, other->context));
    return TN_OK;
}
