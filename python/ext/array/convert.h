/* Methods of ndarray that move elements to the host and back. */
#ifndef TENORITE_EXT_ARRAY_CONVERT_H
#define TENORITE_EXT_ARRAY_CONVERT_H

#include "base/ext.h"

extern PyMethodDef ext_convert_methods[];

#endif
