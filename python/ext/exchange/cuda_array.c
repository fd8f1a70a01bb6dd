/* Arrays to and from other libraries through __cuda_array_interface__, a dictionary with the
 * address, version 3.
 *
 * What is exported is ready for work on the current stream, which is named in it. What is
 * imported may still be written on the stream that it names: the current stream comes after
 * that, and all others that use the array after the current one. With
 * TENORITE_CUDA_ARRAY_INTERFACE_SYNC=0 the program sees to both. Version 2, which a program may
 * ask for as in CuPy, names no stream. Only elements that other libraries can name have a typestr:
 * bfloat16 has none. */
#include "exchange/cuda_array.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "device/memory.h"
#include "exchange/span.h"

#include <stdlib.h>
#include <string.h>

enum { LEGACY = 1 }; /* the default stream's handle where 0 is not allowed */
enum { VERSION = 3 };

static bool is_ordered(void) {
    const char *text = getenv("TENORITE_CUDA_ARRAY_INTERFACE_SYNC");
    return !text || strcmp(text, "0") != 0;
}

/* --- Export --- */

/* Takes over `value`, which may be NULL. */
static int put(PyObject *facts, const char *key, PyObject *value) {
    int failed = value ? PyDict_SetItemString(facts, key, value) : -1;
    Py_XDECREF(value);
    return failed;
}

static PyObject *none(void) {
    Py_INCREF(Py_None);
    return Py_None;
}

/* The version that is exported: that of cupy._util, once a program has imported it, else
 * of CuPy's environment variable. -1 with an exception. */
static int64_t exported_version(void) {
    const char *text = getenv("CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION");
    int64_t version = text ? strtol(text, NULL, 10) : VERSION;
    PyObject *name = PyUnicode_FromString("tenorite._cupy._util"), *found = NULL;
    PyObject *module = name ? PyImport_GetModule(name) : NULL;
    if (module) found = PyObject_GetAttrString(module, "CUDA_ARRAY_INTERFACE_EXPORT_VERSION");
    if (PyErr_Occurred() || ext_int64(found, &version)) {
        version = -1;
    } else if (version != 2 && version != VERSION) {
        PyErr_Format(PyExc_ValueError,
                     "CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION can only be set to 3 (default) or "
                     "2, not %lld",
                     (long long)version);
        version = -1;
    }
    Py_XDECREF(found);
    Py_XDECREF(module);
    Py_XDECREF(name);
    return version;
}

static PyObject *stream_of(const tn_array *array) {
    if (!is_ordered()) return none();
    tn_stream *stream = tn_stream_get_current(tn_array_device(array));
    if (!stream) return ext_raise(TN_ERROR_DEVICE);
    EXT_TRY(tn_buffer_order(tn_array_buffer(array), stream));
    uintptr_t handle = tn_stream_handle(stream);
    return PyLong_FromSize_t(handle ? handle : LEGACY);
}

static PyObject *strides_of(const tn_array *array) {
    return tn_array_is_c_contiguous(array)
               ? none()
               : ext_tuple(tn_array_ndim(array), tn_array_strides(array));
}

static PyObject *data_of(const tn_array *array) {
    bool is_empty = tn_array_size(array) == 0;
    void *address = is_empty ? NULL : tn_array_address(array);
    bool is_read_only = !is_empty && !tn_array_is_writeable(array);
    return Py_BuildValue("NN", PyLong_FromVoidPtr(address), PyBool_FromLong(is_read_only));
}

static PyObject *describe(const tn_array *array) {
    tn_dtype dtype = tn_array_dtype(array);
    if (tn_array_device(array).backend != TN_BACKEND_CUDA)
        return PyErr_Format(PyExc_AttributeError,
                            "an array on the host has no __cuda_array_interface__");
    if (dtype == TN_BF16)
        return PyErr_Format(PyExc_AttributeError,
                            "__cuda_array_interface__ has no typestr for bfloat16; use DLPack");
    int64_t version = exported_version();
    if (version < 0) return NULL;
    PyObject *dtype_object = ext_dtype_object(dtype), *facts = dtype_object ? PyDict_New() : NULL;
    if (!facts) return NULL;
    /* The address is given away before the order is made: from then on nothing waits in the
     * library. */
    bool failed = put(facts, "shape", ext_tuple(tn_array_ndim(array), tn_array_shape(array))) ||
                  put(facts, "typestr", PyObject_GetAttrString(dtype_object, "str")) ||
                  put(facts, "descr", PyObject_GetAttrString(dtype_object, "descr")) ||
                  put(facts, "data", data_of(array)) || put(facts, "strides", strides_of(array)) ||
                  (version == VERSION && put(facts, "stream", stream_of(array))) ||
                  put(facts, "version", PyLong_FromLongLong(version));
    if (failed) Py_CLEAR(facts);
    return facts;
}

