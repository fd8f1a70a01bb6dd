/* What the package's functions that move elements are made of: copies into an array, and
 * elements in reverse, rolled, repeated, broadcast or on another device. Views and copies of the
 * library, put together without Python between them. */
#include "functions/rearrange.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/ext.h"
#include "base/object.h"
#include "device/kinds.h"
#include "values/convert.h"
#include "values/kinds.h"
#include "values/operands.h"
#include "values/take_over.h"

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

static tn_status copy_in_python(PyObject *to, PyObject *from, tn_casting casting) {
    PyObject *rule = PyUnicode_FromString(tn_casting_name(casting)), *done = NULL;
    PyObject *const given[] = {to, from, rule};
    if (rule) done = ext_take_over("_copyto", NULL, given, 3, NULL);
    Py_XDECREF(rule);
    Py_XDECREF(done);
    return done ? TN_OK : TN_ERROR_CALLBACK;
}

EXT_CALL(copyto, EXT_SHORT, (ndarray, dst), (noted, src), (casting, casting)) {
    tn_array *owned;
    const bool is_stored = ext_is_stored(call->dst) || ext_is_stored(call->src);
    if (is_stored && (!ext_is_array(call->src) ||
                      tn_array_dtype(ext_array(call->src)) != tn_array_dtype(ext_array(call->dst))))
        return copy_in_python(call->dst, call->src, call->casting);
    if (own_source(call->src, call->dst, &owned)) return TN_ERROR_CALLBACK;
    tn_dtype from_dtype = tn_array_dtype(ext_lend(call->src, owned));
    tn_dtype to_dtype = tn_array_dtype(ext_array(call->dst));
    if (tn_dtype_can_cast(from_dtype, to_dtype, call->casting) &&
        ext_warn_complex(from_dtype, to_dtype)) {
        tn_array_release(owned);
        return TN_ERROR_CALLBACK;
    }
    tn_array *to = ext_array(call->dst), *from = ext_lend(call->src, owned);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(to), tn_array_assign(to, from, call->casting, NULL));
    tn_array_release(owned);
    return status;
}

/* --- The order of elements --- */

/* Of all axes for None. */
EXT_CALL(flip, EXT_SHORT, (ndarray, m), (axes, axis), (made_object, view)) {
    tn_index items[TN_MAX_NDIM];
    tn_array *view;
    const tn_array *array = ext_array(call->m);
    int ndim = tn_array_ndim(array), axis;
    for (int k = 0; k < ndim; k++)
        items[k] = (tn_index){.kind = TN_INDEX_SLICE, .step = call->axis.count < 0 ? -1 : 1};
    for (int k = 0; k < call->axis.count; k++) {
        if (ext_check_axis(call->axis.at[k], ndim, &axis)) return TN_ERROR_CALLBACK;
        items[axis].step = -1;
    }
    tn_status status = tn_array_slice(&view, array, ndim, items);
    if (!status) call->view = ext_wrap_view(view, call->m);
    return status;
}

