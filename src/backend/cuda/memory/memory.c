/* Memory of devices, managed and page-locked memory, bytes copied and filled.
 *
 * Addresses are unified: the driver finds out where an address is, so one function copies between
 * any two places, and between devices with peer access or without. */
#include "backend/cuda/memory/memory.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/stream/callback.h"
#include "core/stream/capture.h"

#include <stdio.h>

/* Of pageable memory the driver takes so much with the command, and does not wait. */
enum { INLINE_BYTES = 64 << 10 };

static CUdeviceptr device_address(const void *address) {
    return (CUdeviceptr)(uintptr_t)address;
}

/* --- For the pools --- */

tn_status tni_cuda_fail_memory(tn_status status, int64_t bytes, int number) {
    char where[24];
    if (status != TN_ERROR_MEMORY) return status;
    snprintf(where, sizeof where, "cuda:%d", number);
    return tni_fail_memory(bytes, 0, 0, 0, where);
}

tn_status tni_cuda_memory_allocate(void **address, int64_t bytes, int number) {
    CUdeviceptr given;
    tni_cuda_scope scope;
    TNI_TRY(tni_cuda_enter_beside(&scope, number));
    tn_status status = TNI_DRIVER(cuMemAlloc_v2, &given, (size_t)bytes);
    tni_cuda_leave(&scope);
    if (status != TN_OK) return tni_cuda_fail_memory(status, bytes, number);
    *address = (void *)(uintptr_t)given;
    return TN_OK;
}

static void free_now(void *address, int number) {
    tni_cuda_scope scope;
    if (tni_cuda_enter_quietly(&scope, number) != TN_OK) return; /* it went with its context */
    tni_driver.cuMemFree_v2(device_address(address));
    tni_cuda_leave(&scope);
}

void tni_cuda_memory_free(void *address, int64_t bytes, int number) {
    (void)bytes;
    if (!tni_cuda_is_forked()) tni_cuda_give_back(free_now, address, number);
}

int tni_cuda_any_number(void) {
    tn_device current = tn_device_get_current();
    return current.backend == TN_BACKEND_CUDA ? current.number : 0;
}

tn_status tni_cuda_pinned_allocate(void **address, int64_t bytes) {
    int number = tni_cuda_any_number();
    tni_cuda_scope scope;
    TNI_TRY(tni_cuda_enter_beside(&scope, number));
    tn_status status = TNI_DRIVER(cuMemHostAlloc, address, (size_t)bytes, CU_MEMHOSTALLOC_PORTABLE);
    tni_cuda_leave(&scope);
    return status == TN_ERROR_MEMORY
               ? tni_fail_memory(bytes, 0, 0, 0, "the host (page-locked memory)")
               : status;
}

static void free_pinned_now(void *address, int number) {
    tni_cuda_scope scope;
    if (tni_cuda_enter_quietly(&scope, number) != TN_OK) return;
    tni_driver.cuMemFreeHost(address);
    tni_cuda_leave(&scope);
}

void tni_cuda_pinned_free(void *address, int64_t bytes) {
    (void)bytes;
    if (!tni_cuda_is_forked()) tni_cuda_give_back(free_pinned_now, address, tni_cuda_any_number());
}

/* --- For buffers --- */

tn_status tni_cuda_copy_here(void *to, const void *from, size_t bytes, tni_direction direction,
                             CUstream stream) {
    switch (direction) {
    case TNI_HOST_TO_DEVICE:
        return TNI_DRIVER(cuMemcpyHtoDAsync_v2, device_address(to), from, bytes, stream);
    case TNI_DEVICE_TO_HOST:
        return TNI_DRIVER(cuMemcpyDtoHAsync_v2, to, device_address(from), bytes, stream);
    default:
        return TNI_DRIVER(cuMemcpyAsync, device_address(to), device_address(from), bytes, stream);
    }
}

/* Called in a context. */
static bool is_page_locked(const void *host) {
    unsigned kind = 0;
    CUpointer_attribute wanted = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    CUresult known =
        tni_driver.cuPointerGetAttributes(1, &wanted, &(void *){&kind}, device_address(host));
    return known == CUDA_SUCCESS && kind == CU_MEMORYTYPE_HOST;
}

bool tni_cuda_is_page_locked(const void *address, int number) {
    tni_cuda_scope scope;
    if (tni_cuda_enter_beside(&scope, number) != TN_OK) return false;
    bool answer = is_page_locked(address);
    tni_cuda_leave(&scope);
    return answer;
}

/* Copies from or to memory that is not page-locked. A recorded copy runs when the caller has long
 * gone on, and may use the memory for something else; so such a copy is refused. The driver waits
 * for the stream in the copy; functions of the program may take for ever, so these are waited for
 * before, in a way that a signal ends. */
static tn_status copy_pageable(void *to, const void *from, size_t bytes, tni_direction direction,
                               tn_stream *stream) {
    TNI_TRY(tni_capture_check_host(stream));
    if (atomic_load_explicit(&tni_cuda_pending, memory_order_relaxed) > 0 &&
        (direction == TNI_DEVICE_TO_HOST || bytes > INLINE_BYTES))
        TNI_TRY(tn_stream_synchronize(stream, -1));
    tni_break pause = tni_break_begin();
    tn_status status =
        tni_cuda_copy_here(to, from, bytes, direction, tni_cuda_stream_handle(stream));
    tni_break_end(pause);
    return status;
}

static tn_status copy_any(void *to, const void *from, size_t bytes, tni_direction direction,
                          tn_stream *stream) {
    if (direction != TNI_DEVICE_TO_DEVICE &&
        !is_page_locked(direction == TNI_HOST_TO_DEVICE ? from : to))
        return copy_pageable(to, from, bytes, direction, stream);
    return tni_cuda_copy_here(to, from, bytes, direction, tni_cuda_stream_handle(stream));
}

tn_status tni_cuda_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                        tn_stream *stream) {
    TNI_CUDA_ON(stream->device.number, copy_any(to, from, (size_t)bytes, direction, stream));
    return TN_OK;
}

tn_status tni_cuda_fill_now(void *to, int value, int64_t bytes, tn_stream *stream) {
    TNI_CUDA_ON(stream->device.number,
                TNI_DRIVER(cuMemsetD8Async, device_address(to), (unsigned char)value, (size_t)bytes,
                           tni_cuda_stream_handle(stream)));
    return TN_OK;
}
