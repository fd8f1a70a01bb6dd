/* Functions of the extension that structures, void and times may be given to, or NumPy's arrays
 * under the alias of CuPy: what such a function refuses is handed to Python. */
#ifndef TENORITE_EXT_VALUES_STORAGE_H
#define TENORITE_EXT_VALUES_STORAGE_H

#include "base/arguments.h"

/* The result of a call, or where that is a TypeError and tenorite._array.refused has another, that
 * one. `self` is the first argument of a method, else NULL. */
PyObject *ext_or_store(PyObject *result, const char *function, PyObject *self,
                       PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);

/* The same of a call of an object, which is the first argument; an exception is pending. */
PyObject *ext_or_store_call(const char *function, PyObject *self, PyObject *arguments,
                            PyObject *keywords);

/* A function <name>_or_store that is `function` and, for what that refuses, Python's "name". */
#define EXT_OR_STORE(function, name)                                                               \
    static PyObject *function##_or_store(ARGUMENTS) {                                              \
        PyObject *result = function(self, arguments, count, keywords);                             \
        return result ? result : ext_or_store(result, name, NULL, arguments, count, keywords);     \
    }
/* The same of a row, and its entry. */
#define EXT_ROW_OR_STORE(row)                                                                      \
    static PyObject *row##_or_store(PyObject *self, PyObject *const *arguments,                    \
                                    Py_ssize_t count) {                                            \
        PyObject *result = row##_called(self, arguments, count);                                   \
        return result ? result : ext_or_store(result, "_" #row, NULL, arguments, count, NULL);     \
    }
#define EXT_ENTRY_OR_STORE(row)                                                                    \
    { "_" #row, (PyCFunction)(void (*)(void))row##_or_store, METH_FASTCALL, NULL }
/* The same of a method. */
#define EXT_METHOD_OR_STORE(function, name)                                                        \
    static PyObject *function##_or_store(ARGUMENTS) {                                              \
        PyObject *result = function(self, arguments, count, keywords);                             \
        return result ? result : ext_or_store(result, name, self, arguments, count, keywords);     \
    }

#endif
