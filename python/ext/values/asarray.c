/* Anything array-like made an ndarray: array, asarray and their like.
 *
 * What Python and NumPy know of lists, scalars and foreign objects is NumPy's business: they become a
 * NumPy array first, with its rules and its messages, and the elements are copied to the device. Only
 * lists with ndarrays in them are ours: their items are converted one by one and stacked. NumPy's
 * memory is reached through the buffer protocol, which knows no bfloat16: those arrays are lent as
 * uint16. */
#include "values/asarray.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/wait.h"
#include "exchange/foreign.h"

#include <stdlib.h>
#include <string.h>

static PyObject *numpy_asarray, *numpy_ndarray;

static int load_numpy(void) {
    if (numpy_ndarray) return 0;
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!numpy) return -1;
    if (!numpy_asarray) numpy_asarray = PyObject_GetAttrString(numpy, "asarray");
    if (numpy_asarray) numpy_ndarray = PyObject_GetAttrString(numpy, "ndarray");
    Py_DECREF(numpy);
    return numpy_ndarray ? 0 : -1;
}

static void fail_copy(void) {
    PyErr_SetString(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.\n"
                                      "If using `tenorite.array(obj, copy=False)` replace it with "
                                      "`tenorite.asarray(obj)` to allow a copy when needed.");
}

/* --- From NumPy --- */

/* The order that a copy of this memory should have. */
static tn_order memory_order(const Py_buffer *memory, tn_order order) {
    if (order == TN_ORDER_C || order == TN_ORDER_F) return order;
    bool is_f = PyBuffer_IsContiguous(memory, 'F'), is_c = PyBuffer_IsContiguous(memory, 'C');
    return is_f && !is_c ? TN_ORDER_F : TN_ORDER_C;
}

/* The memory is only lent until we return. Page-locked memory is read when the stream gets there, so it is
 * kept until then, or with a graph; and a queue of the host reads any memory then, which may not change. */
static tn_status keep_lent(tn_stream *stream, PyObject *owner, const void *memory) {
    tn_device device = tn_stream_device(stream);
    bool is_kept = tn_stream_is_capturing(stream) || tn_memory_is_page_locked(memory, device);
    if (!is_kept && (device.backend != TN_BACKEND_HOST || tn_stream_is_default(stream)))
        return TN_OK;
    tn_status status = is_kept && owner ? TN_OK : ext_wait_stream(stream);
    if (owner && (is_kept || status)) ext_keep_behind(stream, owner); /* a failure: interrupted */
    return status;
}

/* A copy of the memory on the current device. */
static tn_array *upload(const Py_buffer *memory, tn_dtype dtype, tn_order order) {
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    for (int axis = 0; axis < memory->ndim; axis++) {
        shape[axis] = memory->shape[axis];
        strides[axis] = memory->strides[axis];
    }
    tn_array *made = NULL;
    tn_stream *stream = tn_stream_get_current(tn_device_get_current());
    if (stream) tn_stream_retain(stream); /* a hook may make another current */
    tn_status status;
    EXT_LONG_CALL(status, memory->len / (memory->itemsize ? memory->itemsize : 1),
                  tn_array_new_from_host(&made, memory->buf, dtype, memory->ndim, shape, strides,
                                         memory_order(memory, order), stream));
    if (!status) status = keep_lent(stream, memory->obj, memory->buf);
    tn_stream_release(stream);
    if (!status) return made;
    tn_array_release(made);
    ext_raise(status);
    return NULL;
}

/* NumPy's array with elements that the buffer protocol describes in the machine's byte order. */
static PyObject *lendable(PyObject *host, PyObject *dtype_object, tn_dtype dtype) {
    if (dtype == TN_BF16) return PyObject_CallMethod(host, "view", "s", "u2");
    if (dtype_object != ext_dtype_object(dtype)) { /* no singleton: in the other byte order? */
        PyObject *native = PyObject_GetAttrString(dtype_object, "isnative");
        if (!native) return NULL;
        int is_native = PyObject_IsTrue(native);
        Py_DECREF(native);
        if (is_native < 0) return NULL;
        if (!is_native) return PyObject_CallMethod(host, "astype", "O", ext_dtype_object(dtype));
    }
    Py_INCREF(host);
    return host;
}

