/* Splines, for the classes of tenorite.scipy.interpolate. */
#ifndef TENORITE_EXT_FUNCTIONS_SPLINE_H
#define TENORITE_EXT_FUNCTIONS_SPLINE_H

#include "base/ext.h"

extern PyMethodDef ext_spline_functions[];

#endif
