/* Allocators beside the raw one: managed memory, and the driver's stream-ordered pools. */
#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/memory/memory.h"
#include "backend/cuda/stream/stream.h"
#include "core/base/alloc.h"
#include "core/stream/order.h"

#include <tenorite/cuda.h>

static tn_status check_device(tn_device device, const char *what) {
    if (device.backend == TN_BACKEND_CUDA) return TN_OK;
    return tni_fail(TN_ERROR_DEVICE, "%s is memory of CUDA devices, not of %s:%d", what,
                    tn_backend_name((tn_backend)device.backend), device.number);
}

/* --- Managed memory --- */

static tn_status allocate_managed(void *context, void **address, int64_t bytes, tn_device device,
                                  tn_stream *stream) {
    (void)context, (void)stream;
    uintptr_t given;
    TNI_TRY(check_device(device, "managed memory"));
    TNI_TRY(tn_cuda_malloc_managed(&given, bytes, device.number));
    *address = (void *)given;
    return TN_OK;
}

/* Freeing waits for the device's work, so none can still use the memory. */
static void free_managed(void *context, void *address, int64_t bytes, tn_device device,
                         tn_stream *stream) {
    (void)context, (void)stream;
    if (address) tni_cuda_memory_free(address, bytes, device.number);
}

const tn_allocator *tn_cuda_allocator_managed(void) {
    static const tn_allocator managed = {NULL, allocate_managed, free_managed};
    return &managed;
}

/* --- The driver's pools --- */

static tn_status allocate_async(void *context, void **address, int64_t bytes, tn_device device,
                                tn_stream *stream) {
    (void)context;
    uintptr_t given;
    TNI_TRY(check_device(device, "a memory pool of the driver"));
    if (!stream) TNI_TRY(tni_stream_resolve(&stream, NULL, device));
    if (tni_stream_capture(stream))
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED,
                 "memory of the driver's pool on a stream that is capturing a graph; the default "
                 "pool serves there");
    tn_status status =
        tn_cuda_malloc_async(&given, bytes, tni_cuda_stream_number(stream), device.number);
    if (status == TN_ERROR_MEMORY) { /* what other streams freed comes back when they are done */
        TNI_TRY(tni_cuda_stream_synchronize(stream, -1));
        tn_cuda_pool_trim(0, 0, device.number);
        status = tn_cuda_malloc_async(&given, bytes, tni_cuda_stream_number(stream), device.number);
    }
    TNI_TRY(status);
    *address = (void *)given;
    return TN_OK;
}

/* What a function that a stream calls sets free; the stream is retained. */
typedef struct late_free {
    void *address;
    tn_stream *stream;
} late_free;

static void free_late(void *context) {
    late_free late = *(late_free *)context;
    tni_free(context);
    tn_cuda_free_async((uintptr_t)late.address, tni_cuda_stream_number(late.stream),
                       late.stream->device.number);
    tn_stream_release(late.stream);
}

/* Where it cannot be put off for want of memory, what was to be given back is lost. */
static void put_off_free(void *address, tn_stream *stream) {
    late_free *late = tni_malloc(sizeof *late);
    if (!late) return;
    *late = (late_free){address, tn_stream_retain(stream)};
    if (tni_stream_add_cleanup(stream, free_late, late) == TN_OK) return;
    tn_stream_release(stream);
    tni_free(late);
}

static void free_async(void *context, void *address, int64_t bytes, tn_device device,
                       tn_stream *stream) {
    (void)context, (void)bytes;
    if (!address || tni_cuda_is_forked()) return;
    if (!stream && !(stream = tn_stream_get_current(device))) return;
    if (tni_cuda_in_callback())
        put_off_free(address, stream);
    else
        tn_cuda_free_async((uintptr_t)address, tni_cuda_stream_number(stream), device.number);
}

const tn_allocator *tn_cuda_allocator_async(void) {
    static const tn_allocator async = {NULL, allocate_async, free_async};
    return &async;
}

static tn_status find_pool(CUmemoryPool *pool, int number) {
    tni_cuda_device *device;
    TNI_TRY(tni_cuda_device_get(&device, number));
    if (!device->has_pools)
        TNI_FAIL(TN_ERROR_DEVICE,
                 "cudaErrorNotSupported: device cuda:%d has no stream-ordered memory pools",
                 number);
    return TNI_DRIVER(cuDeviceGetMemPool, pool, device->device);
}

