/* Memory in the terms of the runtime API, for programs that use raw addresses. */
#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/memory/memory.h"

#include <string.h>
#include <tenorite/cuda.h>

/* --- Raw copies --- */

static tn_status check_bytes(int64_t bytes) {
    return bytes >= 0 ? TN_OK
                      : tni_fail(TN_ERROR_VALUE, "%lld bytes cannot be copied", (long long)bytes);
}

static tn_status finish(bool is_async, CUstream stream) {
    return is_async ? TN_OK : TNI_DRIVER(cuStreamSynchronize, stream);
}

static tn_status memcpy_on(uintptr_t to, uintptr_t from, size_t bytes, int kind, bool is_async,
                           CUstream stream) {
    static const tni_direction directions[] = {TNI_DEVICE_TO_DEVICE, TNI_HOST_TO_DEVICE,
                                               TNI_DEVICE_TO_HOST, TNI_DEVICE_TO_DEVICE,
                                               TNI_DEVICE_TO_DEVICE};
    TNI_TRY(tni_cuda_copy_here((void *)to, (const void *)from, bytes, directions[kind], stream));
    return finish(is_async, stream);
}

static tn_status check_kind(int kind) {
    if (kind >= 0 && kind <= 4) return TN_OK;
    return tni_fail(TN_ERROR_DEVICE,
                    "cudaErrorInvalidMemcpyDirection: invalid copy direction for memcpy (%d)",
                    kind);
}

tn_status tn_cuda_memcpy(uintptr_t to, uintptr_t from, int64_t bytes, int kind, bool is_async,
                         uintptr_t stream, int number) {
    TNI_TRY(check_bytes(bytes));
    TNI_TRY(check_kind(kind));
    if (bytes == 0) return TN_OK;
    TNI_CUDA_ON(number, memcpy_on(to, from, (size_t)bytes, kind, is_async, (CUstream)stream));
    return TN_OK;
}

/* Host memory is distinguished, because the driver may not know it. */
tn_status tn_cuda_memcpy_2d(uintptr_t to, int64_t to_pitch, uintptr_t from, int64_t from_pitch,
                            int64_t width, int64_t height, int kind, bool is_async,
                            uintptr_t stream, int number) {
    bool from_host = kind == 0 || kind == 1, to_host = kind == 0 || kind == 2;
    TNI_TRY(check_bytes(width < height ? width : height));
    TNI_TRY(check_kind(kind));
    if (width == 0 || height == 0) return TN_OK;
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = from_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED,
        .srcHost = from_host ? (const void *)from : NULL,
        .srcDevice = from_host ? 0 : from,
        .srcPitch = (size_t)from_pitch,
        .dstMemoryType = to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED,
        .dstHost = to_host ? (void *)to : NULL,
        .dstDevice = to_host ? 0 : to,
        .dstPitch = (size_t)to_pitch,
        .WidthInBytes = (size_t)width,
        .Height = (size_t)height,
    };
    tni_cuda_scope scope;
    TNI_TRY(tni_cuda_enter(&scope, number));
    tn_status status = TNI_DRIVER(cuMemcpy2DAsync_v2, &copy, (CUstream)stream);
    if (status == TN_OK) status = finish(is_async, (CUstream)stream);
    tni_cuda_leave(&scope);
    return status;
}

tn_status tn_cuda_memcpy_peer(uintptr_t to, int to_number, uintptr_t from, int from_number,
                              int64_t bytes, bool is_async, uintptr_t stream) {
    tni_cuda_device *target, *source;
    tni_cuda_scope scope;
    TNI_TRY(check_bytes(bytes));
    TNI_TRY(tni_cuda_device_get(&target, to_number));
    TNI_TRY(tni_cuda_device_get(&source, from_number));
    if (bytes == 0) return TN_OK;
    TNI_TRY(tni_cuda_enter(&scope, to_number));
    tn_status status = TNI_DRIVER(cuMemcpyPeerAsync, to, target->context, from, source->context,
                                  (size_t)bytes, (CUstream)stream);
    if (status == TN_OK) status = finish(is_async, (CUstream)stream);
    tni_cuda_leave(&scope);
    return status;
}

static tn_status memset_on(uintptr_t to, int value, size_t bytes, bool is_async, CUstream stream) {
    TNI_TRY(TNI_DRIVER(cuMemsetD8Async, to, (unsigned char)value, bytes, stream));
    return finish(is_async, stream);
}

tn_status tn_cuda_memset(uintptr_t to, int value, int64_t bytes, bool is_async, uintptr_t stream,
                         int number) {
    TNI_TRY(check_bytes(bytes));
    if (bytes == 0) return TN_OK;
    TNI_CUDA_ON(number, memset_on(to, value, (size_t)bytes, is_async, (CUstream)stream));
    return TN_OK;
}

/* --- Raw memory --- */

tn_status tn_cuda_malloc(uintptr_t *address, int64_t bytes, int number) {
    void *given = NULL;
    TNI_TRY(tni_cuda_memory_allocate(&given, bytes, number));
    *address = (uintptr_t)given;
    return TN_OK;
}

tn_status tn_cuda_free(uintptr_t address, int number) {
    TNI_CUDA_QUIETLY_ON(number, TNI_DRIVER(cuMemFree_v2, address));
    return TN_OK;
}

