/* Calls that wait: what core asks of the backlog (kernel/backlog), which fills in the table below.
 *
 * As long as no program asks for waiting calls `tni_waiting` is NULL, and each question is the load
 * of one word. A *look* is anything that could tell a waiting call from one that has run; looks.def
 * lists all of them. */
#ifndef TNI_WAITING_H
#define TNI_WAITING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <tenorite/device.h>

struct tn_array;
struct tn_buffer;
struct tni_elementwise;
struct tni_reduce_request;

typedef enum tni_look {
#define LOOK(name, file, sentence) TNI_LOOK_##name,
#include "core/base/looks.def"
#undef LOOK
    TNI_LOOKS
} tni_look;

typedef struct tni_waiting_table {
    /* A call whose checks are done and whose outputs have their memory. False: it does not wait,
     * and the caller computes it. `arrays` and `call->arguments` are inputs, then outputs; of the
     * call only the operation, dtypes and values are set. `made`: the outputs are new arrays that
     * lie as the operation makes them. */
    bool (*join_elementwise)(const struct tni_elementwise *call,
                             const struct tn_array *const *arrays, bool made, tn_stream *stream);
    bool (*join_reduce)(const struct tni_reduce_request *request, const struct tn_array *output,
                        tn_stream *stream);
    /* Whether the array belongs to calls that wait in the thread's backlog. */
    bool (*is_awaited)(const struct tn_array *array);
    /* The door: after it the buffer may be accessed so. The failure of a lost buffer. */
    tn_status (*look_at)(tni_look look, struct tn_buffer *buffer, bool writes);
    /* Runs what waits on a stream, a device, or all that waits (both NULL). */
    void (*look)(tni_look look, const tn_stream *stream, const tn_device *device);
    /* Runs the thread's backlog if it alone keeps more bytes than that, about. */
    void (*look_at_memory)(int64_t bytes);
    /* Drops the caller's reference to a buffer that calls wait for. False: it was not done. */
    bool (*release)(struct tn_buffer *buffer);
    /* The buffer goes, and with it the failure that it kept. */
    void (*forget)(struct tn_buffer *buffer);
} tni_waiting_table;

extern _Atomic(const tni_waiting_table *) tni_waiting;

static inline const tni_waiting_table *tni_waiting_get(void) {
    return atomic_load_explicit(&tni_waiting, memory_order_acquire);
}

static inline bool tni_may_wait(void) {
    return __builtin_expect(tni_waiting_get() != NULL, 0);
}

static inline void tni_look_stream(tni_look look, const tn_stream *stream) {
    if (tni_may_wait()) tni_waiting_get()->look(look, stream, NULL);
}

static inline void tni_look_device(tni_look look, tn_device device) {
    if (tni_may_wait()) tni_waiting_get()->look(look, NULL, &device);
}

/* Everything that waits. */
static inline void tni_look_all(tni_look look) {
    tni_look_stream(look, NULL);
}

#endif
