/* Contexts, modules and functions for programs that use the driver's own objects.
 *
 * A thread of this library has a current device, a thread of the driver a current context. They are
 * brought together here, when a program asks: the primary context of the current device takes the
 * place of another device's primary one, a context that is no primary one is left alone, and a
 * primary one that the program makes current makes its device the current one, as in the runtime
 * API. */
#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"

#include <tenorite/cuda.h>
#include <tenorite/device.h>

/* --- Contexts --- */

/* The device of the context that is current. */
static tn_status get_current_device(int *number, CUdevice *device) {
    CUdevice known;
    TNI_TRY(TNI_DRIVER(cuCtxGetDevice, device));
    for (int k = 0; k < tni_cuda_device_count(); k++) {
        TNI_TRY(TNI_DRIVER(cuDeviceGet, &known, k));
        if (known != *device) continue;
        *number = k;
        return TN_OK;
    }
    return tni_cuda_fail(CUDA_ERROR_INVALID_DEVICE, "cuCtxGetDevice", NULL);
}

/* The device whose primary context is the current one; -1: the current context is not primary. */
static tn_status find_primary(int *number, CUcontext current) {
    CUdevice device;
    tni_cuda_device *d;
    unsigned flags;
    int active = 0, found;
    *number = -1;
    TNI_TRY(get_current_device(&found, &device));
    TNI_TRY(TNI_DRIVER(cuDevicePrimaryCtxGetState, device, &flags, &active));
    if (!active) return TN_OK; /* asking for the primary one would make it */
    TNI_TRY(tni_cuda_device_get(&d, found));
    if (d->context == current) *number = found;
    return TN_OK;
}

/* Makes the thread's context that of its current device, unless the program chose another. */
static tn_status settle(CUcontext *context) {
    tn_device device = tn_device_get_current();
    tni_cuda_device *d;
    int primary;
    TNI_TRY(tni_cuda_open());
    TNI_TRY(TNI_DRIVER(cuCtxGetCurrent, context));
    if (device.backend != TN_BACKEND_CUDA) return TN_OK;
    if (*context) {
        TNI_TRY(find_primary(&primary, *context));
        if (primary < 0 || primary == device.number) return TN_OK;
    }
    TNI_TRY(tni_cuda_device_get(&d, device.number));
    *context = d->context;
    return TNI_DRIVER(cuCtxSetCurrent, d->context);
}

/* Makes the device of the current context the current device. */
static tn_status follow(void) {
    CUcontext current;
    int number;
    TNI_TRY(TNI_DRIVER(cuCtxGetCurrent, &current));
    if (!current) return TN_OK;
    TNI_TRY(find_primary(&number, current));
    return number < 0 ? TN_OK
                      : tn_device_set_current((tn_device){TN_BACKEND_CUDA, (int16_t)number});
}

tn_status tn_cuda_context_get(uintptr_t *context) {
    CUcontext current;
    TNI_TRY(settle(&current));
    *context = (uintptr_t)current;
    return TN_OK;
}

tn_status tn_cuda_context_set(uintptr_t context) {
    TNI_TRY(tni_cuda_open());
    TNI_TRY(TNI_DRIVER(cuCtxSetCurrent, (CUcontext)context));
    return follow();
}

tn_status tn_cuda_context_push(uintptr_t context) {
    CUcontext current;
    TNI_TRY(settle(&current));
    TNI_TRY(TNI_DRIVER(cuCtxPushCurrent_v2, (CUcontext)context));
    return follow();
}

tn_status tn_cuda_context_pop(uintptr_t *context) {
    CUcontext current;
    TNI_TRY(settle(&current));
    TNI_TRY(TNI_DRIVER(cuCtxPopCurrent_v2, &current));
    *context = (uintptr_t)current;
    return follow();
}

tn_status tn_cuda_context_get_device(int *number) {
    CUcontext current;
    CUdevice device;
    TNI_TRY(settle(&current));
    return get_current_device(number, &device);
}

tn_status tn_cuda_context_of_stream(uintptr_t *context, uintptr_t stream, int number) {
    CUcontext found;
    TNI_CUDA_ON(number, TNI_DRIVER(cuStreamGetCtx, (CUstream)stream, &found));
    *context = (uintptr_t)found;
    return TN_OK;
}

/* --- Modules --- */

