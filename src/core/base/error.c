/* The thread's last failure: its text and, for memory, its figures.
 *
 * Both lie in a block of the heap that the thread gets with its first failure, for the static block
 * of thread-local memory is small and shared with other libraries. Threads without memory for that
 * share one. */
#include "core/base/error.h"
#include "core/base/threadkeep.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct failure {
    char text[1024];
    int64_t requested, used, cached, limit;
} failure;

static _Thread_local failure *own;
static failure shared;

static void drop_own(void) {
    free(own);
    own = NULL;
}

/* The block to write to. It is not from tni_malloc(), which tests let fail. */
static failure *have_last(void) {
    if (own) return own;
    failure *made = calloc(1, sizeof *made);
    if (made && !tni_thread_keeps(drop_own)) {
        free(made);
        made = NULL;
    }
    own = made;
    return made ? made : &shared;
}

static const failure *find_last(void) {
    return own ? own : &shared;
}

tn_status tni_fail(tn_status status, const char *format, ...) {
    va_list arguments;
    char text[sizeof shared.text]; /* an argument may be the last message itself */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(have_last()->text, text, sizeof text);
    return status;
}

tn_status tni_fail_memory(int64_t requested, int64_t used, int64_t cached, int64_t limit,
                          const char *where) {
    failure *last = have_last();
    last->requested = requested;
    last->used = used;
    last->cached = cached;
    last->limit = limit;
    char bound[48] = "none";
    if (limit > 0) snprintf(bound, sizeof bound, "%lld bytes", (long long)limit);
    return tni_fail(TN_ERROR_MEMORY,
                    "Out of memory allocating %lld bytes on %s (used: %lld bytes, cached: %lld "
                    "bytes, limit: %s); see errors/out-of-memory in the documentation",
                    (long long)requested, where, (long long)used, (long long)cached, bound);
}

tn_status tni_fail_no_memory(int64_t requested) {
    return tni_fail_memory(requested, 0, 0, 0, "the C heap");
}

const char *tni_device_error_text(tni_device_error error) {
    static const char *const texts[] = {
#define DEVICE_ERROR(name, error, text) error ": " text,
#include "core/base/device_errors.def"
    };
    return texts[error];
}

tn_status tni_fail_device(tni_device_error error) {
    return tni_fail(TN_ERROR_DEVICE, "%s", tni_device_error_text(error));
}

const char *tni_collective_error_text(int number) {
    static const char *const texts[] = {
#define COLLECTIVE_ERROR(name, text) "NCCL_" #name ": " text,
#include "core/base/collective_errors.def"
    };
    const int count = sizeof texts / sizeof *texts;
    return number >= 0 && number < count ? texts[number] : "NCCL_ERROR: unknown result code";
}

tn_status tni_fail_collective(int number, const char *format, ...) {
    va_list arguments;
    char text[sizeof shared.text];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tni_fail(TN_ERROR_COLLECTIVE, "%s%s%s", tni_collective_error_text(number),
                    *text ? "; " : "", text);
}

const char *tn_error_message(void) {
    return find_last()->text;
}

void tn_error_set(const char *text) {
    failure *last = have_last();
    snprintf(last->text, sizeof last->text, "%s", text ? text : "");
}

void tn_error_memory(int64_t *requested_bytes, int64_t *used_bytes, int64_t *cached_bytes,
                     int64_t *limit_bytes) {
    const failure *last = find_last();
    if (requested_bytes) *requested_bytes = last->requested;
    if (used_bytes) *used_bytes = last->used;
    if (cached_bytes) *cached_bytes = last->cached;
    if (limit_bytes) *limit_bytes = last->limit;
}

static const struct {
    const char *name, *text, *exception;
} statuses[] = {
#define STATUS(name, text, exception) {"TN_" #name, text, exception},
#include <tenorite/status.def>
};

const char *tn_status_name(tn_status status) {
    if ((unsigned)status >= TN_STATUS_COUNT) return "unknown status";
    return statuses[status].name;
}

const char *tn_status_text(tn_status status) {
    if ((unsigned)status >= TN_STATUS_COUNT) return "unknown status";
    return statuses[status].text;
}

const char *tn_status_exception(tn_status status) {
    if ((unsigned)status >= TN_STATUS_COUNT) return "RuntimeError";
    return statuses[status].exception;
}

const char *tni_shape_text(char text[TNI_SHAPE_TEXT], int ndim, const int64_t *shape) {
    size_t used = 1;
    text[0] = '(';
    for (int axis = 0; axis < ndim; axis++) {
        int written = snprintf(text + used, TNI_SHAPE_TEXT - used, axis ? ",%lld" : "%lld",
                               (long long)shape[axis]);
        used += (size_t)written;
        if (used >= TNI_SHAPE_TEXT - 6) { /* cut: leave room for the end */
            used = TNI_SHAPE_TEXT - 7;
            memcpy(text + used, "...", 3);
            used += 3;
            break;
        }
    }
    if (ndim == 1) text[used++] = ',';
    text[used++] = ')';
    text[used] = '\0';
    return text;
}
