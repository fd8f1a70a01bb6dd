/* ndarray's subscript slots: any index that NumPy takes. */
#ifndef TENORITE_EXT_ARRAY_INDEX_H
#define TENORITE_EXT_ARRAY_INDEX_H

#include "base/ext.h"

PyObject *ext_subscript(PyObject *self, PyObject *key);
int ext_assign_subscript(PyObject *self, PyObject *key, PyObject *value); /* value NULL: del */

#endif