PyObject *ext_cuda_array(PyObject *self, void *closure) {
    (void)closure;
    tn_array *array = tn_array_retain(ext_array(self));
    PyObject *facts = describe(array);
    tn_array_release(array);
    return facts;
}

/* --- Import --- */

#define NAME "__cuda_array_interface__"

/* An entry (borrowed); NULL where it is absent or None, with an exception if it is needed. */
static PyObject *entry(PyObject *facts, const char *key, bool is_needed) {
    PyObject *value = PyDict_GetItemString(facts, key);
    if (value && value != Py_None) return value;
    if (is_needed) PyErr_Format(PyExc_ValueError, NAME " has no %s", key);
    return NULL;
}

static int check_version(PyObject *facts) {
    PyObject *object = entry(facts, "version", false);
    int64_t version = 0;
    if (object && ext_int64(object, &version)) return -1;
    if (version < 0 || version > VERSION) {
        PyErr_Format(PyExc_ValueError, NAME " of version %lld is not supported, only 0 to %d",
                     (long long)version, VERSION);
        return -1;
    }
    if (!entry(facts, "mask", false)) return 0;
    PyErr_SetString(PyExc_ValueError, NAME ": tenorite does not support masks");
    return -1;
}

/* "<f4": order of bytes, kind, size. The memory is shared, so the other order of bytes is of no
 * use. */
static int read_typestr_of_number(PyObject *facts, tn_dtype *dtype) {
    static const char kinds[] = {[TN_KIND_BOOL] = 'b',
                                 [TN_KIND_SIGNED] = 'i',
                                 [TN_KIND_UNSIGNED] = 'u',
                                 [TN_KIND_FLOAT] = 'f',
                                 [TN_KIND_COMPLEX] = 'c'};
    PyObject *object = entry(facts, "typestr", true);
    if (!object) return -1;
    PyObject *bytes = PyUnicode_Check(object) ? PyUnicode_AsASCIIString(object) : NULL;
    const char *text = bytes ? PyBytes_AsString(bytes) : "";
    PyErr_Clear();
    size_t length = strlen(text);
    long size = length > 2 && length < 5 ? strtol(text + 2, NULL, 10) : 0;
    bool is_native = length > 2 && (strchr("<=|", text[0]) || size == 1) && text[2] != '-';
    *dtype = TN_DTYPE_NONE;
    for (int k = 0; is_native && k < TN_DTYPE_COUNT; k++)
        if (k != TN_BF16 && kinds[tn_dtype_kind(k)] == text[1] && tn_dtype_size(k) == size)
            *dtype = k;
    Py_XDECREF(bytes);
    if (*dtype != TN_DTYPE_NONE) return 0;
    PyErr_Format(PyExc_TypeError, NAME ": the typestr %R is not supported", object);
    return -1;
}

/* Of structures, void and times descr says more. */
static int read_typestr(PyObject *facts, tn_dtype *dtype) {
    PyObject *object = entry(facts, "typestr", true), *descr = entry(facts, "descr", false);
    if (!object) return -1;
    const bool is_text = PyUnicode_Check(object) && PyUnicode_GetLength(object) > 2;
    const Py_UCS4 kind = is_text ? PyUnicode_ReadChar(object, 1) : 0;
    if (kind != 'V' && kind != 'M' && kind != 'm') return read_typestr_of_number(facts, dtype);
    PyObject *function = ext_import("tenorite._array.stored", "described");
    PyObject *made =
        function ? PyObject_CallFunctionObjArgs(function, object, descr ? descr : Py_None, NULL)
                 : NULL;
    int failed = made ? ext_dtype(made, dtype) : -1;
    Py_XDECREF(made);
    Py_XDECREF(function);
    return failed;
}

static int read_layout(PyObject *facts, int *ndim, int64_t *shape, int64_t *strides,
                       bool *has_strides) {
    PyObject *shape_object = entry(facts, "shape", true);
    PyObject *strides_object = entry(facts, "strides", false);
    int count;
    if (!shape_object || ext_shape(shape_object, ndim, shape)) return -1;
    *has_strides = strides_object != NULL;
    if (!strides_object) return 0;
    if (ext_shape(strides_object, &count, strides)) return -1;
    if (count == *ndim) return 0;
    PyErr_Format(PyExc_ValueError, NAME " has %d sizes and %d strides", *ndim, count);
    return -1;
}

