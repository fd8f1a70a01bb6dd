/* The facts of a thread that core needs in every call, in one small struct.
 *
 * The struct lies in the static block of thread-local memory (a load instead of a call), so keep it
 * well below 200 bytes: a library that is loaded late shares little of that block. */
#ifndef TNI_THREAD_H
#define TNI_THREAD_H

#include <stdatomic.h>
#include <tenorite/array.h>

enum { TNI_MAX_DEVICES = 64 }; /* of one backend */

struct tni_hook; /* core/memory/hooks.c */

/* Objects whose number is known; core/base/counts.h. */
typedef enum tni_living {
    TNI_ARRAYS,
    TNI_BUFFERS,
    TNI_STREAMS,
    TNI_EVENTS,
    TNI_GRAPHS,
    TNI_COUNTED
} tni_living;

typedef struct tni_thread {
    tn_device device; /* the current device if has_device */
    bool has_device;
    bool has_allocator;
    bool works_off;      /* the thread works off a stream, and can't wait for that stream */
    bool is_patient;     /* the wait has no end, though it comes in slices (core/base/wait.c) */
    bool keeps_buffers;  /* the end of the thread empties kept_buffers */
    bool keeps_arrays;   /* the end of the thread empties kept_arrays */
    bool is_counted;     /* the thread is in the list of core/base/counts.c */
    bool holds_backlogs; /* the thread forks, and holds the locks of all backlogs */
    bool runs_backlog;   /* the thread runs calls that waited: what it does is no look */
    bool run_may_stop;   /* an interruption may end that run; if not, signals wait */
    bool is_interrupted; /* a handler of signals runs, within a wait of that run */
    int8_t waits; /* whether its calls wait (kernel/backlog): 0: as the process says, 1, -1 */
    /* core/stream/stream.c: at [backend * TNI_MAX_DEVICES + number] the current stream, NULL for
     * the default one. NULL: all are default ones. */
    tn_stream **streams;
    tn_allocator allocator; /* wins over the process's if has_allocator */
    struct tni_hook *hooks;
    struct tni_backlog *backlog; /* kernel/backlog; NULL: no call of the thread waited yet */
    tn_buffer *kept_buffers;     /* core/memory/buffer.c */
    tn_array *kept_arrays;       /* core/array/array.c */
    int16_t kept_buffer_count, kept_array_count;
    int number;                               /* core/base/biased_lock.c */
    atomic_int_least64_t counts[TNI_COUNTED]; /* made less dropped; read by other threads */
    struct tni_thread *next_thread, *previous_thread;
} tni_thread;

extern _Thread_local tni_thread tni_self __attribute__((tls_model("initial-exec")));

#endif
