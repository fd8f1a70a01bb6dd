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
    /* The number of the stream it was made for; 0 for unowned memory. With TNI_BUFFER_AWAITED calls
     * wait for the buffer. */
    _Atomic(uint64_t) home;
    _Atomic(struct tni_buffer_users *) users; /* the streams other than `home` that used it */
    tn_allocator allocator; /* where the memory goes back to; allocate NULL: unowned */
    void (*release)(void *context);
    void *release_context;
    _Atomic(void *) waiting; /* what kernel/backlog knows of it; NULL: no call waits for it */
    atomic_bool has_left;    /* its address is known outside of the library */
};

#define TNI_BUFFER_AWAITED (UINT64_C(1) << 63)

static inline uint64_t tni_buffer_home(const tn_buffer *buffer) {
    return atomic_load_explicit(&buffer->home, memory_order_relaxed) & ~TNI_BUFFER_AWAITED;
}

/* A buffer that calls wait for takes the long way through the door. Without the mark, what another
 * thread ran for it is seen. */
static inline bool tni_buffer_is_awaited(const tn_buffer *buffer) {
    return atomic_load_explicit(&buffer->home, memory_order_acquire) & TNI_BUFFER_AWAITED;
}

static inline tn_buffer *tni_buffer_retain(tn_buffer *buffer) {
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
    return buffer;
}

/* --- For calls that wait (kernel/backlog) --- */

/* Whether its memory is a pool's and known here alone. */
bool tni_buffer_may_wait(const tn_buffer *buffer);
/* Gives the memory back before the struct goes; what was queued on its home stream alone may use
 * it. Does nothing where other streams use it, too, and where it is not the default pool's. And
 * takes memory again. */
void tni_buffer_drop_memory(tn_buffer *buffer);
tn_status tni_buffer_take_memory(tn_buffer *buffer, tn_stream *stream);

typedef enum tni_access { TNI_READ, TNI_WRITE, TNI_READ_WRITE } tni_access;

/* The access of a stream that is captured, or not the only one that uses the buffer. */
tn_status tni_buffer_access_ordered(const tn_buffer *buffer, tni_access access, tn_stream *stream)
    __attribute__((cold));

/* The door to a whole buffer: as tni_array_access() (core/array/array.h). What waited for the
 * buffer may give it other memory when it runs, so the address is read last. */
static inline tn_status tni_buffer_access(void **address, const tn_buffer *buffer,
                                          tni_access access, tn_stream *stream) {
    const bool is_short =
        __builtin_expect(tni_stream_number(stream) ==
                             atomic_load_explicit(&buffer->home, memory_order_acquire),
                         1) &&
        __builtin_expect(!atomic_load_explicit(&buffer->users, memory_order_acquire), 1) &&
        __builtin_expect(!tni_stream_capture(stream), 1);
    tn_status status = is_short ? TN_OK : tni_buffer_access_ordered(buffer, access, stream);
    *address = buffer->data;
    return status;
}

#endif
