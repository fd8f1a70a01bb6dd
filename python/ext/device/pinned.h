/* The types of page-locked memory. */
#ifndef TENORITE_EXT_DEVICE_PINNED_H
#define TENORITE_EXT_DEVICE_PINNED_H

#include "base/ext.h"

int ext_pinned_init(PyObject *module);

#endif
