/* What the files of the CUDA backend share: devices and their contexts, and how calls of the driver are
 * made and reported.
 *
 * A function that calls the driver for a device first enters it: that checks what makes every call
 * fail (no driver, a fork, an earlier failure that broke the context), creates the context if it is
 * the first, and makes it current. Another library's context that was current is so again when the
 * device is left. */
#ifndef TNI_CUDA_H
#define TNI_CUDA_H

#include "backend/backend.h"
#include "backend/cuda/driver/library.h"
#include "core/base/thread.h"
#include "core/base/wait.h"

typedef struct tni_cuda_device {
    _Atomic(bool) is_ready;  /* the fields below are set */
    _Atomic(bool) is_broken; /* `failure` tells of an error that the context does not survive */
    int number;
    CUdevice device;
    CUcontext context; /* the primary one, retained for ever */
    int arch;          /* compute capability: 90 */
    int multiprocessors;
    int threads_per_multiprocessor;
    int shared_bytes_max; /* of a block that asks for more than 48 KiB */
    int l2_bytes;
    bool has_pools;
    char failure[768];
} tni_cuda_device;

/* --- Calls of the driver (errors.c) --- */

/* Formats a failure of a driver function and returns its status: TN_ERROR_MEMORY or TN_ERROR_DEVICE.
 * `stream` (may be NULL) is the one whose last launches are named if the failure is asynchronous. */
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

/* --- Devices (device.c) --- */

/* Opens the driver. Fails in a child of a process that had done so. */
tn_status tni_cuda_open(void);
/* Whether this process is such a child: nothing of the driver may be called. */
bool tni_cuda_is_forked(void);

/* A device, with its context made and its attributes read, that need not be current. */
tn_status tni_cuda_device_get(tni_cuda_device **result, int number);

typedef struct tni_cuda_scope {
    CUcontext other;          /* what has to be popped */
    CUstreamCaptureMode mode; /* of the thread before, if is_relaxed */
    bool is_pushed, is_relaxed;
    tni_break pause; /* while functions of the program are pending */
} tni_cuda_scope;

/* What waits for its kernel is launched before; if that failed, so does this, and then nobody else hears of
 * it. */
tn_status tni_cuda_enter(tni_cuda_scope *scope, int number);
/* The same for whoever can't tell of a failure, or must do its work all the same: it frees, asks, orders
 * streams. What failed stays for the next who enters. */
tn_status tni_cuda_enter_quietly(tni_cuda_scope *scope, int number);
/* For what has no place in the order of work: memory that is allocated, modules that are loaded. */
tn_status tni_cuda_enter_beside(tni_cuda_scope *scope, int number);
void tni_cuda_leave(tni_cuda_scope *scope);

/* One driver call on a device. */
#define TNI_CUDA_BY(enter, number, call)                                                           \
    do {                                                                                           \
        tni_cuda_scope tni_scope_;                                                                 \
        TNI_TRY(enter(&tni_scope_, number));                                                       \
        tn_status tni_result_ = (call);                                                            \
        tni_cuda_leave(&tni_scope_);                                                               \
        TNI_TRY(tni_result_);                                                                      \
    } while (0)
#define TNI_CUDA_ON(number, call) TNI_CUDA_BY(tni_cuda_enter, number, call)
#define TNI_CUDA_QUIETLY_ON(number, call) TNI_CUDA_BY(tni_cuda_enter_quietly, number, call)

/* The device whose context is current or was entered last in this thread; -1: none. */
int tni_cuda_entered(void);
/* Notes that a device's context is of no more use, with the current message as the reason. */
void tni_cuda_set_broken(int number);

/* --- Streams (stream.c) --- */

CUstream tni_cuda_stream_handle(const tn_stream *stream);

/* Handles of streams that have ended, kept for the next. */
int tni_cuda_kept_streams(void);

/* Notes a launch, for messages. `name` stays valid for ever. */
void tni_cuda_stream_note(tn_stream *stream, const char *name, const unsigned grid[3],
                          const unsigned block[3]);
/* The last launches of a stream, the newest first ("tn_add_f32 (132,1,1)x(256,1,1), ..."). With NULL:
 * of all streams of a device. */
void tni_cuda_stream_describe(char *text, size_t size, const tn_stream *stream, int number);

