/* The functions array, asarray and their like: what convert.c makes of an object, as an object. */
#include "values/asarray.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/wait.h"
#include "exchange/foreign.h"
#include "values/convert.h"
#include "values/numpy.h"

/* Replaces an object that stands for an array by that; *owned, which may be NULL, is to be
 * released. */
static int take_stand_in(PyObject **object, PyObject **owned) {
    *owned = NULL;
    if (ext_is_array(*object)) return 0;
    if (ext_foreign(*object, owned)) return -1;
    if (*owned) *object = *owned;
    return 0;
}

/* blocking=True: what the array was made from has been read. */
static tn_array *wait_if(bool blocking, tn_array *made, PyObject *object) {
    if (!made || !blocking || ext_is_array(object)) return made;
    tn_status status = ext_wait_stream(tn_stream_get_current(tn_array_device(made)));
    if (!status) return made;
    tn_array_release(made);
    ext_raise(status);
    return NULL;
}

/* As in CuPy, an ndarray of another device comes to the current one. */
static PyObject *bring(PyObject *made) {
    tn_device here = tn_device_get_current();
    if (!made || !ext_is_array(made) || tn_device_is_equal(tn_array_device(ext_array(made)), here))
        return made;
    tn_array *moved = NULL;
    tn_status status = tn_array_to_device(&moved, ext_array(made), here, TN_COPY_IF_NEEDED, NULL);
    PyObject *result = status ? ext_raise(status) : ext_wrap_like(moved, made);
    Py_DECREF(made);
    return result;
}

PyObject *ext_place(PyObject *made, PyObject *device) {
    if (!made || !device || device == Py_None) return bring(made);
    PyObject *moved = PyObject_CallMethod(made, "to_device", "O", device);
    Py_DECREF(made);
    return moved;
}

/* The object of a conversion: the same object where nothing changed, a view where the memory is
 * shared, of the base class for a subclass that is not wanted. */
static PyObject *wrap_conversion(tn_array *made, PyObject *object, bool keeps_subclass) {
    if (!made) return NULL;
    if (!ext_is_array(object)) return ext_wrap(made);
    bool is_plain = Py_TYPE(object) == ext_ndarray_type;
    if (made == ext_array(object)) {
        if (is_plain || keeps_subclass) {
            tn_array_release(made);
            Py_INCREF(object);
            return object;
        }
        return ext_wrap_as(made, ext_ndarray_type, object);
    }
    if (tn_array_buffer(made) == tn_array_buffer(ext_array(object)))
        return is_plain || keeps_subclass ? ext_wrap_view(made, object)
                                          : ext_wrap_as(made, ext_ndarray_type, object);
    return keeps_subclass ? ext_wrap_like(made, object) : ext_wrap(made);
}

static tn_array *add_axes(tn_array *array, int64_t least) {
    int axes[TN_MAX_NDIM], missing = (int)least - (array ? tn_array_ndim(array) : 0);
    if (!array || missing <= 0) return array;
    tn_array *made = NULL;
    for (int axis = 0; axis < missing; axis++)
        axes[axis] = axis;
    tn_status status = tn_array_expand_dims(&made, array, missing, axes);
    tn_array_release(array);
    if (status) ext_raise(status);
    return made;
}

/* ext_convert(), and the ComplexWarning of an array. */
static tn_array *convert(PyObject *object, tn_dtype dtype, tn_order order, tn_copy copy) {
    if (dtype != TN_DTYPE_NONE && ext_is_array(object) &&
        ext_warn_complex(tn_array_dtype(ext_array(object)), dtype))
        return NULL;
    return ext_convert(object, dtype, order, copy);
}

/* ndmin= and ndmax=; a sequence may have at most `most` axes. */
static int read_axes(PyObject *least_object, PyObject *most_object, int64_t *least, int64_t *most) {
    *least = 0;
    *most = TN_MAX_NDIM;
    if (ext_int64(least_object, least) || ext_int64(most_object, most)) return -1;
    if (*most < 0 || *most > TN_MAX_NDIM)
        PyErr_Format(PyExc_ValueError, "ndmax must be in the range [0, %d]", TN_MAX_NDIM);
    else if (*least > *most)
        PyErr_Format(PyExc_ValueError, "ndmin must be <= ndmax (%d)", (int)*most);
    else
        return 0;
    return -1;
}

