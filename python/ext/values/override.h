/* What override.c gives to other files. */
#ifndef TENORITE_EXT_VALUES_OVERRIDE_H
#define TENORITE_EXT_VALUES_OVERRIDE_H

#include "base/ext.h"

/* The same of __array_ufunc__ (override.c). */
int ext_find_override(PyObject *type, PyObject **value);

/* What an operand's own __array_ufunc__ makes of a call (override.c). NULL without an exception if
 * there is none. */
PyObject *ext_override(PyObject *function, PyObject *arguments, PyObject *keywords);
/* The same for an operator: an exception that is set stays unless an operand takes the call. `b` NULL:
 * of one operand; `out` as in a += b, else NULL. */
PyObject *ext_override_pair(PyObject *function, PyObject *a, PyObject *b, PyObject *out);

#endif
