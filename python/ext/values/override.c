/* NEP 13: which operand handles a ufunc's call. An operand whose class has an __array_ufunc__ of
 * its own (neither NumPy's nor ours) gets the call before the operand is read: subclasses of
 * ndarray that define one, and arrays of third kinds, which would be refused here. From left to
 * right, but a subclass before its base; NotImplemented passes the call on. Arrays of third kinds
 * are asked again with NumPy's ufunc of the same name: some, as Dask's, try the ufunc on arrays of
 * NumPy's, which ours refuses. */
#include "values/override.h"

#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "exchange/foreign.h"
#include "values/take_over.h"
#include "values/ufunc_object.h"

#include <string.h>

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
    if (Py_TYPE(operand) == ext_ndarray_type || operand == Py_None || PyLong_Check(operand) ||
        PyFloat_CheckExact(operand) || PyList_CheckExact(operand) || PyTuple_CheckExact(operand))
        return 0;
    if (ext_find_override((PyObject *)Py_TYPE(operand), &method)) return -1;
    int found = method && method != Py_None && method != numpy_method && method != own_method;
    Py_XDECREF(method);
    return found;
}

enum { MOST = TN_MAX_OPERANDS };

typedef struct candidates {
    PyObject *operands[MOST];
    int count;
} candidates;

/* Enters an operand that overrides: each class once, in the order in which they are asked. */
static int add_candidate(candidates *c, PyObject *operand) {
    int state = operand && c->count < MOST ? overrides(operand) : 0, at = 0;
    if (state <= 0) return state;
    while (at < c->count && Py_TYPE(c->operands[at]) != Py_TYPE(operand) &&
           !PyType_IsSubtype(Py_TYPE(operand), Py_TYPE(c->operands[at])))
        at++;
    if (at < c->count && Py_TYPE(c->operands[at]) == Py_TYPE(operand)) return 0;
    for (int later = c->count++; later > at; later--)
        c->operands[later] = c->operands[later - 1];
    c->operands[at] = operand;
    return 0;
}

static int add_candidates(candidates *c, PyObject *tuple) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(tuple); k++)
        if (add_candidate(c, PyTuple_GetItem(tuple, k))) return -1;
    return 0;
}

/* After inputs: what out= and where= have. NULL: not given. */
static int add_named(candidates *c, PyObject *out, PyObject *where) {
    bool is_tuple = out && PyTuple_Check(out);
    if (is_tuple ? add_candidates(c, out) : add_candidate(c, out)) return -1;
    return add_candidate(c, where);
}

/* Options as operands get them: out= is a tuple, and absent where all of it is None; sig=
 * is signature=. New reference. */
static PyObject *make_named(PyObject *keywords, PyObject *outputs) {
    PyObject *named = keywords ? PyDict_Copy(keywords) : PyDict_New();
    PyObject *out = named ? PyDict_GetItemString(named, "out") : NULL;
    PyObject *signature = named ? PyDict_GetItemString(named, "sig") : NULL;
    if (!named) return NULL;
    if (signature &&
        (PyDict_SetItemString(named, "signature", signature) || PyDict_DelItemString(named, "sig")))
        goto failed;
    if (!out && !outputs) return named;
    PyObject *tuple = NULL;
    if (!out)
        tuple = Py_NewRef(outputs);
    else
        tuple = PyTuple_Check(out) ? Py_NewRef(out) : PyTuple_Pack(1, out);
    if (!tuple) goto failed;
    bool is_given = false;
    for (Py_ssize_t k = 0; k < PyTuple_Size(tuple); k++)
        is_given |= PyTuple_GetItem(tuple, k) != Py_None;
    int failed = is_given ? PyDict_SetItemString(named, "out", tuple)
                          : (out && PyDict_DelItemString(named, "out"));
    Py_DECREF(tuple);
    if (!failed) return named;
failed:
    Py_DECREF(named);
    return NULL;
}

static PyObject *ask(PyObject *candidate, PyObject *function, const char *method,
                     PyObject *arguments, PyObject *keywords) {
    PyObject *override = PyObject_GetAttrString(candidate, "__array_ufunc__");
    PyObject *head = override ? Py_BuildValue("(Os)", function, method) : NULL;
    PyObject *all = head ? PySequence_Concat(head, arguments) : NULL;
    PyObject *result = all ? PyObject_Call(override, all, keywords) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(head);
    Py_XDECREF(override);
    return result;
}

/* NumPy's ufunc of a ufunc's name, NULL without an exception where there is none. */
static PyObject *numpy_ufunc(PyObject *function) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *type = numpy ? PyObject_GetAttrString(numpy, "ufunc") : NULL;
    PyObject *name = type ? PyObject_GetAttrString(function, "__name__") : NULL, *found = NULL;
    if (name) ext_find(numpy, name, &found);
    if (found && PyObject_IsInstance(found, type) != 1) Py_CLEAR(found);
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(numpy);
    if (!found) PyErr_Clear();
    return found;
}

