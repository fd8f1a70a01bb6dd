/* Fourier transforms: what the package's modules fft and scipy.fft compute by. They check and
 * complete what they were given. */
#include "functions/fft.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/object.h"
#include "values/operands.h"

#include <tenorite/cuda.h>
#include <tenorite/fft.h>

/* A tuple of as many lengths as there are axes; None: none is given. */
static int read_lengths(PyObject *object, int axis_count, int64_t *lengths) {
    int count;
    if (ext_shape(object, &count, lengths)) return -1;
    if (count == axis_count) return 0;
    PyErr_SetString(PyExc_ValueError, "Shape and axes have different lengths.");
    return -1;
}

/* _fft(array, kind, is_backward, axes, lengths, norm, out): kind and norm as tn_fft_kind and
 * tn_fft_norm have them; axes is a tuple, lengths one or None, out an array or None. */
static PyObject *transform(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    int64_t kind = 0, norm = 0, lengths[TN_MAX_NDIM];
    int axis_count, axes[TN_MAX_NDIM];
    bool is_backward;
    if (count != 7) return PyErr_Format(PyExc_TypeError, "_fft() takes 7 arguments");
    if (ext_int64(arguments[1], &kind) || ext_bool(arguments[2], &is_backward, false) ||
        ext_axes(arguments[3], &axis_count, axes) ||
        (arguments[4] != Py_None && read_lengths(arguments[4], axis_count, lengths)) ||
        ext_int64(arguments[5], &norm))
        return NULL;
    const bool is_given = arguments[6] != Py_None;
    tn_array *array = ext_only_array(arguments[0]);
    tn_array *out = is_given ? ext_only_array(arguments[6]) : NULL;
    if (!array || (is_given && !out)) return NULL;
    tn_array *made = out;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_fft(&made, array, (tn_fft_kind)kind, is_backward, axis_count, axes,
                         arguments[4] == Py_None ? NULL : lengths, (tn_fft_norm)norm, NULL));
    return ext_result(status, out ? arguments[6] : NULL, out ? NULL : made, arguments[0]);
}

/* _fft_cosine(array, is_sine, type, axes, lengths, norm, is_inverse, is_weighed) */
static PyObject *cosine(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    int64_t type = 0, norm = 0, lengths[TN_MAX_NDIM];
    int axis_count, axes[TN_MAX_NDIM];
    tn_fft_cosines options;
    if (count != 8) return PyErr_Format(PyExc_TypeError, "_fft_cosine() takes 8 arguments");
    if (ext_bool(arguments[1], &options.is_sine, false) || ext_int64(arguments[2], &type) ||
        ext_axes(arguments[3], &axis_count, axes) ||
        (arguments[4] != Py_None && read_lengths(arguments[4], axis_count, lengths)) ||
        ext_int64(arguments[5], &norm) || ext_bool(arguments[6], &options.is_inverse, false) ||
        ext_bool(arguments[7], &options.is_weighed, false))
        return NULL;
    tn_array *array = ext_only_array(arguments[0]);
    if (!array) return NULL;
    tn_array *made = NULL;
    tn_status status;
    options.type = type < 1 || type > 4 ? 0 : (int)type;
    options.norm = (tn_fft_norm)norm;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_fft_cosine(&made, array, &options, axis_count, axes,
                                arguments[4] == Py_None ? NULL : lengths, NULL));
    return ext_result(status, NULL, made, arguments[0]);
}

static int read_device(PyObject *object, tn_device *device) {
    int backend, number;
    if (!PyArg_ParseTuple(object, "ii", &backend, &number)) return -1;
    *device = (tn_device){(int16_t)backend, (int16_t)number};
    return 0;
}

/* _fft_cache((backend, number)): plans, bytes, both limits, hits and misses. */
static PyObject *cache_facts(PyObject *self, PyObject *object) {
    (void)self;
    tn_device device;
    tn_fft_cache_facts facts;
    if (read_device(object, &device)) return NULL;
    tn_fft_cache_get(device, &facts);
    return Py_BuildValue("(LLLLLL)", (long long)facts.plans, (long long)facts.bytes,
                         (long long)facts.most_plans, (long long)facts.most_bytes,
                         (long long)facts.hits, (long long)facts.misses);
}

/* _fft_cache_limit((backend, number), plans, bytes) */
static PyObject *cache_limit(PyObject *self, PyObject *arguments) {
    (void)self;
    PyObject *where;
    tn_device device;
    long long plans, bytes;
    if (!PyArg_ParseTuple(arguments, "OLL", &where, &plans, &bytes) || read_device(where, &device))
        return NULL;
    tn_fft_cache_limit(device, plans, bytes);
    Py_RETURN_NONE;
}

/* _fft_cache_clear((backend, number)) */
static PyObject *cache_clear(PyObject *self, PyObject *object) {
    (void)self;
    tn_device device;
    if (read_device(object, &device)) return NULL;
    tn_fft_cache_clear(device);
    Py_RETURN_NONE;
}

/* _cufft_statuses(): the names of cuFFT's answers by their numbers. */
static PyObject *cufft_statuses(PyObject *self, PyObject *nothing) {
    static const struct {
        int number;
        const char *name;
    } statuses[] = {
#define CUFFT_STATUS(number, name) {number, "CUFFT_" #name},
#include <tenorite/cufft.def>
    };
    (void)self, (void)nothing;
    PyObject *names = PyDict_New();
    for (size_t k = 0; names && k < sizeof statuses / sizeof *statuses; k++) {
        PyObject *number = PyLong_FromLong(statuses[k].number);
        PyObject *name = PyUnicode_FromString(statuses[k].name);
        if (!number || !name || PyDict_SetItem(names, number, name)) Py_CLEAR(names);
        Py_XDECREF(number);
        Py_XDECREF(name);
    }
    return names;
}

/* _cufft_version() */
static PyObject *cufft_version(PyObject *self, PyObject *nothing) {
    (void)self, (void)nothing;
    int version = 0;
    const tn_status status = tn_cuda_cufft_version(&version);
    return status == TN_OK ? PyLong_FromLong(version) : ext_raise(status);
}

PyMethodDef ext_fft_functions[] = {
    {"_cufft_statuses", cufft_statuses, METH_NOARGS, NULL},
    {"_cufft_version", cufft_version, METH_NOARGS, NULL},
    {"_fft", (PyCFunction)(void (*)(void))transform, METH_FASTCALL, NULL},
    {"_fft_cosine", (PyCFunction)(void (*)(void))cosine, METH_FASTCALL, NULL},
    {"_fft_cache", cache_facts, METH_O, NULL},
    {"_fft_cache_limit", cache_limit, METH_VARARGS, NULL},
    {"_fft_cache_clear", cache_clear, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
