/* What reduce.c gives to other files. */
#ifndef TENORITE_EXT_FUNCTIONS_REDUCE_H
#define TENORITE_EXT_FUNCTIONS_REDUCE_H

#include "base/ext.h"

/* initial= of a reduction: a scalar, None (no initial value) or NULL (the operation's own). `initial`
 * must live as long as the options (reduce.c). */
int ext_initial(PyObject *object, tn_reduce_options *options, tn_scalar *initial);

#endif
