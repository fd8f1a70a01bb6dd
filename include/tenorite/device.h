/* Devices, streams and events. On the host backend the default stream runs in the caller, at once;
 * every other stream is an in-order queue with a worker thread of its own. */
#ifndef TENORITE_DEVICE_H
#define TENORITE_DEVICE_H

#include <tenorite/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tn_backend { TN_BACKEND_HOST, TN_BACKEND_CUDA, TN_BACKEND_COUNT } tn_backend;

/* A device: a backend and its number there. Passed by value. */
typedef struct tn_device {
    int16_t backend;
    int16_t number;
} tn_device;

typedef struct tn_stream tn_stream;
typedef struct tn_event tn_event;

/* The backend that plain device numbers mean: cuda where a driver and a GPU are, else host;
 * TENORITE_BACKEND=host|cuda decides otherwise. */
TN_API tn_backend tn_backend_primary(void);

/* "host" or "cuda". */
TN_API const char *tn_backend_name(tn_backend backend);

/* How many devices a backend has (host: TENORITE_HOST_DEVICES, 1 by default). A backend whose
 * driver is missing has 0. */
TN_API int tn_device_count(tn_backend backend);

/* The calling thread's current device; device 0 of the primary backend at first. */
TN_API tn_device tn_device_get_current(void);

/* Makes a device current for the calling thread. TN_ERROR_DEVICE "invalid device ordinal" if there
 * is none such. */
TN_API tn_status tn_device_set_current(tn_device device);

/* Waits until all streams of the device are idle, at most `timeout_ns` (negative: for ever), then
 * TN_TIMEOUT; reports the first failure of queued work. */
TN_API tn_status tn_device_synchronize(tn_device device, int64_t timeout_ns);

/* Free and total bytes of the device's memory. */
TN_API tn_status tn_device_get_memory_info(tn_device device, int64_t *free_bytes,
                                           int64_t *total_bytes);

/* A readable name ("AMD EPYC", "NVIDIA H200") in a buffer of `size` bytes, always terminated. */
TN_API tn_status tn_device_get_name(tn_device device, char *name, size_t size);

/* The instruction set of the library's loops or kernels there, in a buffer of `size` bytes, always
 * terminated: "generic", "v2", "v3" or "v4" (levels of x86-64) on the host, "sm_90" on a GPU. */
TN_API tn_status tn_device_get_level(tn_device device, char *level, size_t size);

static inline bool tn_device_is_equal(tn_device a, tn_device b) {
    return a.backend == b.backend && a.number == b.number;
}

/* A new stream of a device. `priority` is a hint: lower runs first. */
TN_API tn_status tn_stream_new(tn_stream **result, tn_device device, bool non_blocking,
                               int priority);
TN_API tn_stream *tn_stream_retain(tn_stream *stream);
/* Releases; queued work still runs to its end, and then the stream ends, whatever memory, events
 * and graphs it has met. NULL is allowed. */
TN_API void tn_stream_release(tn_stream *stream);

/* The default stream of a device (borrowed, lives as long as the process). */
TN_API tn_stream *tn_stream_default(tn_device device);

/* The calling thread's current stream of a device (borrowed); the default stream at first. Where a
 * function takes a stream, NULL means this one, of the device that the call works on. */
TN_API tn_stream *tn_stream_get_current(tn_device device);

/* Makes a stream current on its device for the calling thread (retained). */
TN_API tn_status tn_stream_set_current(tn_stream *stream);

/* The calling thread's own default stream of a device (borrowed, lives as long as the thread): made
 * when it is first asked for, ordered with the default stream as any stream that is not
 * non_blocking. On a backend whose default stream runs in the caller (host) that one. NULL on
 * failure. */
TN_API tn_stream *tn_stream_per_thread(tn_device device);
/* Whether a stream is the calling thread's own in this sense (never true of a default stream). */
TN_API bool tn_stream_is_per_thread(const tn_stream *stream);

TN_API tn_device tn_stream_device(const tn_stream *stream);
TN_API bool tn_stream_is_default(const tn_stream *stream);
/* The handle that other libraries know the stream by (cudaStream_t; a host stream's address). */
TN_API uintptr_t tn_stream_handle(const tn_stream *stream);
/* The same number to compare and to print. A program that gives it to another library asks for it
 * by tn_stream_handle(): from then on calls on the stream do not wait (tenorite/backlog.h). */
TN_API uintptr_t tn_stream_peek_handle(const tn_stream *stream);

/* Waits until all work queued so far is done; at most `timeout_ns` (negative: for ever), then
 * TN_TIMEOUT. A failure of queued work is reported here, once. */
TN_API tn_status tn_stream_synchronize(tn_stream *stream, int64_t timeout_ns);

/* Whether all work queued so far is done. */
TN_API tn_status tn_stream_is_done(tn_stream *stream, bool *done);

/* Queues a host function after the stream's work; on the default host stream it is called now. */
TN_API tn_status tn_stream_add_callback(tn_stream *stream, void (*function)(void *context),
                                        void *context);

/* Calls a function when the stream's work queued so far is done. Unlike for a callback nothing
 * waits for it, and it may use the library: it gives something back. On a host stream where nothing
 * is queued it is called now. */
TN_API tn_status tn_stream_add_cleanup(tn_stream *stream, void (*function)(void *context),
                                       void *context);

/* Later work of the stream waits for the event's last record; an event never recorded is done. */
TN_API tn_status tn_stream_wait_event(tn_stream *stream, tn_event *event);

/* What a thread does around a wait for a stream, an event or a device, and around a call of a
 * driver that may wait for work or for functions in queues. `begin` gives up what others need
 * meanwhile (an interpreter's lock); `poll` is called about every 50 ms and ends the wait with
 * TN_ERROR_CALLBACK by returning true (it may be NULL); `end` takes back. Both get what `begin`
 * returned. Process-wide; the struct must stay valid; NULL unsets. */
typedef struct tn_wait_hook {
    void *(*begin)(void);
    bool (*poll)(void *token);
    void (*end)(void *token);
} tn_wait_hook;
TN_API void tn_wait_set_hook(const tn_wait_hook *hook);

/* A new event; without `timing` it takes no time stamp. */
TN_API tn_status tn_event_new(tn_event **result, tn_device device, bool timing);
TN_API tn_event *tn_event_retain(tn_event *event);
TN_API void tn_event_release(tn_event *event);
/* Records the event after the stream's work so far. */
TN_API tn_status tn_event_record(tn_event *event, tn_stream *stream);
TN_API tn_status tn_event_is_done(tn_event *event, bool *done);
/* Waits for the last record, at most `timeout_ns` (negative: for ever), then TN_TIMEOUT. */
TN_API tn_status tn_event_synchronize(tn_event *event, int64_t timeout_ns);
/* Milliseconds between two recorded, finished timing events. */
TN_API tn_status tn_event_elapsed_ms(double *milliseconds, tn_event *start, tn_event *stop);

#ifdef __cplusplus
}
#endif
#endif
