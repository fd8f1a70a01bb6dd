/* The methods of ufunc objects. */
#ifndef TENORITE_EXT_UFUNC_UFUNC_METHODS_H
#define TENORITE_EXT_UFUNC_UFUNC_METHODS_H

#include "base/ext.h"

/* The methods reduce, accumulate, reduceat, outer and at. */
extern PyMethodDef ext_ufunc_methods[];

#endif
