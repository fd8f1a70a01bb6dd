/* Random numbers, for the package's random module. */
#ifndef TENORITE_EXT_FUNCTIONS_RANDOM_H
#define TENORITE_EXT_FUNCTIONS_RANDOM_H

#include "base/ext.h"

/* The distribution of a name, a str. */
int ext_random_distribution(PyObject *name, tn_draw *draw);
/* Fills an ndarray with the numbers of a BitGenerator, under its lock. `parameters` are the
 * ndarrays among the distribution's parameters, NULL where `draw` has a number. */
int ext_random_fill(PyObject *object, PyObject *result, tn_draw *draw, PyObject *const *parameters);

int ext_random_init(PyObject *module);

extern PyMethodDef ext_random_functions[];

#endif
