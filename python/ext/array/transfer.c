/* Moving elements between ndarrays and NumPy arrays: get and set; and to Python's objects:
 * tobytes and tolist. NumPy's memory is reached through the buffer protocol. */
#include "array/transfer.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/ext.h"
#include "base/object.h"
#include "base/trace.h"
#include "base/types.h"
#include "base/wait.h"
#include "device/stream_object.h"
#include "documents.h"

#include <string.h>

/* The memory of a NumPy array of this dtype and shape; an exception if it is anything else. */
static int lend(PyObject *host, tn_dtype dtype, int ndim, const int64_t *shape, int flags,
                Py_buffer *memory) {
    PyObject *lent = ext_bufferable(host, dtype);
    if (!lent) return -1;
    int failed = PyObject_GetBuffer(lent, memory, PyBUF_STRIDES | flags);
    Py_DECREF(lent); /* the buffer keeps it */
    if (failed) return -1;
    bool fits = memory->ndim == ndim && memory->itemsize == tn_dtype_size(dtype);
    for (int axis = 0; fits && axis < ndim; axis++)
        fits = memory->shape[axis] == shape[axis];
    if (fits) return 0;
    PyObject *own = ext_tuple(ndim, shape), *given = PyObject_GetAttrString(host, "shape");
    if (own && given)
        PyErr_Format(PyExc_ValueError,
                     "the host array's shape does not match the array's: %R is not %R", given, own);
    PyBuffer_Release(memory);
    Py_XDECREF(given);
    Py_XDECREF(own);
    return -1;
}

static int check_dtype(PyObject *host, tn_dtype dtype, const char *what) {
    tn_dtype is;
    PyObject *object = PyObject_GetAttrString(host, "dtype");
    if (!object) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Format(PyExc_TypeError, "%s must be a numpy.ndarray, not %R", what,
                         (PyObject *)Py_TYPE(host));
        return -1;
    }
    int failed = ext_dtype(object, &is);
    Py_DECREF(object);
    if (failed) return -1;
    if (is == dtype) return 0;
    PyErr_Format(PyExc_TypeError, "%s has dtype %s, the array has %s", what, tn_dtype_name(is),
                 tn_dtype_name(dtype));
    return -1;
}

/* A new array for the elements. Elements that are not waited for go to page-locked memory, as
 * the driver would wait for plain memory. */
static PyObject *new_host(tn_array *array, tn_order order, bool blocking) {
    bool fortran = order == TN_ORDER_F;
    if (order == TN_ORDER_A || order == TN_ORDER_K)
        fortran = tn_array_is_f_contiguous(array) && !tn_array_is_c_contiguous(array);
    int64_t bytes = tn_array_size(array) * tn_dtype_size(tn_array_dtype(array));
    bool is_locked = !blocking && bytes > 0 && tn_array_device(array).backend != TN_BACKEND_HOST;
    PyObject *make = ext_import("numpy", is_locked ? "ndarray" : "empty");
    PyObject *dtype = ext_dtype_object(tn_array_dtype(array));
    PyObject *shape = ext_tuple(tn_array_ndim(array), tn_array_shape(array)), *host = NULL;
    PyObject *allocate = is_locked ? ext_import("tenorite.cuda", "alloc_pinned_memory") : NULL;
    PyObject *memory = allocate ? PyObject_CallFunction(allocate, "L", (long long)bytes) : NULL;
    const char *letter = fortran ? "F" : "C";
    if (make && dtype && shape && is_locked == (memory != NULL))
        host = is_locked
                   ? PyObject_CallFunction(make, "OOOiOs", shape, dtype, memory, 0, Py_None, letter)
               : fortran ? PyObject_CallFunction(make, "OOs", shape, dtype, letter)
                         : PyObject_CallFunctionObjArgs(make, shape, dtype, NULL);
    Py_XDECREF(memory);
    Py_XDECREF(allocate);
    Py_XDECREF(make);
    Py_XDECREF(shape);
    return host;
}

