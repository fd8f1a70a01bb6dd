/* How cuda.c and driver.c write functions of numbers. */
#ifndef TENORITE_EXT_CUDA_H
#define TENORITE_EXT_CUDA_H

#include "base/ext.h"

#define FUNCTION(name) static PyObject *name(PyObject *module, PyObject *arguments)
#define PARSE(...)                                                                                 \
    (void)module;                                                                                  \
    if (!PyArg_ParseTuple(arguments, __VA_ARGS__)) return NULL

typedef unsigned long long address;

/* A function in a table of methods. */
#define ENTRY(name, function)                                                                      \
    { "_cuda_" name, function, METH_VARARGS, NULL }

#endif
