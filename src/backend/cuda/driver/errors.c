/* Failures of the driver as messages.
 *
 * A message reads as the runtime API's, which programs know, and then says where it came from:
 * "cudaErrorInvalidValue: invalid argument (cuMemcpyAsync)". What a kernel did wrong shows at some
 * later call, so for such errors the last launches of the stream follow. Some of them destroy the
 * context; then the device is marked and every later call repeats the first message. */
#include "backend/cuda/driver/errors.h"

#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/queues.h"
#include "core/stream/stream.h"

#include <stdio.h>
#include <string.h>
#include <tenorite/cuda.h>

static _Thread_local int last_error;

static const struct {
    int number;
    const char *name;
    bool is_sticky;
} names[] = {
#define CUDA_ERROR(number, name) {number, "cudaError" #name, false},
#define STICKY_ERROR(number, name) {number, "cudaError" #name, true},
#include "backend/cuda/driver/errors.def"
};

static bool is_sticky(CUresult error) {
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].number == error) return names[k].is_sticky;
    return false;
}

int tn_cuda_last_error(void) {
    return last_error;
}

void tni_cuda_set_last_error(int error) {
    last_error = error;
}

const char *tn_cuda_error_name(int error) {
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].number == error) return names[k].name;
    return error == 0 ? "cudaSuccess" : "cudaErrorUnknown";
}

int tn_cuda_error_find(const char *name) {
    size_t length = strcspn(name, ": ");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k].name) == length && strncmp(names[k].name, name, length) == 0)
            return names[k].number;
    return CUDA_ERROR_UNKNOWN;
}

const char *tn_cuda_driver_error_name(int error) {
    const char *text = NULL;
    bool known = tni_driver.cuGetErrorName &&
                 tni_driver.cuGetErrorName(error, &text) == CUDA_SUCCESS && text;
    return known ? text : "CUDA_ERROR_UNKNOWN";
}

const char *tn_cuda_error_text(int error) {
    const char *text = NULL;
    bool known = tni_driver.cuGetErrorString &&
                 tni_driver.cuGetErrorString(error, &text) == CUDA_SUCCESS && text;
    return known ? text : "unknown error";
}

tn_status tni_cuda_fail(CUresult error, const char *function, const tn_stream *stream) {
    char launches[512] = "";
    int number = stream ? stream->device.number : tni_cuda_entered();
    last_error = error;
    if (is_sticky(error) && number >= 0)
        tni_cuda_stream_describe(launches, sizeof launches, stream, number);
    tn_status status = error == CUDA_ERROR_OUT_OF_MEMORY ? TN_ERROR_MEMORY : TN_ERROR_DEVICE;
    if (status == TN_ERROR_MEMORY) tni_fail_memory(0, 0, 0, 0, "cuda");
    tni_fail(status, "%s: %s (%s%s%s)", tn_cuda_error_name(error), tn_cuda_error_text(error),
             function, launches[0] ? "; last launches: " : "", launches);
    if (is_sticky(error) && number >= 0) tni_cuda_set_broken(number);
    return status;
}
