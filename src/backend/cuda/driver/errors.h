/* Failures of the driver as statuses and messages. */
#ifndef TNI_CUDA_DRIVER_ERRORS_H
#define TNI_CUDA_DRIVER_ERRORS_H

#include "backend/cuda/driver/driver_types.h"
#include "backend/cuda/driver/library.h"

#include <tenorite/device.h>

/* Formats a failure of a driver function and returns its status: TN_ERROR_MEMORY or
 * TN_ERROR_DEVICE. `stream` (may be NULL) is the one whose last launches are named if the failure
 * is asynchronous. */
tn_status tni_cuda_fail(CUresult error, const char *function, const tn_stream *stream)
    __attribute__((cold));

static inline tn_status tni_cuda_check(CUresult error, const char *function) {
    return __builtin_expect(error == CUDA_SUCCESS, 1) ? TN_OK
                                                      : tni_cuda_fail(error, function, NULL);
}

/* The number that tn_cuda_last_error() gives to this thread. */
void tni_cuda_set_last_error(int error);

/* TNI_DRIVER(cuMemFree_v2, address) calls it and gives a status. */
#define TNI_DRIVER(function, ...) tni_cuda_check(tni_driver.function(__VA_ARGS__), #function)

#endif
