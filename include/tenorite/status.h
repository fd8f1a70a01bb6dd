/* Status codes and the message that goes with the last failure of a thread. */
#ifndef TENORITE_STATUS_H
#define TENORITE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TN_API __attribute__((visibility("default")))
#else
#define TN_API
#endif

/* Every fallible function returns one of these; 0 (TN_OK) is success. On failure the outputs are
 * untouched, nothing leaks, and tn_error_message() of the calling thread says what went wrong. */
typedef enum tn_status {
#define STATUS(name, text, exception) TN_##name,
#include <tenorite/status.def>
    TN_STATUS_COUNT
} tn_status;

/* The name of a status ("TN_ERROR_VALUE"); a fixed text for an unknown one. Never NULL. */
TN_API const char *tn_status_name(tn_status status);

/* What a status means in general ("invalid value"): for a failure that came without a message. */
TN_API const char *tn_status_text(tn_status status);

/* The Python exception that carries a status ("ValueError"); "" for TN_OK. */
TN_API const char *tn_status_exception(tn_status status);

/* The message of the calling thread's last failure, or "". Valid until the thread's next
 * failure. */
TN_API const char *tn_error_message(void);

/* Replaces the calling thread's message (a callback that fails says why through this). The text is
 * copied; NULL clears. */
TN_API void tn_error_set(const char *text);

/* Facts about the last TN_ERROR_MEMORY of the calling thread, in bytes. Any pointer may be NULL. */
TN_API void tn_error_memory(int64_t *requested_bytes, int64_t *used_bytes, int64_t *cached_bytes,
                            int64_t *limit_bytes);

#ifdef __cplusplus
}
#endif
#endif
