/* Calls that wait: element-wise calls, conversions, copies, fills and reductions are checked at
 * once, and computed together when something looks.
 *
 * Off by default. A call that waits has raised what it can raise, and its results have their
 * memory; only their elements come later. A *look* is whatever could tell the difference: reading
 * or writing the elements, waiting for the stream, an address that leaves the library. What a
 * program can see is the same as without, but for times. */
#ifndef TENORITE_BACKLOG_H
#define TENORITE_BACKLOG_H

#include <tenorite/explain.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tn_waiting {
    TN_WAITING_EAGER = -1,
    TN_WAITING_DEFAULT = 0,
    TN_WAITING_ON = 1
} tn_waiting;

/* Whether calls of the calling thread wait: as the process says (at first), no, or yes. What waits
 * runs before the thread becomes eager. TN_ERROR_MEMORY where a backlog cannot be made. */
TN_API tn_status tn_backlog_use(tn_waiting waiting);
TN_API tn_waiting tn_backlog_used(void);
/* Whether calls wait in threads that have not said it themselves; at first they do not. On the host
 * calls of fewer than `least` elements do not wait, unless they read what is due; below 0: the
 * measured number. */
TN_API void tn_backlog_use_in_process(bool waits, int64_t least);
TN_API bool tn_backlog_used_in_process(void);
/* How long calls wait, about, for a stream of a GPU that has nothing to do, before a thread of the
 * library runs them; below 0: the measured time, 100 us, as at first; 0: until something looks. */
TN_API void tn_backlog_set_patience(int64_t nanoseconds);

/* Runs what waits on the stream, in all threads. NULL: the current stream of the current device. */
TN_API tn_status tn_stream_run(tn_stream *stream);
/* Whether the elements are due: the call that makes them waits. */
TN_API bool tn_array_is_due(const tn_array *array);

/* What waiting calls came to, of all threads since the process began. */
typedef struct tn_backlog_figures {
    int64_t joined;       /* calls that waited */
    int64_t runs;         /* times that a backlog, or its first part, ran */
    int64_t graphs;       /* runs of several calls as one expression */
    int64_t programs;     /* compilations that runs began, at most about 1,024 */
    int64_t single_calls; /* calls that ran by themselves */
    int64_t dropped;      /* calls that ran not at all, since nothing could see what they made */
    int64_t lost;         /* arrays that could not be made */
    int64_t launches;     /* of kernels; on the host, of calls that pass over the arrays */
    int64_t bytes;        /* read and written by them */
    int64_t single_launches, single_bytes; /* what the calls would have taken one by one */
    int64_t waiting;                       /* calls that wait now */
} tn_backlog_figures;
TN_API void tn_backlog_get_figures(tn_backlog_figures *figures);

/* The kinds of looks, 0 to tn_backlog_look_count() - 1: a name, a sentence that says what happened,
 * and how many runs it caused. NULL and 0 for any other number. */
TN_API int tn_backlog_look_count(void);
TN_API const char *tn_backlog_look_name(int look);
TN_API const char *tn_backlog_look_sentence(int look);
TN_API int64_t tn_backlog_looks(int look);

/* A run of a backlog. */
typedef struct tn_backlog_run {
    int look;                 /* the kind of the look that caused it */
    int calls, dropped;       /* calls that it took; and those of them that nothing needed */
    tn_explained_cost cost;   /* what it launched, read and wrote */
    tn_explained_cost single; /* what its calls would have, one by one */
} tn_backlog_run;

/* The last run but `ago` (0 to 7) of the calling thread's backlog; false: there was none. */
TN_API bool tn_backlog_last_run(tn_backlog_run *run, int ago);

enum { TN_BACKLOG_AXES = 6 }; /* arrays of more do not wait */

/* A call that waits, and the array that it makes, the first of two. */
typedef struct tn_backlog_call {
    const char *name; /* of the operation or the reduction, or "copy" or "fill" */
    tn_dtype dtype;
    int ndim;
    int64_t shape[TN_BACKLOG_AXES];
} tn_backlog_call;

/* The waiting calls of the calling thread, from 0 on in their order; false: there are no more. */
TN_API bool tn_backlog_get_call(tn_backlog_call *call, int number);

#ifdef __cplusplus
}
#endif
#endif