static tn_array *convert_dtype(tn_array *array, tn_dtype dtype, tn_order order) {
    if (!array || dtype == TN_DTYPE_NONE || dtype == tn_array_dtype(array)) return array;
    tn_array *made = NULL;
    tn_status status;
    EXT_LONG_CALL(
        status, tn_array_size(array),
        tn_array_astype(&made, array, dtype, order, TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED, NULL));
    tn_array_release(array);
    if (!status) return made;
    ext_raise(status);
    return NULL;
}

/* A numpy.ndarray. */
static tn_array *from_numpy(PyObject *host, tn_dtype dtype, tn_order order) {
    tn_dtype own;
    PyObject *dtype_object = PyObject_GetAttrString(host, "dtype");
    if (!dtype_object) return NULL;
    PyObject *lent = ext_dtype(dtype_object, &own) ? NULL : lendable(host, dtype_object, own);
    Py_DECREF(dtype_object);
    if (!lent) return NULL;
    Py_buffer memory;
    int failed = PyObject_GetBuffer(lent, &memory, PyBUF_STRIDES);
    Py_DECREF(lent); /* the buffer keeps it */
    if (failed) return NULL;
    tn_array *array = upload(&memory, own, order);
    PyBuffer_Release(&memory);
    return convert_dtype(array, dtype, order);
}

/* By size of stride, as NumPy's order K: axes of equal ones stay in order C. */
static void sort_axes(int *axes, const Py_buffer *memory) {
    for (int k = 0; k < memory->ndim; k++) {
        int at = k;
        for (; at > 0; at--) {
            Py_ssize_t before = memory->strides[axes[at - 1]], own = memory->strides[k];
            if (llabs((long long)before) >= llabs((long long)own)) break;
            axes[at] = axes[at - 1];
        }
        axes[at] = k;
    }
}

int ext_numpy_layout(PyObject *object, tn_dtype *dtype, int *ndim, int64_t *shape, int *axes,
                     bool *is_f) {
    if (load_numpy()) return -1;
    int is_numpy = PyObject_IsInstance(object, numpy_ndarray);
    if (is_numpy <= 0) return is_numpy;
    PyObject *dtype_object = PyObject_GetAttrString(object, "dtype");
    if (!dtype_object) return -1;
    PyObject *lent = NULL; /* in a dtype that has buffers; its elements are not read */
    if (!ext_dtype(dtype_object, dtype))
        lent = *dtype == TN_BF16
                   ? PyObject_CallMethod(object, "view", "s", "u2")
                   : PyObject_CallMethod(object, "view", "O", ext_dtype_object(*dtype));
    Py_DECREF(dtype_object);
    if (!lent) return -1;
    Py_buffer memory;
    int failed = PyObject_GetBuffer(lent, &memory, PyBUF_STRIDES);
    Py_DECREF(lent); /* the buffer keeps it */
    if (failed) return -1;
    *ndim = memory.ndim;
    bool is_c = PyBuffer_IsContiguous(&memory, 'C');
    *is_f = !is_c && PyBuffer_IsContiguous(&memory, 'F');
    for (int axis = 0; axis < memory.ndim; axis++) {
        shape[axis] = memory.shape[axis];
        axes[axis] = is_c ? axis : memory.ndim - 1 - axis;
    }
    if (!is_c && !*is_f) sort_axes(axes, &memory);
    PyBuffer_Release(&memory);
    return 1;
}

