/* Python that runs inside a call of the library, and what such a call uses.
 *
 * Calls get arrays that are borrowed from their objects (ext.h has the rule). Python may run
 * before such a call is done: in other threads while the GIL is given up, in this one where the
 * library calls an allocator, a hook, or drops an object. That Python may give the objects other
 * arrays (a.shape = ...), and the old ones must stay until the call is done. Small calls keep no
 * books of what they use, so each stretch of Python inside a call is noted as a pause of that
 * call, when it begins.
 *
 * Invariant: all pauses, of all threads, are linked in the order of their beginnings. An array
 * that an object lets go of hangs on the newest of them that began after the object had got it:
 * no other call can use it. When a pause is over, what hangs on it goes to the pause before
 * under the same condition, or is released. So each object has at most one array on each pause,
 * however often it is reshaped. A stream that a thread lets go of as its current one hangs
 * likewise on that thread's own pause, for the call around it may work there.
 *
 * A pause is over when its call is. Where the GIL was given up by EXT_LONG_CALL that is known.
 * Of a pause inside a small call only the end of its Python is known: such a pause is settled
 * when this thread is seen after the call, by EXT_SETTLE(). All is guarded by the GIL. */
#include "base/hold.h"

#include "base/ext.h"
#include "base/origin.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef struct retired {
    struct retired *next;
    tn_array *array;   /* either */
    tn_stream *stream; /* or */
    uint64_t since;
} retired;

int ext_unsettled;
static ext_pause *newest;
static uint64_t last_number;
static bool is_blind;                      /* a pause could not be noted */
static _Thread_local ext_pause *innermost; /* of this thread, whose call is not known to be done */

/* --- The GIL --- */

/* Not of the limited API, but of every CPython. */
static int (*check_gil)(void);

void ext_hold_init(void) {
    *(void **)&check_gil = dlsym(RTLD_DEFAULT, "PyGILState_Check");
}

/* At the interpreter's end check_gil() says yes to all threads, to those that are not Python's,
 * too. */
bool ext_holds_gil(void) {
    return check_gil && Py_IsInitialized() && PyGILState_GetThisThreadState() && check_gil();
}

/* --- Arrays that are let go --- */

uint64_t ext_now(void) {
    return last_number;
}

void ext_let_go(tn_array *array, uint64_t since) {
    if (is_blind) return;
    if (!newest || newest->number <= since) {
        tn_array_release(array);
        return;
    }
    retired *made = malloc(sizeof *made);
    if (!made) return; /* it stays for ever */
    *made = (retired){newest->retired, array, NULL, since};
    newest->retired = made;
}

void ext_let_go_stream(tn_stream *stream) {
    if (is_blind) return;
    if (!innermost) {
        tn_stream_release(stream);
        return;
    }
    retired *made = malloc(sizeof *made);
    if (!made) return;
    *made = (retired){innermost->retired, NULL, stream, 0};
    innermost->retired = made;
}

/* What hangs on a pause that is over. Releasing may run Python, which may end other pauses: it
 * comes last. */
static void pass_on(retired *list, ext_pause *to) {
    retired *gone = NULL, *next;
    for (; list; list = next) {
        bool is_needed = to && to->number > list->since;
        retired **onto = is_needed ? &to->retired : &gone;
        next = list->next;
        list->next = *onto;
        *onto = list;
    }
    for (; gone; gone = next) {
        next = gone->next;
        tn_array_release(gone->array);
        tn_stream_release(gone->stream);
        free(gone);
    }
}

/* --- Pauses --- */

static void begin(ext_pause *pause) {
    *pause = (ext_pause){.older = newest, .outer = innermost, .number = ++last_number};
    if (newest) newest->newer = pause;
    newest = innermost = pause;
}

/* Ends the innermost pause. */
static void finish(void) {
    ext_pause *pause = innermost, *older = pause->older, *newer = pause->newer;
    retired *list = pause->retired;
    innermost = pause->outer;
    *(newer ? &newer->older : &newest) = older;
    if (older) older->newer = newer;
    if (pause->is_unsettled) {
        ext_unsettled--;
        free(pause);
    }
    pass_on(list, older);
}

void ext_settle(void) {
    while (innermost && innermost->is_unsettled)
        finish();
}

void ext_give_up(ext_pause *pause) {
    begin(pause);
    pause->has_place = (ext_is_traced() || ext_logs_places) && !PyErr_Occurred();
    if (pause->has_place) ext_origin_enter();
    pause->thread = PyEval_SaveThread();
}

void ext_take_back(ext_pause *pause) {
    PyEval_RestoreThread(pause->thread);
    if (pause->has_place) ext_origin_leave();
    ext_settle();
    finish();
}

/* --- Pauses of calls that are not known --- */

/* Without memory for it what is let go stays for ever, as the call's end would not be seen. */
static ext_pause *begin_unknown(void) {
    ext_pause *pause = malloc(sizeof *pause);
    if (pause)
        begin(pause);
    else
        is_blind = true;
    return pause;
}

static void end_unknown(ext_pause *pause) {
    if (!pause) return;
    pause->is_unsettled = true;
    ext_unsettled++;
}

ext_pause *ext_give_up_inside(void) {
    ext_pause *pause = begin_unknown();
    if (pause) pause->thread = PyEval_SaveThread();
    return pause;
}

void ext_take_back_inside(ext_pause *pause) {
    PyEval_RestoreThread(pause->thread);
    end_unknown(pause);
}

/* Where the GIL has been given up, a pause is under way already; or the thread is not Python's,
 * and not inside a call of Python's. */
ext_python ext_python_open(void) {
    bool is_inside = ext_holds_gil();
    ext_python python = {PyGILState_Ensure(), NULL};
    if (is_inside) python.pause = begin_unknown();
    return python;
}

void ext_python_close(ext_python python) {
    end_unknown(python.pause);
    PyGILState_Release(python.state);
}
