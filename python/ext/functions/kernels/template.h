/* The type under ElementwiseKernel and ReductionKernel. */
#ifndef TENORITE_EXT_FUNCTIONS_TEMPLATE_H
#define TENORITE_EXT_FUNCTIONS_TEMPLATE_H

#include "base/ext.h"

int ext_template_init(PyObject *module);

#endif
