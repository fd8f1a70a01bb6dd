/* Reductions and scans as methods of ndarray and functions of the module. */
#ifndef TENORITE_EXT_FUNCTIONS_REDUCE_H
#define TENORITE_EXT_FUNCTIONS_REDUCE_H

#include "base/ext.h"

extern PyMethodDef ext_reduce_methods[];
extern PyMethodDef ext_reduce_functions[];

#endif