static bool stream_is_host(tn_stream *stream) {
    return tn_stream_device(stream).backend == TN_BACKEND_HOST;
}

/* Whether the stream uses host memory later, when the call that asked for a copy has returned. */
static bool is_lent(const void *memory, tn_stream *stream) {
    if (stream_is_host(stream)) return !tn_stream_is_default(stream);
    return tn_memory_is_page_locked(memory, tn_stream_device(stream));
}

static int check_waits(tn_stream *stream) {
    if (!tn_stream_is_capturing(stream)) return 0;
    PyErr_SetString(PyExc_RuntimeError, "the stream is capturing a graph, so nothing can be "
                                        "waited for; blocking=False and page-locked memory");
    return -1;
}

/* Copies the elements to memory of `owner`, which is kept as long as the stream may write there.
 * Whether the owner was made for it: such memory is page-locked unless it is waited for. The
 * array and the stream are held by the caller. */
static int read_elements(void *memory, const int64_t *strides, tn_array *array, tn_stream *stream,
                         PyObject *owner, bool is_new, bool blocking) {
    tn_status status;
    if (blocking && !ext_may_wait(NULL)) return -1;
    EXT_LONG_CALL(status, tn_array_size(array), tn_array_read(memory, strides, array, stream));
    /* On a default stream all else has been waited for. */
    bool is_late = is_new && !stream_is_host(stream) ? !blocking : is_lent(memory, stream);
    if (!status && blocking && (is_late || !tn_stream_is_default(stream)))
        status = ext_wait_stream(stream);
    if (is_late && (status || !blocking)) ext_keep_after(stream, owner);
    return status ? (ext_raise(status), -1) : 0;
}

/* Into `out`, or (NULL or None) a new array. The array and the stream are held by the caller. */
static PyObject *get_from(tn_array *array, tn_stream *stream, PyObject *out, tn_order order,
                          bool blocking) {
    bool is_new = !out || out == Py_None;
    PyObject *host = is_new ? new_host(array, order, blocking) : (Py_INCREF(out), out);
    if (!host) return NULL;
    Py_buffer memory;
    if ((!is_new && check_dtype(host, tn_array_dtype(array), "out")) ||
        (blocking && check_waits(stream)) ||
        lend(host, tn_array_dtype(array), tn_array_ndim(array), tn_array_shape(array),
             PyBUF_WRITABLE, &memory)) {
        Py_DECREF(host);
        return NULL;
    }
    int64_t strides[TN_MAX_NDIM];
    for (int axis = 0; axis < memory.ndim; axis++)
        strides[axis] = memory.strides[axis];
    if (read_elements(memory.buf, strides, array, stream, host, is_new, blocking)) Py_CLEAR(host);
    PyBuffer_Release(&memory);
    return host;
}

/* The stream of a copy, held: another thread may drop it meanwhile. */
static tn_stream *hold_stream(tn_stream *stream, const tn_array *array) {
    if (!stream) stream = tn_stream_get_current(tn_array_device(array));
    if (!stream) ext_raise(TN_ERROR_DEVICE);
    return stream ? tn_stream_retain(stream) : NULL;
}

static PyObject *get(ARGUMENTS) {
    static const char *const names[] = {"stream", "order", "out", "blocking", NULL};
    PyObject *values[4], *host = NULL;
    tn_stream *stream;
    tn_order order;
    bool blocking;
    if (ext_parse("get", arguments, count, keywords, names, 0, values) ||
        ext_order(values[1], &order, TN_ORDER_C) || ext_bool(values[3], &blocking, true) ||
        ext_stream(values[0], &stream))
        return NULL;
    tn_array *array = tn_array_retain(ext_array(self));
    stream = hold_stream(stream, array);
    if (stream) host = get_from(array, stream, values[2], order, blocking);
    tn_stream_release(stream);
    tn_array_release(array);
    return host;
}

