/* Lists of Python's own numbers made arrays. */
#ifndef TENORITE_EXT_VALUES_PLAIN_H
#define TENORITE_EXT_VALUES_PLAIN_H

#include "base/ext.h"

/* The array of a list or tuple, nested evenly, of bools, ints and floats of their exact types, or
 * NumPy's float64. NULL without an exception: NumPy is to be asked. */
tn_array *ext_from_plain(PyObject *object, tn_dtype dtype);

#endif