/* The elements from `first` on of an axis, and then those before it, in a new array. */
static tn_status join_rolled(tn_array **result, const tn_array *array, int axis, int64_t first) {
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
    tn_status status = join_rolled(&rolled, target, axis, size - shift);
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

/* Along one axis, or (None) the flattened array. */
EXT_CALL(roll, EXT_SHORT, (ndarray, a), (noted, shift), (object, axis), (made, rolled)) {
    tn_array *target;
    int axis;
    int64_t shift;
    if (find_target(call->a, call->axis, &target, &axis)) return TN_ERROR_CALLBACK;
    tn_array *array = tn_array_retain(call->axis == Py_None ? ext_array(call->a) : target);
    tn_status status = TN_ERROR_CALLBACK;
    if (!read_shift(call->shift, tn_array_shape(target)[axis], &shift))
        EXT_LONG_CALL(status, tn_array_size(target),
                      roll_one(&call->rolled, array, target, axis, shift));
    tn_array_release(array);
    tn_array_release(target);
    return status;
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

/* Of the flattened array for None. */
EXT_CALL(repeat, EXT_SHORT, (noted, a), (object, repeats), (object, axis), (made_object, made)) {
    tn_array *owned, *target = NULL, *made = NULL, *counts = NULL;
    tn_status status = TN_ERROR_CALLBACK;
    int axis;
    int64_t times = 0;
    if (ext_own(call->a, NULL, &owned)) return TN_ERROR_CALLBACK;
    PyObject *array = owned ? ext_wrap(owned) : Py_NewRef(call->a);
    if (!array) return TN_ERROR_CALLBACK;
    const bool is_number = PyLong_CheckExact(call->repeats);
    if ((is_number ? !ext_int64(call->repeats, &times)
                   : !!(counts = read_counts(call->repeats, array))) &&
        !find_target(array, call->axis, &target, &axis)) {
        double size = (double)tn_array_size(target) * (times > 1 ? (double)times : 1.0);
        EXT_LONG_CALL(status, size, repeat_all(&made, target, axis, counts, times));
        if (!status) call->made = ext_wrap_like(made, array);
    }
    tn_array_release(counts);
    tn_array_release(target);
    Py_DECREF(array);
    return status;
}

/* --- Shapes --- */

/* Read-only, for its elements are one in memory. */
EXT_CALL(broadcast_to, EXT_SHORT, (ndarray, array), (shape, shape), (truth, subok),
         (made_object, view)) {
    tn_array *view;
    tn_status status =
        tn_array_broadcast_to(&view, ext_array(call->array), call->shape.count, call->shape.at);
    if (status) return status;
    tn_array_set_writeable(view, false);
    call->view = call->subok ? ext_wrap_view(view, call->array)
                             : ext_wrap_as(view, ext_ndarray_type, call->array);
    return TN_OK;
}

/* --- Devices --- */

/* The same object if it is there already. */
EXT_CALL(to_device, EXT_SHORT, (ndarray, array), (device, device), (copy, copy),
         (made_object, made)) {
    tn_array *made, *array = ext_array(call->array);
    tn_status status;
    if (call->device.number >= tn_device_count((tn_backend)call->device.backend)) {
        PyErr_Format(PyExc_ValueError, "there is no device %s:%d",
                     tn_backend_name((tn_backend)call->device.backend), (int)call->device.number);
        return TN_ERROR_CALLBACK;
    }
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_array_to_device(&made, array, call->device, call->copy, NULL));
    if (status) return status;
    const bool is_same = made == array;
    if (is_same) tn_array_release(made);
    call->made = is_same ? Py_NewRef(call->array) : ext_wrap_like(made, call->array);
    return TN_OK;
}

/* Whether the array is on the current device. */
EXT_CALL(is_near, EXT_SHORT, (array, array), (made_truth, is)) {
    call->is = tn_device_is_equal(tn_array_device(call->array), tn_device_get_current());
    return TN_OK;
}

/* Whether both are arrays of one device, and what they span overlaps. */
EXT_CALL(may_overlap, EXT_SHORT, (object, a), (object, b), (made_truth, may)) {
    call->may = false;
    if (!ext_is_array(call->a) || !ext_is_array(call->b)) return TN_OK;
    const tn_array *a = ext_array(call->a), *b = ext_array(call->b);
    call->may =
        tn_device_is_equal(tn_array_device(a), tn_array_device(b)) && tn_array_may_overlap(a, b);
    return TN_OK;
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

/* The first array among a list or tuple, in those in it too, or None. */
EXT_CALL(first_array, EXT_SHORT, (object, values), (made_object, found)) {
    if (!PyList_Check(call->values) && !PyTuple_Check(call->values)) {
        PyErr_SetString(PyExc_TypeError, "not a list or tuple");
        return TN_ERROR_CALLBACK;
    }
    PyObject *found = find_first(call->values);
    if (!found && PyErr_Occurred()) return TN_ERROR_CALLBACK;
    call->found = Py_NewRef(found ? found : Py_None);
    return TN_OK;
}

PyMethodDef ext_rearrange_functions[] = {
    EXT_ENTRY(copyto),       EXT_ENTRY(flip),      EXT_ENTRY(repeat),      EXT_ENTRY(roll),
    EXT_ENTRY(broadcast_to), EXT_ENTRY(is_near),   EXT_ENTRY(may_overlap), EXT_ENTRY(first_array),
    EXT_ENTRY(to_device),    {NULL, NULL, 0, NULL}};
