/* A trace as JSON of Chrome's trace format, which Perfetto and chrome://tracing open.
 *
 * Tracks: process 1 has the threads; each device is a process whose threads are its streams, by
 * their numbers. An event is a slice, or a moment; memory that is handed out or taken back is a
 * moment and a point of its device's curve. Times are microseconds since the trace began.
 *
 * Algorithm: one pass into a buffer that is written when it is nearly full; numbers and texts are
 * put together here, as printf() would take most of the time. */
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/trace/names.h"
#include "core/trace/record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, ENTRY = 1 << 13, DEVICES = 128, STREAMS = 512 };
enum { THREADS_PROCESS = 1, FIRST_DEVICE_PROCESS = 10 };

typedef struct stream_track {
    int process;
    uint64_t number;
} stream_track;

typedef struct curve {
    bool is_seen;
    int64_t used, held; /* bytes, from 0 at the trace's beginning */
} curve;

typedef struct writer {
    int file, error;
    size_t used;
    int64_t start_ns;
    stream_track streams[STREAMS];
    int stream_count;
    curve curves[DEVICES];
    char buffer[BUFFER];
} writer;

static const struct {
    const char *name;
    bool is_moment;
} kinds[TN_TRACE_KINDS] = {
    [TN_TRACE_CALL] = {"call", false},       [TN_TRACE_WORK] = {"work", false},
    [TN_TRACE_LAUNCH] = {"launch", false},   [TN_TRACE_KERNEL] = {"kernel", false},
    [TN_TRACE_COPY] = {"copy", false},       [TN_TRACE_WAIT] = {"wait", false},
    [TN_TRACE_COMPILE] = {"compile", false}, [TN_TRACE_CACHE] = {"cache", true},
    [TN_TRACE_MALLOC] = {"malloc", true},    [TN_TRACE_FREE] = {"free", true},
    [TN_TRACE_GROW] = {"grow", false},       [TN_TRACE_TRIM] = {"trim", true},
    [TN_TRACE_RANGE] = {"range", false},     [TN_TRACE_MARK] = {"mark", true},
};
static const char *const dtype_names[TN_DTYPE_COUNT] = {
#define DTYPE(suffix, storage, working, kind, bytes, character, name) name,
#include "ops/dtypes.def"
};
static const char *const directions[] = {"device to device", "host to device", "device to host"};

/* --- Bytes --- */

static void flush(writer *w) {
    size_t done = 0;
    while (done < w->used && !w->error) {
        ssize_t written = write(w->file, w->buffer + done, w->used - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            w->error = errno;
    }
    w->used = 0;
}

/* Every entry is written with room for it. */
static void make_room(writer *w) {
    if (w->used > BUFFER - ENTRY) flush(w);
}

static void add_bytes(writer *w, const char *text, size_t bytes) {
    if (bytes > ENTRY / 2) bytes = ENTRY / 2;
    if (w->used + bytes > BUFFER) flush(w);
    memcpy(w->buffer + w->used, text, bytes);
    w->used += bytes;
}

#define ADD(w, literal) add_bytes(w, literal, sizeof(literal) - 1)

static void add_text(writer *w, const char *text) {
    add_bytes(w, text, strlen(text));
}

static void add_number(writer *w, int64_t number) {
    char digits[24];
    int at = sizeof digits;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0) digits[--at] = '-';
    add_bytes(w, digits + at, sizeof digits - (size_t)at);
}

/* Thousandths, as a number with three digits after the point. */
static void add_thousandths(writer *w, int64_t number) {
    if (number < 0) number = 0;
    add_number(w, number / 1000);
    unsigned rest = (unsigned)(number % 1000);
    char digits[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                     (char)('0' + rest % 10)};
    add_bytes(w, digits, sizeof digits);
}

/* Bytes of the character that begins there; 0: they are no UTF-8. */
static int character_bytes(const char *text) {
    unsigned char first = (unsigned char)*text;
    int bytes = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first > 0xf4) return 0;
    for (int k = 1; k < bytes; k++)
        if (((unsigned char)text[k] & 0xc0) != 0x80) return 0;
    return bytes;
}

/* A string of JSON. Bytes that are no UTF-8, as names of programs in C may have, are question
 * marks. */
