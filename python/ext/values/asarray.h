/* The functions array, asarray and their like, and the device= of all that make arrays. */
#ifndef TENORITE_EXT_VALUES_ASARRAY_H
#define TENORITE_EXT_VALUES_ASARRAY_H

#include "base/arguments.h"
#include "base/ext.h"

PyObject *ext_array_function(ARGUMENTS);
PyObject *ext_asarray(ARGUMENTS);
PyObject *ext_asanyarray(ARGUMENTS);
PyObject *ext_ascontiguousarray(ARGUMENTS);
PyObject *ext_asfortranarray(ARGUMENTS);
PyObject *ext_frombuffer(ARGUMENTS);
/* The array on the device that device= names; None and NULL: as it is. Takes over `made`, which may
 * be NULL. */
PyObject *ext_place(PyObject *made, PyObject *device);
/* tenorite._core._take_host(does): whether NumPy arrays stand for arrays in this thread from now
 * on, where they would be refused; gives whether they did. */

#endif