tn_status tn_cuda_malloc_managed(uintptr_t *address, int64_t bytes, int number) {
    CUdeviceptr given;
    tni_cuda_scope scope;
    TNI_TRY(tni_cuda_enter(&scope, number));
    tn_status status = TNI_DRIVER(cuMemAllocManaged, &given, (size_t)bytes, CU_MEM_ATTACH_GLOBAL);
    tni_cuda_leave(&scope);
    if (status != TN_OK) return tni_cuda_fail_memory(status, bytes, number);
    *address = given;
    return TN_OK;
}

static CUmemLocation location_of(int number) {
    return number < 0 ? (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0}
                      : (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, number};
}

/* Drivers before 12.2 have functions that take a number, -1 for the host. */
static tn_status prefetch(CUdeviceptr address, size_t bytes, int to, CUstream stream) {
    if (tni_driver.cuMemPrefetchAsync_v2)
        return TNI_DRIVER(cuMemPrefetchAsync_v2, address, bytes, location_of(to), 0, stream);
    if (tni_driver.cuMemPrefetchAsync)
        return TNI_DRIVER(cuMemPrefetchAsync, address, bytes, to < 0 ? -1 : to, stream);
    return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "the driver has no cuMemPrefetchAsync");
}

static tn_status advise(CUdeviceptr address, size_t bytes, int advice, int about) {
    if (tni_driver.cuMemAdvise_v2)
        return TNI_DRIVER(cuMemAdvise_v2, address, bytes, advice, location_of(about));
    if (tni_driver.cuMemAdvise)
        return TNI_DRIVER(cuMemAdvise, address, bytes, advice, about < 0 ? -1 : about);
    return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "the driver has no cuMemAdvise");
}

tn_status tn_cuda_prefetch(uintptr_t address, int64_t bytes, int to, uintptr_t stream, int number) {
    TNI_CUDA_ON(number, prefetch(address, (size_t)bytes, to, (CUstream)stream));
    return TN_OK;
}

tn_status tn_cuda_advise(uintptr_t address, int64_t bytes, int advice, int about, int number) {
    TNI_CUDA_ON(number, advise(address, (size_t)bytes, advice, about));
    return TN_OK;
}

/* Memory that the driver does not know is the program's own: its kind is 0. Unlike the function for
 * one attribute this is no error of the driver then. */
tn_status tn_cuda_get_pointer(tn_cuda_pointer *facts, uintptr_t address) {
    unsigned kind = 0, is_managed = 0;
    int number = 0;
    CUdeviceptr device = 0;
    void *host = NULL;
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *values[] = {&kind, &is_managed, &number, &device, &host};
    TNI_CUDA_ON(tni_cuda_any_number(),
                TNI_DRIVER(cuPointerGetAttributes, sizeof values / sizeof *values, attributes,
                           values, address));
    int plain = kind == CU_MEMORYTYPE_HOST ? 1 : kind == CU_MEMORYTYPE_DEVICE ? 2 : 0;
    *facts = (tn_cuda_pointer){is_managed ? 3 : plain, number, (uintptr_t)device, (uintptr_t)host};
    if (kind == 0) *facts = (tn_cuda_pointer){.host_address = address};
    return TN_OK;
}

/* --- Page-locked memory --- */

tn_status tn_cuda_malloc_host(uintptr_t *address, int64_t bytes, unsigned flags) {
    void *given = NULL;
    TNI_CUDA_ON(tni_cuda_any_number(), TNI_DRIVER(cuMemHostAlloc, &given, (size_t)bytes, flags));
    *address = (uintptr_t)given;
    return TN_OK;
}

tn_status tn_cuda_free_host(uintptr_t address) {
    TNI_CUDA_QUIETLY_ON(tni_cuda_any_number(), TNI_DRIVER(cuMemFreeHost, (void *)address));
    return TN_OK;
}

tn_status tn_cuda_host_register(uintptr_t address, int64_t bytes, unsigned flags) {
    TNI_CUDA_ON(tni_cuda_any_number(),
                TNI_DRIVER(cuMemHostRegister_v2, (void *)address, (size_t)bytes, flags));
    return TN_OK;
}

tn_status tn_cuda_host_unregister(uintptr_t address) {
    TNI_CUDA_QUIETLY_ON(tni_cuda_any_number(), TNI_DRIVER(cuMemHostUnregister, (void *)address));
    return TN_OK;
}

/* --- Memory of another process --- */

tn_status tn_cuda_memory_export(unsigned char handle[64], uintptr_t address, int number) {
    CUipcMemHandle exported;
    TNI_CUDA_ON(number, TNI_DRIVER(cuIpcGetMemHandle, &exported, address));
    memcpy(handle, exported.reserved, 64);
    return TN_OK;
}

tn_status tn_cuda_memory_import(uintptr_t *address, const unsigned char handle[64], int number) {
    CUipcMemHandle given;
    CUdeviceptr opened;
    memcpy(given.reserved, handle, 64);
    TNI_CUDA_ON(number, TNI_DRIVER(cuIpcOpenMemHandle_v2, &opened, given,
                                   CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    *address = opened;
    return TN_OK;
}

tn_status tn_cuda_memory_close(uintptr_t address, int number) {
    TNI_CUDA_QUIETLY_ON(number, TNI_DRIVER(cuIpcCloseMemHandle, address));
    return TN_OK;
}