static void add_string(writer *w, const char *text) {
    static const char hex[] = "0123456789abcdef";
    ADD(w, "\"");
    for (size_t bytes = 0; *text && bytes < ENTRY / 16; bytes++) {
        const unsigned char c = (unsigned char)*text;
        if (c >= 0x80) {
            int count = character_bytes(text);
            add_bytes(w, count ? text : "?", count ? (size_t)count : 1);
            text += count ? count : 1;
            continue;
        }
        text++;
        if (c == '"' || c == '\\') {
            char escaped[] = {'\\', (char)c};
            add_bytes(w, escaped, 2);
        } else if (c < 32) {
            char escaped[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
            add_bytes(w, escaped, 6);
        } else {
            w->buffer[w->used++] = (char)c;
        }
    }
    ADD(w, "\"");
}

static void add_shapes(writer *w, const tni_event *event) {
    unsigned at = 0;
    while (at + 2 <= event->shape_bytes) {
        tn_dtype dtype = (tn_dtype)event->shapes[at++];
        int ndim = (unsigned char)event->shapes[at++];
        if (at > 2) ADD(w, " ");
        add_text(w, (unsigned)dtype < TN_DTYPE_COUNT ? dtype_names[dtype] : "stored");
        for (int axis = 0; axis < ndim; axis++) {
            uint64_t extent = 0;
            unsigned shift = 0, byte;
            do {
                byte = (unsigned char)event->shapes[at++];
                extent |= (uint64_t)(byte & 127) << shift;
                shift += 7;
            } while (byte & 128 && at < event->shape_bytes);
            if (axis)
                ADD(w, ",");
            else
                ADD(w, "[");
            add_number(w, (int64_t)extent);
        }
        if (ndim)
            ADD(w, "]");
        else
            ADD(w, "[]");
    }
}

/* --- Tracks --- */

static int device_slot(tn_device device) {
    return (device.backend * (DEVICES / 2) + device.number) % DEVICES;
}

static int process_of(tn_device device) {
    return FIRST_DEVICE_PROCESS + device_slot(device);
}

static void add_device_name(writer *w, tn_device device) {
    add_text(w, tn_backend_name((tn_backend)device.backend));
    ADD(w, ":");
    add_number(w, device.number);
}

/* An entry that names a track: {"ph":"M","name":"...","pid":..,"tid":..,"args":{"name":"...  */
static void begin_name(writer *w, const char *what, int process, uint64_t thread) {
    make_room(w);
    ADD(w, "{\"ph\":\"M\",\"name\":\"");
    add_text(w, what);
    ADD(w, "\",\"pid\":");
    add_number(w, process);
    ADD(w, ",\"tid\":");
    add_number(w, (int64_t)thread);
    ADD(w, ",\"args\":{\"name\":");
}

static void name_device(writer *w, tn_device device) {
    curve *curve = &w->curves[device_slot(device)];
    if (curve->is_seen) return;
    curve->is_seen = true;
    begin_name(w, "process_name", process_of(device), 0);
    ADD(w, "\"device ");
    add_device_name(w, device);
    ADD(w, "\"}},\n");
}

static void name_stream(writer *w, tn_device device, uint64_t number) {
    int process = process_of(device);
    name_device(w, device);
    for (int k = 0; k < w->stream_count; k++)
        if (w->streams[k].process == process && w->streams[k].number == number) return;
    if (w->stream_count < STREAMS) w->streams[w->stream_count++] = (stream_track){process, number};
    begin_name(w, "thread_name", process, number);
    ADD(w, "\"stream ");
    add_number(w, (int64_t)number);
    ADD(w, "\"}},\n");
}

static void name_threads(writer *w) {
    begin_name(w, "process_name", THREADS_PROCESS, 0);
    ADD(w, "\"threads\"}},\n");
    for (int k = 0; k < TNI_TRACE_THREADS; k++) {
        int id = atomic_load(&tni_trace_threads[k].id);
        if (!id) break;
        begin_name(w, "thread_name", THREADS_PROCESS, (uint64_t)id);
        add_string(w, tni_trace_threads[k].name);
        ADD(w, "}},\n");
    }
}

/* --- Events --- */

static void add_track(writer *w, const tni_event *event) {
    bool is_of_stream = event->depth & TNI_EVENT_OF_STREAM;
    ADD(w, ",\"pid\":");
    add_number(w, is_of_stream ? process_of(event->device) : THREADS_PROCESS);
    ADD(w, ",\"tid\":");
    add_number(w, is_of_stream ? (int64_t)event->number : event->thread);
    ADD(w, ",\"ts\":");
    add_thousandths(w, event->begin_ns - w->start_ns);
}

static bool has_device(const tni_event *event) {
    return event->kind != TN_TRACE_CALL && event->kind != TN_TRACE_RANGE &&
           event->kind != TN_TRACE_MARK && event->kind != TN_TRACE_CACHE;
}

static bool has_address(const tni_event *event) {
    return event->kind >= TN_TRACE_MALLOC && event->kind <= TN_TRACE_TRIM;
}

/* Facts, each with a comma before it but the first. */
static void add_facts(writer *w, const tni_event *event) {
    const char *place = tn_trace_text(event->place);
    int64_t ns = event->end_ns - event->begin_ns;
    ADD(w, ",\"args\":{\"line\":");
    add_string(w, place);
    if (event->shape_bytes) {
        ADD(w, ",\"arrays\":\"");
        add_shapes(w, event);
        ADD(w, "\"");
    }
    if (event->bytes) {
        ADD(w, ",\"bytes\":");
        add_number(w, event->bytes);
    }
    if (event->kind == TN_TRACE_COPY) {
        ADD(w, ",\"direction\":\"");
        add_text(w, directions[event->direction % 3]);
        ADD(w, "\"");
    }
    if (event->bytes && (event->kind == TN_TRACE_COPY || event->kind == TN_TRACE_WORK)) {
        ADD(w, ",\"GB/s\":");
        add_thousandths(w, ns > 0 ? (int64_t)((double)event->bytes * 1e3 / (double)ns) : 0);
    }
    if (has_device(event)) {
        ADD(w, ",\"device\":\"");
        add_device_name(w, event->device);
        ADD(w, "\"");
        if (has_address(event))
            ADD(w, ",\"address\":");
        else
            ADD(w, ",\"stream\":");
        add_number(w, (int64_t)event->number);
    }
    ADD(w, "}},\n");
}

/* The bytes of a device that are handed out, and those that its pools hold. */
static void add_curve(writer *w, const tni_event *event) {
    curve *curve = &w->curves[device_slot(event->device)];
    int64_t sign = event->kind == TN_TRACE_MALLOC || event->kind == TN_TRACE_GROW ? 1 : -1;
    bool is_of_pool = event->kind == TN_TRACE_GROW || event->kind == TN_TRACE_TRIM;
    *(is_of_pool ? &curve->held : &curve->used) += sign * event->bytes;
    make_room(w);
    ADD(w, "{\"ph\":\"C\",\"name\":\"memory\",\"pid\":");
    add_number(w, process_of(event->device));
    ADD(w, ",\"tid\":0,\"ts\":");
    add_thousandths(w, event->end_ns - w->start_ns);
    ADD(w, ",\"args\":{\"used\":");
    add_number(w, curve->used);
    ADD(w, ",\"held\":");
    add_number(w, curve->held);
    ADD(w, "}},\n");
}

static void write_event(void *context, const tni_event *event) {
    writer *w = context;
    bool is_moment = kinds[event->kind].is_moment;
    if (w->error) return;
    if (event->depth & TNI_EVENT_OF_STREAM) name_stream(w, event->device, event->number);
    make_room(w);
    if (is_moment)
        ADD(w, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"");
    else
        ADD(w, "{\"ph\":\"X\",\"cat\":\"");
    add_text(w, kinds[event->kind].name);
    ADD(w, "\",\"name\":");
    add_string(w, tn_trace_text(event->name));
    add_track(w, event);
    if (!is_moment) {
        int64_t begin = event->begin_ns > w->start_ns ? event->begin_ns : w->start_ns;
        ADD(w, ",\"dur\":");
        add_thousandths(w, event->end_ns - begin);
    }
    add_facts(w, event);
    if (has_address(event)) {
        name_device(w, event->device);
        add_curve(w, event);
    }
}

static void write_all(writer *w) {
    tn_trace_counts counts = tn_trace_get_counts();
    w->start_ns = tni_record_start_ns();
    ADD(w, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    name_threads(w);
    tni_record_each(0, write_event, w);
    make_room(w);
    ADD(w, "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":1,\"tid\":0,\"args\":"
           "{\"sort_index\":0}}\n],\"otherData\":{\"events\":");
    add_number(w, counts.recorded);
    ADD(w, ",\"dropped\":");
    add_number(w, counts.dropped);
    ADD(w, "}}\n");
    flush(w);
}

tn_status tn_trace_write(const char *path) {
    if (!tni_record_is_kept())
        TNI_FAIL(TN_ERROR_RUNTIME, "there is no trace that has ended, so none can be written");
    writer *w = tni_calloc(1, sizeof *w);
    if (!w) return tni_fail_no_memory(sizeof *w);
    w->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    w->error = w->file < 0 ? errno : 0;
    if (!w->error) write_all(w);
    if (w->file >= 0 && close(w->file) && !w->error) w->error = errno;
    int error = w->error;
    tni_free(w);
    if (error)
        TNI_FAIL(TN_ERROR_VALUE, "the trace can't be written to %s: %s", path, strerror(error));
    return TN_OK;
}
