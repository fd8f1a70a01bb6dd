/* What linalg.c gives to other files. */
#ifndef TENORITE_EXT_FUNCTIONS_LINALG_H
#define TENORITE_EXT_FUNCTIONS_LINALG_H

#include "base/ext.h"

/* a @ b (linalg.c). */
PyObject *ext_matmul(PyObject *a, PyObject *b);
PyObject *ext_matmul_in_place(PyObject *a, PyObject *b);

#endif
