/* The ufunc objects below their type: one for each operation. The type, which calls them, is
 * ufunc/ufunc.c's. */
#include "values/ufunc_object.h"

static PyObject *objects_of[TN_OP_COUNT];

PyObject *ext_ufunc_new(PyTypeObject *type, tn_op op) {
    ext_ufunc *made = PyObject_New(ext_ufunc, type);
    if (!made) return NULL;
    made->op = op;
    objects_of[op] = (PyObject *)made;
    return (PyObject *)made;
}

PyObject *ext_ufunc_object(tn_op op) {
    return objects_of[op];
}
