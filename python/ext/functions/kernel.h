/* Kernels of the program's own text, for the module. */
#ifndef TENORITE_EXT_FUNCTIONS_KERNEL_H
#define TENORITE_EXT_FUNCTIONS_KERNEL_H

#include "base/ext.h"

extern PyMethodDef ext_kernel_functions[];

#endif
