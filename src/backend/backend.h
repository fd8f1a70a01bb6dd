/* What a backend must provide: the one table through which core reaches devices.
 *
 * Memory and stream entries are called by core/stream/device.c, core/stream/stream.c and the pools. A form entry
 * ("elementwise", "reduce", ...) gets a complete description of one kernel: addresses, shapes,
 * strides and dtypes already resolved, broadcast and collapsed, access already ordered. It queues
 * the work on the stream (the host's immediate stream: does it) and returns. The description is
 * copied if it is needed after the return. A form entry that a backend lacks is NULL, which core
 * reports as TN_ERROR_NOT_IMPLEMENTED with the form's name.
 */
#ifndef TNI_BACKEND_H
#define TNI_BACKEND_H

#include "core/base/error.h"
#include "core/stream/stream.h"

/* A family's forms: `tn_status (*name)(const struct tni_<name> *call, tn_stream *stream)` each. Elements
 * lie at multiples of their size (core/elementwise/operands.h sees to it), but for those that are only
 * moved where `moves_unaligned`. */
/* clang-format off */
#define FORM(family, name) struct tni_##name;
#include "forms/forms.def"
#define FAMILY(family) typedef struct tni_##family##_forms {
#define FORM(family, name) tn_status (*name)(const struct tni_##name *call, tn_stream *stream);
#define FAMILY_END(family) } tni_##family##_forms;
#include "forms/forms.def"
/* clang-format on */

typedef enum tni_direction {
    TNI_DEVICE_TO_DEVICE, /* within one device, or between two of one backend */
    TNI_HOST_TO_DEVICE,
    TNI_DEVICE_TO_HOST
} tni_direction;

/* What a backend holds at this moment, for tn_statistics. */
typedef struct tni_backend_counts {
    int64_t queued_calls, worker_threads, kernels, driver_handles;
} tni_backend_counts;

typedef struct tni_backend {
    const char *name;
    /* Forms that only move elements (take, put, compress, expand, copies to the same dtype) take these from
     * and to any address. */
    bool moves_unaligned;

    int (*device_count)(void);
    /* Adds what there is, without opening anything; NULL: nothing is told. */
    void (*count)(tni_backend_counts *counts);
    tn_status (*device_name)(int number, char *name, size_t size);
    tn_status (*memory_info)(int number, int64_t *free_bytes, int64_t *total_bytes);

    /* An address of device memory goes to or comes from somebody who may use it without us; NULL: that
     * means nothing. */
    void (*share_memory)(void);

    /* What earlier calls left to fail later fails here, if it has; NULL: nothing is left. Asking whether a
     * stream or an event is done, ordering streams and giving back never tell of that. */
    tn_status (*raise_late)(void);

    /* Whether copies use this host memory by themselves; NULL: none is such. */
    bool (*is_page_locked)(const void *address, int number);

    /* Raw memory, aligned to 64 bytes or more; the text of a failure is the pool's business. */
    tn_status (*memory_allocate)(void **address, int64_t bytes, int number);
    void (*memory_free)(void *address, int64_t bytes, int number);
    tn_status (*pinned_allocate)(void **address, int64_t bytes);
    void (*pinned_free)(void *address, int64_t bytes);

    /* Fill in and empty the `implementation` of streams and events made by core. */
    tn_status (*stream_init)(tn_stream *stream);
    void (*stream_deinit)(tn_stream *stream);
    uintptr_t (*stream_handle)(const tn_stream *stream);
    tn_status (*stream_synchronize)(tn_stream *stream, int64_t timeout_ns);
    tn_status (*stream_is_done)(tn_stream *stream, bool *done);
    /* The program's function; the stream's later work waits for it. */
    tn_status (*stream_add_callback)(tn_stream *stream, void (*function)(void *), void *context);
    /* A function of core that gives something back behind the stream's work; unlike the program's it
     * may use the backend, and nothing has to wait for it. It may be called before this returns. */
    tn_status (*stream_add_cleanup)(tn_stream *stream, void (*function)(void *), void *context);
    tn_status (*stream_wait_event)(tn_stream *stream, tn_event *event);
    tn_status (*device_synchronize)(int number, int64_t timeout_ns);
    tn_status (*event_init)(tn_event *event);
    void (*event_deinit)(tn_event *event);
    tn_status (*event_record)(tn_event *event, tn_stream *stream);
    tn_status (*event_is_done)(tn_event *event, bool *done);
    tn_status (*event_synchronize)(tn_event *event, int64_t timeout_ns);
    tn_status (*event_elapsed_ms)(double *milliseconds, tn_event *start, tn_event *stop);

    /* Graphs; NULL where streams can't be captured. capture_end makes the graph of what was recorded;
     * `ended`: the stream is not captured any more, whatever the status. */
    tn_status (*capture_begin)(struct tn_graph *graph, tn_stream *stream, int mode);
    tn_status (*capture_end)(struct tn_graph *graph, tn_stream *stream, bool *ended);
    tn_status (*graph_launch)(struct tn_graph *graph, tn_stream *stream);
    tn_status (*graph_upload)(struct tn_graph *graph, tn_stream *stream);
    void (*graph_deinit)(struct tn_graph *graph);

    /* Kernels that programs write (forms/kernel.h). */
    const struct tni_kernels *kernels;

    /* Bytes. */
    tn_status (*copy)(void *to, const void *from, int64_t bytes, tni_direction direction,
                      tn_stream *stream);
    tn_status (*fill)(void *to, int value, int64_t bytes, tn_stream *stream);

    /* The forms by family. A family or a form may be NULL: of create->join, parts are then copied one by
     * one, which is as good. */
#define FAMILY(family) const tni_##family##_forms *family;
#include "forms/forms.def"
} tni_backend;

/* The table of a backend, or NULL where it is not built in or not usable here (core/stream/device.c asks;
 * src/backend/registry.c answers). */
const tni_backend *tni_backend_get(tn_backend backend);

/* The backend of a stream's device. */
static inline const tni_backend *tni_backend_of(const tn_stream *stream) {
    return stream->backend;
}

/* tni_queue_<form>(call, stream): the form of the stream's backend, or TN_ERROR_NOT_IMPLEMENTED with the
 * names of both. */
#define FORM(family, form)                                                                         \
    static inline tn_status tni_queue_##form(const struct tni_##form *call, tn_stream *stream) {   \
        const tni_##family##_forms *forms = stream->backend->family;                               \
        if (__builtin_expect(!forms || !forms->form, 0))                                           \
            return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "the form %s on %s", #form,                  \
                            stream->backend->name);                                                \
        return forms->form(call, stream);                                                          \
    }
#include "forms/forms.def"

extern const tni_backend tni_host_backend;
extern const tni_backend tni_cuda_backend;

#endif
