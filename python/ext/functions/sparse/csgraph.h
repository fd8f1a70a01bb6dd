/* Walks through graphs, for tenorite.scipy.sparse.csgraph. */
#ifndef TENORITE_EXT_FUNCTIONS_CSGRAPH_H
#define TENORITE_EXT_FUNCTIONS_CSGRAPH_H

#include "base/ext.h"

extern PyMethodDef ext_csgraph_functions[];

#endif
