/* Pauses: what a call of the library uses stays while Python runs inside the call. */
#ifndef TENORITE_EXT_BASE_HOLD_H
#define TENORITE_EXT_BASE_HOLD_H

#include "base/ext.h"

/* A stretch of Python inside a call, for which the arrays that the call may use are kept. */
typedef struct ext_pause {
    struct ext_pause *older, *newer, *outer;
    struct retired *retired;
    PyThreadState *thread;
    uint64_t number;
    bool is_unsettled; /* the Python is over, the call may not be */
    bool has_place;    /* the thread's line is known meanwhile (base/origin.h) */
} ext_pause;
/* Gives the GIL up around one call of the library, and takes it back after it. */
void ext_give_up(ext_pause *pause);
void ext_take_back(ext_pause *pause);
void ext_hold_init(void);
/* Whether this thread has the GIL; it may be no thread of Python's. */
bool ext_holds_gil(void);
/* Gives the GIL up, and takes it back, within a call of which the end is not known. NULL: there
 * is no memory, and the GIL stays. */
ext_pause *ext_give_up_inside(void);
void ext_take_back_inside(ext_pause *pause);
/* Around Python that the library calls, in any thread; takes the GIL. */
typedef struct ext_python {
    PyGILState_STATE state;
    ext_pause *pause;
} ext_python;
ext_python ext_python_open(void);
void ext_python_close(ext_python python);
/* After a call of the library: what was kept for it may go. */
extern int ext_unsettled;
void ext_settle(void);
#define EXT_SETTLE()                                                                               \
    do {                                                                                           \
        if (ext_unsettled) ext_settle();                                                           \
    } while (0)
/* Lets go of an array that an object has had since then (ext_now() at that time; 0: it was made
 * with it). */
void ext_let_go(tn_array *array, uint64_t since);
uint64_t ext_now(void);
/* Lets go of a stream (NULL is allowed) that was the thread's current one, and takes over the
 * reference. */
void ext_let_go_stream(tn_stream *stream);
/* Gives the GIL up around a call that may take long: when `size` elements are worth it. */
#define EXT_LONG_CALL(status, size, expression)                                                    \
    do {                                                                                           \
        if ((size) >= 32768) {                                                                     \
            ext_pause ext_pause_;                                                                  \
            ext_give_up(&ext_pause_);                                                              \
            status = (expression);                                                                 \
            ext_take_back(&ext_pause_);                                                            \
        } else                                                                                     \
            status = (expression);                                                                 \
        EXT_SETTLE();                                                                              \
    } while (0)
#define EXT_WITHOUT_GIL(status, expression) EXT_LONG_CALL(status, INT64_MAX, expression)

#endif
