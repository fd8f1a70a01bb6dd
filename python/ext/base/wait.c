/* Waiting and the GIL. Every wait of the library gives the GIL up, so that queued Python
 * functions can run, and looks at signals; and queued Python functions take it. */
#include "base/wait.h"

#include "base/errors.h"
#include "base/kinds.h"

#include <stdlib.h>

/* --- The hook around waits --- */

static void *begin(void) {
    return ext_holds_gil() ? ext_give_up_inside() : NULL;
}

static void end(void *token) {
    if (token) ext_take_back_inside(token);
}

/* Whether a signal's handler raised; the exception stays set for the caller of the wait. */
static bool poll(void *token) {
    if (!Py_IsInitialized()) return false;
    (void)token;
    if (!PyGILState_GetThisThreadState()) return false; /* a thread that is not Python's */
    ext_python python = ext_python_open();
    bool raised = PyErr_CheckSignals() != 0;
    ext_python_close(python);
    return raised;
}

static const tn_wait_hook hook = {begin, poll, end};

/* --- Waits that the program refuses or wants reported --- */

enum { QUIET, WARN, RAISE };
static _Thread_local bool is_refused, is_written;
static _Thread_local int mode;
static int watching; /* threads whose mode is another than QUIET; guarded by the GIL */

tn_status ext_wait_stream(tn_stream *stream) {
    bool before = is_written;
    is_written = true;
    tn_status status = tn_stream_synchronize(stream, -1);
    is_written = before;
    return status;
}

/* The exception or warning, made where exceptions are. */
static int report(const char *what, bool is_raised) {
    PyObject *module = PyImport_ImportModule("tenorite._lib.waits");
    PyObject *reported =
        module ? PyObject_CallMethod(module, "report", "sO", what, is_raised ? Py_True : Py_False)
               : NULL;
    Py_XDECREF(reported);
    Py_XDECREF(module);
    return reported ? 0 : -1;
}

bool ext_may_wait(const char *what) {
    if (what && mode != QUIET) {
        const int before = mode;
        mode = QUIET; /* what reports may wait */
        int failed = report(what, before == RAISE);
        mode = before;
        if (failed) return false;
    }
    if (!is_refused) return true;
    PyObject *module = PyImport_ImportModule("tenorite.exceptions");
    PyObject *kind = module ? PyObject_GetAttrString(module, "DeviceSynchronized") : NULL;
    if (kind) PyErr_SetNone(kind);
    Py_XDECREF(kind);
    Py_XDECREF(module);
    return false;
}

/* The library is about to wait for what it must know itself: how many results there are. */
static tn_status watch(void) {
    if (mode == QUIET || is_written) return TN_OK;
    ext_python python = ext_python_open();
    bool may_wait = ext_may_wait("this call");
    ext_python_close(python);
    if (may_wait) return TN_OK;
    tn_error_set("the wait was refused");
    return TN_ERROR_CALLBACK;
}

/* Sets whether this thread may wait; what was set before. */
EXT_CALL(allow_synchronize, EXT_SHORT, (truth, allow), (made_truth, before)) {
    call->before = !is_refused;
    is_refused = !call->allow;
    return TN_OK;
}

/* Sets what becomes of waits of this thread that the program has not written: 0 nothing, 1 a
 * warning, 2 an exception. What was set before. */
EXT_CALL(watch_waits, EXT_SHORT, (number, wanted), (made_number, before)) {
    call->before = mode;
    watching += (call->wanted != QUIET) - (mode != QUIET);
    mode = call->wanted;
    tn_wait_set_watcher(watching ? watch : NULL);
    return TN_OK;
}

/* --- Python functions in queues --- */

typedef struct call {
    PyObject *callable, *argument;
} call;

/* The functions below are called in any thread, and do nothing when the interpreter is gone. */

static void run_again(void *context) {
    const call *call = context;
    if (!Py_IsInitialized() || !call->callable) return;
    ext_python python = ext_python_open();
    PyObject *result = PyObject_CallFunctionObjArgs(call->callable, call->argument, NULL);
    if (!result) PyErr_WriteUnraisable(call->callable);
    Py_XDECREF(result);
    ext_python_close(python);
}

