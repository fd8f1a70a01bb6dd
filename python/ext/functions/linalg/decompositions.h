/* Decompositions of matrices, and what is solved with them: functions of the module. */
#ifndef TENORITE_EXT_FUNCTIONS_DECOMPOSITIONS_H
#define TENORITE_EXT_FUNCTIONS_DECOMPOSITIONS_H

#include "base/ext.h"

extern PyMethodDef ext_decomposition_functions[];

#endif
