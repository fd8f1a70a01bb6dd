/* Functions about promotion, for the module. */
#ifndef TENORITE_EXT_FUNCTIONS_PROMOTE_H
#define TENORITE_EXT_FUNCTIONS_PROMOTE_H

#include "base/ext.h"

extern PyMethodDef ext_promote_functions[];

#endif
