/* The ndarray as an object: its parts, the array that it lends (ext.h has the rule), and new
 * objects. */
#ifndef TENORITE_EXT_BASE_OBJECT_H
#define TENORITE_EXT_BASE_OBJECT_H

#include "base/ext.h"

typedef struct ext_ndarray {
    PyObject_HEAD
    tn_array *array;
    PyObject *base;
    PyObject *weak_references;
    uint64_t since; /* when the object got the array, as ext_now() has it; 0: it was made with it */
} ext_ndarray;

extern PyTypeObject *ext_ndarray_type;
static inline int ext_is_array(PyObject *object) {
    return Py_TYPE(object) == ext_ndarray_type || PyObject_TypeCheck(object, ext_ndarray_type);
}
/* The array of an ndarray, borrowed; the caller has checked the type. */
static inline tn_array *ext_array(PyObject *object) {
    return ((ext_ndarray *)object)->array;
}
/* The ndarray whose memory this one views (borrowed), or NULL. */
static inline PyObject *ext_base(PyObject *object) {
    return ((ext_ndarray *)object)->base;
}
/* Gives an ndarray another array, which is taken over; the former one stays while calls use it. */
void ext_replace_array(PyObject *object, tn_array *array);

/* All of these make an ndarray that takes over the reference to the array, also on failure. */

PyObject *ext_wrap(tn_array *array);
/* ext_raise on failure, else ext_wrap. */
PyObject *ext_wrap_status(tn_status status, tn_array *array);
/* A view: the type of `like` (subclasses get __array_finalize__), base set to the memory's
 * owner. */
PyObject *ext_wrap_view(tn_array *array, PyObject *like);
/* The result of an operation on `like`: its type if a subclass, no base. */
PyObject *ext_wrap_like(tn_array *array, PyObject *like);
/* A view of another ndarray type, for ndarray.view(type). */
PyObject *ext_wrap_as(tn_array *array, PyTypeObject *type, PyObject *like);
/* An object of this type and base, for which __array_finalize__ has not been called. */
PyObject *ext_wrap_new(PyTypeObject *type, tn_array *array, PyObject *base);

/* Calls __array_finalize__(like) of a new object of a subclass. Takes over `made`, which may be
 * NULL. */
PyObject *ext_finalize(PyObject *made, PyObject *like);
/* The end of an ndarray. */
void ext_dealloc(PyObject *object);

#endif
