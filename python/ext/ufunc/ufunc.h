/* The type of ufunc objects. */
#ifndef TENORITE_EXT_UFUNC_UFUNC_H
#define TENORITE_EXT_UFUNC_UFUNC_H

#include "base/ext.h"

/* Adds the type, and an object for each operation, to the module. */
int ext_ufunc_init(PyObject *module);

#endif
