/* The type tenorite.cuda.Device, and what a `with` of a thread replaced. */
#ifndef TENORITE_EXT_DEVICE_DEVICE_H
#define TENORITE_EXT_DEVICE_DEVICE_H

#include "base/ext.h"

PyObject *ext_device_object(tn_device device);

int ext_device_init(PyObject *module);
/* A device-like (Device, number, text, None: the current one) as a device. */
int ext_device(PyObject *object, tn_device *device);

#endif
