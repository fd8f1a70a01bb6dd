/* NumPy's dtype objects, and scalars of Python and NumPy. */
#ifndef TENORITE_EXT_BASE_DTYPES_H
#define TENORITE_EXT_BASE_DTYPES_H

#include "base/ext.h"

/* Reads a scalar. 1: the object is one, 0: it is not (no exception), -1: failed. */
int ext_scalar(PyObject *object, tn_scalar *scalar);
/* Makes a scalar what an element of that dtype takes of it, as NumPy's a[k] = scalar: a float
 * goes to an integer dtype by int(), with its exceptions; a Python complex to a real one is a
 * TypeError. */
int ext_element(tn_scalar *scalar, tn_dtype dtype);
/* A dtype-like; None or NULL gives TN_DTYPE_NONE. Unsupported ones are TypeError, and so are those
 * of the other order of bytes. */
int ext_dtype(PyObject *object, tn_dtype *dtype);
/* The same of elements that are read, or of a dtype that only promotes: in either order of
 * bytes. */
int ext_dtype_any_order(PyObject *object, tn_dtype *dtype, bool *is_swapped);
/* The same of a dtype with an array in each element, which has a shape. */
int ext_dtype_with_shape(PyObject *object, tn_dtype *dtype, int *ndim, int64_t *shape);
/* NumPy's dtype object (borrowed). NULL with an exception for bfloat16 without ml_dtypes. */
PyObject *ext_dtype_object(tn_dtype dtype);
/* NumPy's array of a native dtype seen as one that the buffer protocol describes: it knows neither
 * bfloat16 nor dates, and structures have no other memory than void. New reference. */
PyObject *ext_bufferable(PyObject *host, tn_dtype dtype);
/* An element, of which the bytes are given, as a Python bool, int, float or complex. */
PyObject *ext_element_object(const void *element, tn_dtype dtype);
/* A scalar that is not huge as such an object. */
PyObject *ext_scalar_object(const tn_scalar *scalar);

#endif
