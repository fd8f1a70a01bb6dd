/* Functions of the extension whose refusals Python takes over: of arrays whose elements are only
 * stored (structures, void, dates), and under the alias of CuPy of NumPy's arrays. */
#ifndef TENORITE_EXT_VALUES_TAKE_OVER_H
#define TENORITE_EXT_VALUES_TAKE_OVER_H

#include "base/arguments.h"

/* The result of a call, or where that is a TypeError and tenorite._array.refused has another, that
 * one. `self` is the first argument of a method, else NULL. */
PyObject *ext_or_take_over(PyObject *result, const char *function, PyObject *self,
                           PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);

/* The same of a call of an object, which is the first argument; an exception is pending. */
PyObject *ext_or_take_over_call(const char *function, PyObject *self, PyObject *arguments,
                                PyObject *keywords);

/* A function <name>_or_take_over that is `function` and, for what that refuses, Python's "name". */
#define EXT_OR_TAKE_OVER(function, name)                                                           \
    static PyObject *function##_or_take_over(ARGUMENTS) {                                          \
        PyObject *result = function(self, arguments, count, keywords);                             \
        return result ? result : ext_or_take_over(result, name, NULL, arguments, count, keywords); \
    }
/* The same of a row, and its entry. */
#define EXT_ROW_OR_TAKE_OVER(row)                                                                  \
    static PyObject *row##_or_take_over(PyObject *self, PyObject *const *arguments,                \
                                        Py_ssize_t count) {                                        \
        PyObject *result = row##_called(self, arguments, count);                                   \
        return result ? result : ext_or_take_over(result, "_" #row, NULL, arguments, count, NULL); \
    }
#define EXT_ENTRY_OR_TAKE_OVER(row)                                                                \
    { "_" #row, (PyCFunction)(void (*)(void))row##_or_take_over, METH_FASTCALL, NULL }
/* The same of a method. */
#define EXT_METHOD_OR_TAKE_OVER(function, name)                                                    \
    static PyObject *function##_or_take_over(ARGUMENTS) {                                          \
        PyObject *result = function(self, arguments, count, keywords);                             \
        return result ? result : ext_or_take_over(result, name, self, arguments, count, keywords); \
    }

#endif
