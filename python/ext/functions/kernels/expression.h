/* Expressions, and functions that are fused. */
#ifndef TENORITE_EXT_FUNCTIONS_EXPRESSION_H
#define TENORITE_EXT_FUNCTIONS_EXPRESSION_H

#include "base/ext.h"

extern PyMethodDef ext_expression_functions[];
/* The type _Fused: a function with a plan for each pattern of arguments. */
int ext_expression_init(PyObject *module);

#endif
