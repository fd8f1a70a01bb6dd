/* Choosing among few arrays by numbers and masks, for the module. */
#ifndef TENORITE_EXT_FUNCTIONS_CHOOSE_H
#define TENORITE_EXT_FUNCTIONS_CHOOSE_H

#include "base/ext.h"

extern PyMethodDef ext_choose_functions[];

#endif
