/* Modules of programs in the primary context of their device, never unloaded, and their launches.
 * What waits for a kernel of ours is launched before (tni_cuda_enter), so the order of work is that
 * of the calls. */
#include "backend/cuda/launch/user_kernels.h"

#include "backend/cuda/compile/user_program.h"
#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/stream/stream.h"
#include "backend/cuda/stream/timing.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/trace/trace.h"

#include <stdio.h>
#include <string.h>

typedef struct function {
    struct function *next;
    CUfunction handle;
    int number; /* of the device */
    char name[];
} function;

typedef struct program {
    CUmodule module;
    int number;
    const tni_program_text *text;
    tni_user_image image;
    tni_lock lock; /* of the next */
    function *functions;
} program;

/* --- Programs --- */

static tn_status load(program *program) {
    if (program->text->path) return TNI_DRIVER(cuModuleLoad, &program->module, program->text->path);
    return TNI_DRIVER(cuModuleLoadData, &program->module, program->image.image);
}

static tn_status load_on_device(program *program) {
    TNI_CUDA_BY(tni_cuda_enter_beside, program->number, load(program));
    return TN_OK;
}

tn_status tni_cuda_kernels_program_make(void **result, char **log, const tni_program_text *text,
                                        int number) {
    tni_cuda_device *device;
    tn_status status;
    TNI_TRY(tni_cuda_device_get(&device, number));
    program *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->number = number;
    made->text = text;
    if (text->code)
        TNI_TRY_OWNING(tni_user_program_get(&made->image, log, text, device->target.arch));
    TNI_TRY_OWNING(load_on_device(made));
    *result = made;
cleanup:
    if (status != TN_OK) {
        tni_free(made->image.owned);
        tni_free(made);
    }
    return status;
}

/* The name by which the image knows a name expression; other names are their own. */
static const char *lower(const program *program, const char *name) {
    const char *lowered = program->image.names;
    for (int k = 0; k < program->text->name_count; k++) {
        if (strcmp(program->text->names[k], name) == 0) return lowered;
        lowered += strlen(lowered) + 1;
    }
    return name;
}

tn_status tni_cuda_kernels_function_find(void **result, void *pointer, const char *name) {
    program *program = pointer;
    CUfunction handle;
    size_t bytes = strlen(name) + 1;
    TNI_CUDA_BY(tni_cuda_enter_beside, program->number,
                TNI_DRIVER(cuModuleGetFunction, &handle, program->module, lower(program, name)));
    function *made = tni_calloc(1, sizeof *made + bytes), *found;
    if (!made) return tni_fail_no_memory((int64_t)(sizeof *made + bytes));
    made->handle = handle;
    made->number = program->number;
    memcpy(made->name, name, bytes);
    tni_lock_take(&program->lock);
    for (found = program->functions; found; found = found->next)
        if (strcmp(found->name, name) == 0) break;
    if (!found) {
        made->next = program->functions;
        program->functions = made;
    }
    tni_lock_give(&program->lock);
    if (found) tni_free(made);
    *result = found ? found : made;
    return TN_OK;
}

tn_status tni_cuda_kernels_global_find(uintptr_t *address, int64_t *bytes, void *pointer,
                                       const char *name) {
    program *program = pointer;
    CUdeviceptr found;
    size_t size;
    TNI_CUDA_ON(program->number, TNI_DRIVER(cuModuleGetGlobal_v2, &found, &size, program->module,
                                            lower(program, name)));
    *address = (uintptr_t)found;
    *bytes = (int64_t)size;
    return TN_OK;
}

/* --- Attributes: the numbers are the driver's --- */

const char *tni_cuda_kernels_elements(void *pointer) {
    (void)pointer;
    return NULL;
}

tn_status tni_cuda_kernels_attribute_get(int *value, void *pointer, tn_kernel_attribute attribute) {
    function *function = pointer;
    TNI_CUDA_ON(function->number, TNI_DRIVER(cuFuncGetAttribute, value,
                                             (CUfunction_attribute)attribute, function->handle));
    return TN_OK;
}

tn_status tni_cuda_kernels_attribute_set(void *pointer, tn_kernel_attribute attribute, int value) {
    function *function = pointer;
    TNI_CUDA_ON(function->number, TNI_DRIVER(cuFuncSetAttribute, function->handle,
                                             (CUfunction_attribute)attribute, value));
    return TN_OK;
}

tn_status tni_cuda_kernels_resident_blocks(int64_t *blocks, void *pointer, int threads,
                                           unsigned shared_bytes) {
    function *function = pointer;
    tni_cuda_device *device;
    int each = 0;
    TNI_TRY(tni_cuda_device_get(&device, function->number));
    TNI_CUDA_ON(function->number, TNI_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, &each,
                                             function->handle, threads, (size_t)shared_bytes));
    *blocks = (int64_t)each * device->target.multiprocessors;
    return TN_OK;
}

/* --- Launching --- */

enum { SMALL = 32 };

static CUresult call_driver(const function *function, const tni_kernel_launch *l, CUstream stream,
                            void **params) {
    const unsigned *grid = l->grid, *block = l->block;
    if (l->is_cooperative)
        return tni_driver.cuLaunchCooperativeKernel(function->handle, grid[0], grid[1], grid[2],
                                                    block[0], block[1], block[2], l->shared_bytes,
                                                    stream, params);
    return tni_driver.cuLaunchKernel(function->handle, grid[0], grid[1], grid[2], block[0],
                                     block[1], block[2], l->shared_bytes, stream, params, NULL);
}

static tn_status launch_entered(const function *function, const tni_kernel_launch *l,
                                tn_stream *stream, void **params) {
    char text[384];
    tni_cuda_stream_note(stream, function->name, 0, l->grid, l->block);
    tni_cuda_timing *timing =
        tni_trace_begin(TNI_TRACE_ON) ? tni_cuda_timing_begin(stream, function->name) : NULL;
    CUresult result = call_driver(function, l, tni_cuda_stream_handle(stream), params);
    tni_cuda_timing_end(timing, stream);
    if (__builtin_expect(result == CUDA_SUCCESS, 1)) return TN_OK;
    snprintf(text, sizeof text, "launch of %.100s (%u,%u,%u)x(%u,%u,%u), %u bytes shared",
             function->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
             l->block[2], l->shared_bytes);
    return tni_cuda_fail(result, text, stream);
}

tn_status tni_cuda_kernels_launch(void *pointer, const tni_kernel_launch *l, tn_stream *stream) {
    const function *function = pointer;
    void *small[SMALL], **params = small;
    if (l->count > SMALL) {
        params = tni_malloc((size_t)l->count * sizeof *params);
        if (!params) return tni_fail_no_memory((int64_t)l->count * (int64_t)sizeof *params);
    }
    for (int k = 0; k < l->count; k++)
        params[k] = l->data + l->offsets[k];
    tni_cuda_scope scope;
    tn_status status = tni_cuda_enter(&scope, function->number);
    if (status == TN_OK) {
        status = launch_entered(function, l, stream, params);
        tni_cuda_leave(&scope);
    }
    if (params != small) tni_free(params);
    return status;
}