/* Whatever numpy.asarray() takes. */
static tn_array *from_object(PyObject *object, tn_dtype dtype, tn_order order) {
    if (load_numpy()) return NULL;
    int is_numpy = PyObject_IsInstance(object, numpy_ndarray);
    if (is_numpy < 0) return NULL;
    if (is_numpy) return from_numpy(object, dtype, order);
    PyObject *dtype_object = dtype == TN_DTYPE_NONE ? Py_None : ext_dtype_object(dtype);
    if (!dtype_object) return NULL;
    PyObject *host = PyObject_CallFunctionObjArgs(numpy_asarray, object, dtype_object, NULL);
    if (!host) return NULL;
    tn_array *array = from_numpy(host, dtype, order);
    Py_DECREF(host);
    return array;
}

/* --- From lists with ndarrays in them --- */

enum { DEEPEST = TN_MAX_NDIM };

static bool is_sequence(PyObject *object) {
    return PyList_Check(object) || PyTuple_Check(object);
}

static Py_ssize_t sequence_size(PyObject *object) {
    return PyList_Check(object) ? PyList_Size(object) : PyTuple_Size(object);
}

/* Borrowed; NULL where a list has become shorter meanwhile. */
static PyObject *sequence_item(PyObject *object, Py_ssize_t k) {
    return PyList_Check(object) ? PyList_GetItem(object, k) : PyTuple_GetItem(object, k);
}

/* -1: an exception. */
static int has_arrays(PyObject *object, int depth) {
    Py_ssize_t size = sequence_size(object);
    const PyTypeObject *known =
        NULL; /* of items that are none: a list has mostly items of one type */
    for (Py_ssize_t k = 0; k < size; k++) {
        PyObject *item = sequence_item(object, k);
        if (!item) {
            PyErr_Clear();
            return 0;
        }
        if (Py_TYPE(item) == known) continue;
        bool is_deeper = is_sequence(item);
        if (!is_deeper) known = Py_TYPE(item);
        Py_INCREF(item); /* looking runs foreign code, which may change the list */
        int found = ext_is_array(item) ? 1 : ext_is_foreign(item);
        if (!found && is_deeper && depth < DEEPEST) found = has_arrays(item, depth + 1);
        Py_DECREF(item);
        if (found) return found;
    }
    return 0;
}

static tn_array *convert(PyObject *object, tn_dtype dtype, tn_order order, int depth);

static tn_array *stack_items(PyObject *const *items, Py_ssize_t size, tn_dtype dtype, int depth) {
    tn_array **arrays = calloc((size_t)size, sizeof *arrays), *made = NULL;
    if (!arrays) {
        PyErr_NoMemory();
        return NULL;
    }
    Py_ssize_t count = 0;
    bool is_even = true;
    for (; count < size; count++) {
        arrays[count] = convert(items[count], TN_DTYPE_NONE, TN_ORDER_C, depth + 1);
        if (!arrays[count]) goto cleanup;
        int ndim = tn_array_ndim(arrays[0]);
        is_even &= tn_array_ndim(arrays[count]) == ndim &&
                   memcmp(tn_array_shape(arrays[count]), tn_array_shape(arrays[0]),
                          (size_t)ndim * sizeof(int64_t)) == 0;
    }
    if (!is_even) {
        PyErr_Format(PyExc_ValueError,
                     "setting an array element with a sequence. The requested array has an "
                     "inhomogeneous shape after %d dimensions.",
                     depth + 1);
        goto cleanup;
    }
    tn_status status = tn_array_stack(&made, size, (const tn_array *const *)arrays, 0, dtype,
                                      TN_CASTING_UNSAFE, NULL);
    if (status) ext_raise(status);
cleanup:
    for (Py_ssize_t k = 0; k < count; k++)
        tn_array_release(arrays[k]);
    free(arrays);
    return made;
}

