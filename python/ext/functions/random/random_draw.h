/* Distributions as Python calls them. */
#ifndef TENORITE_EXT_FUNCTIONS_RANDOM_DRAW_H
#define TENORITE_EXT_FUNCTIONS_RANDOM_DRAW_H

#include "base/ext.h"

int ext_random_draw_init(PyObject *module);

#endif
