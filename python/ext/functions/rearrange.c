/* What the package's functions that move elements are made of: copies into an array, and
 * elements in reverse, rolled, repeated, broadcast or on another device. Views and copies of the
 * library, put together without Python between them. */
#include "functions/rearrange.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/ext.h"
#include "base/object.h"
#include "device/device.h"
#include "values/convert.h"
#include "values/operands.h"
#include "values/refusal.h"
#include "values/storage.h"

#include <stdio.h>

static const int64_t flat_shape = -1;

/* An axis of an array: the one that an object names, or of the flattened array (None). *target
 * is that array (new reference). */
static int find_target(PyObject *object, PyObject *axis_object, tn_array **target, int *axis) {
    int64_t number = 0;
    bool is_flat = axis_object == Py_None;
    if (!is_flat && ext_axis_number(axis_object, &number)) return -1;
    tn_array *array = ext_array(object);
    if (!is_flat) {
        if (ext_check_axis(number, tn_array_ndim(array), axis)) return -1;
        *target = tn_array_retain(array);
        return 0;
    }
    *axis = 0;
    tn_status status =
        tn_array_reshape(target, array, 1, &flat_shape, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    EXT_SETTLE();
    return status ? (ext_raise(status), -1) : 0;
}

/* --- Copies --- */

/* What is copied into `to`: an array, or a scalar as an array (*owned) of the dtype that both
 * promote to. */
static int own_source(PyObject *object, PyObject *to, tn_array **owned) {
    tn_operand operands[2];
    tn_dtype dtype;
    *owned = NULL;
    if (ext_is_array(object)) return 0;
    if (ext_operand(object, &operands[1])) return -1;
    operands[0].array = ext_array(to);
    tn_stream *stream = tn_stream_get_current(tn_array_device(operands[0].array));
    tn_status status = tn_result_type(&dtype, 2, operands);
    if (!status) status = tn_array_new_scalar(owned, operands[1].scalar, dtype, stream);
    return status ? (ext_raise(status), -1) : 0;
}

/* _assign(to, from, casting) */
static PyObject *assign(ARGUMENTS) {
    static const char *const names[] = {"dst", "src", "casting", NULL};
    PyObject *values[3];
    tn_casting casting;
    tn_array *owned;
    if (ext_parse("copyto", arguments, count, keywords, names, 3, values) ||
        ext_casting(values[2], &casting, TN_CASTING_SAME_KIND) || !ext_only_array(values[0]) ||
        own_source(values[1], values[0], &owned))
        return NULL;
    tn_dtype from_dtype = tn_array_dtype(ext_lend(values[1], owned));
    tn_dtype to_dtype = tn_array_dtype(ext_array(values[0]));
    if (tn_dtype_can_cast(from_dtype, to_dtype, casting) &&
        ext_warn_complex(from_dtype, to_dtype)) {
        tn_array_release(owned);
        return NULL;
    }
    tn_array *to = ext_array(values[0]), *from = ext_lend(values[1], owned);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(to), tn_array_assign(to, from, casting, NULL));
    tn_array_release(owned);
    if (status) return ext_raise(status);
    Py_RETURN_NONE;
}

/* --- The order of elements --- */

/* _flip(array, axis): of all axes for None. */
static PyObject *flip(ARGUMENTS) {
    static const char *const names[] = {"m", "axis", NULL};
    PyObject *values[2];
    tn_index items[TN_MAX_NDIM];
    int axis_count, axes[TN_MAX_NDIM];
    tn_array *view;
    if (ext_parse("flip", arguments, count, keywords, names, 2, values) ||
        ext_axes(values[1], &axis_count, axes) || !ext_only_array(values[0]))
        return NULL;
    const tn_array *array = ext_array(values[0]);
    int ndim = tn_array_ndim(array);
    for (int axis = 0; axis < ndim; axis++)
        items[axis] = (tn_index){.kind = TN_INDEX_SLICE, .step = axis_count < 0 ? -1 : 1};
    for (int k = 0; k < axis_count; k++) {
        int axis;
        if (ext_check_axis(axes[k], ndim, &axis)) return NULL;
        items[axis].step = -1;
    }
    EXT_TRY(tn_array_slice(&view, array, ndim, items));
    return ext_wrap_view(view, values[0]);
}