/* The driver may crash when it is given 0. */
static tn_status check_handle(uintptr_t handle, const char *function) {
    return handle ? TN_OK : tni_cuda_fail(CUDA_ERROR_INVALID_HANDLE, function, NULL);
}

tn_status tn_cuda_module_new(uintptr_t *module, const void *image, int number) {
    CUmodule made;
    TNI_CUDA_ON(number, TNI_DRIVER(cuModuleLoadData, &made, image));
    *module = (uintptr_t)made;
    return TN_OK;
}

tn_status tn_cuda_module_open(uintptr_t *module, const char *path, int number) {
    CUmodule made;
    TNI_CUDA_ON(number, TNI_DRIVER(cuModuleLoad, &made, path));
    *module = (uintptr_t)made;
    return TN_OK;
}

tn_status tn_cuda_module_release(uintptr_t module, int number) {
    TNI_TRY(check_handle(module, "cuModuleUnload"));
    TNI_CUDA_ON(number, TNI_DRIVER(cuModuleUnload, (CUmodule)module));
    return TN_OK;
}

tn_status tn_cuda_module_get_function(uintptr_t *function, uintptr_t module, const char *name,
                                      int number) {
    CUfunction found;
    TNI_TRY(check_handle(module, "cuModuleGetFunction"));
    TNI_CUDA_ON(number, TNI_DRIVER(cuModuleGetFunction, &found, (CUmodule)module, name));
    *function = (uintptr_t)found;
    return TN_OK;
}

tn_status tn_cuda_module_get_variable(uintptr_t *address, int64_t *bytes, uintptr_t module,
                                      const char *name, int number) {
    CUdeviceptr found;
    size_t size;
    TNI_TRY(check_handle(module, "cuModuleGetGlobal_v2"));
    TNI_CUDA_ON(number, TNI_DRIVER(cuModuleGetGlobal_v2, &found, &size, (CUmodule)module, name));
    *address = (uintptr_t)found;
    *bytes = (int64_t)size;
    return TN_OK;
}

/* --- Functions --- */

tn_status tn_cuda_function_get_attribute(int *value, int attribute, uintptr_t function,
                                         int number) {
    TNI_TRY(check_handle(function, "cuFuncGetAttribute"));
    TNI_CUDA_ON(number, TNI_DRIVER(cuFuncGetAttribute, value, attribute, (CUfunction)function));
    return TN_OK;
}

tn_status tn_cuda_function_set_attribute(uintptr_t function, int attribute, int value, int number) {
    TNI_TRY(check_handle(function, "cuFuncSetAttribute"));
    TNI_CUDA_ON(number, TNI_DRIVER(cuFuncSetAttribute, (CUfunction)function, attribute, value));
    return TN_OK;
}

tn_status tn_cuda_function_get_occupancy(int *blocks, uintptr_t function, int threads,
                                         int64_t shared_bytes, int number) {
    TNI_TRY(check_handle(function, "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
    TNI_CUDA_ON(number, TNI_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, blocks,
                                   (CUfunction)function, threads, (size_t)shared_bytes));
    return TN_OK;
}

tn_status tn_cuda_function_find_block(int *blocks, int *threads, uintptr_t function,
                                      int64_t shared_bytes, int threads_max, int number) {
    TNI_TRY(check_handle(function, "cuOccupancyMaxPotentialBlockSize"));
    TNI_CUDA_ON(number, TNI_DRIVER(cuOccupancyMaxPotentialBlockSize, blocks, threads,
                                   (CUfunction)function, NULL, (size_t)shared_bytes, threads_max));
    return TN_OK;
}

static tn_status launch_on(CUfunction function, const tn_cuda_launch *l) {
    CUstream stream = (CUstream)l->stream;
    if (l->is_cooperative)
        return TNI_DRIVER(cuLaunchCooperativeKernel, function, l->grid[0], l->grid[1], l->grid[2],
                          l->block[0], l->block[1], l->block[2], l->shared_bytes, stream,
                          l->params);
    return TNI_DRIVER(cuLaunchKernel, function, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                      l->block[1], l->block[2], l->shared_bytes, stream, l->params, l->extra);
}

tn_status tn_cuda_function_launch(uintptr_t function, const tn_cuda_launch *launch, int number) {
    TNI_TRY(check_handle(function, "cuLaunchKernel"));
    TNI_CUDA_ON(number, launch_on((CUfunction)function, launch));
    return TN_OK;
}
