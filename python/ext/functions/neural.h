/* What tenorite.cudnn computes by where cuDNN is not there: convolutions, pooling. */
#ifndef TENORITE_EXT_FUNCTIONS_NEURAL_H
#define TENORITE_EXT_FUNCTIONS_NEURAL_H

#include "base/ext.h"

extern PyMethodDef ext_neural_functions[];

#endif
