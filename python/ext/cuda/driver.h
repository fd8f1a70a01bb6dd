/* Functions of the driver's handles, for the module. */
#ifndef TENORITE_EXT_CUDA_DRIVER_H
#define TENORITE_EXT_CUDA_DRIVER_H

#include "base/ext.h"

extern PyMethodDef ext_driver_functions[];

#endif
