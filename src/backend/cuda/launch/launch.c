/* Launches of kernels. */
#include "backend/cuda/launch/launch.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/stream/timing.h"
#include "core/trace/trace.h"

#include <stdio.h>

enum { SMALL_SHARED = 48 << 10 };

static bool is_allowed(tni_cuda_kernel *kernel, size_t shared_bytes) {
    return shared_bytes <= (size_t)atomic_load(&kernel->dynamic_bytes);
}

/* Blocks that want much shared memory need a permission, once. It only ever grows: what another
 * thread was allowed must stay so until it has launched. */
static tn_status allow_shared(tni_cuda_kernel *kernel, size_t shared_bytes) {
    tn_status status = TN_OK;
    if (shared_bytes + (size_t)kernel->shared_bytes <= SMALL_SHARED ||
        is_allowed(kernel, shared_bytes))
        return TN_OK;
    tni_lock_take(&kernel->dynamic_lock);
    if (!is_allowed(kernel, shared_bytes)) {
        status = TNI_DRIVER(cuFuncSetAttribute, kernel->function,
                            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes);
        if (status == TN_OK) atomic_store(&kernel->dynamic_bytes, (int)shared_bytes);
    }
    tni_lock_give(&kernel->dynamic_lock);
    return status;
}

static tn_status launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                        size_t shared_bytes, void **params, tn_stream *stream) {
    CUstream handle = tni_cuda_stream_handle(stream);
    unsigned shared = (unsigned)shared_bytes;
    TNI_TRY(allow_shared(kernel, shared_bytes));
    tni_cuda_stream_note(stream, kernel->name, kernel->registers, grid, block);
    CUresult result =
        __builtin_expect(atomic_load_explicit(&kernel->is_cooperative, memory_order_relaxed), 0)
            ? tni_driver.cuLaunchCooperativeKernel(kernel->function, grid[0], grid[1], grid[2],
                                                   block[0], block[1], block[2], shared, handle,
                                                   params)
            : tni_driver.cuLaunchKernel(kernel->function, grid[0], grid[1], grid[2], block[0],
                                        block[1], block[2], shared, handle, params, NULL);
    if (__builtin_expect(result == CUDA_SUCCESS, 1)) return TN_OK;
    char function[384];
    snprintf(function, sizeof function,
             "cuLaunchKernel of %s (%u,%u,%u)x(%u,%u,%u), %u bytes shared", kernel->name, grid[0],
             grid[1], grid[2], block[0], block[1], block[2], shared);
    return tni_cuda_fail(result, function, stream);
}

/* The launch of a kernel as an event, and the kernel's own time on the device as another. */
static tn_status launch_traced(int64_t begun, tni_cuda_kernel *kernel, const unsigned grid[3],
                               const unsigned block[3], size_t shared_bytes, void **params,
                               tn_stream *stream) {
    tni_cuda_timing *timing = tni_cuda_timing_begin(stream, kernel->name);
    tn_status status = launch(kernel, grid, block, shared_bytes, params, stream);
    tni_cuda_timing_end(timing, stream);
    tni_trace_end(&(tni_traced){.kind = TN_TRACE_LAUNCH,
                                .begun = begun,
                                .text = kernel->name,
                                .place = tni_trace_work.place,
                                .number = tni_stream_number(stream),
                                .device = stream->device});
    return status;
}

tn_status tni_cuda_launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                          size_t shared_bytes, void **params, tn_stream *stream) {
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return TN_OK;
    int64_t begun = tni_trace_begin(TNI_TRACE_ON);
    if (__builtin_expect(begun != 0, 0))
        TNI_CUDA_ON(kernel->number,
                    launch_traced(begun, kernel, grid, block, shared_bytes, params, stream));
    else
        TNI_CUDA_ON(kernel->number, launch(kernel, grid, block, shared_bytes, params, stream));
    return TN_OK;
}
