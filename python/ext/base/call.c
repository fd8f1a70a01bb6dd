/* What the reader of rows says, and what it gives back. */
#include "base/call.h"

int ext_refuse_kind(const ext_parameter *which, const char *what, PyObject *object) {
    PyErr_Format(PyExc_TypeError, "argument '%s' of %s() must be %s, not %R", which->name,
                 which->function, what, (PyObject *)Py_TYPE(object));
    return -1;
}

PyObject *ext_refuse_count(const char *function, Py_ssize_t arguments, Py_ssize_t count) {
    return PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments (%zd given)", function,
                        arguments, count);
}

PyObject *ext_pack_results(PyObject *const *results, int count) {
    PyObject *tuple = PyTuple_New(count);
    bool has_failed = !tuple;
    for (int k = 0; k < count; k++) {
        if (!results[k] || !tuple)
            has_failed = true, Py_XDECREF(results[k]);
        else
            PyTuple_SetItem(tuple, k, results[k]);
    }
    if (has_failed) Py_CLEAR(tuple);
    return tuple;
}
