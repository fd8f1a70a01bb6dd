/* The ufunc object, shared by its call and its methods. */
#ifndef TENORITE_EXT_UFUNC_H
#define TENORITE_EXT_UFUNC_H

#include "ext.h"

extern PyTypeObject *ext_ufunc_type;
tn_op ext_ufunc_op(PyObject *ufunc);

/* Reads where=: NULL, None and True are no mask; an array is the mask; False gives a new 0-d one in
 * `owned`. */
int ext_ufunc_where(PyObject *object, tn_array **mask, tn_array **owned);

/* The methods reduce, accumulate, reduceat, outer and at (ufunc_methods.c). */
extern PyMethodDef ext_ufunc_methods[];

/* initial= of a reduction: a scalar, None (no initial value) or NULL (the operation's own). `initial`
 * must live as long as the options (reduce.c). */
int ext_initial(PyObject *object, tn_reduce_options *options, tn_scalar *initial);

#endif
