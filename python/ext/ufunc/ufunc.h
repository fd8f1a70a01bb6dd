/* The ufunc object, shared by its call and its methods. */
#ifndef TENORITE_EXT_UFUNC_H
#define TENORITE_EXT_UFUNC_H

#include "base/ext.h"

extern PyTypeObject *ext_ufunc_type;
tn_op ext_ufunc_op(PyObject *ufunc);

/* The object of an operation (borrowed). */
PyObject *ext_ufunc_object(tn_op op);

/* Reads where=: NULL and True are no mask; an array is the mask; False and None give a new 0-d one in
 * `owned`. */
int ext_ufunc_where(PyObject *object, tn_array **mask, tn_array **owned);

int ext_ufunc_init(PyObject *module);

#endif
