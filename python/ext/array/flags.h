/* Flags of an array: what ndarray.flags is, below the names that the package adds. */
#ifndef TENORITE_EXT_ARRAY_FLAGS_H
#define TENORITE_EXT_ARRAY_FLAGS_H

#include "base/ext.h"

/* The flags of an array, as an object of the class of the package that derives from the type. */
PyObject *ext_flags(PyObject *array);
int ext_flags_init(PyObject *module);

#endif
