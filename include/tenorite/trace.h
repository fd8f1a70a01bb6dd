/* What the library did and when: events of the process in memory, as a timeline in a file that
 * Perfetto and chrome://tracing open, and as sums.
 *
 * Events are calls (noted by their caller: the Python package, or a program by tn_trace_begin()),
 * work on streams, launches, copies, waits, compilations, answers of the cache, memory handed out
 * and taken back, and ranges that a program names. Noting costs less than a microsecond an event;
 * while nothing is traced, a look at a word. */
#ifndef TENORITE_TRACE_H
#define TENORITE_TRACE_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tn_trace_kind {
    TN_TRACE_CALL,    /* of the library, from its beginning to its return */
    TN_TRACE_WORK,    /* one form on a stream: at once, or in the stream's queue */
    TN_TRACE_LAUNCH,  /* handing a kernel to the driver */
    TN_TRACE_KERNEL,  /* the kernel on the GPU, by the GPU's clock */
    TN_TRACE_COPY,    /* bytes between devices and host memory */
    TN_TRACE_WAIT,    /* for a stream, an event or a device */
    TN_TRACE_COMPILE, /* of a program for the host or a GPU */
    TN_TRACE_CACHE,   /* an answer of the cache on disk; `bytes` 0: it has none */
    TN_TRACE_MALLOC,  /* memory that a pool hands out */
    TN_TRACE_FREE,    /* and takes back */
    TN_TRACE_GROW,    /* memory that a pool gets from its source */
    TN_TRACE_TRIM,    /* and gives back to it */
    TN_TRACE_RANGE,   /* of the program: tn_trace_push(), tn_cuda_range_push() */
    TN_TRACE_MARK,
    TN_TRACE_KINDS
} tn_trace_kind;

/* Begins a trace that keeps at most `most_events` (1 to 2^32): the first ones, or with `is_ring`
 * the last. What an earlier trace has kept is dropped. TN_ERROR_RUNTIME: one is under way. The
 * memory (96 bytes an event) is taken as it is needed. A child of fork is not traced. */
TN_API tn_status tn_trace_start(int64_t most_events, bool is_ring);
/* Ends it; what it has kept stays until the next one begins, or tn_trace_clear(). A range of the
 * calling thread that is open ends here. TN_ERROR_RUNTIME: none is under way. */
TN_API tn_status tn_trace_stop(void);
/* Drops what a trace that has ended has kept. */
TN_API void tn_trace_clear(void);
/* Writes what is kept as JSON of Chrome's trace format. TN_ERROR_RUNTIME: a trace is under way, or
 * there was none; TN_ERROR_VALUE with the system's reason: the file can't be written. */
TN_API tn_status tn_trace_write(const char *path);

typedef struct tn_trace_counts {
    int64_t recorded; /* events since the trace began */
    int64_t dropped;  /* of these are not kept any more, or never were */
    bool is_on;
} tn_trace_counts;
TN_API tn_trace_counts tn_trace_get_counts(void);

/* What is kept of events of one kind and name, and with `by_place` of one place. `rows` has room
 * for `most`; *count is how many there are, of which the first `most` are written, the longest
 * first. Texts live as long as the process. Events before number `first` are left out. */
typedef struct tn_trace_sum {
    tn_trace_kind kind;
    bool is_inside; /* of a call */
    const char *name, *place;
    int64_t events, total_ns, bytes;
} tn_trace_sum;
TN_API tn_status tn_trace_sum_up(tn_trace_sum *rows, int64_t most, int64_t *count, int64_t first,
                                 bool by_place);

/* A call of the program's own: what tn_trace_begin() gives (0: nothing is traced) goes to
 * tn_trace_end() with a name (NULL: it is not noted after all) and the arrays that it is about, of
 * which an entry may be NULL. Calls of a thread lie within each other. */
TN_API int64_t tn_trace_begin(void);
TN_API void tn_trace_end(int64_t begun, const char *name, const tn_array *const *arrays, int count);
/* Nanoseconds since it began. */
TN_API int64_t tn_trace_elapsed(int64_t begun);
/* A range of the calling thread, and its end; a moment. */
TN_API void tn_trace_push(const char *name);
TN_API void tn_trace_pop(void);
TN_API void tn_trace_mark(const char *name);

/* A word whose lowest bit is set while a trace is under way: for frequent looks. */
TN_API const unsigned *tn_trace_flag(void);
/* The number of a text, which is kept for the life of the process; 0: there are too many. */
TN_API uint32_t tn_trace_name(const char *text);
/* The text of a number; "" for 0. */
TN_API const char *tn_trace_text(uint32_t name);
/* A function that gives the place in a program from which the calling thread uses the library, as
 * the number of a text ("file:line"); 0: none. Process-wide; NULL: none is asked. */
TN_API void tn_trace_set_place(uint32_t (*place)(void));

/* Lines about what takes long go to the standard error stream, of the kinds that the variable
 * TENORITE_LOG names: compile, cache, wait, pool, progress. The same by a program: `kinds` is such
 * a list; TN_ERROR_VALUE names what is unknown. Unless the variable is set, a compilation of more
 * than a second says so on a terminal. */
TN_API tn_status tn_log_set(const char *kinds);
/* Whether lines of a kind are wanted, and one such line. */
TN_API bool tn_log_is_on(const char *kind);
TN_API void tn_log_line(const char *kind, const char *text);

/* Asked before the library waits where the program has not written a wait, in the waiting thread;
 * what it gives but TN_OK is the call's failure. Process-wide; NULL unsets. */
TN_API void tn_wait_set_watcher(tn_status (*watcher)(void));

#ifdef __cplusplus
}
#endif
#endif
