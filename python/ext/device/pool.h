/* What pool.c gives to other files. */
#ifndef TENORITE_EXT_DEVICE_POOL_H
#define TENORITE_EXT_DEVICE_POOL_H

#include "base/ext.h"

int ext_pool_init(PyObject *module);
/* The pool of a MemoryPool's bound method malloc, NULL for anything else. */
tn_pool *ext_pool_of_method(PyObject *callable);

#endif
