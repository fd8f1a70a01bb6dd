/* Iterators over an array.
 *
 * Both kinds keep the array's object and a position, and ask the object anew at each step, since
 * its shape may change between two of them. One gives views along the first axis; the other,
 * from which the package derives what `ndarray.flat` is, copies of the elements in order C. */
#include "array/iterate.h"

#include "array/entries.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/hold.h"
#include "base/object.h"
#include "base/types.h"

#include <stddef.h>
#include <structmember.h>

typedef struct iterator {
    PyObject_HEAD
    PyObject *array; /* NULL: at the end */
    Py_ssize_t at;
    tn_array *block; /* memory for elements to come, or NULL */
    int64_t used;    /* elements of the block that are taken */
} iterator;

static PyTypeObject *iterator_type;

static iterator *data_of(PyObject *object) {
    return (iterator *)object;
}

static void dealloc(PyObject *self) {
    Py_CLEAR(data_of(self)->array);
    tn_array_release(data_of(self)->block);
    ext_free(self);
}

/* --- Along the first axis --- */

/* An iterator at its beginning. */
static PyObject *begin(PyTypeObject *type, PyObject *array) {
    PyObject *made = ext_alloc(type);
    if (!made) return NULL;
    Py_INCREF(array);
    data_of(made)->array = array;
    data_of(made)->at = 0;
    data_of(made)->block = NULL;
    data_of(made)->used = 0;
    return made;
}

PyObject *ext_iterate(PyObject *array) {
    if (tn_array_ndim(ext_array(array)) == 0)
        return PyErr_Format(PyExc_TypeError, "iteration over a 0-d array");
    return begin(iterator_type, array);
}

static Py_ssize_t first_size(const iterator *i) {
    if (!i->array || tn_array_ndim(ext_array(i->array)) == 0) return 0;
    return (Py_ssize_t)tn_array_shape(ext_array(i->array))[0];
}

static PyObject *next_view(PyObject *self) {
    iterator *i = data_of(self);
    tn_array *view;
    if (i->at >= first_size(i)) {
        Py_CLEAR(i->array);
        return NULL;
    }
    tn_index index = {.kind = TN_INDEX_INTEGER, .start = i->at++};
    EXT_TRY(tn_array_slice(&view, ext_array(i->array), 1, &index));
    return ext_wrap_view(view, i->array);
}

static PyObject *length_hint(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const Py_ssize_t left = first_size(data_of(self)) - data_of(self)->at;
    return PyLong_FromSsize_t(left > 0 ? left : 0);
}

/* --- Over all elements --- */

PyObject *ext_elements(PyTypeObject *type, PyObject *array) {
    return begin(type, array);
}

static PyObject *construct(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"base", NULL};
    PyObject *array;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!:flatiter", (char **)(uintptr_t)names,
                                     ext_ndarray_type, &array))
        return NULL;
    return ext_elements(type, array);
}

static PyObject *next_element(PyObject *self) {
    iterator *i = data_of(self);
    tn_array *made;
    const tn_array *array = ext_array(i->array);
    if (i->at >= tn_array_size(array)) return NULL;
    EXT_TRY(tn_array_element_of_block(&made, &i->block, &i->used, array, i->at, NULL));
    i->at++;
    return ext_wrap(made);
}

/* An int of its exact type as a place among the elements. False without an exception: another
 * key, or out of bounds. */
