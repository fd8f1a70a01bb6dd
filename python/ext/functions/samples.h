/* Functions of rows of values: bincount, and what histograms, correlations and interpolation
 * stand on. */
#ifndef TENORITE_EXT_FUNCTIONS_SAMPLES_H
#define TENORITE_EXT_FUNCTIONS_SAMPLES_H

#include "base/ext.h"

extern PyMethodDef ext_samples_functions[];

#endif
