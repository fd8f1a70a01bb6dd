/* Calls that wait, as tenorite._kernels.backlog wraps them. */
#include "functions/backlog.h"

#include "base/call.h"
#include "base/dtypes.h"
#include "base/kinds.h"
#include "values/kinds.h"

#include <stdlib.h>
#include <string.h>

/* The thread's calls wait (1), do not (-1), or as the process says (0). Gives what was said. */
EXT_CALL(backlog_use, EXT_SHORT, (number, waiting), (made_number, before)) {
    call->before = (int)tn_backlog_used();
    return tn_backlog_use((tn_waiting)call->waiting);
}

EXT_CALL(backlog_use_in_process, EXT_SHORT, (truth, waits), (int64, least), (made_truth, before)) {
    call->before = tn_backlog_used_in_process();
    tn_backlog_use_in_process(call->waits, call->least);
    return TN_OK;
}

/* Runs what waits on the current stream. */
EXT_CALL(backlog_run, EXT_SHORT) {
    (void)call;
    return tn_stream_run(NULL);
}

EXT_CALL(is_due, EXT_SHORT, (array, array), (made_truth, due)) {
    call->due = tn_array_is_due(call->array);
    return TN_OK;
}

/* Figures by name, then the count of each look. */
EXT_CALL(backlog_figures, EXT_SHORT, (made_object, all)) {
    tn_backlog_figures all;
    tn_backlog_get_figures(&all);
    const struct {
        const char *name;
        int64_t value;
    } figures[] = {
#define FIGURE_OF(name) {#name, all.name}
        FIGURE_OF(joined),       FIGURE_OF(runs),
        FIGURE_OF(graphs),       FIGURE_OF(programs),
        FIGURE_OF(single_calls), FIGURE_OF(dropped),
        FIGURE_OF(lost),         FIGURE_OF(launches),
        FIGURE_OF(bytes),        FIGURE_OF(single_launches),
        FIGURE_OF(single_bytes), FIGURE_OF(waiting),
#undef FIGURE_OF
    };
    PyObject *result = PyDict_New();
    for (size_t k = 0; result && k < sizeof figures / sizeof figures[0]; k++) {
        PyObject *value = PyLong_FromLongLong(figures[k].value);
        if (!value || PyDict_SetItemString(result, figures[k].name, value)) Py_CLEAR(result);
        Py_XDECREF(value);
    }
    call->all = result;
    return TN_OK;
}

/* (name, sentence, runs) of each look. */
EXT_CALL(backlog_looks, EXT_SHORT, (made_object, all)) {
    PyObject *result = PyList_New(0);
    for (int k = 0; result && k < tn_backlog_look_count(); k++) {
        PyObject *entry =
            Py_BuildValue("(ssL)", tn_backlog_look_name(k), tn_backlog_look_sentence(k),
                          (long long)tn_backlog_looks(k));
        if (!entry || PyList_Append(result, entry)) Py_CLEAR(result);
        Py_XDECREF(entry);
    }
    call->all = result;
    return TN_OK;
}

static PyObject *cost_object(tn_explained_cost cost) {
    return Py_BuildValue("(iLL)", cost.launches, (long long)cost.bytes_read,
                         (long long)cost.bytes_written);
}

/* Adds what is given, and takes it over; *list is NULL after a failure. */
static void append(PyObject **list, PyObject *entry) {
    if (!entry || PyList_Append(*list, entry)) Py_CLEAR(*list);
    Py_XDECREF(entry);
}

/* (name of the look, sentence, calls, dropped, cost, cost of single calls) of the thread's last
 * runs, the last one first. */
EXT_CALL(backlog_runs, EXT_SHORT, (made_object, all)) {
    PyObject *result = PyList_New(0);
    tn_backlog_run run;
    for (int ago = 0; result && tn_backlog_last_run(&run, ago); ago++)
        append(&result, Py_BuildValue("(ssiiNN)", tn_backlog_look_name(run.look),
                                      tn_backlog_look_sentence(run.look), run.calls, run.dropped,
                                      cost_object(run.cost), cost_object(run.single)));
    call->all = result;
    return TN_OK;
}

/* (name, shape, dtype) of the calls of the thread that wait. */
EXT_CALL(backlog_calls, EXT_SHORT, (made_object, all)) {
    PyObject *result = PyList_New(0);
    tn_backlog_call waiting;
    for (int number = 0; result && tn_backlog_get_call(&waiting, number); number++) {
        PyObject *shape = PyTuple_New(waiting.ndim);
        for (int k = 0; shape && k < waiting.ndim; k++)
            PyTuple_SetItem(shape, k, PyLong_FromLongLong(waiting.shape[k]));
        append(&result,
               Py_BuildValue("(sNO)", waiting.name, shape, ext_dtype_object(waiting.dtype)));
    }
    call->all = result;
    return TN_OK;
}

PyMethodDef ext_backlog_functions[] = {
    EXT_ENTRY(backlog_use),  EXT_ENTRY(backlog_use_in_process), EXT_ENTRY(backlog_run),
    EXT_ENTRY(is_due),       EXT_ENTRY(backlog_figures),        EXT_ENTRY(backlog_looks),
    EXT_ENTRY(backlog_runs), EXT_ENTRY(backlog_calls),          {NULL, NULL, 0, NULL},
};

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

int ext_backlog_init(PyObject *module) {
    const char *least = getenv("TENORITE_WAIT_LEAST"), *patience = getenv("TENORITE_WAIT_IDLE");
    (void)module;
    if (patience && *patience) tn_backlog_set_patience(1000 * strtoll(patience, NULL, 10));
    if (is_set("TENORITE_WAIT") && !is_set("TENORITE_EAGER"))
        tn_backlog_use_in_process(true, least && *least ? strtoll(least, NULL, 10) : -1);
    return 0;
}