static bool is_too_deep(PyObject *object, const tn_array *made, int64_t most) {
    if (!made || tn_array_ndim(made) <= most || !(PyList_Check(object) || PyTuple_Check(object)))
        return false;
    PyErr_Format(PyExc_ValueError,
                 "setting an array element with a sequence. The requested array would exceed the "
                 "maximum number of dimension of %d.",
                 (int)most);
    return true;
}

PyObject *ext_array_function(ARGUMENTS) {
    static const char *const names[] = {"object|obj", "dtype", "copy",   "order",
                                        "subok",      "ndmin", "*ndmax", "blocking",
                                        "*device",    "*like", NULL};
    PyObject *values[10];
    tn_dtype dtype;
    tn_copy copy;
    tn_order order;
    bool subok, blocking;
    int64_t least, most;
    if (ext_parse("array", arguments, count, keywords, names, 1, values) ||
        ext_dtype(values[1], &dtype) || ext_copy(values[2], &copy, TN_COPY_ALWAYS) ||
        ext_order(values[3], &order, TN_ORDER_K) || ext_bool(values[4], &subok, false) ||
        read_axes(values[5], values[6], &least, &most) || ext_bool(values[7], &blocking, false))
        return NULL;
    PyObject *owned, *result;
    if (take_stand_in(&values[0], &owned)) return NULL;
    tn_array *made = wait_if(blocking, convert(values[0], dtype, order, copy), values[0]);
    if (is_too_deep(values[0], made, most)) {
        tn_array_release(made);
        made = NULL;
    }
    made = add_axes(made, least);
    result = ext_place(wrap_conversion(made, values[0], subok), values[8]);
    Py_XDECREF(owned);
    return result;
}

/* The only argument if it is an array of exactly our type on the current device. */
static tn_array *only_near(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    if (count != 1 || keywords || Py_TYPE(arguments[0]) != ext_ndarray_type) return NULL;
    tn_array *array = ext_array(arguments[0]);
    return tn_device_is_equal(tn_array_device(array), tn_device_get_current()) ? array : NULL;
}

static PyObject *as_array(const char *function, ARGUMENTS, bool subok) {
    static const char *const names[] = {"a",     "dtype", "order",     "*device",
                                        "*copy", "*like", "*blocking", NULL};
    PyObject *values[7];
    tn_dtype dtype;
    tn_order order;
    tn_copy copy;
    bool blocking;
    if (only_near(arguments, count, keywords)) {
        Py_INCREF(arguments[0]);
        return arguments[0];
    }
    if (ext_parse(function, arguments, count, keywords, names, 1, values) ||
        ext_dtype(values[1], &dtype) || ext_order(values[2], &order, TN_ORDER_K) ||
        ext_copy(values[4], &copy, TN_COPY_IF_NEEDED) || ext_bool(values[6], &blocking, false))
        return NULL;
    PyObject *owned, *result;
    if (take_stand_in(&values[0], &owned)) return NULL;
    tn_array *made = wait_if(blocking, convert(values[0], dtype, order, copy), values[0]);
    result = ext_place(wrap_conversion(made, values[0], subok), values[3]);
    Py_XDECREF(owned);
    return result;
}

PyObject *ext_asarray(ARGUMENTS) {
    return as_array("asarray", self, arguments, count, keywords, false);
}

PyObject *ext_asanyarray(ARGUMENTS) {
    return as_array("asanyarray", self, arguments, count, keywords, true);
}

