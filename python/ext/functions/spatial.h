/* Distances, trees of points and triangles, for tenorite.scipy.spatial. */
#ifndef TENORITE_EXT_FUNCTIONS_SPATIAL_H
#define TENORITE_EXT_FUNCTIONS_SPATIAL_H

#include "base/ext.h"

extern PyMethodDef ext_spatial_functions[];

#endif