/* The elements from `first` on of an axis, and then those before it, in a new array. */
static tn_status join_turned(tn_array **result, const tn_array *array, int axis, int64_t first) {
    tn_index items[TN_MAX_NDIM];
    tn_array *parts[2] = {NULL, NULL}, *made = NULL;
    for (int k = 0; k <= axis; k++)
        items[k] = (tn_index){.kind = TN_INDEX_SLICE, .step = 1};
    items[axis].start = items[axis].stop = first;
    items[axis].has_start = true;
    tn_status status = tn_array_slice(&parts[0], array, axis + 1, items);
    items[axis].has_start = false;
    items[axis].has_stop = true;
    if (!status) status = tn_array_slice(&parts[1], array, axis + 1, items);
    if (!status)
        status = tn_array_new_like(&made, array, tn_array_dtype(array), tn_array_ndim(array),
                                   tn_array_shape(array), TN_ORDER_K, NULL);
    if (!status)
        status = tn_array_concatenate(&made, 2, (const tn_array *const *)parts, axis, TN_DTYPE_NONE,
                                      TN_CASTING_NO, NULL);
    tn_array_release(parts[0]);
    tn_array_release(parts[1]);
    if (status)
        tn_array_release(made);
    else
        *result = made;
    return status;
}

/* Rolls to the shape of `array`. */
static tn_status roll_one(tn_array **result, const tn_array *array, const tn_array *target,
                          int axis, int64_t shift) {
    tn_array *rolled;
    int64_t size = tn_array_shape(target)[axis];
    tn_status status = join_turned(&rolled, target, axis, size - shift);
    if (status) return status;
    status = tn_array_reshape(result, rolled, tn_array_ndim(array), tn_array_shape(array),
                              TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    tn_array_release(rolled);
    return status;
}

/* A number of places modulo the size of an axis; it may be larger than any C integer. */
static int read_shift(PyObject *object, int64_t size, int64_t *shift) {
    PyObject *whole = PyLong_FromLongLong(size > 0 ? size : 1);
    PyObject *rest = whole ? PyNumber_Remainder(object, whole) : NULL;
    int failed = rest ? ext_int64(rest, shift) : -1;
    Py_XDECREF(rest);
    Py_XDECREF(whole);
    return failed;
}

/* _roll(array, shift, axis): along one axis, or (None) the flattened array. */
static PyObject *roll(ARGUMENTS) {
    static const char *const names[] = {"a", "shift", "axis", NULL};
    PyObject *values[3], *result = NULL;
    tn_array *target, *made;
    int axis;
    int64_t shift;
    if (ext_parse("roll", arguments, count, keywords, names, 3, values) ||
        !ext_only_array(values[0]) || find_target(values[0], values[2], &target, &axis))
        return NULL;
    tn_array *array = tn_array_retain(values[2] == Py_None ? ext_array(values[0]) : target);
    if (!read_shift(values[1], tn_array_shape(target)[axis], &shift)) {
        tn_status status;
        EXT_LONG_CALL(status, tn_array_size(target), roll_one(&made, array, target, axis, shift));
        result = status ? ext_raise(status) : ext_wrap_like(made, values[0]);
    }
    tn_array_release(array);
    tn_array_release(target);
    return result;
}

/* --- Repeating --- */

/* A new array in which each slice along the axis stands `times` times, one after the other. */
static tn_status repeat_slices(tn_array **result, const tn_array *array, int axis, int64_t times) {
    int64_t shape[TN_MAX_NDIM + 1], total;
    int ndim = tn_array_ndim(array), place = axis + 1;
    tn_array *narrow, *wide;
    if (__builtin_mul_overflow(tn_array_shape(array)[axis], times, &total)) {
        tn_error_set("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
                     "possible size.");
        return TN_ERROR_VALUE;
    }
    for (int k = 0; k <= ndim; k++)
        shape[k] = k == place ? times : tn_array_shape(array)[k > place ? k - 1 : k];
    tn_status status = tn_array_expand_dims(&narrow, array, 1, &place);
    if (status) return status;
    status = tn_array_broadcast_to(&wide, narrow, ndim + 1, shape);
    tn_array_release(narrow);
    if (status) return status;
    for (int k = place; k < ndim; k++)
        shape[k] = tn_array_shape(array)[k];
    shape[axis] = total;
    status = tn_array_reshape(result, wide, ndim, shape, TN_ORDER_C, TN_COPY_ALWAYS, NULL);
    tn_array_release(wide);
    return status;
}

/* How often slices are repeated, as int64 on the device of the array. Lists and scalars of floats
 * lose their fractions, as in NumPy. */
static tn_array *read_counts(PyObject *object, PyObject *beside) {
    bool has_dtype = ext_is_array(object);
    tn_array *counts = has_dtype ? tn_array_retain(ext_array(object))
                                 : ext_convert_beside(object, ext_array(beside)),
             *made = NULL;
    if (!counts) return NULL;
    int state = has_dtype ? 0 : ext_is_host_values(object);
    has_dtype |= state > 0 && !PyList_Check(object) && !PyTuple_Check(object);
    tn_status status = TN_OK;
    if (tn_array_ndim(counts) > 1)
        PyErr_SetString(PyExc_ValueError, "object too deep for desired array");
    else if (!has_dtype && tn_dtype_kind(tn_array_dtype(counts)) == TN_KIND_COMPLEX)
        PyErr_SetString(PyExc_TypeError, "repeats must be integers, not complex numbers");
    else if (state >= 0)
        status = tn_array_astype(&made, counts, TN_I64, TN_ORDER_C,
                                 has_dtype ? TN_CASTING_SAFE : TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED,
                                 NULL);
    tn_array_release(counts);
    if (status) ext_raise(status);
    return made;
}

static tn_status repeat_all(tn_array **result, const tn_array *target, int axis,
                            const tn_array *counts, int64_t times) {
    const int64_t size = tn_array_shape(target)[axis];
    if (counts && tn_array_size(counts) != 1) {
        if (tn_array_size(counts) == size)
            return tn_array_repeat_each(result, target, axis, counts, NULL);
        char text[128];
        snprintf(text, sizeof text,
                 "operands could not be broadcast together with shape (%lld,) (%lld,); repeats "
                 "must have the same length as the axis",
                 (long long)size, (long long)tn_array_size(counts));
        tn_error_set(text);
        return TN_ERROR_VALUE;
    }
    tn_scalar one;
    tn_status status = counts ? tn_array_item(&one, counts, NULL) : TN_OK;
    if (!status && counts) status = tn_scalar_convert(&times, one, TN_I64);
    if (!status && times < 0 && size > 0) {
        tn_error_set("repeats may not contain negative values.");
        status = TN_ERROR_VALUE;
    }
    if (status) return status;
    return repeat_slices(result, target, axis, size == 0 ? 0 : times);
}

/* _repeat(a, repeats, axis): of the flattened array for None. */
static PyObject *repeat(ARGUMENTS) {
    static const char *const names[] = {"a", "repeats", "axis", NULL};
    PyObject *values[3], *result = NULL, *array;
    tn_array *owned, *target = NULL, *made = NULL, *counts = NULL;
    int axis;
    int64_t times = 0;
    if (ext_parse("repeat", arguments, count, keywords, names, 3, values) ||
        ext_own(values[0], NULL, &owned))
        return NULL;
    array = owned ? ext_wrap(owned) : values[0];
    if (!array) return NULL;
    if (!owned) Py_INCREF(array);
    const bool is_number = PyLong_CheckExact(values[1]);
    if (is_number ? !ext_int64(values[1], &times) : !!(counts = read_counts(values[1], array))) {
        if (!find_target(array, values[2], &target, &axis)) {
            double size = (double)tn_array_size(target) * (times > 1 ? (double)times : 1.0);
            tn_status status;
            EXT_LONG_CALL(status, size, repeat_all(&made, target, axis, counts, times));
            result = status ? ext_raise(status) : ext_wrap_like(made, array);
        }
    }
    tn_array_release(counts);
    tn_array_release(target);
    Py_DECREF(array);
    return result;
}

/* --- Shapes --- */

/* Read-only, for its elements are one in memory. */
static PyObject *broadcast_to(PyObject *module, PyObject *arguments) {
    PyObject *object, *shape_object;
    int subok = 0, ndim;
    int64_t shape[TN_MAX_NDIM];
    tn_array *view;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO|p:broadcast_to", &object, &shape_object, &subok))
        return NULL;
    if (!ext_is_array(object)) return ext_refuse_type(object, "broadcast_to", "array"), NULL;
    if (ext_shape(shape_object, &ndim, shape)) return NULL;
    EXT_TRY(tn_array_broadcast_to(&view, ext_array(object), ndim, shape));
    tn_array_set_writeable(view, false);
    return subok ? ext_wrap_view(view, object) : ext_wrap_as(view, ext_ndarray_type, object);
}

/* --- Devices --- */

/* _to_device(array, device, copy): the same object if it is there already. */
static PyObject *to_device(PyObject *module, PyObject *arguments) {
    PyObject *object, *device_object, *copy_object;
    tn_device device;
    tn_copy copy;
    tn_array *made;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO:_to_device", &object, &device_object, &copy_object) ||
        ext_device(device_object, &device) || ext_copy(copy_object, &copy, TN_COPY_IF_NEEDED))
        return NULL;
    if (!ext_is_array(object)) return PyErr_Format(PyExc_TypeError, "not an ndarray");
    if (device.number >= tn_device_count((tn_backend)device.backend))
        return PyErr_Format(PyExc_ValueError, "there is no device %s:%d",
                            tn_backend_name((tn_backend)device.backend), (int)device.number);
    tn_array *array = ext_array(object);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_array_to_device(&made, array, device, copy, NULL));
    if (status) return ext_raise(status);
    if (made != array) return ext_wrap_like(made, object);
    tn_array_release(made);
    Py_INCREF(object);
    return object;
}