static PyObject *as_ordered(const char *function, ARGUMENTS, tn_order order) {
    static const char *const names[] = {"a", "dtype", "*like", NULL};
    PyObject *values[3];
    tn_dtype dtype;
    const tn_array *near = only_near(arguments, count, keywords);
    if (near && tn_array_ndim(near) > 0 &&
        (order == TN_ORDER_F ? tn_array_is_f_contiguous(near) : tn_array_is_c_contiguous(near))) {
        Py_INCREF(arguments[0]);
        return arguments[0];
    }
    if (ext_parse(function, arguments, count, keywords, names, 1, values) ||
        ext_dtype(values[1], &dtype))
        return NULL;
    PyObject *owned, *result;
    if (take_stand_in(&values[0], &owned)) return NULL;
    tn_array *made = convert(values[0], dtype, order, TN_COPY_IF_NEEDED);
    result = wrap_conversion(add_axes(made, 1), values[0], false);
    Py_XDECREF(owned);
    return result;
}

PyObject *ext_ascontiguousarray(ARGUMENTS) {
    return as_ordered("ascontiguousarray", self, arguments, count, keywords, TN_ORDER_C);
}

PyObject *ext_asfortranarray(ARGUMENTS) {
    return as_ordered("asfortranarray", self, arguments, count, keywords, TN_ORDER_F);
}

/* `items` elements of memory, from `offset` bytes on, copied to the device. */
static PyObject *upload_part(const Py_buffer *memory, int64_t offset, int64_t items,
                             tn_dtype dtype) {
    Py_ssize_t item_bytes = (Py_ssize_t)tn_dtype_size(dtype), shape = (Py_ssize_t)items;
    Py_buffer part = *memory;
    part.buf = (char *)memory->buf + offset;
    part.len = shape * item_bytes;
    part.itemsize = item_bytes;
    part.ndim = 1;
    part.shape = &shape;
    part.strides = &item_bytes;
    part.suboffsets = NULL;
    tn_array *made = ext_numpy_upload(&part, dtype, TN_ORDER_C);
    return made ? ext_wrap(made) : NULL;
}

/* Elements whose bytes are in the other order become the machine's: NumPy swaps them. */
static PyObject *swap_buffer(PyObject *const *values, int64_t items, int64_t offset) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *host = numpy ? PyObject_CallMethod(numpy, "frombuffer", "OOLL", values[0], values[1],
                                                 (long long)items, (long long)offset)
                           : NULL;
    tn_array *made = host ? ext_numpy_convert(host, TN_DTYPE_NONE, TN_ORDER_C) : NULL;
    Py_XDECREF(host);
    Py_XDECREF(numpy);
    return made ? ext_wrap(made) : NULL;
}

PyObject *ext_frombuffer(ARGUMENTS) {
    static const char *const names[] = {"buffer", "dtype", "count", "offset", "*like", NULL};
    PyObject *values[5], *result = NULL;
    tn_dtype dtype;
    int64_t items = -1, offset = 0;
    bool is_swapped;
    Py_buffer memory;
    if (ext_parse("frombuffer", arguments, count, keywords, names, 1, values) ||
        ext_dtype_any_order(values[1], &dtype, &is_swapped) || ext_int64(values[2], &items) ||
        ext_int64(values[3], &offset))
        return NULL;
    if (is_swapped) return swap_buffer(values, items, offset);
    if (PyObject_GetBuffer(values[0], &memory, PyBUF_SIMPLE)) return NULL;
    if (dtype == TN_DTYPE_NONE) dtype = TN_F64;
    int64_t item_bytes = tn_dtype_size(dtype), left = memory.len - offset;
    if (offset < 0 || left < 0) {
        PyErr_Format(PyExc_ValueError,
                     "offset must be non-negative and no greater than buffer length (%zd)",
                     memory.len);
    } else if (items < 0 && left % item_bytes) {
        PyErr_SetString(PyExc_ValueError, "buffer size must be a multiple of element size");
    } else if (items >= 0 && items > left / item_bytes) {
        PyErr_SetString(PyExc_ValueError, "buffer is smaller than requested size");
    } else {
        result = upload_part(&memory, offset, items < 0 ? left / item_bytes : items, dtype);
    }
    PyBuffer_Release(&memory);
    return result;
}
