/* Products of matrices: the operator @, methods of ndarray and functions of the module. */
#ifndef TENORITE_EXT_FUNCTIONS_LINALG_H
#define TENORITE_EXT_FUNCTIONS_LINALG_H

#include "base/ext.h"

extern PyMethodDef ext_linalg_methods[];
extern PyMethodDef ext_linalg_functions[];
/* a @ b, a @= b */
PyObject *ext_matmul(PyObject *a, PyObject *b);
PyObject *ext_matmul_in_place(PyObject *a, PyObject *b);

#endif
