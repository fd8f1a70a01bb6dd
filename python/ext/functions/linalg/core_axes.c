/* The axes= of the products. An entry is a tuple of axes, or one number where the core is one axis;
 * the result's may be left out where it has no core. */
#include "functions/linalg/core_axes.h"

#include "base/arguments.h"
#include "base/errors.h"

static int read_entry(PyObject *entry, const char *name, int place, ext_core_axes *axes) {
    int count = axes->counts[place], is_tuple = PyTuple_Check(entry);
    Py_ssize_t size = is_tuple ? PyTuple_Size(entry) : 1;
    if (size != count) {
        PyObject *module = PyImport_ImportModule("numpy.exceptions");
        PyObject *error = module ? PyObject_GetAttrString(module, "AxisError") : NULL;
        if (error)
            PyErr_Format(error,
                         "%s: operand %d has %d core dimensions, but %zd dimensions are "
                         "specified by axes tuple.",
                         name, place, count, size);
        Py_XDECREF(error);
        Py_XDECREF(module);
        return -1;
    }
    for (int k = 0; k < count; k++)
        if (ext_int64(is_tuple ? PyTuple_GetItem(entry, k) : entry, &axes->axes[place][k]))
            return -1;
    return 0;
}

int ext_core_axes_read(PyObject *object, const char *name, bool is_kept, ext_core_axes *axes) {
    if (!PyList_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "axes should be a list.");
        return -1;
    }
    Py_ssize_t size = PyList_Size(object);
    if (size != 3 && !(size == 2 && (is_kept || axes->counts[2] == 0))) {
        PyErr_SetString(PyExc_ValueError,
                        "axes should be a list with an entry for all 3 inputs and outputs; "
                        "entries for outputs can only be omitted if none of them has core axes.");
        return -1;
    }
    for (int place = 0; place < size; place++)
        if (read_entry(PyList_GetItem(object, place), name, place, axes)) return -1;
    return 0;
}

/* The axes of `place` in an array of `ndim`, each once. */
static int find_axes(const ext_core_axes *axes, int place, int ndim, int found[2],
                     bool is_core[TN_MAX_NDIM]) {
    for (int k = 0; k < ndim; k++)
        is_core[k] = false;
    for (int k = 0; k < axes->counts[place]; k++) {
        if (ext_check_axis(axes->axes[place][k], ndim, &found[k])) return -1;
        if (is_core[found[k]]) {
            PyErr_Format(PyExc_ValueError, "axes tuple %d has the axis %d twice", place, found[k]);
            return -1;
        }
        is_core[found[k]] = true;
    }
    return 0;
}

static int transpose(const tn_array *array, const int *order, tn_array **view) {
    tn_status status = tn_array_transpose(view, array, tn_array_ndim(array), order);
    if (status) return ext_raise(status), -1;
    return 0;
}

int ext_core_axes_last(const ext_core_axes *axes, int place, const tn_array *array,
                       tn_array **view) {
    int ndim = tn_array_ndim(array), order[TN_MAX_NDIM], found[2], count = 0;
    bool is_core[TN_MAX_NDIM];
    if (find_axes(axes, place, ndim, found, is_core)) return -1;
    for (int k = 0; k < ndim; k++)
        if (!is_core[k]) order[count++] = k;
    for (int k = 0; k < axes->counts[place]; k++)
        order[count++] = found[k];
    return transpose(array, order, view);
}

int ext_core_axes_put(const ext_core_axes *axes, const tn_array *result, tn_array **view) {
    int ndim = tn_array_ndim(result), order[TN_MAX_NDIM], found[2], next = 0;
    bool is_core[TN_MAX_NDIM];
    if (find_axes(axes, 2, ndim, found, is_core)) return -1;
    for (int k = 0; k < ndim; k++)
        if (!is_core[k]) order[k] = next++;
    for (int k = 0; k < axes->counts[2]; k++)
        order[found[k]] = ndim - axes->counts[2] + k;
    return transpose(result, order, view);
}
