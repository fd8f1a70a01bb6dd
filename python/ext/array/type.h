/* The type ndarray. */
#ifndef TENORITE_EXT_ARRAY_TYPE_H
#define TENORITE_EXT_ARRAY_TYPE_H

#include "base/ext.h"

int ext_ndarray_init(PyObject *module);

#endif
