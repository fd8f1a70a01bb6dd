/* The ufunc object, shared by its call and its methods. */
#ifndef TENORITE_EXT_UFUNC_H
#define TENORITE_EXT_UFUNC_H

#include "base/ext.h"

extern PyTypeObject *ext_ufunc_type;
tn_op ext_ufunc_op(PyObject *ufunc);

/* The object of an operation (borrowed). */
PyObject *ext_ufunc_object(tn_op op);

/* What an operand's own __array_ufunc__ makes of a call (override.c). NULL without an exception if
 * there is none. */
PyObject *ext_override(PyObject *function, PyObject *arguments, PyObject *keywords);
/* The same for an operator: an exception that is set stays unless an operand takes the call. `b` NULL:
 * of one operand; `out` as in a += b, else NULL. */
PyObject *ext_override_pair(PyObject *function, PyObject *a, PyObject *b, PyObject *out);

/* Of two operands of subclasses the one whose class a result has: of higher priority, else the first. NULL
 * with an exception. */
PyObject *ext_dominant(PyObject *a, PyObject *b);

/* Reads where=: NULL and True are no mask; an array is the mask; False and None give a new 0-d one in
 * `owned`. */
int ext_ufunc_where(PyObject *object, tn_array **mask, tn_array **owned);

/* The methods reduce, accumulate, reduceat, outer and at (ufunc_methods.c). */
extern PyMethodDef ext_ufunc_methods[];

/* initial= of a reduction: a scalar, None (no initial value) or NULL (the operation's own). `initial`
 * must live as long as the options (reduce.c). */
int ext_initial(PyObject *object, tn_reduce_options *options, tn_scalar *initial);

#endif
