/* What asarray.c gives to other files. */
#ifndef TENORITE_EXT_VALUES_ASARRAY_H
#define TENORITE_EXT_VALUES_ASARRAY_H

#include "base/arguments.h"
#include "base/ext.h"

/* Anything array-like made an array on the current device: an ndarray as it is, else lists, scalars,
 * NumPy arrays (copied to the device). `dtype` TN_DTYPE_NONE: its own. New reference. */
tn_array *ext_convert(PyObject *object, tn_dtype dtype, tn_order order, tn_copy copy);

/* asarray.c */
PyObject *ext_array_function(ARGUMENTS);
PyObject *ext_asarray(ARGUMENTS);
PyObject *ext_asanyarray(ARGUMENTS);
PyObject *ext_ascontiguousarray(ARGUMENTS);
PyObject *ext_asfortranarray(ARGUMENTS);
PyObject *ext_frombuffer(ARGUMENTS);
/* As ext_scalar, but a 0-d array of NumPy is the scalar that it holds too. */
int ext_single(PyObject *object, tn_scalar *scalar);
/* As ext_convert, if needed, but made on the device of another array. */
tn_array *ext_convert_beside(PyObject *object, const tn_array *beside);
/* Lists, tuples and NumPy arrays: 1, else 0; -1 with an exception. What they hold as an array of the
 * dtype, and on the device, of another. */
int ext_is_host_values(PyObject *object);
tn_array *ext_convert_like(PyObject *object, const tn_array *like);
/* 1: a NumPy array, of which this is told: `axes` is the order of its axes in memory, outermost first,
 * `is_f` whether it is contiguous in order F alone. 0: something else; -1: an exception. */
int ext_numpy_layout(PyObject *object, tn_dtype *dtype, int *ndim, int64_t *shape, int *axes,
                     bool *is_f);
/* The array on the device that device= names; None and NULL: as it is. Takes over `made`, which may
 * be NULL. */
PyObject *ext_place(PyObject *made, PyObject *device);

#endif
