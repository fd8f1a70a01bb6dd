/* Methods of ndarray that change its shape or move its elements. */
#ifndef TENORITE_EXT_ARRAY_METHODS_H
#define TENORITE_EXT_ARRAY_METHODS_H

#include "base/ext.h"

extern PyMethodDef ext_array_methods[];

#endif
