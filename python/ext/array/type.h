/* The type ndarray, and functions of the module about its flags. */
#ifndef TENORITE_EXT_ARRAY_TYPE_H
#define TENORITE_EXT_ARRAY_TYPE_H

#include "base/ext.h"

int ext_ndarray_init(PyObject *module);
PyObject *ext_flag_values(PyObject *module, PyObject *array);
PyObject *ext_set_writeable(PyObject *module, PyObject *arguments);

#endif
