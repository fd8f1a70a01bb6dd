/* Functions that move elements, for the module. */
#ifndef TENORITE_EXT_FUNCTIONS_REARRANGE_H
#define TENORITE_EXT_FUNCTIONS_REARRANGE_H

#include "base/ext.h"

extern PyMethodDef ext_rearrange_functions[];

#endif
