/* Calls that Python takes over: of arrays of which elements are only stored (structures, void,
 * dates), by tenorite._array.stored, and under the alias of CuPy of NumPy's arrays, by NumPy. */
#ifndef TENORITE_EXT_VALUES_TAKE_OVER_H
#define TENORITE_EXT_VALUES_TAKE_OVER_H

#include "base/arguments.h"
#include "base/object.h"

/* Whether an object is an array of such elements. */
static inline bool ext_is_stored(PyObject *object) {
    return ext_is_array(object) && tn_dtype_is_stored(tn_array_dtype(ext_array(object)));
}
/* Whether one of the arguments of a METH_FASTCALL | METH_KEYWORDS call is. */
bool ext_has_stored(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);
/* 1 if an object of NumPy's has a dtype of such elements, 0 if not; -1 if asking for it raised,
 * which replaces an exception that was set before and else stays. */
int ext_names_stored(PyObject *object);
/* Whether one of `count` operands is such an array, or a date or a duration of NumPy's. An
 * exception that is set stays. */
bool ext_are_stored(PyObject *const *operands, Py_ssize_t count);

/* What Python's function makes of a call; `self` is the first argument of a method, else NULL. */
PyObject *ext_take_over(const char *function, PyObject *self, PyObject *const *arguments,
                        Py_ssize_t count, PyObject *keywords);
/* The same of a call of an object, which is the first argument. */
PyObject *ext_take_over_call(const char *function, PyObject *self, PyObject *arguments,
                             PyObject *keywords);

/* The result of a function, or where that is a TypeError and the function is one that CuPy leaves
 * to NumPy, NumPy's. */
PyObject *ext_or_numpy(PyObject *result, const char *function, PyObject *const *arguments,
                       Py_ssize_t count, PyObject *keywords);

/* A function <function>_of_any that is `function`, and of stored elements Python's "name". */
#define EXT_OF_ANY(function, name, self_of_python)                                                 \
    static PyObject *function##_of_any(ARGUMENTS) {                                                \
        return ext_has_stored(arguments, count, keywords)                                          \
                   ? ext_take_over(name, self_of_python, arguments, count, keywords)               \
                   : function(self, arguments, count, keywords);                                   \
    }
/* The same of a method of ndarray. */
#define EXT_METHOD_OF_ANY(function, name)                                                          \
    static PyObject *function##_of_any(ARGUMENTS) {                                                \
        return ext_is_stored(self) ? ext_take_over(name, self, arguments, count, keywords)         \
                                   : function(self, arguments, count, keywords);                   \
    }
/* A function <function>_or_numpy that is `function`, or NumPy's "name" where that is left to it. */
#define EXT_OR_NUMPY(function, name)                                                               \
    static PyObject *function##_or_numpy(ARGUMENTS) {                                              \
        PyObject *result = function(self, arguments, count, keywords);                             \
        return ext_or_numpy(result, name, arguments, count, keywords);                             \
    }

#endif
