/* What tenorite.scipy.ndimage's interpolation and Fourier filters stand on. */
#ifndef TENORITE_EXT_FUNCTIONS_IMAGE_MAP_H
#define TENORITE_EXT_FUNCTIONS_IMAGE_MAP_H

#include "base/ext.h"

extern PyMethodDef ext_image_map_functions[];

#endif