static bool read_place(int64_t *place, PyObject *key, const tn_array *array) {
    if (!PyLong_CheckExact(key)) return false;
    *place = PyLong_AsLongLong(key);
    if (*place == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    if (*place < 0) *place += tn_array_size(array);
    return *place >= 0 && *place < tn_array_size(array);
}

static tn_status copy_slice(tn_array **result, const tn_array *array, const tn_index *slice) {
    tn_array *flat, *view;
    tn_status status = tn_array_flatten(&flat, array, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    if (status) return status;
    status = tn_array_slice(&view, flat, 1, slice);
    tn_array_release(flat);
    if (status) return status;
    status = tn_array_astype(result, view, tn_array_dtype(view), TN_ORDER_C, TN_CASTING_NO,
                             TN_COPY_ALWAYS, NULL);
    tn_array_release(view);
    return status;
}

static tn_status take_flat(tn_array **result, const tn_array *array, const tn_array *indices) {
    tn_array *flat;
    tn_status status = tn_array_flatten(&flat, array, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    if (status) return status;
    *result = NULL;
    status = tn_array_take(result, flat, indices, 0, TN_INDEX_RAISE, NULL);
    tn_array_release(flat);
    return status;
}

static bool is_integers(PyObject *key) {
    if (Py_TYPE(key) != ext_ndarray_type) return false;
    const tn_kind kind = tn_dtype_kind(tn_array_dtype(ext_array(key)));
    return (kind == TN_KIND_SIGNED || kind == TN_KIND_UNSIGNED) && tn_array_ndim(ext_array(key));
}

/* Integers, slices and arrays of integers, of an array that is no subclass's; all other keys are
 * the package's business. */
static PyObject *subscript(PyObject *self, PyObject *key) {
    const iterator *i = data_of(self);
    if (Py_TYPE(i->array) == ext_ndarray_type) {
        tn_array *made;
        tn_index slice;
        int64_t place;
        if (PySlice_Check(key)) {
            if (ext_read_slice(&slice, key)) return NULL;
            const tn_array *array = ext_array(i->array);
            tn_status status;
            EXT_LONG_CALL(status, tn_array_size(array), copy_slice(&made, array, &slice));
            return ext_wrap_status(status, made);
        }
        if (is_integers(key)) {
            const tn_array *array = ext_array(i->array), *indices = ext_array(key);
            tn_status status;
            EXT_LONG_CALL(status, tn_array_size(array) + tn_array_size(indices),
                          take_flat(&made, array, indices));
            return ext_wrap_status(status, made);
        }
        if (read_place(&place, key, ext_array(i->array))) {
            EXT_TRY(tn_array_element(&made, ext_array(i->array), place, NULL));
            return ext_wrap(made);
        }
    }
    return PyObject_CallMethod(self, "_get", "(O)", key);
}

/* 0: the package assigns, or says what is wrong. */
static int set_one(const iterator *i, PyObject *key, PyObject *value) {
    int64_t place;
    tn_scalar scalar;
    if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value)) return 0;
    if (ext_scalar(value, &scalar) <= 0 || !read_place(&place, key, ext_array(i->array)) ||
        ext_element(&scalar, tn_array_dtype(ext_array(i->array))))
        return 0;
    const bool is_set = tn_array_set_element(ext_array(i->array), place, scalar, NULL) == TN_OK;
    EXT_SETTLE();
    return is_set;
}

static int assign_subscript(PyObject *self, PyObject *key, PyObject *value) {
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "Cannot delete iterator elements");
        return -1;
    }
    if (PyLong_CheckExact(key)) {
        if (set_one(data_of(self), key, value)) return 0;
        PyErr_Clear();
    }
    PyObject *done = PyObject_CallMethod(self, "_set", "(OO)", key, value);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* --- The types --- */

static PyMethodDef methods[] = {
    {"__length_hint__", length_hint, METH_NOARGS, "How many views are still to come."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"base", T_OBJECT_EX, offsetof(iterator, array), READONLY, "The array."},
    {"index", T_PYSSIZET, offsetof(iterator, at), READONLY,
     "How many elements have been iterated over."},
    {NULL, 0, 0, 0, NULL},
};

int ext_iterate_init(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_new, (void *)ext_refuse_new},
        {Py_tp_dealloc, (void *)dealloc},
        {Py_tp_iter, (void *)PyObject_SelfIter},
        {Py_tp_iternext, (void *)next_view},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static char element_doc[] = "elements(base)\n--\n\nThe elements of an array in C order.";
    static PyType_Slot element_slots[] = {
        {Py_tp_doc, element_doc},
        {Py_tp_new, (void *)construct},
        {Py_tp_dealloc, (void *)dealloc},
        {Py_tp_iter, (void *)PyObject_SelfIter},
        {Py_tp_iternext, (void *)next_element},
        {Py_mp_subscript, (void *)subscript},
        {Py_mp_ass_subscript, (void *)assign_subscript},
        {Py_tp_members, members},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.ndarray_iterator", sizeof(iterator), 0, Py_TPFLAGS_DEFAULT,
                               slots};
    static PyType_Spec element_spec = {"tenorite.elements", sizeof(iterator), 0,
                                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, element_slots};
    iterator_type = ext_add_type(module, &spec, NULL);
    if (!iterator_type) return -1;
    return ext_add_type(module, &element_spec, NULL) ? 0 : -1; /* it stays, as all types do */
}
