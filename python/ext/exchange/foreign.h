/* Objects of other libraries that have an array of their own to offer. */
#ifndef TENORITE_EXT_EXCHANGE_FOREIGN_H
#define TENORITE_EXT_EXCHANGE_FOREIGN_H

#include "base/ext.h"

/* The ndarray that an object stands for by __cuda_array_interface__ or __cupy_get_ndarray__ (new
 * reference); *made is NULL where the object has neither. */
int ext_foreign(PyObject *object, PyObject **made);
/* Whether an object has one of them; -1 with an exception. */
int ext_is_foreign(PyObject *object);
/* While an exception is set that refuses `object`: the ndarray that it stands for, and no
 * exception; NULL with one. `by_override`: an object with an __array_ufunc__ has been asked
 * already. */
PyObject *ext_stand_in(PyObject *object, bool by_override);
/* The __array_ufunc__ of a class (new reference), NULL where it has none. -1 with an exception. */
int ext_find_override(PyObject *type, PyObject **value);
/* What makes an array of a NumPy array. */
typedef tn_array *(*ext_host_converter)(PyObject *object, tn_dtype dtype, tn_order order);
/* From now on NumPy arrays stand for what `convert` makes of them, in this thread; NULL: for
 * nothing. They are looked at only where they would be refused. Gives the converter before. */
ext_host_converter ext_lend_host(ext_host_converter convert);

#endif
