/* What a backend must provide: the one table through which core reaches devices.
 *
 * Entries (entries.def) are called by core/stream, core/memory and core/graph. A form (forms.def,
 * "elementwise", "reduce", ...) gets a complete description of one kernel: addresses, shapes,
 * strides and dtypes already resolved, broadcast and collapsed, access already ordered. It queues
 * the work on the stream (the host's immediate stream: does it) and returns. The description is
 * copied if it is needed after the return. A form that a backend lacks is NULL, which core reports
 * as TN_ERROR_NOT_IMPLEMENTED with the form's name.
 */
#ifndef TNI_BACKEND_H
#define TNI_BACKEND_H

#include "backend/copy.h"
#include "backend/traced.h"
#include "core/base/error.h"
#include "core/trace/trace.h"

/* A family's forms: `tn_status (*name)(const struct tni_<name> *call, tn_stream *stream)` each.
 * Elements lie at multiples of their size (core/elementwise/operands.h sees to it), but for those
 * that are only moved where `moves_unaligned` of the family index. */
/* clang-format off */
#define HELD(family, name) struct tni_##name;
#include "forms/forms.def"
#define FAMILY(family) typedef struct tni_##family##_forms {
#define HELD(family, name) tn_status (*name)(const struct tni_##name *call, tn_stream *stream);
#define TRAIT(family, type, name) type name;
#define FAMILY_END(family) } tni_##family##_forms;
#include "forms/forms.def"
/* clang-format on */

/* What a backend holds at this moment, for tn_statistics. */
typedef struct tni_backend_counts {
    int64_t queued_calls, worker_threads, kernels, driver_handles;
} tni_backend_counts;

struct tni_kernel_fold;

typedef struct tni_backend {
    const char *name;

    /* clang-format off */
#define ENTRY(result, name, parameters) result (*name) parameters;
#include "backend/entries.def"
    /* clang-format on */

    /* Kernels that programs write (forms/kernel.h). */
    const struct tni_kernels *kernels;
    /* Communicators (forms/collective.h). */
    const struct tni_collectives *collectives;

    /* The forms by family. A form may be NULL: where create->join is, core copies the parts one by
     * one, which is as good. */
#define FAMILY(family) const tni_##family##_forms *family;
#include "forms/forms.def"
} tni_backend;

/* Makes a backend's table known when the library is loaded, before any call of it. */
void tni_backend_offer(tn_backend number, const tni_backend *table);

/* The table of a backend, or NULL where it is not built in. */
const tni_backend *tni_backend_get(tn_backend backend);

/* The backend of a stream's device. */
static inline const tni_backend *tni_backend_of(const tn_stream *stream) {
    return stream->backend;
}

/* tni_queue_<form>(call, stream): the form of the stream's backend, or TN_ERROR_NOT_IMPLEMENTED
 * with the names of both. */
#define HELD(family, form)                                                                         \
    static __attribute__((cold, noinline, unused))                                                 \
    tn_status tni_traced_##form(const struct tni_##form *call, tn_stream *stream) {                \
        int64_t begun = tni_trace_form_begin(TNI_TRACED_##form, call, stream);                     \
        tn_status status = stream->backend->family->form(call, stream);                            \
        tni_trace_form_end(begun, TNI_TRACED_##form, call, stream);                                \
        return status;                                                                             \
    }                                                                                              \
    static inline tn_status tni_queue_##form(const struct tni_##form *call, tn_stream *stream) {   \
        const tni_##family##_forms *forms = stream->backend->family;                               \
        if (__builtin_expect(!forms->form, 0))                                                     \
            return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "the form %s on %s", #form,                  \
                            stream->backend->name);                                                \
        return tni_is_traced() ? tni_traced_##form(call, stream) : forms->form(call, stream);      \
    }
#include "forms/forms.def"

/* Copies bytes by the stream's backend. */
static inline tn_status tni_queue_copy(void *to, const void *from, int64_t bytes,
                                       tni_direction direction, tn_stream *stream) {
    return tni_is_traced() ? tni_trace_copy(to, from, bytes, direction, stream)
                           : stream->backend->copy(to, from, bytes, direction, stream);
}

#endif
