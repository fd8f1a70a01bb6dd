/* What type.c gives to other files. */
#ifndef TENORITE_EXT_ARRAY_TYPE_H
#define TENORITE_EXT_ARRAY_TYPE_H

#include "base/ext.h"

extern PyTypeObject *ext_ndarray_type;
static inline int ext_is_array(PyObject *object) {
    return Py_TYPE(object) == ext_ndarray_type || PyObject_TypeCheck(object, ext_ndarray_type);
}
/* The array of an ndarray (borrowed, see above); the caller has checked the type. */
tn_array *ext_array(PyObject *object);
/* A new ndarray that takes over the reference (also on failure). */
PyObject *ext_wrap(tn_array *array);

/* ext_raise on failure, else ext_wrap. */
PyObject *ext_wrap_status(tn_status status, tn_array *array);
/* A view for Python: type of `like` (subclasses get __array_finalize__), base set to its owner. */
PyObject *ext_wrap_view(tn_array *array, PyObject *like);
/* The result of an operation on `like`: its type if a subclass, no base. */
PyObject *ext_wrap_like(tn_array *array, PyObject *like);
int ext_ndarray_init(PyObject *module);
/* A view of another ndarray type, for ndarray.view(type) (array/type.c). */
PyObject *ext_wrap_as(tn_array *array, PyTypeObject *type, PyObject *like);
PyObject *ext_flag_values(PyObject *module, PyObject *array);
PyObject *ext_set_writeable(PyObject *module, PyObject *arguments);

#endif
