/* What a program reads of an argument that is neither an array nor a scalar. */
#ifndef TENORITE_EXT_VALUES_REFUSAL_H
#define TENORITE_EXT_VALUES_REFUSAL_H

#include "base/ext.h"

/* Sets TypeError "Unsupported type <class ...>" with the way out. `argument` of `function` is
 * named, unless they are NULL. */
void ext_refuse_type(PyObject *object, const char *function, const char *argument);
/* The same of an argument that the last ext_parse() has read; of anything else without names. */
void ext_refuse_argument(PyObject *object);

#endif
