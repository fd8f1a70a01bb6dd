/* Plans of cuDNN's graph interface, for tenorite.cudnn. */
#ifndef TENORITE_EXT_FUNCTIONS_CUDNN_H
#define TENORITE_EXT_FUNCTIONS_CUDNN_H

#include "base/ext.h"

extern PyMethodDef ext_cudnn_functions[];

#endif
