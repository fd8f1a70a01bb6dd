/* Calls that were refused, of arrays of which elements are only stored, or under the alias of CuPy
 * of NumPy's arrays: the arguments are handed to Python's take_over(). Nothing is done before a
 * call has failed. */
#include "values/take_over.h"

#include "base/errors.h"

/* `positional` and `named` are taken over; an exception is pending. */
static PyObject *hand_over(const char *function, PyObject *positional, PyObject *named) {
    ext_error error = ext_error_take();
    PyObject *module = positional ? PyImport_ImportModule("tenorite._array.refused") : NULL;
    PyObject *result = NULL;
    if (module)
        result = PyObject_CallMethod(module, "take_over", "sOO", function, positional, named);
    if (result == Py_NotImplemented) {
        Py_DECREF(result);
        result = NULL;
    }
    Py_XDECREF(module);
    Py_XDECREF(named);
    Py_XDECREF(positional);
    ext_error_settle(error, result != NULL);
    return result;
}

PyObject *ext_or_take_over(PyObject *result, const char *function, PyObject *self,
                           PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    PyObject *positional = NULL, *named = NULL;
    if (result || !PyErr_ExceptionMatches(PyExc_TypeError)) return result;
    ext_error error = ext_error_take();
    const bool is_packed = !ext_pack(self, arguments, count, keywords, &positional, &named);
    ext_error_settle(error, !is_packed);
    return is_packed ? hand_over(function, positional, named) : NULL;
}

PyObject *ext_or_take_over_call(const char *function, PyObject *self, PyObject *arguments,
                                PyObject *keywords) {
    ext_error error = ext_error_take();
    PyObject *head = PyTuple_Pack(1, self), *named = NULL, *positional = NULL;
    if (head) positional = PySequence_Concat(head, arguments);
    if (positional) named = keywords ? Py_NewRef(keywords) : PyDict_New();
    Py_XDECREF(head);
    ext_error_settle(error, !named);
    if (named) return hand_over(function, positional, named);
    Py_XDECREF(positional);
    return NULL;
}
