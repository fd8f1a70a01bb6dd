/* Elements by their indices: methods of ndarray and functions of the module. */
#ifndef TENORITE_EXT_FUNCTIONS_TAKE_H
#define TENORITE_EXT_FUNCTIONS_TAKE_H

#include "base/ext.h"

extern PyMethodDef ext_index_methods[];
extern PyMethodDef ext_index_functions[];

#endif
