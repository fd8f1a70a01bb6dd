/* __cuda_array_interface__, exported and imported. */
#ifndef TENORITE_EXT_EXCHANGE_CUDA_ARRAY_H
#define TENORITE_EXT_EXCHANGE_CUDA_ARRAY_H

#include "base/ext.h"

/* ndarray.__cuda_array_interface__, and the array (new reference) of such a dictionary that
 * `owner` gave. */
PyObject *ext_cuda_array(PyObject *self, void *closure);
PyObject *ext_from_cuda_array(PyObject *owner, PyObject *facts);

#endif
