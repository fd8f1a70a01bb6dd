/* Where the library notes what it does: at the beginning of something a look at the flags
 * (core/trace/flags.h), and only where they are set the rest. */
#ifndef TNI_TRACE_H
#define TNI_TRACE_H

#include "core/base/lock.h"
#include "core/trace/flags.h"

/* An event that is over. */
typedef struct tni_traced {
    tn_trace_kind kind;
    int64_t begun, ended; /* ended 0: now */
    const char *text;     /* the name, or */
    uint32_t name, place; /* its number; 0: asked for, unless it is of a stream */
    int64_t bytes;
    uint64_t number; /* of a stream; an address */
    tn_device device;
    bool is_of_stream; /* it belongs on the stream's track, not on the thread's */
    uint8_t direction; /* of copies */
    uint8_t shape_bytes;
    char shapes[36]; /* tni_trace_shape() */
} tni_traced;

/* Now, if events of these flags are wanted; 0: they are not. */
int64_t tni_trace_begin_slow(unsigned flags);
static inline int64_t tni_trace_begin(unsigned flags) {
    return __builtin_expect(tni_trace_look() & (flags | TNI_LOG_UNREAD), 0)
               ? tni_trace_begin_slow(flags)
               : 0;
}
/* Hands it to all readers. */
void tni_trace_end(const tni_traced *event);

/* The place in the program from which this thread uses the library; 0: unknown. */
uint32_t tni_trace_place(void);

/* Adds the dtype and shape of an operand to the event, where there is room. */
void tni_trace_shape(tni_traced *event, tn_dtype dtype, int ndim, const int64_t *shape);

/* The end of a call, which tn_trace_begin() begins: events in between are inside it. */
void tni_trace_end_call(tni_traced *event);

#endif
