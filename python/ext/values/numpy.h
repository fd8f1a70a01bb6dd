/* Arrays of NumPy as values. */
#ifndef TENORITE_EXT_VALUES_NUMPY_H
#define TENORITE_EXT_VALUES_NUMPY_H

#include "base/ext.h"

/* Whether an object is a numpy.ndarray; -1 with an exception. */
int ext_is_numpy(PyObject *object);
/* A copy of host memory on the current device. */
tn_array *ext_numpy_upload(const Py_buffer *memory, tn_dtype dtype, tn_order order);
/* The array (released; NULL: an exception is set) in another dtype, if one is given. */
tn_array *ext_numpy_convert_dtype(tn_array *array, tn_dtype dtype, tn_order order);
/* Whatever numpy.asarray() takes. */
tn_array *ext_numpy_convert(PyObject *object, tn_dtype dtype, tn_order order);
/* 1: a NumPy array, which is described: `axes` is the order of its axes in memory, outermost first,
 * `is_f` whether it is contiguous in order F alone. 0: something else; -1: an exception. */
int ext_numpy_layout(PyObject *object, tn_dtype *dtype, int *ndim, int64_t *shape, int *axes,
                     bool *is_f);

#endif
