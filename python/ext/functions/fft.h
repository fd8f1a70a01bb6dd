/* Fourier transforms, for the package's fft module. */
#ifndef TENORITE_EXT_FUNCTIONS_FFT_H
#define TENORITE_EXT_FUNCTIONS_FFT_H

#include "base/ext.h"

extern PyMethodDef ext_fft_functions[];

#endif