/* The array and the stream are held by the caller. */
static PyObject *set_from(tn_array *array, tn_stream *stream, PyObject *host) {
    if (check_dtype(host, tn_array_dtype(array), "arr")) return NULL;
    Py_buffer memory;
    if (lend(host, tn_array_dtype(array), tn_array_ndim(array), tn_array_shape(array), 0, &memory))
        return NULL;
    int64_t strides[TN_MAX_NDIM];
    for (int axis = 0; axis < memory.ndim; axis++)
        strides[axis] = memory.strides[axis];
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array), tn_array_write(array, memory.buf, strides, stream));
    /* The host memory is only lent until here, but page-locked memory is kept; a graph keeps it
     * for good. A queue of the host would read any memory later, when it may have changed. */
    bool is_late = is_lent(memory.buf, stream), is_host = stream_is_host(stream);
    if (!status && is_late && is_host) status = ext_wait_stream(stream);
    if (is_late && (status || !is_host)) ext_keep_after(stream, host);
    PyBuffer_Release(&memory);
    if (status) return ext_raise(status);
    Py_RETURN_NONE;
}

static PyObject *set(ARGUMENTS) {
    static const char *const names[] = {"arr", "stream", NULL};
    PyObject *values[2], *result = NULL;
    tn_stream *stream;
    if (ext_parse("set", arguments, count, keywords, names, 1, values) ||
        ext_stream(values[1], &stream))
        return NULL;
    if (ext_is_array(values[0]))
        return PyErr_Format(PyExc_TypeError, "Only numpy.ndarray can be set to tenorite.ndarray");
    tn_array *array = tn_array_retain(ext_array(self));
    stream = hold_stream(stream, array);
    if (stream) result = set_from(array, stream, values[0]);
    tn_stream_release(stream);
    tn_array_release(array);
    return result;
}

/* --- Python's objects --- */

/* Whether the elements are no more than `most` bytes, and there as soon as they are read: a call
 * that reads them does no more. */
enum { FEW_BYTES = 512, MANY_BYTES = 1 << 15 };
static bool are_few(const tn_array *array, int64_t most) {
    tn_device device = tn_array_device(array);
    if (device.backend != TN_BACKEND_HOST || tn_array_bytes(array) > most) return false;
    const tn_stream *stream = tn_stream_get_current(device);
    return stream && tn_stream_is_default(stream);
}

/* Reads few elements in order C to `memory`. */
static int read_few(void *memory, const tn_array *array) {
    if (!ext_may_wait(NULL)) return -1;
    tn_status status = tn_array_read(memory, NULL, array, NULL);
    EXT_SETTLE();
    return status ? (ext_raise(status), -1) : 0;
}

/* The bytes of all elements in order C, or in order F; the array is held by the caller. */
static PyObject *bytes_of(tn_array *array, bool is_f) {
    int64_t strides[TN_MAX_NDIM], stride = tn_dtype_size(tn_array_dtype(array));
    for (int axis = 0; is_f && axis < tn_array_ndim(array); axis++) {
        strides[axis] = stride;
        stride *= tn_array_shape(array)[axis];
    }
    PyObject *made = PyBytes_FromStringAndSize(NULL, tn_array_bytes(array));
    tn_stream *stream = made ? hold_stream(NULL, array) : NULL;
    bool failed = !stream || check_waits(stream) ||
                  read_elements(PyBytes_AsString(made), is_f ? strides : NULL, array, stream, made,
                                true, true);
    tn_stream_release(stream);
    if (failed) Py_CLEAR(made);
    return made;
}

