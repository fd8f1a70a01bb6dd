/* The ufunc object of an operation. */
#ifndef TENORITE_EXT_VALUES_UFUNC_OBJECT_H
#define TENORITE_EXT_VALUES_UFUNC_OBJECT_H

#include "base/ext.h"

typedef struct ext_ufunc {
    PyObject_HEAD
    tn_op op;
} ext_ufunc;

static inline tn_op ext_ufunc_op(PyObject *object) {
    return ((ext_ufunc *)object)->op;
}
/* The object of an operation (borrowed: the module keeps it). */
PyObject *ext_ufunc_object(tn_op op);
/* Makes the object of an operation, which the caller gives to the module. */
PyObject *ext_ufunc_new(PyTypeObject *type, tn_op op);

#endif