/* _is_near(array): whether the array is on the current device. */
static PyObject *is_near(PyObject *module, PyObject *object) {
    (void)module;
    tn_array *array = ext_only_array(object);
    if (!array) return NULL;
    return PyBool_FromLong(tn_device_is_equal(tn_array_device(array), tn_device_get_current()));
}

/* _may_overlap(a, b): whether both are arrays of one device, and what they span overlaps. */
static PyObject *may_overlap(PyObject *module, PyObject *arguments) {
    PyObject *a, *b;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &a, &b)) return NULL;
    if (!ext_is_array(a) || !ext_is_array(b)) Py_RETURN_FALSE;
    const tn_array *first = ext_array(a), *second = ext_array(b);
    return PyBool_FromLong(tn_device_is_equal(tn_array_device(first), tn_array_device(second)) &&
                           tn_array_may_overlap(first, second));
}

static PyObject *find_first(PyObject *values) {
    const bool is_list = PyList_Check(values);
    PyObject *found = NULL;
    if (Py_EnterRecursiveCall(" while looking for an array")) return NULL;
    const Py_ssize_t count = is_list ? PyList_Size(values) : PyTuple_Size(values);
    for (Py_ssize_t k = 0; !found && k < count; k++) {
        PyObject *one = is_list ? PyList_GetItem(values, k) : PyTuple_GetItem(values, k);
        if (ext_is_array(one))
            found = one;
        else if (PyList_Check(one) || PyTuple_Check(one))
            found = find_first(one);
        if (PyErr_Occurred()) found = NULL, k = count;
    }
    Py_LeaveRecursiveCall();
    return found;
}