static int read_data(PyObject *facts, void **address, bool *is_read_only) {
    PyObject *data = entry(facts, "data", true);
    if (!data) return -1;
    if (!PyTuple_Check(data) || PyTuple_Size(data) != 2 ||
        !PyIndex_Check(PyTuple_GetItem(data, 0))) {
        PyErr_Format(PyExc_TypeError, NAME ": data must be (address, read-only), not %R", data);
        return -1;
    }
    return ext_address(PyTuple_GetItem(data, 0), address) ||
                   ext_bool(PyTuple_GetItem(data, 1), is_read_only, false)
               ? -1
               : 0;
}

/* Where the memory is, and its address there. */
static int find_device(void **address, tn_device *device) {
    tn_cuda_pointer facts;
    tn_status status = tn_cuda_get_pointer(&facts, (uintptr_t)*address);
    if (status) return ext_raise(status), -1;
    if (!facts.kind || !facts.device_address) {
        PyErr_Format(PyExc_ValueError, NAME ": no GPU can use memory at %p", *address);
        return -1;
    }
    *address = (void *)facts.device_address;
    *device = (tn_device){TN_BACKEND_CUDA, (int16_t)facts.number};
    return 0;
}

/* Empty arrays say nothing of their device. */
static tn_device device_of_nothing(void) {
    tn_device device = tn_device_get_current();
    if (device.backend != TN_BACKEND_CUDA && tn_device_count(TN_BACKEND_CUDA) > 0)
        device = (tn_device){TN_BACKEND_CUDA, 0};
    return device;
}

/* The current stream, and through it all that use the buffer, come after the work that its
 * owner has. */
static int order(PyObject *facts, tn_buffer *buffer) {
    PyObject *object = entry(facts, "stream", false);
    void *handle;
    if (!object || !is_ordered()) return 0;
    if (!PyIndex_Check(object)) {
        PyErr_Format(PyExc_TypeError, NAME ": stream must be an int, not %R", object);
        return -1;
    }
    if (ext_address(object, &handle)) return -1;
    tn_stream *stream = tn_stream_get_current(tn_buffer_device(buffer));
    tn_status status =
        stream ? tn_cuda_stream_wait_handle(stream, (uintptr_t)handle) : TN_ERROR_DEVICE;
    if (status == TN_OK) status = tn_buffer_order(buffer, stream);
    return status ? (ext_raise(status), -1) : 0;
}

static PyObject *import_facts(PyObject *owner, PyObject *facts) {
    int ndim;
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    bool has_strides, is_read_only;
    tn_dtype dtype;
    tn_device device;
    ext_span memory = {NAME, PyExc_ValueError, NULL, 0, 0, 0};
    if (check_version(facts) || read_typestr(facts, &dtype) ||
        read_layout(facts, &ndim, shape, strides, &has_strides) ||
        read_data(facts, &memory.data, &is_read_only))
        return NULL;
    bool is_empty = false;
    for (int axis = 0; axis < ndim; axis++)
        is_empty |= shape[axis] == 0;
    device = device_of_nothing();
    if ((!is_empty && memory.data && find_device(&memory.data, &device)) ||
        ext_check_span(&memory, tn_dtype_size(dtype), ndim, shape, strides, has_strides))
        return NULL;
    tn_array *array = NULL;
    tn_buffer *buffer = ext_foreign_buffer(memory.data, memory.bytes, device, owner);
    if (!buffer) return NULL;
    tn_status status = tn_array_new_view(&array, buffer, memory.offset, dtype, ndim, shape,
                                         has_strides ? strides : NULL);
    if (status) ext_raise(status);
    if (!status && memory.bytes > 0 && order(facts, buffer)) {
        tn_array_release(array);
        array = NULL;
    }
    tn_buffer_release(buffer);
    if (!array) return NULL;
    if (is_read_only) tn_array_set_writeable(array, false);
    return ext_wrap(array);
}

/* Reading its values runs Python, which may change the dict: a copy holds them. */
PyObject *ext_from_cuda_array(PyObject *owner, PyObject *facts) {
    if (!PyDict_Check(facts))
        return PyErr_Format(PyExc_TypeError, NAME " must be a dict, not %R",
                            (PyObject *)Py_TYPE(facts));
    PyObject *held = PyDict_Copy(facts);
    PyObject *made = held ? import_facts(owner, held) : NULL;
    Py_XDECREF(held);
    return made;
}