/* The items are held meanwhile: converting them runs foreign code, which may change the list. */
static tn_array *from_sequence(PyObject *object, tn_dtype dtype, int depth) {
    if (depth >= DEEPEST) {
        PyErr_Format(PyExc_ValueError, "the sequence is nested deeper than %d levels", DEEPEST);
        return NULL;
    }
    PyObject *tuple = PySequence_Tuple(object);
    if (!tuple) return NULL;
    Py_ssize_t size = PyTuple_Size(tuple);
    PyObject **items = calloc((size_t)size, sizeof *items);
    tn_array *made = NULL;
    if (items) {
        for (Py_ssize_t k = 0; k < size; k++)
            items[k] = PyTuple_GetItem(tuple, k);
        made = stack_items(items, size, dtype, depth);
    } else {
        PyErr_NoMemory();
    }
    free(items);
    Py_DECREF(tuple);
    return made;
}

/* --- From flat lists of one of Python's own types: the common case, without NumPy --- */

enum { FEW_ITEMS = 64 };

/* Reads ints that fit i64, or floats; false for anything else (an exception may be left by an int that
 * is too large). */
static bool read_items(PyObject *object, Py_ssize_t size, bool is_float, int64_t *to) {
    for (Py_ssize_t k = 0; k < size; k++) {
        PyObject *item = sequence_item(object, k);
        if (!item || !(is_float ? PyFloat_CheckExact(item) : PyLong_CheckExact(item))) return false;
        if (is_float) {
            double value = PyFloat_AsDouble(item);
            memcpy(&to[k], &value, sizeof value);
        } else {
            to[k] = PyLong_AsLongLong(item);
            if (to[k] == -1 && PyErr_Occurred()) return false;
        }
    }
    return true;
}

/* NULL without an exception: another way is needed. */
static tn_array *from_plain(PyObject *object) {
    int64_t few[FEW_ITEMS], *values = few;
    Py_ssize_t size = sequence_size(object);
    PyObject *first = size > 0 ? sequence_item(object, 0) : NULL;
    bool is_float = first && PyFloat_CheckExact(first);
    if (!is_float && !(first && PyLong_CheckExact(first))) return NULL;
    if (size > FEW_ITEMS && !(values = malloc((size_t)size * sizeof *values))) return NULL;
    tn_array *made = NULL;
    if (read_items(object, size, is_float, values)) {
        Py_buffer memory = {.buf = values, .len = size * 8, .itemsize = 8, .ndim = 1};
        Py_ssize_t extent = size, stride = 8;
        memory.shape = &extent;
        memory.strides = &stride;
        made = upload(&memory, is_float ? TN_F64 : TN_I64, TN_ORDER_C);
    } else {
        PyErr_Clear();
    }
    if (values != few) free(values);
    return made;
}

/* --- All of them --- */

int ext_single(PyObject *object, tn_scalar *scalar) {
    int is_scalar = ext_scalar(object, scalar);
    if (is_scalar || load_numpy()) return is_scalar ? is_scalar : -1;
    if (PyObject_IsInstance(object, numpy_ndarray) != 1) return PyErr_Occurred() ? -1 : 0;
    PyObject *empty = PyTuple_New(0);
    PyObject *item = empty ? PyObject_GetItem(object, empty) : NULL;
    Py_XDECREF(empty);
    if (!item) return -1;
    is_scalar = PyObject_IsInstance(item, numpy_ndarray) ? 0 : ext_scalar(item, scalar);
    Py_DECREF(item);
    return is_scalar;
}

static tn_array *from_array(PyObject *object, tn_dtype dtype, tn_order order, tn_copy copy) {
    tn_array *array = ext_array(object), *made = NULL;
    tn_status status;
    if (dtype == TN_DTYPE_NONE) dtype = tn_array_dtype(array);
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_array_astype(&made, array, dtype, order, TN_CASTING_UNSAFE, copy, NULL));
    if (status) ext_raise(status);
    return made;
}

