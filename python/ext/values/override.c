/* NEP 13: which operand handles a ufunc's call. An operand whose class has an __array_ufunc__ of
 * its own (neither NumPy's nor ours) gets the call before the operand is read: subclasses of
 * ndarray that define one, and arrays of third kinds, which would be refused here. From left to
 * right, but a subclass before its base; NotImplemented passes the call on. */
#include "values/override.h"

#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "exchange/foreign.h"

static PyObject *numpy_method, *own_method; /* what ndarrays inherit, here and there */

static int load(void) {
    if (own_method) return 0;
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *host = numpy ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
    Py_XDECREF(numpy);
    if (host) numpy_method = PyObject_GetAttrString(host, "__array_ufunc__");
    Py_XDECREF(host);
    if (!numpy_method) return -1;
    own_method = PyObject_GetAttrString((PyObject *)ext_ndarray_type, "__array_ufunc__");
    return own_method ? 0 : -1;
}

/* Whether the class of an operand overrides ufuncs; None, the wish to be left alone, is no
 * override. -1: an exception. */
static int overrides(PyObject *operand) {
    PyObject *method;
    if (Py_TYPE(operand) == ext_ndarray_type) return 0;
    if (ext_find_override((PyObject *)Py_TYPE(operand), &method)) return -1;
    int found = method && method != Py_None && method != numpy_method && method != own_method;
    Py_XDECREF(method);
    return found;
}

enum { MOST = TN_MAX_OPERANDS };

/* Operands that override, each class once, in the order in which they are asked. -1: an
 * exception. */
static int list_candidates(PyObject **candidates, PyObject *arguments) {
    int count = 0;
    for (Py_ssize_t k = 0; k < PyTuple_Size(arguments) && count < MOST; k++) {
        PyObject *operand = PyTuple_GetItem(arguments, k);
        int state = overrides(operand);
        if (state < 0) return -1;
        if (!state) continue;
        int at = 0;
        while (at < count && Py_TYPE(candidates[at]) != Py_TYPE(operand) &&
               !PyType_IsSubtype(Py_TYPE(operand), Py_TYPE(candidates[at])))
            at++;
        if (at < count && Py_TYPE(candidates[at]) == Py_TYPE(operand)) continue;
        for (int later = count++; later > at; later--)
            candidates[later] = candidates[later - 1];
        candidates[at] = operand;
    }
    return count;
}

static PyObject *ask(PyObject *candidate, PyObject *function, PyObject *arguments,
                     PyObject *keywords) {
    PyObject *method = PyObject_GetAttrString(candidate, "__array_ufunc__");
    PyObject *head = method ? Py_BuildValue("(Os)", function, "__call__") : NULL;
    PyObject *all = head ? PySequence_Concat(head, arguments) : NULL;
    PyObject *result = all ? PyObject_Call(method, all, keywords) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(head);
    Py_XDECREF(method);
    return result;
}

PyObject *ext_override(PyObject *function, PyObject *arguments, PyObject *keywords) {
    PyObject *candidates[MOST];
    if (load()) return NULL;
    int count = list_candidates(candidates, arguments);
    for (int k = 0; k < count; k++) {
        PyObject *result = ask(candidates[k], function, arguments, keywords);
        if (result != Py_NotImplemented) return result;
        Py_DECREF(result);
    }
    if (count > 0)
        PyErr_Format(PyExc_TypeError,
                     "operand type(s) all returned NotImplemented from __array_ufunc__(%R, "
                     "'__call__', %R)",
                     function, arguments);
    return NULL;
}

PyObject *ext_override_pair(PyObject *function, PyObject *a, PyObject *b, PyObject *out) {
    ext_error error = ext_error_take();
    PyObject *arguments = b ? PyTuple_Pack(2, a, b) : PyTuple_Pack(1, a), *keywords = NULL;
    if (out) keywords = Py_BuildValue("{s(O)}", "out", out);
    PyObject *result =
        arguments && (keywords || !out) ? ext_override(function, arguments, keywords) : NULL;
    Py_XDECREF(arguments);
    Py_XDECREF(keywords);
    ext_error_settle(error, result != NULL);
    return result;
}

/* --- Operators: NotImplemented, and the class of a result --- */

/* 0 where it has none, or one that is no number. */
static int read_priority(PyObject *object, double *value) {
    static PyObject *name;
    PyObject *attribute;
    *value = 0;
    if (!name && !(name = PyUnicode_InternFromString("__array_priority__"))) return -1;
    if (ext_find(object, name, &attribute)) return -1;
    if (!attribute) return 0;
    *value = PyFloat_AsDouble(attribute);
    Py_DECREF(attribute);
    if (!PyErr_Occurred()) return 0;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
    *value = 0;
    return 0;
}

/* 1: the other operand should have it; -1: an exception. */
static int defers(PyObject *other) {
    PyObject *override;
    double priority;
    if (ext_find_override((PyObject *)Py_TYPE(other), &override)) return -1;
    Py_XDECREF(override);
    if (override == Py_None) return 1;
    return read_priority(other, &priority) ? -1 : priority > 100;
}

int ext_defers(PyObject *a, PyObject *b) {
    PyObject *other = ext_is_array(a) ? b : a;
    int state = ext_is_array(other) ? 0 : ext_is_foreign(other);
    return state > 0 ? defers(other) : state;
}

PyObject *ext_refuse(PyObject *a, PyObject *b) {
    PyObject *other = ext_is_array(a) ? b : a;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
    ext_error error = ext_error_take();
    int state = defers(other);
    ext_error_settle(error, state != 0);
    if (state <= 0) return NULL;
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
}

PyObject *ext_dominant(PyObject *a, PyObject *b) {
    double first, second;
    if (Py_TYPE(a) == Py_TYPE(b)) return a;
    if (read_priority(a, &first) || read_priority(b, &second)) return NULL;
    return second > first ? b : a;
}

PyObject *ext_override_function(const char *name, PyObject *object, PyObject *const *arguments,
                                Py_ssize_t count, PyObject *keywords) {
    ext_error error = ext_error_take();
    PyObject *method = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__tenorite_function__");
    if (!method) {
        PyErr_Clear();
        ext_error_put_back(error);
        return NULL;
    }
    PyObject *result = NULL, *positional = PyTuple_New(count), *named = PyDict_New();
    Py_ssize_t names = keywords ? PyTuple_Size(keywords) : 0;
    bool is_ready = positional && named;
    for (Py_ssize_t k = 0; is_ready && k < count; k++)
        is_ready = !PyTuple_SetItem(positional, k, Py_NewRef(arguments[k]));
    for (Py_ssize_t k = 0; is_ready && k < names; k++)
        is_ready = !PyDict_SetItem(named, PyTuple_GetItem(keywords, k), arguments[count + k]);
    if (is_ready) result = PyObject_CallFunction(method, "OsOO", object, name, positional, named);
    Py_XDECREF(positional);
    Py_XDECREF(named);
    Py_DECREF(method);
    ext_error_drop(error);
    return result;
}
