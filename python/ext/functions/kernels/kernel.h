/* Kernels of the program's own text, for the module. */
#ifndef TENORITE_EXT_FUNCTIONS_KERNEL_H
#define TENORITE_EXT_FUNCTIONS_KERNEL_H

#include "base/ext.h"

/* ext_raise() of a call that may have compiled: all that the compiler said is in the message. */
PyObject *ext_raise_compile(tn_status status);

extern PyMethodDef ext_kernel_functions[];

#endif
