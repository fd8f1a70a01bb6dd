/* Iterators over an array: along its first axis, and over all of its elements. */
#ifndef TENORITE_EXT_ARRAY_ITERATE_H
#define TENORITE_EXT_ARRAY_ITERATE_H

#include "base/ext.h"

/* iter(a): views along the first axis. */
PyObject *ext_iterate(PyObject *array);
/* The elements of an array, as an object of flatiter or a class that derives from it. */
PyObject *ext_elements(PyTypeObject *type, PyObject *array);
int ext_iterate_init(PyObject *module);

#endif
