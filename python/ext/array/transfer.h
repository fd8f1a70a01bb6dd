/* Methods of ndarray that move elements to the host and back. */
#ifndef TENORITE_EXT_ARRAY_TRANSFER_H
#define TENORITE_EXT_ARRAY_TRANSFER_H

#include "base/ext.h"

extern PyMethodDef ext_transfer_methods[];

#endif
