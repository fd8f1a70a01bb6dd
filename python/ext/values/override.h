/* Operands that handle a call themselves. */
#ifndef TENORITE_EXT_VALUES_OVERRIDE_H
#define TENORITE_EXT_VALUES_OVERRIDE_H

#include "base/ext.h"

/* What an operand's own __array_ufunc__ makes of a call of a ufunc ("__call__") or of its method
 * "outer". NULL without an exception if there is none. */
PyObject *ext_override(PyObject *function, const char *method, PyObject *arguments,
                       PyObject *keywords);
/* The same of another method, whose arguments ext_parse() read: the first `inputs` are operands. 1:
 * *result has what an operand made of it, NULL with an exception. 0: there is no such operand. */
int ext_override_method(PyObject **result, PyObject *function, const char *method, int inputs,
                        const char *const *names, PyObject *const *values);
/* What an operand makes of an operator: an exception that is set stays unless an operand takes
 * the call. `b` NULL: of one operand; `out` as in a += b, else NULL. */
PyObject *ext_override_pair(PyObject *function, PyObject *a, PyObject *b, PyObject *out);
/* After the TypeError of a function's argument: what the method __tenorite_function__(name, args,
 * kwargs) of its class makes of the call, as the stand-ins of `fuse` have it. Without one the
 * exception stays. Arguments as METH_FASTCALL | METH_KEYWORDS gives them. */
PyObject *ext_override_function(const char *name, PyObject *object, PyObject *const *arguments,
                                Py_ssize_t count, PyObject *keywords);
/* After an operand's TypeError: NotImplemented where the other operand may know better, else
 * NULL. */
PyObject *ext_refuse(PyObject *a, PyObject *b);
/* Whether the other operand, another library's array, would have the operator itself; -1 with an
 * exception. */
int ext_defers(PyObject *a, PyObject *b);

/* Of two operands of subclasses the one whose class a result has: of higher priority, else the
 * first. NULL with an exception. */
PyObject *ext_dominant(PyObject *a, PyObject *b);

#endif
