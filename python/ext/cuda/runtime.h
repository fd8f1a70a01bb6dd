/* Functions of numbers about the CUDA backend, for the module. */
#ifndef TENORITE_EXT_CUDA_RUNTIME_H
#define TENORITE_EXT_CUDA_RUNTIME_H

#include "base/ext.h"

extern PyMethodDef ext_cuda_functions[];

#endif
