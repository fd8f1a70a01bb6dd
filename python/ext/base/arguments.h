/* Arguments of a function by name: ints, shapes, axes, addresses and the small enumerations. */
#ifndef TENORITE_EXT_BASE_ARGUMENTS_H
#define TENORITE_EXT_BASE_ARGUMENTS_H

#include "base/ext.h"

/* The parameters of a function that is called by METH_FASTCALL | METH_KEYWORDS (self is the
 * module, or the object of a method), and its entry in a table of methods. */
#define ARGUMENTS                                                                                  \
    PyObject *self __attribute__((unused)), PyObject *const *arguments, Py_ssize_t count,          \
        PyObject *keywords
#define FAST(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL | METH_KEYWORDS

/* Reads METH_FASTCALL|METH_KEYWORDS arguments by name. `names` ends with NULL; a name that
 * starts with '*' begins the keyword-only ones ("*out"); "arrays|tup" is a parameter that CuPy
 * calls otherwise, known by both names. values[] receives borrowed objects, NULL where absent.
 * The first `required` must be there. Errors are Python's TypeErrors with `function`, which, as
 * `names`, lives as long as the program. */
int ext_parse(const char *function, PyObject *const *arguments, Py_ssize_t count,
              PyObject *keywords, const char *const *names, int required, PyObject **values);
/* Notes an argument of a function by its name; both live as long as the program. */
void ext_note(const char *function, const char *name, PyObject *value);
/* The function whose arguments were read last, and the name of that one of them; NULL: the object
 * is none of them. */
enum { EXT_NAME_BYTES = 32 };
const char *ext_parsed(PyObject *object, char argument[EXT_NAME_BYTES]);
/* An int or a sequence of ints as a shape (TN_MAX_NDIM long). */
int ext_shape(PyObject *object, int *ndim, int64_t *shape);
/* None (count -1), an int or a tuple of ints as axes. */
int ext_axes(PyObject *object, int *count, int *axes);
/* Anything with __index__; NULL leaves *value as it is. */
int ext_int64(PyObject *object, int64_t *value);
/* An address: an int, a ctypes pointer (.value), or anything with .ptr. */
int ext_address(PyObject *object, void **address);
/* An int as an axis; NULL leaves *axis as it is. An int that is no C int is out of bounds in any
 * case: AxisError. */
int ext_axis(PyObject *object, int *axis);
/* The same before its range is checked. A bool is no axis. */
int ext_axis_number(PyObject *object, int64_t *number);
/* A number as an axis of `ndim` ones: 0 <= *axis < ndim, or AxisError. */
int ext_check_axis(int64_t number, int ndim, int *axis);
/* The same, and the message says which argument it is of. */
int ext_check_named_axis(const char *name, int64_t number, int ndim, int *axis);
/* "C", "F", "A", "K"; NULL or None gives `absent`. */
int ext_order(PyObject *object, tn_order *order, tn_order absent);
/* "no" .. "unsafe"; NULL gives `absent`. */
int ext_casting(PyObject *object, tn_casting *casting, tn_casting absent);
/* True/False/None as NumPy 2's copy=; NULL gives `absent`. */
int ext_copy(PyObject *object, tn_copy *copy, tn_copy absent);
/* Truth of an object; NULL gives `absent`. */
int ext_bool(PyObject *object, bool *value, bool absent);
/* The arguments of a METH_FASTCALL | METH_KEYWORDS call as a tuple, which `self` unless it is NULL
 * begins, and by keyword a dict. Both are the caller's to release, after a failure, too. */
int ext_pack(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
             PyObject **positional, PyObject **named);
/* A tuple of int64 values. */
PyObject *ext_tuple(int count, const int64_t *values);

#endif
