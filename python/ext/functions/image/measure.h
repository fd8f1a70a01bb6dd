/* Functions of images that measure: labels, boxes, distances, the watershed. */
#ifndef TENORITE_EXT_FUNCTIONS_IMAGE_MEASURE_H
#define TENORITE_EXT_FUNCTIONS_IMAGE_MEASURE_H

#include "base/ext.h"

extern PyMethodDef ext_measure_functions[];

#endif