static tn_array *convert(PyObject *object, tn_dtype dtype, tn_order order, int depth) {
    tn_array *made = NULL;
    tn_scalar scalar;
    PyObject *stand_in;
    if (ext_is_array(object)) return from_array(object, dtype, order, TN_COPY_IF_NEEDED);
    if (ext_foreign(object, &stand_in)) return NULL;
    if (stand_in) {
        made = from_array(stand_in, dtype, order, TN_COPY_IF_NEEDED);
        Py_DECREF(stand_in);
        return made;
    }
    if (dtype == TN_DTYPE_NONE && is_sequence(object)) {
        made = from_plain(object);
        if (made || PyErr_Occurred()) return made;
    }
    if (is_sequence(object)) {
        int state = has_arrays(object, depth);
        if (state < 0) return NULL;
        return state ? from_sequence(object, dtype, depth) : from_object(object, dtype, order);
    }
    int is_scalar = ext_scalar(object, &scalar);
    if (is_scalar < 0) return NULL;
    if (is_scalar && scalar.weak && dtype != TN_DTYPE_NONE && ext_element(&scalar, dtype))
        return NULL;
    if (!is_scalar) return from_object(object, dtype, order);
    tn_status status = tn_array_new_scalar(&made, scalar, dtype, NULL);
    if (status) ext_raise(status);
    return made;
}

tn_array *ext_convert(PyObject *object, tn_dtype dtype, tn_order order, tn_copy copy) {
    if (ext_is_array(object)) return from_array(object, dtype, order, copy);
    if (copy == TN_COPY_NEVER) {
        fail_copy();
        return NULL;
    }
    tn_array *made = convert(object, dtype, order, 0);
    if (!made || order != TN_ORDER_F || tn_array_is_f_contiguous(made)) return made;
    tn_array *turned = NULL; /* a stack is made in order C */
    tn_status status = tn_array_astype(&turned, made, tn_array_dtype(made), order, TN_CASTING_NO,
                                       TN_COPY_IF_NEEDED, NULL);
    tn_array_release(made);
    if (status) ext_raise(status);
    return turned;
}

static tn_array *convert_on(tn_device device, PyObject *object, tn_dtype dtype) {
    tn_device current = tn_device_get_current();
    if (tn_device_is_equal(current, device) || ext_is_array(object))
        return ext_convert(object, dtype, TN_ORDER_C, TN_COPY_IF_NEEDED);
    if (tn_device_set_current(device)) {
        ext_raise(TN_ERROR_DEVICE);
        return NULL;
    }
    tn_array *made = ext_convert(object, dtype, TN_ORDER_C, TN_COPY_IF_NEEDED);
    tn_device_set_current(current);
    return made;
}

tn_array *ext_convert_beside(PyObject *object, const tn_array *beside) {
    return convert_on(tn_array_device(beside), object, TN_DTYPE_NONE);
}

int ext_is_host_values(PyObject *object) {
    if (is_sequence(object)) return 1;
    return load_numpy() ? -1 : PyObject_IsInstance(object, numpy_ndarray);
}

tn_array *ext_convert_like(PyObject *object, const tn_array *like) {
    return convert_on(tn_array_device(like), object, tn_array_dtype(like));
}

/* --- Functions --- */

/* Replaces an object that stands for an array by that; *owned, which may be NULL, is to be released. */
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

/* The object of a conversion: the same object where nothing changed, a view of the base class for a
 * subclass that is not wanted. */
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

PyObject *ext_array_function(ARGUMENTS) {
    static const char *const names[] = {"object", "dtype",     "copy",    "order", "subok",
                                        "ndmin",  "*blocking", "*device", "*like", NULL};
    PyObject *values[9];
    tn_dtype dtype;
    tn_copy copy;
    tn_order order;
    bool subok, blocking;
    int64_t least = 0;
    if (ext_parse("array", arguments, count, keywords, names, 1, values) ||
        ext_dtype(values[1], &dtype) || ext_copy(values[2], &copy, TN_COPY_ALWAYS) ||
        ext_order(values[3], &order, TN_ORDER_K) || ext_bool(values[4], &subok, false) ||
        ext_int64(values[5], &least) || ext_bool(values[6], &blocking, false))
        return NULL;
    if (least > TN_MAX_NDIM)
        return PyErr_Format(PyExc_ValueError, "ndmin must be <= ndmax (%d)", TN_MAX_NDIM);
    PyObject *owned, *result;
    if (take_stand_in(&values[0], &owned)) return NULL;
    tn_array *made = wait_if(blocking, ext_convert(values[0], dtype, order, copy), values[0]);
    made = add_axes(made, least);
    result = ext_place(wrap_conversion(made, values[0], subok), values[7]);
    Py_XDECREF(owned);
    return result;
}

