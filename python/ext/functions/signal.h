/* What tenorite.scipy.signal computes by: filters of lines, sums over windows. */
#ifndef TENORITE_EXT_FUNCTIONS_SIGNAL_H
#define TENORITE_EXT_FUNCTIONS_SIGNAL_H

#include "base/ext.h"

extern PyMethodDef ext_signal_functions[];

#endif