/* `pool` 0: the device's current one. */
static tn_status choose_pool(CUmemoryPool *chosen, uintptr_t pool, int number) {
    *chosen = (CUmemoryPool)pool;
    return pool ? tni_cuda_open() : find_pool(chosen, number);
}

tn_status tn_cuda_malloc_from_pool(uintptr_t *address, int64_t bytes, uintptr_t pool,
                                   uintptr_t stream, int number) {
    CUmemoryPool chosen;
    CUdeviceptr given;
    tni_cuda_scope scope;
    TNI_TRY(choose_pool(&chosen, pool, number));
    TNI_TRY(tni_cuda_enter(&scope, number));
    tn_status status =
        TNI_DRIVER(cuMemAllocFromPoolAsync, &given, (size_t)bytes, chosen, (CUstream)stream);
    tni_cuda_leave(&scope);
    if (status == TN_ERROR_MEMORY)
        return tni_fail_memory(bytes, 0, 0, 0, "the driver's memory pool");
    TNI_TRY(status);
    *address = given;
    return TN_OK;
}

tn_status tn_cuda_malloc_async(uintptr_t *address, int64_t bytes, uintptr_t stream, int number) {
    return tn_cuda_malloc_from_pool(address, bytes, 0, stream, number);
}

tn_status tn_cuda_free_async(uintptr_t address, uintptr_t stream, int number) {
    TNI_CUDA_QUIETLY_ON(number, TNI_DRIVER(cuMemFreeAsync, address, (CUstream)stream));
    return TN_OK;
}

/* Attributes up to TN_CUDA_POOL_THRESHOLD - 1 are flags of 32 bits, the others 64-bit numbers. */
tn_status tn_cuda_pool_get(int64_t *value, int attribute, uintptr_t pool, int number) {
    CUmemoryPool chosen;
    uint64_t wide = 0;
    int flag = 0;
    bool is_flag = attribute < TN_CUDA_POOL_THRESHOLD;
    TNI_TRY(choose_pool(&chosen, pool, number));
    TNI_TRY(TNI_DRIVER(cuMemPoolGetAttribute, chosen, attribute,
                       is_flag ? (void *)&flag : (void *)&wide));
    *value = is_flag ? flag : (int64_t)wide;
    return TN_OK;
}

tn_status tn_cuda_pool_set(int attribute, int64_t value, uintptr_t pool, int number) {
    CUmemoryPool chosen;
    uint64_t wide = (uint64_t)value;
    int flag = (int)value;
    TNI_TRY(choose_pool(&chosen, pool, number));
    return TNI_DRIVER(cuMemPoolSetAttribute, chosen, attribute,
                      attribute < TN_CUDA_POOL_THRESHOLD ? (void *)&flag : (void *)&wide);
}

tn_status tn_cuda_pool_trim(int64_t keep, uintptr_t pool, int number) {
    CUmemoryPool chosen;
    TNI_TRY(choose_pool(&chosen, pool, number));
    return TNI_DRIVER(cuMemPoolTrimTo, chosen, (size_t)keep);
}

tn_status tn_cuda_pool_new(uintptr_t *pool, int handle_types, int number) {
    CUmemPoolProps facts = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .handleTypes = handle_types,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, number}};
    CUmemoryPool made;
    TNI_CUDA_ON(number, TNI_DRIVER(cuMemPoolCreate, &made, &facts));
    *pool = (uintptr_t)made;
    return TN_OK;
}

tn_status tn_cuda_pool_release(uintptr_t pool) {
    TNI_TRY(tni_cuda_open());
    return TNI_DRIVER(cuMemPoolDestroy, (CUmemoryPool)pool);
}

tn_status tn_cuda_pool_default(uintptr_t *pool, int number) {
    tni_cuda_device *device;
    CUmemoryPool found;
    TNI_TRY(tni_cuda_device_get(&device, number));
    TNI_TRY(TNI_DRIVER(cuDeviceGetDefaultMemPool, &found, device->device));
    *pool = (uintptr_t)found;
    return TN_OK;
}

tn_status tn_cuda_pool_current(uintptr_t *pool, int number) {
    CUmemoryPool found;
    TNI_TRY(find_pool(&found, number));
    *pool = (uintptr_t)found;
    return TN_OK;
}

tn_status tn_cuda_pool_set_current(uintptr_t pool, int number) {
    tni_cuda_device *device;
    TNI_TRY(tni_cuda_device_get(&device, number));
    return TNI_DRIVER(cuDeviceSetMemPool, device->device, (CUmemoryPool)pool);
}