static _Thread_local bool is_dropping;

bool ext_is_dropping(void) {
    return is_dropping;
}

static void drop(void *context) {
    call *call = context;
    if (Py_IsInitialized()) {
        ext_python python = ext_python_open();
        is_dropping = true;
        Py_XDECREF(call->callable);
        Py_XDECREF(call->argument);
        is_dropping = false;
        ext_python_close(python);
    }
    free(call);
}

static void run(void *context) {
    run_again(context);
    drop(context);
}

/* A graph keeps what it calls. */
static tn_status add_to_graph(tn_stream *stream, call *call, bool *is_kept) {
    tn_status status = tn_capture_keep(stream, drop, call);
    *is_kept = status == TN_OK;
    if (*is_kept && call->callable) status = tn_stream_add_callback(stream, run_again, call);
    return status;
}

tn_status ext_call_after(tn_stream *stream, PyObject *callable, PyObject *argument) {
    call *made = malloc(sizeof *made);
    if (!made) {
        PyErr_NoMemory();
        return TN_ERROR_CALLBACK;
    }
    Py_XINCREF(callable);
    Py_XINCREF(argument);
    *made = (call){callable, argument};
    bool is_kept = false;
    tn_status status = tn_stream_is_capturing(stream) ? add_to_graph(stream, made, &is_kept)
                                                      : tn_stream_add_callback(stream, run, made);
    if (status != TN_OK && !is_kept) {
        Py_XDECREF(callable);
        Py_XDECREF(argument);
        free(made);
    }
    return status;
}

void ext_drop_after(tn_stream *stream, PyObject *object) {
    bool done = true;
    if (!stream ||
        (!tn_stream_is_capturing(stream) && (tn_stream_is_done(stream, &done) != TN_OK || done)) ||
        ext_call_after(stream, NULL, object) == TN_OK) {
        Py_DECREF(object); /* the queue has its own reference */
        return;
    }
    PyErr_Clear();
    if (tn_stream_is_capturing(stream)) return; /* no memory for the notice: it stays for ever */
    while (tn_stream_is_done(stream, &done) == TN_OK && !done) { /* no memory for the notice */
        ext_pause pause;
        ext_give_up(&pause);
        ext_take_back(&pause);
    }
    Py_DECREF(object);
}

/* No callback: the stream would stand still until the interpreter is free. */
static tn_status keep(tn_stream *stream, PyObject *owner) {
    if (tn_stream_is_capturing(stream)) return ext_call_after(stream, NULL, owner);
    call *made = malloc(sizeof *made);
    if (!made) return TN_ERROR_MEMORY;
    Py_INCREF(owner);
    *made = (call){NULL, owner};
    tn_status status = tn_stream_add_cleanup(stream, drop, made);
    if (status != TN_OK) {
        Py_DECREF(owner);
        free(made);
    }
    return status;
}

void ext_keep_after(tn_stream *stream, PyObject *owner) {
    ext_error error = ext_error_take();                 /* an interruption may be on its way */
    if (keep(stream, owner) != TN_OK) Py_INCREF(owner); /* for ever */
    ext_error_put_back(error);
}

/* Before the interpreter goes: Python functions in queues have run. */
EXT_CALL(finish_queues, EXT_SHORT) {
    (void)call;
    for (int backend = 0; backend < TN_BACKEND_COUNT; backend++)
        for (int number = 0; number < tn_device_count((tn_backend)backend); number++) {
            tn_device device = {(int16_t)backend, (int16_t)number};
            tn_status status = tn_device_synchronize(device, -1);
            if (status == TN_ERROR_CALLBACK) return status;
        }
    return TN_OK;
}

static PyMethodDef functions[] = {
    EXT_ENTRY(allow_synchronize),
    EXT_ENTRY(finish_queues),
    EXT_ENTRY(watch_waits),
    {NULL, NULL, 0, NULL},
};

int ext_wait_init(PyObject *module) {
    ext_hold_init();
    tn_wait_set_hook(&hook);
    return PyModule_AddFunctions(module, functions);
}
