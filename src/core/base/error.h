/* How failures are made and forwarded. A failure is formatted once, where it is found. */
#ifndef TNI_ERROR_H
#define TNI_ERROR_H

#include <tenorite/dtype.h>
#include <tenorite/status.h>

/* Formats the calling thread's message and returns `status`. */
tn_status tni_fail(tn_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* TN_ERROR_MEMORY with its figures (bytes). */
tn_status tni_fail_memory(int64_t requested, int64_t used, int64_t cached, int64_t limit,
                          const char *where) __attribute__((cold));

/* TN_ERROR_MEMORY for the library's own small allocations. */
tn_status tni_fail_no_memory(int64_t requested) __attribute__((cold));

/* Makes a failure and returns it (a constant, so that the compiler knows that it is one). */
#define TNI_FAIL(status, ...)                                                                      \
    do {                                                                                           \
        tni_fail(status, __VA_ARGS__);                                                             \
        return status;                                                                             \
    } while (0)

/* Forwards a failure. */
#define TNI_TRY(expression)                                                                        \
    do {                                                                                           \
        tn_status tni_status_ = (expression);                                                      \
        if (__builtin_expect(tni_status_ != TN_OK, 0)) return tni_status_;                         \
    } while (0)

/* Forwards a failure through the label `cleanup`; needs a local `tn_status status`. */
#define TNI_TRY_OWNING(expression)                                                                 \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (__builtin_expect(status != TN_OK, 0)) goto cleanup;                                    \
    } while (0)

/* TN_ERROR_COLLECTIVE for one of NCCL's numbers (forms/collective.h), with its name and its text
 * before what the format says. */
tn_status tni_fail_collective(int number, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* "NCCL_ERROR_INVALID_USAGE: invalid usage" */
const char *tni_collective_error_text(int number);

/* Texts for messages. A shape reads as NumPy prints it: "()", "(3,)", "(2,3)". The buffer is cut,
 * never overrun. Returns `text`. */
#define TNI_SHAPE_TEXT 256
const char *tni_shape_text(char text[TNI_SHAPE_TEXT], int ndim, const int64_t *shape);

/* Refusals of devices (device_errors.def). */
typedef enum tni_device_error {
#define DEVICE_ERROR(name, error, text) TNI_DEVICE_##name,
#include "core/base/device_errors.def"
} tni_device_error;

/* "cudaErrorInvalidDevice: invalid device ordinal" */
const char *tni_device_error_text(tni_device_error error);
/* TN_ERROR_DEVICE with that text. */
tn_status tni_fail_device(tni_device_error error);

#endif
