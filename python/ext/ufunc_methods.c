/* The methods of ufunc objects: reduce, accumulate, reduceat, outer and at. */
#include "create.h"
#include "ufunc.h"

#include <tenorite/index.h>
#include <tenorite/reduce.h>

static int check_binary(PyObject *self, const char *method) {
    tn_op op = ext_ufunc_op(self);
    if (tn_op_inputs(op) != 2) {
        PyErr_Format(PyExc_ValueError, "%s only supported for binary functions", method);
        return -1;
    }
    if (tn_op_outputs(op) != 1) {
        PyErr_Format(PyExc_ValueError, "%s only supported for functions returning a single value",
                     method);
        return -1;
    }
    return 0;
}

static PyObject *reduce(ARGUMENTS) {
    static const char *const names[] = {"array",    "axis",    "dtype", "out",
                                        "keepdims", "initial", "where", NULL};
    PyObject *values[7];
    tn_array *array, *out, *mask, *owned = NULL;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    int axes[TN_MAX_NDIM] = {0};
    tn_scalar initial;
    if (check_binary(self, "reduce") ||
        ext_parse("reduce", arguments, count, keywords, names, 1, values) ||
        !(array = ext_only_array(values[0])))
        return NULL;
    options.axes = axes;
    options.axis_count = tn_array_ndim(array) > 0; /* axis 0 unless told otherwise */
    if (values[1] && ext_axes(values[1], &options.axis_count, axes)) return NULL;
    if (ext_dtype(values[2], &options.dtype) || ext_out(&values[3], &out) ||
        ext_bool(values[4], &options.keepdims, false))
        return NULL;
    if (ext_initial(values[5], &options, &initial)) return NULL;
    if (ext_ufunc_where(values[6], &mask, &owned)) return NULL;
    options.where = mask;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_op_reduce(&out, ext_ufunc_op(self), array, &options, NULL));
    tn_array_release(owned);
    return ext_result(status, values[3], out, values[0]);
}

/* One axis: an int or a tuple of one. */
static int single_axis(PyObject *object, const char *method, int *axis) {
    int count = 1, axes[TN_MAX_NDIM] = {0};
    if (object && ext_axes(object, &count, axes)) return -1;
    *axis = axes[0];
    if (count == 1) return 0;
    PyErr_Format(PyExc_ValueError, "%s does not allow multiple axes", method);
    return -1;
}

static PyObject *accumulate(ARGUMENTS) {
    static const char *const names[] = {"array", "axis", "dtype", "out", NULL};
    PyObject *values[4];
    tn_array *array, *out;
    tn_dtype dtype;
    int axis = 0;
    if (check_binary(self, "accumulate") ||
        ext_parse("accumulate", arguments, count, keywords, names, 1, values) ||
        !(array = ext_only_array(values[0])) || single_axis(values[1], "accumulate", &axis) ||
        ext_dtype(values[2], &dtype) || ext_out(&values[3], &out))
        return NULL;
    if (tn_array_ndim(array) == 0)
        return PyErr_Format(PyExc_TypeError, "cannot accumulate on a scalar");
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_op_accumulate(&out, ext_ufunc_op(self), array, axis, dtype, NULL));
    return ext_result(status, values[3], out, values[0]);
}

static PyObject *reduceat(ARGUMENTS) {
    static const char *const names[] = {"array", "indices", "axis", "dtype", "out", NULL};
    PyObject *values[5];
    tn_array *array, *out;
    tn_dtype dtype;
    int axis = 0;
    if (check_binary(self, "reduceat") ||
        ext_parse("reduceat", arguments, count, keywords, names, 2, values) ||
        !(array = ext_only_array(values[0])) || single_axis(values[2], "reduceat", &axis) ||
        ext_dtype(values[3], &dtype) || ext_out(&values[4], &out))
        return NULL;
    if (tn_array_ndim(array) == 0)
        return PyErr_Format(PyExc_TypeError, "cannot reduceat on a scalar");
    tn_array *indices = ext_convert_beside(values[1], array);
    if (!indices) return NULL;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_op_reduceat(&out, ext_ufunc_op(self), array, indices, axis, dtype, NULL));
    tn_array_release(indices);
    return ext_result(status, values[4], out, values[0]);
}

