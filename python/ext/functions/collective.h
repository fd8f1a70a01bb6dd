/* Communicators, for tenorite.cuda.nccl and tenorite.distributed. */
#ifndef TENORITE_EXT_FUNCTIONS_COLLECTIVE_H
#define TENORITE_EXT_FUNCTIONS_COLLECTIVE_H

#include "base/ext.h"

extern PyMethodDef ext_collective_functions[];

#endif
