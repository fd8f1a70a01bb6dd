/* Lines of TENORITE_LOG on the standard error stream, each written by one call, so that lines of
 * several threads and processes stay whole. */
#include "core/trace/log.h"

#include "core/base/error.h"
#include "core/trace/names.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct log_kind {
    const char *name;
    unsigned flag;
} log_kind;
static const log_kind kinds[] = {{"compile", TNI_LOG_COMPILE},
                                 {"cache", TNI_LOG_CACHE},
                                 {"wait", TNI_LOG_WAIT},
                                 {"pool", TNI_LOG_POOL},
                                 {"progress", TNI_LOG_PROGRESS}};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const unsigned every =
    TNI_LOG_COMPILE | TNI_LOG_CACHE | TNI_LOG_WAIT | TNI_LOG_POOL | TNI_LOG_PROGRESS;
static const int64_t slow_ns = 1000000000;

static unsigned flag_of(const char *name, size_t bytes) {
    if (bytes == 3 && memcmp(name, "all", 3) == 0) return every;
    for (int k = 0; k < KINDS; k++)
        if (strlen(kinds[k].name) == bytes && memcmp(kinds[k].name, name, bytes) == 0)
            return kinds[k].flag;
    return 0;
}

static tn_status parse(unsigned *flags, const char *text) {
    *flags = 0;
    while (*text) {
        size_t bytes = strcspn(text, ", ");
        unsigned flag = flag_of(text, bytes);
        if (bytes && !flag)
            TNI_FAIL(TN_ERROR_VALUE,
                     "TENORITE_LOG names compile, cache, wait, pool, progress or all, not '%.*s'",
                     (int)bytes, text);
        *flags |= flag;
        text += bytes;
        text += strspn(text, ", ");
    }
    return TN_OK;
}

static void set_flags(unsigned flags) {
    __atomic_or_fetch(&tni_trace_flags, flags, __ATOMIC_SEQ_CST);
    __atomic_and_fetch(&tni_trace_flags, flags | TNI_TRACE_ON, __ATOMIC_SEQ_CST);
}

static void write_line(const char *kind, const char *text) {
    char line[1024];
    int bytes = snprintf(line, sizeof line, "tenorite %s: %s\n", kind, text);
    if (bytes >= (int)sizeof line) {
        bytes = sizeof line;
        line[sizeof line - 1] = '\n';
    }
    if (write(STDERR_FILENO, line, (size_t)bytes) < 0) return; /* it has no reader */
}

static void read_variable(void) {
    const char *wish = getenv("TENORITE_LOG");
    unsigned flags = 0;
    if (!wish)
        flags = isatty(STDERR_FILENO) ? TNI_LOG_SLOW : 0;
    else if (parse(&flags, wish) != TN_OK)
        write_line("log", tn_error_message());
    if (__atomic_load_n(&tni_trace_flags, __ATOMIC_SEQ_CST) & TNI_LOG_UNREAD) set_flags(flags);
}

void tni_log_read(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_variable);
}

tn_status tn_log_set(const char *text) {
    unsigned flags;
    TNI_TRY(parse(&flags, text));
    tni_log_read();
    set_flags(flags);
    return TN_OK;
}

bool tn_log_is_on(const char *kind) {
    if (tni_trace_look() & TNI_LOG_UNREAD) tni_log_read();
    return (tni_trace_look() & flag_of(kind, strlen(kind))) != 0;
}

void tn_log_line(const char *kind, const char *text) {
    if (tn_log_is_on(kind)) write_line(kind, text);
}

/* --- Events as lines --- */

static const char *unit_of(int64_t bytes, double *value) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (*value = (double)bytes; *value >= 1024 && unit < 4; unit++)
        *value /= 1024;
    return units[unit];
}

static const char *kind_of(const tni_traced *event, int64_t elapsed_ns) {
    unsigned flags = tni_trace_look();
    switch (event->kind) {
    case TN_TRACE_COMPILE:
        if (flags & TNI_LOG_SLOW && elapsed_ns > slow_ns) return "compile";
        return flags & TNI_LOG_COMPILE ? "compile" : NULL;
    case TN_TRACE_CACHE: return flags & TNI_LOG_CACHE ? "cache" : NULL;
    case TN_TRACE_WAIT: return flags & TNI_LOG_WAIT ? "wait" : NULL;
    case TN_TRACE_GROW:
    case TN_TRACE_TRIM: return flags & TNI_LOG_POOL ? "pool" : NULL;
    default: return NULL;
    }
}

void tni_log_event(const tni_traced *event, int64_t elapsed_ns, uint32_t (*find_place)(void)) {
    const char *kind = kind_of(event, elapsed_ns);
    if (!kind) return;
    char line[900], device[32] = "";
    const char *name = event->text ? event->text : tn_trace_text(event->name);
    const char *place = tn_trace_text(event->place ? event->place : find_place());
    double size;
    const char *unit = unit_of(event->bytes, &size);
    snprintf(device, sizeof device, "%s:%d", tn_backend_name((tn_backend)event->device.backend),
             event->device.number);
    if (event->kind == TN_TRACE_CACHE)
        snprintf(line, sizeof line, "%s%s%s", name, *place ? ", " : "", place);
    else if (event->kind == TN_TRACE_GROW || event->kind == TN_TRACE_TRIM)
        snprintf(line, sizeof line, "%s %.4g %s on %s in %.3f ms%s%s", name, size, unit, device,
                 (double)elapsed_ns * 1e-6, *place ? ", " : "", place);
    else
        snprintf(line, sizeof line, "%.3f ms, %s%s%s", (double)elapsed_ns * 1e-6, name,
                 *place ? ", " : "", place);
    write_line(kind, line);
}
