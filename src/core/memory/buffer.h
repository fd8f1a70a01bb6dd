/* Inside of buffers. */
#ifndef TNI_BUFFER_H
#define TNI_BUFFER_H

#include "core/stream/stream.h"

#include <tenorite/memory.h>

struct tni_buffer_users; /* core/memory/buffer_users.c */

struct tn_buffer {
    atomic_int references;
    tn_device device;
    void *data;
    int64_t bytes;
    _Atomic(uint64_t) home; /* the number of the stream it was made for; 0 for unowned memory */
    _Atomic(struct tni_buffer_users *) users; /* the streams other than `home` that used it */
    tn_allocator allocator; /* where the memory goes back to; allocate NULL: unowned */
    void (*release)(void *context);
    void *release_context;
};

static inline uint64_t tni_buffer_home(const tn_buffer *buffer) {
    return atomic_load_explicit(&buffer->home, memory_order_relaxed);
}

static inline tn_buffer *tni_buffer_retain(tn_buffer *buffer) {
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
    return buffer;
}

typedef enum tni_access { TNI_READ, TNI_WRITE, TNI_READ_WRITE } tni_access;

/* The access of a stream that is captured, or not the only one that uses the buffer. */
tn_status tni_buffer_access_ordered(const tn_buffer *buffer, tni_access access, tn_stream *stream)
    __attribute__((cold));

/* The door to a whole buffer: as tni_array_access() (core/array/array.h). */
static inline tn_status tni_buffer_access(void **address, const tn_buffer *buffer,
                                          tni_access access, tn_stream *stream) {
    *address = buffer->data;
    if (__builtin_expect(tni_stream_number(stream) == tni_buffer_home(buffer), 1) &&
        __builtin_expect(!atomic_load_explicit(&buffer->users, memory_order_acquire), 1) &&
        __builtin_expect(!tni_stream_capture(stream), 1))
        return TN_OK;
    return tni_buffer_access_ordered(buffer, access, stream);
}

#endif
