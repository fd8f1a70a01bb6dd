/* Numbers, texts and objects as arguments and results of rows. */
#include "base/kinds.h"

#include "base/arguments.h"
#include "base/dtypes.h"

#include <string.h>

_Static_assert(sizeof(uintptr_t) == sizeof(unsigned long long),
               "a handle is read as such a number");

/* --- Numbers --- */

int ext_read_number(void *to, PyObject *object, const ext_parameter *which) {
    const long value = PyLong_AsLong(object);
    if (value == -1 && PyErr_Occurred()) return -1;
    *(int *)to = (int)value;
    if (value == (int)value) return 0;
    PyErr_Format(PyExc_OverflowError, "argument '%s' of %s() is %ld, which is no C int",
                 which->name, which->function, value);
    return -1;
}

int ext_read_flags(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    *(unsigned *)to = (unsigned)PyLong_AsUnsignedLongMask(object);
    return PyErr_Occurred() ? -1 : 0;
}

int ext_read_handle(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    *(uintptr_t *)to = PyLong_AsUnsignedLongLongMask(object);
    return PyErr_Occurred() ? -1 : 0;
}

int ext_read_address(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_address(object, to);
}

int ext_read_int64(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_int64(object, to);
}

int ext_read_extent(void *to, PyObject *object, const ext_parameter *which) {
    ext_extent_given *extent = to;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 3)
        return ext_refuse_kind(which, "a tuple of three numbers", object);
    for (int k = 0; k < 3; k++)
        if (ext_read_flags(&extent->at[k], PyTuple_GetItem(object, k), which)) return -1;
    return 0;
}

int ext_read_truth(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_bool(object, to, false);
}

int ext_read_real(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    double *value = to;
    *value = PyFloat_AsDouble(object);
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

/* --- Texts and bytes --- */

int ext_read_text(void *to, PyObject *object, const ext_parameter *which) {
    Py_ssize_t length;
    if (!PyUnicode_Check(object)) return ext_refuse_kind(which, "str", object);
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text) return -1;
    *(const char **)to = text;
    if (strlen(text) == (size_t)length) return 0;
    PyErr_SetString(PyExc_ValueError, "embedded null character");
    return -1;
}

int ext_read_optional_text(void *to, PyObject *object, const ext_parameter *which) {
    *(const char **)to = NULL;
    return object == Py_None ? 0 : ext_read_text(to, object, which);
}

int ext_read_texts(void *to, PyObject *object, const ext_parameter *which) {
    ext_texts_given *texts = to;
    if (!PyTuple_Check(object)) return ext_refuse_kind(which, "a tuple of str", object);
    texts->count = (int)PyTuple_Size(object);
    texts->at = PyMem_Calloc((size_t)texts->count + 1, sizeof *texts->at);
    if (!texts->at) return PyErr_NoMemory(), -1;
    for (int k = 0; k < texts->count; k++)
        if (ext_read_text(&texts->at[k], PyTuple_GetItem(object, k), which)) return -1;
    return 0;
}

void ext_release_texts(void *from) {
    PyMem_Free(((ext_texts_given *)from)->at);
}

int ext_read_bytes(void *to, PyObject *object, const ext_parameter *which) {
    ext_bytes_given *bytes = to;
    if (!PyBytes_Check(object)) return ext_refuse_kind(which, "bytes", object);
    bytes->at = PyBytes_AsString(object);
    bytes->count = PyBytes_Size(object);
    return 0;
}

int ext_read_shared(void *to, PyObject *object, const ext_parameter *which) {
    ext_shared_given *handle = to;
    ext_bytes_given bytes = {0};
    if (ext_read_bytes(&bytes, object, which)) return -1;
    if (bytes.count != sizeof handle->at) {
        PyErr_Format(PyExc_ValueError, "a handle has 64 bytes, not %lld", (long long)bytes.count);
        return -1;
    }
    memcpy(handle->at, bytes.at, sizeof handle->at);
    return 0;
}

/* --- Objects --- */

int ext_read_object(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    *(PyObject **)to = object;
    return 0;
}

int ext_read_noted(void *to, PyObject *object, const ext_parameter *which) {
    ext_note(which->function, which->name, object);
    return ext_read_object(to, object, which);
}

int ext_read_tuple(void *to, PyObject *object, const ext_parameter *which) {
    *(PyObject **)to = object;
    return PyTuple_Check(object) ? 0 : ext_refuse_kind(which, "a tuple", object);
}

int ext_read_dtype(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_dtype(object, to);
}

int ext_read_casting(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_casting(object, to, TN_CASTING_SAME_KIND);
}

int ext_read_axes(void *to, PyObject *object, const ext_parameter *which) {
    ext_axes_given *axes = to;
    (void)which;
    return ext_axes(object, &axes->count, axes->at);
}

int ext_read_copy(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_copy(object, to, TN_COPY_IF_NEEDED);
}

int ext_read_shape(void *to, PyObject *object, const ext_parameter *which) {
    ext_shape_given *shape = to;
    (void)which;
    return ext_shape(object, &shape->count, shape->at);
}

int ext_read_optional_shape(void *to, PyObject *object, const ext_parameter *which) {
    ((ext_shape_given *)to)->count = -1;
    return object == Py_None ? 0 : ext_read_shape(to, object, which);
}

/* --- Results --- */

PyObject *ext_give_made_number(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyLong_FromLong(*(int *)from);
}

PyObject *ext_give_made_handle(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyLong_FromSize_t(*(uintptr_t *)from);
}

PyObject *ext_give_made_int64(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyLong_FromLongLong(*(int64_t *)from);
}

PyObject *ext_give_made_truth(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyBool_FromLong(*(bool *)from);
}

PyObject *ext_give_made_real(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyFloat_FromDouble(*(double *)from);
}

PyObject *ext_give_made_shared(void *from, PyObject *object, PyObject *first) {
    const ext_shared_given *handle = from;
    (void)object, (void)first;
    return PyBytes_FromStringAndSize((const char *)handle->at, sizeof handle->at);
}

PyObject *ext_give_object(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return *(PyObject **)from;
}

void ext_release_object(void *from) {
    Py_XDECREF(*(PyObject **)from);
}
