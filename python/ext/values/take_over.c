#include "values/take_over.h"

#include "base/errors.h"
#include "base/stored.h"
#include "base/types.h"

bool ext_has_stored(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    const Py_ssize_t all = count + (keywords ? PyTuple_Size(keywords) : 0);
    for (Py_ssize_t k = 0; k < all; k++)
        if (ext_is_stored(arguments[k])) return true;
    return false;
}

int ext_names_stored(PyObject *object) {
    ext_error error = ext_error_take();
    PyObject *dtype = PyObject_GetAttrString(object, "dtype");
    tn_dtype found;
    const bool names = dtype && ext_stored_dtype(dtype, &found) > 0;
    if (dtype || PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    Py_XDECREF(dtype);
    const bool failed = PyErr_Occurred();
    ext_error_settle(error, false);
    return failed ? -1 : names;
}

bool ext_are_stored(PyObject *const *operands, Py_ssize_t count) {
    if (ext_has_stored(operands, count, NULL)) return true;
    ext_error error = ext_error_take();
    PyObject *scalars = ext_import("tenorite._array.times", "SCALARS");
    bool are = false;
    for (Py_ssize_t k = 0; scalars && k < count; k++)
        are |= PyObject_IsInstance(operands[k], scalars) > 0;
    Py_XDECREF(scalars);
    PyErr_Clear();
    ext_error_settle(error, false);
    return are;
}

/* Calls a function of Python with a name, a tuple and a dict, which are taken over; NULL: none. */
static PyObject *hand_over(const char *module, const char *to, const char *function,
                           PyObject *positional, PyObject *named) {
    PyObject *taker = positional && named ? ext_import(module, to) : NULL;
    PyObject *result =
        taker ? PyObject_CallFunction(taker, "sOO", function, positional, named) : NULL;
    Py_XDECREF(taker);
    Py_XDECREF(named);
    Py_XDECREF(positional);
    return result;
}

PyObject *ext_take_over(const char *function, PyObject *self, PyObject *const *arguments,
                        Py_ssize_t count, PyObject *keywords) {
    PyObject *positional = NULL, *named = NULL;
    if (ext_pack(self, arguments, count, keywords, &positional, &named)) Py_CLEAR(named);
    return hand_over("tenorite._array.stored", "take_over", function, positional, named);
}

PyObject *ext_take_over_call(const char *function, PyObject *self, PyObject *arguments,
                             PyObject *keywords) {
    PyObject *head = PyTuple_Pack(1, self);
    PyObject *positional = head ? PySequence_Concat(head, arguments) : NULL;
    PyObject *named = keywords ? Py_NewRef(keywords) : PyDict_New();
    Py_XDECREF(head);
    return hand_over("tenorite._array.stored", "take_over", function, positional, named);
}

PyObject *ext_or_numpy(PyObject *result, const char *function, PyObject *const *arguments,
                       Py_ssize_t count, PyObject *keywords) {
    PyObject *positional = NULL, *named = NULL;
    if (result || !PyErr_ExceptionMatches(PyExc_TypeError)) return result;
    ext_error error = ext_error_take();
    if (ext_pack(NULL, arguments, count, keywords, &positional, &named)) Py_CLEAR(named);
    result = hand_over("tenorite._arguments", "by_numpy", function, positional, named);
    if (result == Py_NotImplemented) Py_CLEAR(result);
    ext_error_settle(error, result || PyErr_Occurred());
    return result;
}