static PyObject *tobytes(ARGUMENTS) {
    static const char *const names[] = {"order", NULL};
    PyObject *values[1], *made;
    tn_order order;
    tn_array *array = ext_array(self);
    if (count == 0 && !keywords && are_few(array, MANY_BYTES)) {
        made = PyBytes_FromStringAndSize(NULL, tn_array_bytes(array));
        if (made && read_few(PyBytes_AsString(made), array)) Py_CLEAR(made);
        return made;
    }
    if (ext_parse("tobytes", arguments, count, keywords, names, 0, values) ||
        ext_order(values[0], &order, TN_ORDER_C))
        return NULL;
    array = tn_array_retain(ext_array(self));
    bool lies_f = tn_array_is_f_contiguous(array) && !tn_array_is_c_contiguous(array);
    made = bytes_of(array, order == TN_ORDER_F || (order == TN_ORDER_A && lies_f));
    tn_array_release(array);
    return made;
}

/* Elements that lie in order C, as they are made Python's objects. */
typedef struct elements {
    const char *next;
    tn_dtype dtype;
    int64_t bytes; /* of one */
} elements;

static PyObject *next_object(elements *from) {
    const char *element = from->next;
    from->next += from->bytes;
    return ext_element_object(element, from->dtype);
}

/* Nested lists, of one axis at least. */
static PyObject *list_of(elements *from, int ndim, const int64_t *shape) {
    PyObject *list = PyList_New(shape[0]);
    for (int64_t k = 0; list && k < shape[0]; k++) {
        PyObject *item = ndim > 1 ? list_of(from, ndim - 1, shape + 1) : next_object(from);
        if (item)
            PyList_SetItem(list, k, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* The array is held by the caller, as making lists may collect garbage. */
static PyObject *objects_of(const tn_array *array, const char *bytes) {
    tn_dtype dtype = tn_array_dtype(array);
    elements from = {bytes, dtype, tn_dtype_size(dtype)};
    int ndim = tn_array_ndim(array);
    return ndim ? list_of(&from, ndim, tn_array_shape(array)) : next_object(&from);
}

/* A method of the NumPy array that get() gives: only NumPy knows what the elements mean. */
static PyObject *by_numpy(PyObject *self, const char *method) {
    PyObject *host = PyObject_CallMethod(self, "get", NULL);
    PyObject *made = host ? PyObject_CallMethod(host, method, NULL) : NULL;
    Py_XDECREF(host);
    return made;
}

static PyObject *tolist_untraced(PyObject *self, PyObject *unused) {
    (void)unused;
    if (!ext_may_wait("tolist()")) return NULL;
    if (tn_dtype_is_stored(tn_array_dtype(ext_array(self)))) return by_numpy(self, "tolist");
    tn_array *array = tn_array_retain(ext_array(self));
    PyObject *bytes, *list = NULL;
    char few[FEW_BYTES];
    if (are_few(array, FEW_BYTES)) {
        if (!read_few(few, array)) list = objects_of(array, few);
    } else if ((bytes = bytes_of(array, false))) {
        list = objects_of(array, PyBytes_AsString(bytes));
        Py_DECREF(bytes);
    }
    tn_array_release(array);
    return list;
}

static EXT_COLD PyObject *tolist_traced(PyObject *self) {
    int64_t begun = ext_trace_begin();
    PyObject *result = tolist_untraced(self, NULL);
    ext_trace_end(begun, "tolist", &self, 1, result);
    return result;
}

static PyObject *tolist(PyObject *self, PyObject *unused) {
    return ext_is_traced() ? tolist_traced(self) : tolist_untraced(self, unused);
}

/* clang-format off */
EXT_TRACED(get, "get")
EXT_TRACED(set, "set")
EXT_TRACED(tobytes, "tobytes")
/* clang-format on */

PyMethodDef ext_transfer_methods[] = {
    {"get", FAST(get_traced), DOC_ndarray_get},
    {"set", FAST(set_traced), DOC_ndarray_set},
    {"tobytes", FAST(tobytes_traced), DOC_ndarray_tobytes},
    {"tolist", tolist, METH_NOARGS, DOC_ndarray_tolist},
    {NULL, NULL, 0, NULL},
};
