/* Calls with signature=: Python asks NumPy for the loop, converts the operands, and calls again. */
#include "values/signature.h"

PyObject *ext_by_signature(const char *function, PyObject *arguments, PyObject *keywords) {
    PyObject *module = PyImport_ImportModule("tenorite._array.ufuncs"), *result = NULL;
    if (module)
        result = PyObject_CallMethod(module, "by_signature", "sOO", function, arguments, keywords);
    Py_XDECREF(module);
    return result;
}

PyObject *ext_by_signature_of(const char *function, PyObject *const *arguments, Py_ssize_t count,
                              PyObject *keywords) {
    PyObject *positional = NULL, *named = NULL, *result = NULL;
    if (!ext_pack(NULL, arguments, count, keywords, &positional, &named))
        result = ext_by_signature(function, positional, named);
    Py_XDECREF(positional);
    Py_XDECREF(named);
    return result;
}