/* A with as many axes of size 1 behind as B has. */
static PyObject *widened(PyObject *object, int added) {
    tn_array *view;
    if (!ext_is_array(object)) {
        Py_INCREF(object);
        return object;
    }
    int axes[TN_MAX_NDIM], ndim = tn_array_ndim(ext_array(object));
    if (ndim + added > TN_MAX_NDIM)
        return PyErr_Format(PyExc_ValueError,
                            "maximum supported dimension for an ndarray is currently %d, found %d",
                            TN_MAX_NDIM, ndim + added);
    for (int k = 0; k < added; k++)
        axes[k] = ndim + k;
    EXT_TRY(tn_array_expand_dims(&view, ext_array(object), added, axes));
    return ext_wrap_view(view, object);
}

static PyObject *outer(PyObject *self, PyObject *arguments, PyObject *keywords) {
    if (tn_op_inputs(ext_ufunc_op(self)) != 2)
        return PyErr_Format(PyExc_ValueError, "outer product only supported for binary functions");
    if (PyTuple_Size(arguments) != 2)
        return PyErr_Format(PyExc_TypeError, "exactly two arguments expected");
    PyObject *a = PyTuple_GetItem(arguments, 0), *b = PyTuple_GetItem(arguments, 1);
    PyObject *wide = widened(a, ext_is_array(b) ? tn_array_ndim(ext_array(b)) : 0);
    if (!wide) return NULL;
    PyObject *both = PyTuple_Pack(2, wide, b);
    Py_DECREF(wide);
    PyObject *result = both ? PyObject_Call(self, both, keywords) : NULL;
    Py_XDECREF(both);
    return result;
}

/* --- at --- */

typedef struct index_list {
    int count;
    int axes[TN_MAX_NDIM];
    tn_array *arrays[TN_MAX_NDIM];
} index_list;

static void release_indices(index_list *list) {
    for (int k = 0; k < list->count; k++)
        tn_array_release(list->arrays[k]);
}

static int fail_count(const tn_array *indexed) {
    PyErr_Format(PyExc_IndexError, "too many indices for array: array is %d-dimensional",
                 tn_array_ndim(indexed));
    return -1;
}

static int is_slice(PyObject *object) {
    return PySlice_Check(object) || object == Py_Ellipsis || object == Py_None;
}

/* One item of the index as an integer array; a mask becomes the positions where it is true. How many
 * axes it takes, -1 on failure. */
static int add_index(index_list *list, int axis, PyObject *object, const tn_array *indexed) {
    tn_array *array = ext_convert_beside(object, indexed);
    if (!array) return -1;
    bool is_mask = tn_array_dtype(array) == TN_B8 && tn_array_ndim(array) > 0;
    int ndim = is_mask ? tn_array_ndim(array) : 1;
    if (axis < 0 || axis + ndim > tn_array_ndim(indexed)) {
        tn_array_release(array);
        return fail_count(indexed);
    }
    if (is_mask) {
        tn_array *positions[TN_MAX_NDIM];
        tn_status status = tn_array_nonzero(positions, array, NULL);
        tn_array_release(array);
        if (status) return ext_raise(status), -1;
        for (int k = 0; k < ndim; k++) {
            list->axes[list->count] = axis + k;
            list->arrays[list->count++] = positions[k];
        }
        return ndim;
    }
    list->axes[list->count] = axis;
    list->arrays[list->count++] = array;
    return 1;
}

