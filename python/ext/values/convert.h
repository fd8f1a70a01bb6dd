/* Anything array-like made an array. */
#ifndef TENORITE_EXT_VALUES_CONVERT_H
#define TENORITE_EXT_VALUES_CONVERT_H

#include "base/ext.h"

/* Anything array-like made an array on the current device: an ndarray as it is, else lists,
 * scalars, NumPy arrays (copied to the device). `dtype` TN_DTYPE_NONE: its own. New reference. */
tn_array *ext_convert(PyObject *object, tn_dtype dtype, tn_order order, tn_copy copy);

/* As ext_scalar, but a 0-d array of NumPy is the scalar that it holds too. */
int ext_single(PyObject *object, tn_scalar *scalar);
/* As ext_convert, if needed, but made on the device of another array. */
tn_array *ext_convert_beside(PyObject *object, const tn_array *beside);
/* Lists, tuples and NumPy arrays: 1, else 0; -1 with an exception. */
int ext_is_host_values(PyObject *object);
/* What such an object holds, as an array of the dtype of `like` on its device. */
tn_array *ext_convert_like(PyObject *object, const tn_array *like);

#endif
