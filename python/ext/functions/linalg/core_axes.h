/* axes= of the products: which axes of the operands and of the result are the core. */
#ifndef TENORITE_EXT_FUNCTIONS_CORE_AXES_H
#define TENORITE_EXT_FUNCTIONS_CORE_AXES_H

#include "base/ext.h"

typedef struct ext_core_axes {
    int counts[3]; /* of the operands and of the result */
    int64_t axes[3][2];
} ext_core_axes;

/* Reads axes=, a list of tuples of `counts` numbers each. `name` is the function's, for errors.
 * `is_kept`: the result has an axis for the core of the operands, which need not be said. */
int ext_core_axes_read(PyObject *object, const char *name, bool is_kept, ext_core_axes *axes);

/* Makes a view of an array with the axes of `place` last, in their order. */
int ext_core_axes_last(const ext_core_axes *axes, int place, const tn_array *array,
                       tn_array **view);

/* Makes a view of a result with its last axes where they belong. */
int ext_core_axes_put(const ext_core_axes *axes, const tn_array *result, tn_array **view);

#endif