/* Integer arrays, masks and whole axes (`:` and `...`). */
static int read_indices(index_list *list, PyObject *index, const tn_array *indexed) {
    int is_tuple = PyTuple_Check(index), axis = 0, ndim = tn_array_ndim(indexed);
    Py_ssize_t items = is_tuple ? PyTuple_Size(index) : 1;
    for (Py_ssize_t k = 0; k < items; k++) {
        PyObject *one = is_tuple ? PyTuple_GetItem(index, k) : index;
        if (axis >= ndim && one != Py_Ellipsis) return fail_count(indexed);
        if (one == Py_Ellipsis) {
            axis = ndim - (int)(items - k - 1);
        } else if (is_slice(one)) {
            PyObject *whole = PySlice_New(NULL, NULL, NULL);
            int same = whole && one != Py_None ? PyObject_RichCompareBool(one, whole, Py_EQ) : 0;
            Py_XDECREF(whole);
            if (same != 1) {
                if (!PyErr_Occurred())
                    PyErr_Format(PyExc_NotImplementedError,
                                 "at($self, /, ) with the index %R: only integer arrays, masks and "
                                 "whole axes",
                                 index);
                return -1;
            }
            axis++;
        } else {
            int used = add_index(list, axis, one, indexed);
            if (used < 0) return -1;
            axis += used;
        }
    }
    return 0;
}

static PyObject *at(ARGUMENTS) {
    static const char *const names[] = {"a", "indices", "b", NULL};
    PyObject *values[3];
    tn_array *array, *operand = NULL;
    tn_op op = ext_ufunc_op(self);
    index_list list = {0, {0}, {NULL}};
    PyObject *result = NULL;
    if (ext_parse("at", arguments, count, keywords, names, 2, values) ||
        !(array = ext_only_array(values[0])))
        return NULL;
    bool binary = tn_op_inputs(op) == 2;
    if (tn_op_outputs(op) != 1)
        return PyErr_Format(PyExc_ValueError, "at only supported for functions with one output");
    if (binary != (values[2] != NULL))
        return PyErr_Format(PyExc_ValueError, binary
                                                  ? "second operand needed for ufunc"
                                                  : "second operand provided when ufunc is unary");
    if (read_indices(&list, values[1], array)) goto cleanup;
    if (binary) {
        tn_operand given;
        if (ext_operand(values[2], &given)) goto cleanup;
        tn_dtype like = tn_array_dtype(array);
        tn_operand both[2] = {tn_operand_array(array), given};
        if (given.array) {
            operand = tn_array_retain((tn_array *)(uintptr_t)given.array);
        } else {
            tn_status made = given.scalar.weak ? tn_result_type(&like, 2, both) : TN_OK;
            if (!made)
                made = tn_array_new_scalar(&operand, given.scalar,
                                           given.scalar.weak ? like : given.scalar.dtype,
                                           tn_stream_get_current(tn_array_device(array)));
            if (made) {
                ext_raise(made);
                goto cleanup;
            }
        }
    }
    tn_status status;
    EXT_LONG_CALL(status, list.count ? tn_array_size(list.arrays[0]) : 0,
                  tn_op_at(array, op, list.count, list.axes, (const tn_array *const *)list.arrays,
                           operand, NULL));
    if (status) {
        ext_raise(status);
    } else {
        Py_INCREF(Py_None);
        result = Py_None;
    }
cleanup:
    release_indices(&list);
    tn_array_release(operand);
    return result;
}

PyMethodDef ext_ufunc_methods[] = {
    {"reduce", FAST(reduce),
     "reduce($self, /, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, "
     "where=True)\n--\n\n"
     "Folds the operation over axes."},
    {"accumulate", FAST(accumulate),
     "accumulate($self, /, array, axis=0, dtype=None, out=None)\n--\n\n"
     "All running results along an axis."},
    {"reduceat", FAST(reduceat),
     "reduceat($self, /, array, indices, axis=0, dtype=None, out=None)\n--\n\n"
     "Folds of slices along an axis."},
    {"outer", (PyCFunction)(void (*)(void))outer, METH_VARARGS | METH_KEYWORDS,
     "outer($self, A, B, /, **kwargs)\n--\n\n"
     "The operation on every pair."},
    {"at", FAST(at),
     "at($self, a, indices, b=None, /)\n--\n\n"
     "The operation in place at these positions, repeated ones counting each time.\n\n"
     "On a GPU repeated positions are served in any order: sums, products and extremes of\n"
     "integers are the same in every run, those of floats may differ in their last bits."},
    {NULL, NULL, 0, NULL},
};