/* _first_array(values): the first array among a list or tuple, in those in it too, or None. */
static PyObject *first_array(PyObject *module, PyObject *values) {
    (void)module;
    if (!PyList_Check(values) && !PyTuple_Check(values))
        return PyErr_Format(PyExc_TypeError, "not a list or tuple");
    PyObject *found = find_first(values);
    if (!found && PyErr_Occurred()) return NULL;
    return Py_NewRef(found ? found : Py_None);
}

EXT_OR_STORE(assign, "_assign")
EXT_OR_STORE(flip, "_flip")
EXT_OR_STORE(repeat, "_repeat")
EXT_OR_STORE(roll, "_roll")
EXT_TUPLE_OR_STORE(broadcast_to, "_broadcast_to")
EXT_TUPLE_OR_STORE(is_near, "_is_near")

PyMethodDef ext_rearrange_functions[] = {
    {"_assign", FAST(assign_or_store), NULL},
    {"_flip", FAST(flip_or_store), NULL},
    {"_repeat", FAST(repeat_or_store), NULL},
    {"_roll", FAST(roll_or_store), NULL},
    {"_broadcast_to", broadcast_to_or_store, METH_VARARGS,
     "_broadcast_to(array, shape, subok=False)."},
    {"_is_near", is_near_or_store, METH_O, "_is_near(array)."},
    {"_may_overlap", may_overlap, METH_VARARGS, "_may_overlap(a, b)."},
    {"_first_array", first_array, METH_O, "_first_array(values)."},
    {"_to_device", to_device, METH_VARARGS, "_to_device(array, device, copy)."},
    {NULL, NULL, 0, NULL},
};
