/* The reader of rows. Arrays are borrowed when all arguments are read, so that no Python runs
 * before the call (ext.h has the rule). */
#include "base/call.h"

#include "base/errors.h"
#include "base/hold.h"

int ext_refuse_kind(const ext_parameter *which, const char *what, PyObject *object) {
    PyErr_Format(PyExc_TypeError, "argument '%s' of %s() must be %s, not %R", which->name,
                 which->function, what, (PyObject *)Py_TYPE(object));
    return -1;
}

static void *part(void *call, const ext_parameter *which) {
    return (char *)call + which->at;
}

static int count_arguments(const ext_parameter *parameters) {
    int count = 0;
    for (const ext_parameter *p = parameters; p->name; p++)
        count += p->kind->read != NULL;
    return count;
}

static int read_all(const ext_row *row, void *call, PyObject *const *arguments, Py_ssize_t count) {
    Py_ssize_t at = 0;
    const ext_parameter *p = row->parameters;
    for (; p->name; p++) {
        if (!p->kind->read) continue;
        if (at == count) break;
        if (p->kind->read(part(call, p), arguments[at++], p)) return -1;
    }
    if (!p->name && at == count) return 0;
    PyErr_Format(PyExc_TypeError, "%s() takes %d arguments (%zd given)", p->function,
                 count_arguments(row->parameters), count);
    return -1;
}

/* Borrows arrays; how many elements the call is about. */
static int64_t lend_all(const ext_row *row, void *call, PyObject *const *arguments) {
    int64_t work = 0;
    for (const ext_parameter *p = row->parameters; p->name; p++) {
        if (p->kind->lend) p->kind->lend(part(call, p), *arguments);
        if (p->kind->work) work += p->kind->work(part(call, p));
        arguments += p->kind->read != NULL;
    }
    return row->gil == EXT_SIZED ? work : row->gil == EXT_LONG ? INT64_MAX : 0;
}

/* Of arguments; results are there after a success alone, and are given then. */
static void release_all(const ext_row *row, void *call) {
    for (const ext_parameter *p = row->parameters; p->name; p++)
        if (p->kind->release && !p->kind->give) p->kind->release(part(call, p));
}

/* All results are taken over, also on failure. */
static PyObject *give_all(const ext_row *row, void *call, PyObject *const *arguments,
                          Py_ssize_t count) {
    PyObject *first = count ? arguments[0] : Py_None, *only = NULL, *tuple = NULL;
    int results = 0;
    for (const ext_parameter *p = row->parameters; p->name; p++)
        results += p->kind->give != NULL;
    if (results == 0) Py_RETURN_NONE;
    if (results > 1) tuple = PyTuple_New(results);
    int at = 0;
    for (const ext_parameter *p = row->parameters; p->name; p++) {
        PyObject *own = p->kind->read ? *arguments++ : NULL;
        if (!p->kind->give) continue;
        if (results > 1 && !tuple) {
            if (p->kind->release) p->kind->release(part(call, p));
            continue;
        }
        only = p->kind->give(part(call, p), own, first);
        if (results > 1 && (!only || PyTuple_SetItem(tuple, at++, only))) Py_CLEAR(tuple);
    }
    return results > 1 ? tuple : only;
}

PyObject *ext_call(const ext_row *row, void *call, PyObject *const *arguments, Py_ssize_t count) {
    tn_status status = TN_ERROR_CALLBACK;
    PyObject *result = NULL;
    if (!read_all(row, call, arguments, count)) {
        const int64_t work = lend_all(row, call, arguments);
        EXT_LONG_CALL(status, work, row->function(call));
        result = status ? ext_raise(status) : give_all(row, call, arguments, count);
    }
    release_all(row, call);
    return result;
}
