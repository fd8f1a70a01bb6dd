/* Entering the double: each function counts, may be set to fail, refuses what the driver refuses,
 * and then does its work; and the functions about devices and contexts. */
#include "fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;
struct CUctx_st fake_contexts[FAKE_DEVICES] = {{.device = 0}, {.device = 1}};

static _Thread_local CUcontext stack[16];
static _Thread_local int depth; /* stack[depth] is current */

CUcontext fake_current(void) {
    return stack[depth];
}

/* --- Complaints --- */

static pthread_mutex_t complaint_lock = PTHREAD_MUTEX_INITIALIZER;
static char complaint[512];

void fake_complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&complaint_lock);
    if (!complaint[0]) vsnprintf(complaint, sizeof complaint, format, arguments);
    pthread_mutex_unlock(&complaint_lock);
    va_end(arguments);
}

const char *fake_cuda_complaint(void) {
    fake_check_guards();
    return complaint;
}

void fake_cuda_forget_complaint(void) {
    pthread_mutex_lock(&complaint_lock);
    complaint[0] = '\0';
    pthread_mutex_unlock(&complaint_lock);
}

/* --- Entering --- */

enum {
#define FN(name, params, args) ID_##name,
#include "backend/cuda/driver/driver.fn"
    FUNCTIONS
};
static const char *const names[] = {
#define FN(name, params, args) #name,
#include "backend/cuda/driver/driver.fn"
};

static long calls[FUNCTIONS];
static struct {
    int function; /* -1: any */
    long left;
    CUresult error;
    const char *failed;
} failure;
static long opened_by; /* the process that called cuInit */

static int find(const char *function) {
    for (int k = 0; k < FUNCTIONS; k++)
        if (strcmp(names[k], function) == 0) return k;
    fprintf(stderr, "fake_cuda: there is no function %s\n", function);
    abort();
}

void fake_cuda_fail(const char *function, long n, CUresult error) {
    int number = function ? find(function) : -1;
    pthread_mutex_lock(&fake_lock);
    failure.function = number;
    failure.left = n;
    failure.error = error;
    failure.failed = NULL;
    pthread_mutex_unlock(&fake_lock);
}

const char *fake_cuda_failed(void) {
    pthread_mutex_lock(&fake_lock);
    const char *name = failure.failed;
    pthread_mutex_unlock(&fake_lock);
    return name;
}

long fake_cuda_calls(const char *function) {
    int number = find(function);
    pthread_mutex_lock(&fake_lock);
    long count = calls[number];
    pthread_mutex_unlock(&fake_lock);
    return count;
}

/* Functions that report errors, or need no context. */
static bool is_free(int function) {
    return function == ID_cuInit || function == ID_cuDriverGetVersion ||
           function == ID_cuGetErrorName || function == ID_cuGetErrorString ||
           (function >= ID_cuDeviceGet && function <= ID_cuCtxPopCurrent_v2);
}

/* What the driver holds for harmful to a capture. */
static bool is_unsafe(int function) {
    static const int functions[] = {
        ID_cuMemAlloc_v2, ID_cuMemFree_v2,       ID_cuMemAllocManaged,  ID_cuMemHostAlloc,
        ID_cuMemFreeHost, ID_cuModuleLoadData,   ID_cuModuleLoad,       ID_cuStreamQuery,
        ID_cuEventQuery,  ID_cuEventSynchronize, ID_cuStreamSynchronize};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (functions[k] == function) return true;
    return false;
}

static CUresult enter(int function) {
    CUresult result = CUDA_SUCCESS;
    if (fake_in_host_function()) {
        fake_complain("%s was called in a host function", names[function]);
        return CUDA_ERROR_NOT_PERMITTED;
    }
    pthread_mutex_lock(&fake_lock);
    calls[function]++;
    if (failure.left > 0 && (failure.function < 0 || failure.function == function) &&
        --failure.left == 0) {
        failure.failed = names[function];
        result = failure.error;
    } else if (opened_by != getpid() && function != ID_cuInit && function > ID_cuGetErrorString)
        result = CUDA_ERROR_NOT_INITIALIZED;
    else if (!is_free(function) && fake_current())
        result = fake_current()->broken;
    if (!result && is_unsafe(function)) result = fake_check_unsafe();
    pthread_mutex_unlock(&fake_lock);
    return result;
}

