/* The type tenorite.cuda.MemoryPool. */
#ifndef TENORITE_EXT_DEVICE_POOL_H
#define TENORITE_EXT_DEVICE_POOL_H

#include "base/ext.h"

int ext_pool_init(PyObject *module);

#endif
