/* Functions that join arrays, for the module. */
#ifndef TENORITE_EXT_FUNCTIONS_JOIN_H
#define TENORITE_EXT_FUNCTIONS_JOIN_H

#include "base/ext.h"

extern PyMethodDef ext_join_functions[];

#endif
