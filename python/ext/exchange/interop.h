/* What of the protocols is a method of ndarray or a function of the module. */
#ifndef TENORITE_EXT_EXCHANGE_INTEROP_H
#define TENORITE_EXT_EXCHANGE_INTEROP_H

#include "base/ext.h"

extern PyMethodDef ext_interop_methods[];
extern PyMethodDef ext_interop_functions[];

#endif