static PyObject *as_array(const char *function, ARGUMENTS, bool subok) {
    static const char *const names[] = {"a",     "dtype", "order",     "*device",
                                        "*copy", "*like", "*blocking", NULL};
    PyObject *values[7];
    tn_dtype dtype;
    tn_order order;
    tn_copy copy;
    bool blocking;
    if (count == 1 && !keywords && Py_TYPE(arguments[0]) == ext_ndarray_type &&
        tn_device_is_equal(tn_array_device(ext_array(arguments[0])), tn_device_get_current())) {
        Py_INCREF(arguments[0]);
        return arguments[0];
    }
    if (ext_parse(function, arguments, count, keywords, names, 1, values) ||
        ext_dtype(values[1], &dtype) || ext_order(values[2], &order, TN_ORDER_K) ||
        ext_copy(values[4], &copy, TN_COPY_IF_NEEDED) || ext_bool(values[6], &blocking, false))
        return NULL;
    PyObject *owned, *result;
    if (take_stand_in(&values[0], &owned)) return NULL;
    tn_array *made = wait_if(blocking, ext_convert(values[0], dtype, order, copy), values[0]);
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
    if (ext_parse(function, arguments, count, keywords, names, 1, values) ||
        ext_dtype(values[1], &dtype))
        return NULL;
    PyObject *owned, *result;
    if (take_stand_in(&values[0], &owned)) return NULL;
    tn_array *made = ext_convert(values[0], dtype, order, TN_COPY_IF_NEEDED);
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

PyObject *ext_frombuffer(ARGUMENTS) {
    static const char *const names[] = {"buffer", "dtype", "count", "offset", "*like", NULL};
    PyObject *values[5];
    tn_dtype dtype;
    int64_t items = -1, offset = 0;
    Py_buffer memory;
    if (ext_parse("frombuffer", arguments, count, keywords, names, 1, values) ||
        ext_dtype(values[1], &dtype) || ext_int64(values[2], &items) ||
        ext_int64(values[3], &offset) || PyObject_GetBuffer(values[0], &memory, PyBUF_SIMPLE))
        return NULL;
    if (dtype == TN_DTYPE_NONE) dtype = TN_F64;
    int64_t item_bytes = tn_dtype_size(dtype), left = memory.len - offset;
    PyObject *result = NULL;
    Py_ssize_t shape[1], strides[1] = {(Py_ssize_t)item_bytes};
    if (offset < 0 || left < 0) {
        PyErr_Format(PyExc_ValueError,
                     "offset must be non-negative and no greater than buffer length (%zd)",
                     memory.len);
    } else if (items < 0 && left % item_bytes) {
        PyErr_SetString(PyExc_ValueError, "buffer size must be a multiple of element size");
    } else if (items >= 0 && items > left / item_bytes) {
        PyErr_SetString(PyExc_ValueError, "buffer is smaller than requested size");
    } else {
        shape[0] = (Py_ssize_t)(items < 0 ? left / item_bytes : items);
        Py_buffer part = memory;
        part.buf = (char *)memory.buf + offset;
        part.len = shape[0] * (Py_ssize_t)item_bytes;
        part.itemsize = (Py_ssize_t)item_bytes;
        part.ndim = 1;
        part.shape = shape;
        part.strides = strides;
        part.suboffsets = NULL;
        tn_array *made = upload(&part, dtype, TN_ORDER_C);
        result = made ? ext_wrap(made) : NULL;
    }
    PyBuffer_Release(&memory);
    return result;
}
