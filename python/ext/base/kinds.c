/* Numbers, texts and objects as arguments and results of rows. */
#include "base/kinds.h"

#include "base/arguments.h"
#include "base/dtypes.h"

#include <string.h>

_Static_assert(sizeof(uintptr_t) == sizeof(unsigned long long),
               "a handle is read as such a number");

/* --- Numbers --- */

static int read_number(void *to, PyObject *object, const ext_parameter *which) {
    int64_t value = 0;
    if (ext_int64(object, &value)) return -1;
    *(int *)to = (int)value;
    if (value == (int)value) return 0;
    PyErr_Format(PyExc_OverflowError, "argument '%s' of %s() is %lld, which is no C int",
                 which->name, which->function, (long long)value);
    return -1;
}
const ext_kind ext_kind_number = {.read = read_number};

static int read_flags(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    *(unsigned *)to = (unsigned)PyLong_AsUnsignedLongMask(object);
    return PyErr_Occurred() ? -1 : 0;
}
const ext_kind ext_kind_flags = {.read = read_flags};

static int read_handle(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    *(uintptr_t *)to = PyLong_AsUnsignedLongLongMask(object);
    return PyErr_Occurred() ? -1 : 0;
}
const ext_kind ext_kind_handle = {.read = read_handle};

static int read_int64(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_int64(object, to);
}
const ext_kind ext_kind_int64 = {.read = read_int64};

static int64_t count_elements(const void *from) {
    return *(const int64_t *)from;
}
const ext_kind ext_kind_elements = {.read = read_int64, .work = count_elements};

static int read_extent(void *to, PyObject *object, const ext_parameter *which) {
    ext_extent_given *extent = to;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 3)
        return ext_refuse_kind(which, "a tuple of three numbers", object);
    for (int k = 0; k < 3; k++)
        if (read_flags(&extent->at[k], PyTuple_GetItem(object, k), which)) return -1;
    return 0;
}
const ext_kind ext_kind_extent = {.read = read_extent};

static int read_truth(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_bool(object, to, false);
}
const ext_kind ext_kind_truth = {.read = read_truth};

static int read_real(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    double *value = to;
    *value = PyFloat_AsDouble(object);
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}
const ext_kind ext_kind_real = {.read = read_real};

/* --- Texts and bytes --- */

static int read_text(void *to, PyObject *object, const ext_parameter *which) {
    Py_ssize_t length;
    if (!PyUnicode_Check(object)) return ext_refuse_kind(which, "str", object);
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text) return -1;
    *(const char **)to = text;
    if (strlen(text) == (size_t)length) return 0;
    PyErr_SetString(PyExc_ValueError, "embedded null character");
    return -1;
}
const ext_kind ext_kind_text = {.read = read_text};

static int read_optional_text(void *to, PyObject *object, const ext_parameter *which) {
    return object == Py_None ? 0 : read_text(to, object, which);
}
const ext_kind ext_kind_optional_text = {.read = read_optional_text};

static int read_texts(void *to, PyObject *object, const ext_parameter *which) {
    ext_texts_given *texts = to;
    if (!PyTuple_Check(object)) return ext_refuse_kind(which, "a tuple of str", object);
    texts->count = (int)PyTuple_Size(object);
    texts->at = PyMem_Calloc((size_t)texts->count + 1, sizeof *texts->at);
    if (!texts->at) return PyErr_NoMemory(), -1;
    for (int k = 0; k < texts->count; k++)
        if (read_text(&texts->at[k], PyTuple_GetItem(object, k), which)) return -1;
    return 0;
}

static void release_texts(void *from) {
    PyMem_Free(((ext_texts_given *)from)->at);
}
const ext_kind ext_kind_texts = {.read = read_texts, .release = release_texts};

static int read_bytes(void *to, PyObject *object, const ext_parameter *which) {
    ext_bytes_given *bytes = to;
    if (!PyBytes_Check(object)) return ext_refuse_kind(which, "bytes", object);
    bytes->at = PyBytes_AsString(object);
    bytes->count = PyBytes_Size(object);
    return 0;
}
const ext_kind ext_kind_bytes = {.read = read_bytes};

static int read_shared(void *to, PyObject *object, const ext_parameter *which) {
    ext_shared_given *handle = to;
    ext_bytes_given bytes = {0};
    if (read_bytes(&bytes, object, which)) return -1;
    if (bytes.count != sizeof handle->at) {
        PyErr_Format(PyExc_ValueError, "a handle has 64 bytes, not %lld", (long long)bytes.count);
        return -1;
    }
    memcpy(handle->at, bytes.at, sizeof handle->at);
    return 0;
}
const ext_kind ext_kind_shared = {.read = read_shared};

/* --- Objects --- */

static int read_object(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    *(PyObject **)to = object;
    return 0;
}
const ext_kind ext_kind_object = {.read = read_object};

static int read_tuple(void *to, PyObject *object, const ext_parameter *which) {
    *(PyObject **)to = object;
    return PyTuple_Check(object) ? 0 : ext_refuse_kind(which, "a tuple", object);
}
const ext_kind ext_kind_tuple = {.read = read_tuple};

static int read_dtype(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_dtype(object, to);
}
const ext_kind ext_kind_dtype = {.read = read_dtype};

static int read_casting(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    return ext_casting(object, to, TN_CASTING_SAME_KIND);
}
const ext_kind ext_kind_casting = {.read = read_casting};

static int read_axes(void *to, PyObject *object, const ext_parameter *which) {
    ext_axes_given *axes = to;
    (void)which;
    return ext_axes(object, &axes->count, axes->at);
}
const ext_kind ext_kind_axes = {.read = read_axes};

static int read_shape(void *to, PyObject *object, const ext_parameter *which) {
    ext_shape_given *shape = to;
    (void)which;
    shape->count = -1;
    return object == Py_None ? 0 : ext_shape(object, &shape->count, shape->at);
}
const ext_kind ext_kind_shape = {.read = read_shape};

/* --- Results --- */

static PyObject *give_number(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyLong_FromLong(*(int *)from);
}
const ext_kind ext_kind_made_number = {.give = give_number};

static PyObject *give_handle(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyLong_FromSize_t(*(uintptr_t *)from);
}
const ext_kind ext_kind_made_handle = {.give = give_handle};

static PyObject *give_int64(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyLong_FromLongLong(*(int64_t *)from);
}
const ext_kind ext_kind_made_int64 = {.give = give_int64};

static PyObject *give_truth(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyBool_FromLong(*(bool *)from);
}
const ext_kind ext_kind_made_truth = {.give = give_truth};

static PyObject *give_real(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return PyFloat_FromDouble(*(double *)from);
}
const ext_kind ext_kind_made_real = {.give = give_real};

static PyObject *give_shared(void *from, PyObject *object, PyObject *first) {
    const ext_shared_given *handle = from;
    (void)object, (void)first;
    return PyBytes_FromStringAndSize((const char *)handle->at, sizeof handle->at);
}
const ext_kind ext_kind_made_shared = {.give = give_shared};

static PyObject *give_object(void *from, PyObject *object, PyObject *first) {
    (void)object, (void)first;
    return *(PyObject **)from;
}

static void release_object(void *from) {
    Py_XDECREF(*(PyObject **)from);
}
const ext_kind ext_kind_made_object = {.give = give_object, .release = release_object};
