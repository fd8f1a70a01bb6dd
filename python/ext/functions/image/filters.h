/* What tenorite.scipy.ndimage computes of windows. */
#ifndef TENORITE_EXT_FUNCTIONS_IMAGE_FILTERS_H
#define TENORITE_EXT_FUNCTIONS_IMAGE_FILTERS_H

#include "base/ext.h"

extern PyMethodDef ext_image_filter_functions[];

#endif