/* The exported functions; dlsym() does not find what an old driver lacks. */
#define EXPORT(name, params, args)                                                                 \
    FAKE_API CUresult name params;                                                                 \
    CUresult name params {                                                                         \
        CUresult result = enter(ID_##name);                                                        \
        return result ? result : fake_##name args;                                                 \
    }
#if FAKE_CUDA_VERSION < 12020
#define OPTIONAL(name, params, args)
#define OLD EXPORT
#endif
#define FN EXPORT
#include "backend/cuda/driver/driver.fn"

/* --- The driver --- */

CUresult fake_cuInit(unsigned flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    opened_by = getpid();
    return CUDA_SUCCESS;
}

CUresult fake_cuDriverGetVersion(int *version) {
    *version = FAKE_CUDA_VERSION;
    return CUDA_SUCCESS;
}

int fake_cuda_version(void) {
    return FAKE_CUDA_VERSION;
}

static const struct {
    CUresult error;
    const char *name, *text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE",
     "the operation cannot be performed in the present state"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is already enabled"},
    {CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",
     "peer access has not been enabled"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
    {CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "dependency created on uncaptured work in another stream"},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {CUDA_ERROR_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
};

CUresult fake_cuGetErrorName(CUresult error, const char **text) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].error == error) {
            *text = errors[k].name;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult fake_cuGetErrorString(CUresult error, const char **text) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].error == error) {
            *text = errors[k].text;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

/* --- Devices --- */

static bool is_device(CUdevice device) {
    return device >= 0 && device < FAKE_DEVICES;
}

CUresult fake_cuDeviceGetCount(int *count) {
    const char *text = getenv("FAKE_CUDA_DEVICES");
    *count = text ? atoi(text) : FAKE_DEVICES;
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceGet(CUdevice *device, int ordinal) {
    if (!is_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceGetName(char *name, int length, CUdevice device) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)length, "Test double %d", device);
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    memset(uuid, 0x40 + device, sizeof *uuid);
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    if (!is_device(device) || attribute <= 0 || attribute > 200) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 132; break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 50 << 20; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 9; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 233472; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 232448; break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: *value = 1; break;
    default: *value = attribute;
    }
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
    snprintf(text, (size_t)length, "0000:%02X:00.0", 0x3b + device);
    return CUDA_SUCCESS;
}

CUresult fake_cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
    for (int k = 0; k < FAKE_DEVICES; k++) {
        char own[16];
        fake_cuDeviceGetPCIBusId(own, sizeof own, k);
        if (strcmp(own, text) != 0) continue;
        *device = k;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

CUresult fake_cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    *can = device != peer;
    return CUDA_SUCCESS;
}

/* --- Contexts --- */

CUresult fake_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&fake_lock);
    fake_contexts[device].retained++;
    pthread_mutex_unlock(&fake_lock);
    *context = &fake_contexts[device];
    return CUDA_SUCCESS;
}

CUresult fake_cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&fake_lock);
    fake_contexts[device].retained--;
    pthread_mutex_unlock(&fake_lock);
    return CUDA_SUCCESS;
}

CUresult fake_cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    *flags = 0;
    *active = fake_contexts[device].retained > 0;
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxGetCurrent(CUcontext *context) {
    *context = stack[depth];
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxSetCurrent(CUcontext context) {
    stack[depth] = context;
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxPushCurrent_v2(CUcontext context) {
    if (depth == 15) return CUDA_ERROR_INVALID_VALUE;
    stack[++depth] = context;
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxPopCurrent_v2(CUcontext *context) {
    if (!stack[depth]) return CUDA_ERROR_INVALID_CONTEXT;
    *context = stack[depth];
    stack[depth] = NULL;
    if (depth > 0) depth--;
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxGetDevice(CUdevice *device) {
    if (!fake_current()) return CUDA_ERROR_INVALID_CONTEXT;
    *device = fake_current()->device;
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxSynchronize(void) {
    if (!fake_current()) return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&fake_lock);
    CUresult result = fake_check_context(fake_current());
    pthread_mutex_unlock(&fake_lock);
    return result ? result : fake_wait_device(fake_current()->device);
}

CUresult fake_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    CUcontext current = fake_current();
    if (!current || flags) return CUDA_ERROR_INVALID_VALUE;
    if (peer == current) return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&fake_lock);
    bool had = current->peers >> peer->device & 1;
    current->peers |= 1u << peer->device;
    pthread_mutex_unlock(&fake_lock);
    return had ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult fake_cuCtxDisablePeerAccess(CUcontext peer) {
    CUcontext current = fake_current();
    if (!current) return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&fake_lock);
    bool had = current->peers >> peer->device & 1;
    current->peers &= ~(1u << peer->device);
    pthread_mutex_unlock(&fake_lock);
    return had ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

static size_t limits[16] = {1024, 1 << 20, 8 << 20};

CUresult fake_cuCtxGetLimit(size_t *value, CUlimit limit) {
    if (limit < 0 || limit >= 16) return CUDA_ERROR_INVALID_VALUE;
    *value = limits[limit];
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxSetLimit(CUlimit limit, size_t value) {
    if (limit < 0 || limit >= 16) return CUDA_ERROR_INVALID_VALUE;
    limits[limit] = value;
    return CUDA_SUCCESS;
}

CUresult fake_cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

void fake_cuda_break(int device, CUresult error) {
    pthread_mutex_lock(&fake_lock);
    fake_contexts[device].broken = error;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
}

CUresult fake_cuProfilerStart(void) {
    return CUDA_SUCCESS;
}
CUresult fake_cuProfilerStop(void) {
    return CUDA_SUCCESS;
}
