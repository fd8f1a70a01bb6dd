/* Positions of elements among all of an array, from indices per axis and back. */
#ifndef TENORITE_EXT_FUNCTIONS_FLAT_INDEX_H
#define TENORITE_EXT_FUNCTIONS_FLAT_INDEX_H

#include "base/ext.h"

extern PyMethodDef ext_flat_index_functions[];

#endif
