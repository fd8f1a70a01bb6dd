/* Calls that were refused, of arrays of which elements are only stored, or under the alias of CuPy
 * of NumPy's arrays: the arguments are handed to Python's take_over(). Nothing is done before a
 * call has failed. */
#include "values/storage.h"

#include "base/errors.h"

PyObject *ext_or_store(PyObject *result, const char *function, PyObject *self,
                       PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    PyObject *positional = NULL, *named = NULL, *module = NULL;
    if (result || !PyErr_ExceptionMatches(PyExc_TypeError)) return result;
    ext_error error = ext_error_take();
    if (!ext_pack(self, arguments, count, keywords, &positional, &named) &&
        (module = PyImport_ImportModule("tenorite._array.refused")))
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