/* The answer of the first array of a third kind to NumPy's ufunc; a new reference to NotImplemented
 * if none has one. */
static PyObject *ask_again(const candidates *c, PyObject *function, const char *method,
                           PyObject *inputs, PyObject *named) {
    PyObject *theirs = numpy_ufunc(function), *result = Py_NewRef(Py_NotImplemented);
    for (int k = 0; theirs && k < c->count && result == Py_NotImplemented; k++) {
        if (PyType_IsSubtype(Py_TYPE(c->operands[k]), ext_ndarray_type)) continue;
        Py_DECREF(result);
        result = ask(c->operands[k], theirs, method, inputs, named);
    }
    Py_XDECREF(theirs);
    return result;
}

/* The first answer that is not NotImplemented. */
static PyObject *ask_all(const candidates *c, PyObject *function, const char *method,
                         PyObject *inputs, PyObject *named) {
    for (int k = 0; k < c->count; k++) {
        PyObject *result = ask(c->operands[k], function, method, inputs, named);
        if (result != Py_NotImplemented) return result;
        Py_DECREF(result);
    }
    PyObject *result = ask_again(c, function, method, inputs, named);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
    return PyErr_Format(PyExc_TypeError,
                        "operand type(s) all returned NotImplemented from __array_ufunc__(%R, "
                        "'%s', %R)",
                        function, method, inputs);
}

/* Inputs and outputs apart, then the answer. */
static PyObject *ask_normalised(const candidates *c, PyObject *function, const char *method,
                                PyObject *arguments, PyObject *keywords, Py_ssize_t inputs) {
    Py_ssize_t count = PyTuple_Size(arguments);
    PyObject *outputs = count > inputs ? PyTuple_GetSlice(arguments, inputs, count) : NULL;
    PyObject *operands = PyTuple_GetSlice(arguments, 0, inputs);
    PyObject *named = outputs || count <= inputs ? make_named(keywords, outputs) : NULL;
    PyObject *result = named && operands ? ask_all(c, function, method, operands, named) : NULL;
    Py_XDECREF(named);
    Py_XDECREF(operands);
    Py_XDECREF(outputs);
    return result;
}

PyObject *ext_override(PyObject *function, const char *method, PyObject *arguments,
                       PyObject *keywords) {
    candidates c = {.count = 0};
    PyObject *out = keywords ? PyDict_GetItemString(keywords, "out") : NULL;
    PyObject *where = keywords ? PyDict_GetItemString(keywords, "where") : NULL;
    if (load() || add_candidates(&c, arguments) || add_named(&c, out, where) || c.count == 0)
        return NULL;
    return ask_normalised(&c, function, method, arguments, keywords,
                          tn_op_inputs(ext_ufunc_op(function)));
}

int ext_override_method(PyObject **result, PyObject *function, const char *method, int inputs,
                        const char *const *names, PyObject *const *values) {
    candidates c = {.count = 0};
    int failed = load();
    *result = NULL;
    for (int k = 0; names[k] && !failed; k++) {
        if (k < inputs)
            failed = add_candidate(&c, values[k]);
        else if (!strcmp(names[k], "out") || !strcmp(names[k], "where"))
            failed = add_named(&c, values[k], NULL);
    }
    if (failed || c.count == 0) return -failed;
    PyObject *arguments = PyTuple_New(inputs), *keywords = PyDict_New();
    bool is_ready = arguments && keywords;
    for (int k = 0; is_ready && names[k]; k++) {
        if (k < inputs)
            is_ready = !PyTuple_SetItem(arguments, k, Py_NewRef(values[k]));
        else if (values[k])
            is_ready = !PyDict_SetItemString(keywords, names[k], values[k]);
    }
    if (is_ready) *result = ask_normalised(&c, function, method, arguments, keywords, inputs);
    Py_XDECREF(arguments);
    Py_XDECREF(keywords);
    return 1;
}

PyObject *ext_override_pair(PyObject *function, PyObject *a, PyObject *b, PyObject *out) {
    ext_error error = ext_error_take();
    PyObject *arguments = b ? PyTuple_Pack(2, a, b) : PyTuple_Pack(1, a), *keywords = NULL;
    if (out) keywords = Py_BuildValue("{s(O)}", "out", out);
    PyObject *result = arguments && (keywords || !out)
                           ? ext_override(function, "__call__", arguments, keywords)
                           : NULL;
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
        return ext_or_numpy(NULL, name, arguments, count, keywords);
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
