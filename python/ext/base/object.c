/* The ndarray as an object below its type: how arrays become objects, and how the objects end.
 * The type itself, with its methods and attributes, is array/type.c's, which only the module
 * needs.
 *
 * An object holds one reference to a tn_array and, if it is a view, the object that owns the
 * memory (`base`, never itself a view, as in NumPy). Objects of exactly this type come from a
 * short list of freed ones: making and dropping them is most of what a small operation costs. */
#include "base/object.h"

#include "base/errors.h"
#include "base/hold.h"

#ifdef __SANITIZE_ADDRESS__
enum { KEPT = 1, KEPT_AT_MOST = 0 }; /* what uses a freed object is found only if it goes back */
#else
enum { KEPT = 64, KEPT_AT_MOST = KEPT };
#endif
static ext_ndarray *kept[KEPT]; /* guarded by the GIL */
static int kept_count;

PyTypeObject *ext_ndarray_type;

static ext_ndarray *data_of(PyObject *object) {
    return (ext_ndarray *)object;
}

static PyObject *wrap_exact(tn_array *array, PyObject *base) {
    ext_ndarray *self;
    if (kept_count > 0) {
        self = kept[--kept_count];
        PyObject_Init((PyObject *)self, ext_ndarray_type);
    } else {
        self = PyObject_New(ext_ndarray, ext_ndarray_type);
        if (!self) {
            tn_array_release(array);
            return NULL;
        }
    }
    self->array = array;
    Py_XINCREF(base);
    self->base = base;
    self->weak_references = NULL;
    self->since = 0;
    return (PyObject *)self;
}

PyObject *ext_wrap_new(PyTypeObject *type, tn_array *array, PyObject *base) {
    if (type == ext_ndarray_type) return wrap_exact(array, base);
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    ext_ndarray *self = (ext_ndarray *)allocate(type, 0);
    if (!self) {
        tn_array_release(array);
        return NULL;
    }
    self->array = array;
    Py_XINCREF(base);
    self->base = base;
    return (PyObject *)self;
}

PyObject *ext_finalize(PyObject *made, PyObject *like) {
    if (!made || Py_TYPE(made) == ext_ndarray_type) return made;
    static PyObject *name;
    if (!name) name = PyUnicode_InternFromString("__array_finalize__");
    PyObject *method = name ? PyObject_GetAttr(made, name) : NULL;
    if (method == Py_None) { /* a subclass that wants no call */
        Py_DECREF(method);
        return made;
    }
    PyObject *done = method ? PyObject_CallFunctionObjArgs(method, like, NULL) : NULL;
    Py_XDECREF(method);
    if (!done) {
        Py_DECREF(made);
        return NULL;
    }
    Py_DECREF(done);
    return made;
}

PyObject *ext_wrap(tn_array *array) {
    return wrap_exact(array, NULL);
}

PyObject *ext_wrap_status(tn_status status, tn_array *array) {
    return status == TN_OK ? wrap_exact(array, NULL) : ext_raise(status);
}

PyObject *ext_wrap_view(tn_array *array, PyObject *like) {
    PyObject *base = data_of(like)->base ? data_of(like)->base : like;
    if (Py_TYPE(like) == ext_ndarray_type) return wrap_exact(array, base);
    return ext_finalize(ext_wrap_new(Py_TYPE(like), array, base), like);
}

PyObject *ext_wrap_like(tn_array *array, PyObject *like) {
    if (!ext_is_array(like) || Py_TYPE(like) == ext_ndarray_type) return wrap_exact(array, NULL);
    return ext_finalize(ext_wrap_new(Py_TYPE(like), array, NULL), like);
}

PyObject *ext_wrap_as(tn_array *array, PyTypeObject *type, PyObject *like) {
    PyObject *base = data_of(like)->base ? data_of(like)->base : like;
    return ext_finalize(ext_wrap_new(type, array, base), like);
}

void ext_dealloc(PyObject *object) {
    ext_ndarray *self = data_of(object);
    PyTypeObject *type = Py_TYPE(object);
    if (self->weak_references) PyObject_ClearWeakRefs(object);
    tn_array_release(self->array);
    EXT_SETTLE();
    Py_CLEAR(self->base);
    if (type == ext_ndarray_type && kept_count < KEPT_AT_MOST) {
        kept[kept_count++] = self;
        Py_DECREF(type);
        return;
    }
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

void ext_replace_array(PyObject *self, tn_array *array) {
    ext_ndarray *data = data_of(self);
    tn_array *before = data->array;
    uint64_t since = data->since;
    data->array = array;
    data->since = ext_now();
    ext_let_go(before, since);
}