/* Polls until `ask` no longer says CUDA_ERROR_NOT_READY or the time is over (TN_TIMEOUT). */
tn_status tni_cuda_poll(CUresult (*ask)(const void *context), const void *context,
                        const char *function, const tn_stream *stream, int64_t timeout_ns);

/* Streams, events and graphs of the driver that this library has made and not destroyed. */
extern atomic_int tni_cuda_handles;
static inline void tni_cuda_count_handle(int change) {
    atomic_fetch_add_explicit(&tni_cuda_handles, change, memory_order_relaxed);
}

/* --- Callbacks (callback.c) --- */

/* Whether this thread is calling a program's function on behalf of a stream. */
bool tni_cuda_in_callback(void);
/* Functions of the program that streams have yet to call. The driver may make a call wait for them (its
 * queue is full, or memory is not page-locked), so then whoever enters gives up what they need. */
extern atomic_int tni_cuda_pending;
/* Calls a function that gives memory back, when no program's function is pending: now, or, in such a
 * function, later. What is destroyed there without a wait, such as an event, goes this way, too. */
void tni_cuda_give_back(void (*function)(void *context, int number), void *context, int number);

/* The thread that calls such: 1, or 0 before it was needed. */
int tni_cuda_cleaner_count(void);

/* A graph is about to call so many of them; negative: it did not begin. */
void tni_cuda_expect_callbacks(int count);

/* --- Graphs (graph.c) --- */

/* Captures during which the driver refuses what might spoil them, unless a thread says that it knows what
 * it does: the two below. */
extern atomic_int tni_cuda_strict_captures;
void tni_cuda_relax(tni_cuda_scope *scope);
void tni_cuda_unrelax(tni_cuda_scope *scope);

/* --- The table's entries --- */

int tni_cuda_device_count(void);
tn_status tni_cuda_device_name(int number, char *name, size_t size);
tn_status tni_cuda_memory_info(int number, int64_t *free_bytes, int64_t *total_bytes);
tn_status tni_cuda_memory_allocate(void **address, int64_t bytes, int number);
void tni_cuda_memory_free(void *address, int64_t bytes, int number);
tn_status tni_cuda_pinned_allocate(void **address, int64_t bytes);
void tni_cuda_pinned_free(void *address, int64_t bytes);
bool tni_cuda_is_page_locked(const void *address, int number);
tn_status tni_cuda_stream_init(tn_stream *stream);
void tni_cuda_stream_deinit(tn_stream *stream);
uintptr_t tni_cuda_stream_number(const tn_stream *stream);
tn_status tni_cuda_stream_synchronize(tn_stream *stream, int64_t timeout_ns);
tn_status tni_cuda_stream_is_done(tn_stream *stream, bool *done);
tn_status tni_cuda_stream_add_callback(tn_stream *stream, void (*function)(void *), void *context);
tn_status tni_cuda_stream_add_cleanup(tn_stream *stream, void (*function)(void *), void *context);
tn_status tni_cuda_stream_wait_event(tn_stream *stream, tn_event *event);
tn_status tni_cuda_device_synchronize(int number, int64_t timeout_ns);
tn_status tni_cuda_event_init(tn_event *event);
void tni_cuda_event_deinit(tn_event *event);
tn_status tni_cuda_event_record(tn_event *event, tn_stream *stream);
tn_status tni_cuda_event_is_done(tn_event *event, bool *done);
tn_status tni_cuda_event_synchronize(tn_event *event, int64_t timeout_ns);
tn_status tni_cuda_event_elapsed_ms(double *milliseconds, tn_event *start, tn_event *stop);
tn_status tni_cuda_capture_begin(struct tn_graph *graph, tn_stream *stream, int mode);
tn_status tni_cuda_capture_end(struct tn_graph *graph, tn_stream *stream, bool *ended);
tn_status tni_cuda_graph_launch(struct tn_graph *graph, tn_stream *stream);
tn_status tni_cuda_graph_upload(struct tn_graph *graph, tn_stream *stream);
void tni_cuda_graph_deinit(struct tn_graph *graph);
tn_status tni_cuda_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                        tn_stream *stream);
tn_status tni_cuda_fill(void *to, int value, int64_t bytes, tn_stream *stream);
/* The same, past the launches that wait for their kernels (defer.h). */
tn_status tni_cuda_fill_now(void *to, int value, int64_t bytes, tn_stream *stream);

#endif
