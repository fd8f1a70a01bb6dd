/* The type tenorite.cuda.Stream. */
#ifndef TENORITE_EXT_DEVICE_STREAM_H
#define TENORITE_EXT_DEVICE_STREAM_H

#include "base/ext.h"

int ext_stream_init(PyObject *module);

#endif
