/* Functions that make arrays, for the module. */
#ifndef TENORITE_EXT_FUNCTIONS_CREATE_H
#define TENORITE_EXT_FUNCTIONS_CREATE_H

#include "base/ext.h"

extern PyMethodDef ext_create_functions[];

#endif
