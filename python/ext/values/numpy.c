/* Arrays of NumPy, and objects that only NumPy understands. NumPy's memory is reached through the
 * buffer protocol. */
#include "values/numpy.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/hold.h"
#include "base/wait.h"
#include "values/cast.h"
#include "values/refusal.h"

#include <stdlib.h>

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

int ext_is_numpy(PyObject *object) {
    return load_numpy() ? -1 : PyObject_IsInstance(object, numpy_ndarray);
}

/* The order that a copy of this memory should have. */
static tn_order memory_order(const Py_buffer *memory, tn_order order) {
    if (order == TN_ORDER_C || order == TN_ORDER_F) return order;
    bool is_f = PyBuffer_IsContiguous(memory, 'F'), is_c = PyBuffer_IsContiguous(memory, 'C');
    return is_f && !is_c ? TN_ORDER_F : TN_ORDER_C;
}

/* The memory is only lent until we return. Page-locked memory is read when the stream gets
 * there, so it is kept until then, or with a graph; and a queue of the host reads any memory
 * then, which may not change. */
static tn_status keep_lent(tn_stream *stream, PyObject *owner, const void *memory) {
    tn_device device = tn_stream_device(stream);
    bool is_kept = tn_stream_is_capturing(stream) || tn_memory_is_page_locked(memory, device);
    if (!is_kept && (device.backend != TN_BACKEND_HOST || tn_stream_is_default(stream)))
        return TN_OK;
    tn_status status = is_kept && owner ? TN_OK : ext_wait_stream(stream);
    if (owner && (is_kept || status)) ext_keep_after(stream, owner); /* a failure: interrupted */
    return status;
}

tn_array *ext_numpy_upload(const Py_buffer *memory, tn_dtype dtype, tn_order order) {
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
static PyObject *lendable(PyObject *host, tn_dtype dtype, bool is_swapped) {
    if (!is_swapped) return ext_bufferable(host, dtype);
    PyObject *native = PyObject_CallMethod(host, "astype", "O", ext_dtype_object(dtype));
    PyObject *lent = native ? ext_bufferable(native, dtype) : NULL;
    Py_XDECREF(native);
    return lent;
}

/* The dtype of the elements of NumPy's array. */
static int read_own_dtype(PyObject *host, tn_dtype *dtype, bool *is_swapped) {
    PyObject *object = PyObject_GetAttrString(host, "dtype");
    int failed = object ? ext_dtype_any_order(object, dtype, is_swapped) : -1;
    Py_XDECREF(object);
    return failed;
}

tn_array *ext_numpy_convert_dtype(tn_array *array, tn_dtype dtype, tn_order order) {
    if (!array || dtype == TN_DTYPE_NONE || dtype == tn_array_dtype(array)) return array;
    tn_array *made = ext_cast(array, dtype, order, TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED);
    tn_array_release(array);
    return made;
}

/* A numpy.ndarray. */
static tn_array *from_numpy(PyObject *host, tn_dtype dtype, tn_order order) {
    tn_dtype own;
    bool is_swapped;
    if (read_own_dtype(host, &own, &is_swapped)) return NULL;
    PyObject *lent = lendable(host, own, is_swapped);
    if (!lent) return NULL;
    Py_buffer memory;
    int failed = PyObject_GetBuffer(lent, &memory, PyBUF_STRIDES);
    Py_DECREF(lent); /* the buffer keeps it */
    if (failed) return NULL;
    tn_array *array = ext_numpy_upload(&memory, own, order);
    PyBuffer_Release(&memory);
    return ext_numpy_convert_dtype(array, dtype, order);
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
    int is_numpy = ext_is_numpy(object);
    if (is_numpy <= 0) return is_numpy;
    bool is_swapped;
    if (read_own_dtype(object, dtype, &is_swapped)) return -1;
    /* In a dtype that has buffers; its elements are not read. */
    PyObject *lent = ext_bufferable(object, *dtype);
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

tn_array *ext_numpy_convert(PyObject *object, tn_dtype dtype, tn_order order) {
    int is_numpy = ext_is_numpy(object);
    if (is_numpy < 0) return NULL;
    if (is_numpy && !tn_dtype_is_stored(dtype)) return from_numpy(object, dtype, order);
    PyObject *dtype_object = dtype == TN_DTYPE_NONE ? Py_None : ext_dtype_object(dtype);
    if (!dtype_object) return NULL;
    PyObject *host = PyObject_CallFunctionObjArgs(numpy_asarray, object, dtype_object, NULL);
    if (!host) return NULL;
    tn_array *array = from_numpy(host, dtype, order);
    Py_DECREF(host);
    if (!array && PyErr_ExceptionMatches(PyExc_TypeError) && !PyList_Check(object) &&
        !PyTuple_Check(object)) {
        PyErr_Clear(); /* one object, of which NumPy has made an element */
        ext_refuse_argument(object);
    }
    return array;
}
