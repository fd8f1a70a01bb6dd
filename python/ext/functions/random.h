/* Random numbers, for the package's random module. */
#ifndef TENORITE_EXT_FUNCTIONS_RANDOM_H
#define TENORITE_EXT_FUNCTIONS_RANDOM_H

#include "base/ext.h"

extern PyMethodDef ext_random_functions[];

#endif
