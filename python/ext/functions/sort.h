/* Sorting and searching as methods of ndarray and functions of the module. */
#ifndef TENORITE_EXT_FUNCTIONS_SORT_H
#define TENORITE_EXT_FUNCTIONS_SORT_H

#include "base/ext.h"

extern PyMethodDef ext_sort_methods[];
extern PyMethodDef ext_sort_functions[];

#endif
