/* Arrays to and from other libraries through DLPack capsules.
 *
 * An exported tensor holds a reference to its tn_array; shape and strides lie after the struct. A
 * capsule that is never consumed deletes its tensor; a consumer renames it to "used_...".
 * An imported tensor is checked before anything of it is believed, and becomes a buffer that calls
 * the tensor's deleter when the last view goes. A capsule that is refused stays its owner's. */
#include "exchange/dlpack.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/object.h"
#include "exchange/span.h"

#include <stdlib.h>
#include <string.h>

static const char plain_name[] = "dltensor", plain_used[] = "used_dltensor";
static const char versioned_name[] = "dltensor_versioned";
static const char versioned_used[] = "used_dltensor_versioned";

static const struct {
    uint8_t code, bits;
} dl_dtypes[TN_DTYPE_COUNT] = {
    [TN_B8] = {DL_BOOL, 8},    [TN_I8] = {DL_INT, 8},       [TN_U8] = {DL_UINT, 8},
    [TN_I16] = {DL_INT, 16},   [TN_U16] = {DL_UINT, 16},    [TN_I32] = {DL_INT, 32},
    [TN_U32] = {DL_UINT, 32},  [TN_I64] = {DL_INT, 64},     [TN_U64] = {DL_UINT, 64},
    [TN_F16] = {DL_FLOAT, 16}, [TN_BF16] = {DL_BFLOAT, 16}, [TN_F32] = {DL_FLOAT, 32},
    [TN_F64] = {DL_FLOAT, 64}, [TN_C64] = {DL_COMPLEX, 64}, [TN_C128] = {DL_COMPLEX, 128},
};

/* --- Export --- */

static int device_kind(tn_device device) {
    return device.backend == TN_BACKEND_HOST ? DL_CPU : DL_CUDA;
}

static void fill_tensor(dl_tensor *tensor, const tn_array *array, int64_t *sizes) {
    int ndim = tn_array_ndim(array);
    tn_dtype dtype = tn_array_dtype(array);
    tn_device device = tn_array_device(array);
    memset(tensor, 0, sizeof *tensor);
    tensor->data = tn_array_size(array) ? tn_array_address(array) : NULL;
    tensor->device.kind = device_kind(device);
    tensor->device.number = device.number;
    tensor->ndim = ndim;
    tensor->dtype.code = dl_dtypes[dtype].code;
    tensor->dtype.bits = dl_dtypes[dtype].bits;
    tensor->dtype.lanes = 1;
    tensor->shape = sizes;
    tensor->strides = sizes + ndim;
    for (int axis = 0; axis < ndim; axis++) {
        tensor->shape[axis] = tn_array_shape(array)[axis];
        tensor->strides[axis] = tn_array_strides(array)[axis] / tn_dtype_size(dtype);
    }
}

static void delete_plain(void *self) {
    tn_array_release(((dl_managed *)self)->context);
    free(self);
}

static void delete_versioned(void *self) {
    tn_array_release(((dl_managed_versioned *)self)->context);
    free(self);
}

/* Capsules are also destroyed while an exception is on its way. */
static void destroy_plain(PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, plain_name)) return;
    dl_managed *managed = PyCapsule_GetPointer(capsule, plain_name);
    if (managed->deleter) managed->deleter(managed);
}

static void destroy_versioned(PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, versioned_name)) return;
    dl_managed_versioned *managed = PyCapsule_GetPointer(capsule, versioned_name);
    if (managed->deleter) managed->deleter(managed);
}

/* Takes over the reference to the array (also on failure). */
static PyObject *export_plain(tn_array *array) {
    size_t bytes = sizeof(dl_managed) + 2 * (size_t)tn_array_ndim(array) * sizeof(int64_t);
    dl_managed *managed = malloc(bytes);
    if (!managed) {
        tn_array_release(array);
        return PyErr_NoMemory();
    }
    fill_tensor(&managed->tensor, array, (int64_t *)(managed + 1));
    managed->context = array;
    managed->deleter = delete_plain;
    PyObject *capsule = PyCapsule_New(managed, plain_name, destroy_plain);
    if (!capsule) delete_plain(managed);
    return capsule;
}

static PyObject *export_versioned(tn_array *array, bool copied) {
    size_t bytes =
        sizeof(dl_managed_versioned) + 2 * (size_t)tn_array_ndim(array) * sizeof(int64_t);
    dl_managed_versioned *managed = malloc(bytes);
    if (!managed) {
        tn_array_release(array);
        return PyErr_NoMemory();
    }
    fill_tensor(&managed->tensor, array, (int64_t *)(managed + 1));
    managed->version.major = DL_MAJOR;
    managed->version.minor = DL_MINOR;
    managed->flags = (tn_array_is_writeable(array) ? 0 : DL_READ_ONLY) | (copied ? DL_COPIED : 0);
    managed->context = array;
    managed->deleter = delete_versioned;
    PyObject *capsule = PyCapsule_New(managed, versioned_name, destroy_versioned);
    if (!capsule) delete_versioned(managed);
    return capsule;
}

/* None, or a tuple of two ints. Returns whether it was given; -1 on failure. */
static int read_pair(PyObject *object, const char *name, int64_t *pair) {
    if (!object || object == Py_None) return 0;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 2) {
        PyErr_Format(PyExc_TypeError, "%s must be None or a tuple with two elements.", name);
        return -1;
    }
    for (int k = 0; k < 2; k++)
        if (ext_int64(PyTuple_GetItem(object, k), &pair[k])) return -1;
    return 1;
}

/* The array itself, a copy, or a copy on the host, as __dlpack__'s dl_device and copy ask. */
static int exported_array(tn_array **result, tn_array *array, int asked, const int64_t *where,
                          tn_copy copy) {
    tn_device own = tn_array_device(array), device = own;
    if (asked && (where[0] != device_kind(own) || where[1] != own.number)) {
        if (where[0] != DL_CPU || where[1] < 0 || where[1] >= tn_device_count(TN_BACKEND_HOST)) {
            PyErr_SetString(PyExc_BufferError, "unsupported device requested");
            return -1;
        }
        device = (tn_device){TN_BACKEND_HOST, (int16_t)where[1]};
    }
    if (copy == TN_COPY_NEVER && !tn_device_is_equal(own, device)) {
        PyErr_SetString(PyExc_BufferError, "Unable to avoid copy: the array is on another device.");
        return -1;
    }
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_array_to_device(result, array, device, copy, NULL));
    return status ? (ext_raise(status), -1) : 0;
}

/* The protocol leaves strides in elements, which a view through another dtype may not have. */
static int check_strides(const tn_array *array) {
    int64_t item = tn_dtype_size(tn_array_dtype(array));
    for (int axis = 0; axis < tn_array_ndim(array); axis++)
        if (tn_array_shape(array)[axis] != 1 && tn_array_strides(array)[axis] % item) {
            PyErr_SetString(PyExc_BufferError,
                            "DLPack only supports strides which are a multiple of itemsize.");
            return -1;
        }
    return 0;
}

PyObject *ext_dlpack(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                     PyObject *keywords) {
    static const char *const names[] = {"*stream", "*max_version", "*dl_device", "*copy", NULL};
    PyObject *values[4];
    int64_t version[2] = {0, 0}, device[2] = {0, 0}, stream = 0;
    if (ext_parse("__dlpack__", arguments, count, keywords, names, 0, values)) return NULL;
    if (tn_dtype_is_stored(tn_array_dtype(ext_array(self))))
        return PyErr_Format(
            PyExc_BufferError,
            "DLPack only has numbers, no elements of dtype %s; .view(tenorite.uint8) "
            "has their bytes",
            tn_dtype_name(tn_array_dtype(ext_array(self))));
    int versioned = read_pair(values[1], "max_version", version);
    int asked = versioned < 0 ? -1 : read_pair(values[2], "dl_device", device);
    if (asked < 0) return NULL;
    versioned = versioned && version[0] >= 1;
    if (values[0] && values[0] != Py_None) {
        if (tn_array_device(ext_array(self)).backend == TN_BACKEND_HOST)
            return PyErr_Format(PyExc_BufferError,
                                "an array on the host supports stream=None only");
        if (ext_int64(values[0], &stream)) return NULL;
        if (stream < -1)
            return PyErr_Format(PyExc_ValueError,
                                "On CUDA, the valid stream for the DLPack protocol is -1, 1, 2, or "
                                "any larger value, but %lld was provided",
                                (long long)stream);
        if (stream == 0 && PyErr_WarnEx(PyExc_UserWarning,
                                        "Stream 0 is passed from a library that you are "
                                        "converting to; it is taken as the legacy default stream. "
                                        "It violates the DLPack protocol.",
                                        1))
            return NULL;
    }
    tn_copy copy = TN_COPY_IF_NEEDED;
    if (values[3] != Py_None && ext_copy(values[3], &copy, copy)) return NULL;
    tn_array *array = ext_array(self), *exported;
    const tn_buffer *own = tn_array_buffer(array);
    if (!versioned && !tn_array_is_writeable(array))
        return PyErr_Format(PyExc_BufferError,
                            "Cannot export readonly array since signalling readonly is unsupported "
                            "by DLPack (supported by newer DLPack version).");
    if (check_strides(array)) return NULL;
    if (exported_array(&exported, array, asked, device, copy)) return NULL;
    /* Other libraries read as soon as they have the tensor, so all work on it must be done. */
    tn_status status = stream == -1 ? TN_OK : tn_device_synchronize(tn_array_device(exported), -1);
    if (status) {
        tn_array_release(exported);
        return ext_raise(status);
    }
    bool copied = tn_array_buffer(exported) != own;
    return versioned ? export_versioned(exported, copied) : export_plain(exported);
}

PyObject *ext_to_dlpack(PyObject *self, PyObject *unused) {
    (void)unused;
    return ext_dlpack(self, NULL, 0, NULL);
}

PyObject *ext_dlpack_device(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_device device = tn_array_device(ext_array(self));
    return Py_BuildValue("ii", device_kind(device), (int)device.number);
}

/* --- Import --- */

typedef struct consumed {
    PyObject *capsule;
    const char *name, *used;
    void *managed;
    bool versioned;
} consumed;

/* The deleter is another library's and may run Python. */
static void delete_managed(void (*deleter)(void *), void *managed) {
    ext_visit visit;
    if (!deleter) return;
    const bool is_visit = ext_visit_open(&visit);
    deleter(managed);
    if (is_visit) ext_visit_close(&visit);
}

static void release_plain(void *managed) {
    delete_managed(((dl_managed *)managed)->deleter, managed);
}

static void release_versioned(void *managed) {
    delete_managed(((dl_managed_versioned *)managed)->deleter, managed);
}

/* The tensor of a capsule that is not consumed yet, and whether it may be written. */
static const dl_tensor *open_capsule(PyObject *object, consumed *capsule, bool *writeable) {
    *capsule = (consumed){object, plain_name, plain_used, NULL, false};
    *writeable = true;
    if (!PyCapsule_CheckExact(object))
        return (const dl_tensor *)PyErr_Format(PyExc_TypeError, "expected a DLPack capsule, not %R",
                                               (PyObject *)Py_TYPE(object));
    if (PyCapsule_IsValid(object, plain_name)) {
        dl_managed *managed = capsule->managed = PyCapsule_GetPointer(object, plain_name);
        return &managed->tensor;
    }
    if (!PyCapsule_IsValid(object, versioned_name)) {
        const char *name = PyCapsule_GetName(object);
        if (PyErr_Occurred()) return NULL;
        bool used = name && (!strcmp(name, plain_used) || !strcmp(name, versioned_used));
        PyErr_SetString(PyExc_ValueError, used
                                              ? "a DLPack capsule cannot be consumed multiple times"
                                              : "not a DLPack capsule");
        return NULL;
    }
    dl_managed_versioned *managed = PyCapsule_GetPointer(object, versioned_name);
    *capsule = (consumed){object, versioned_name, versioned_used, managed, true};
    if (managed->version.major != DL_MAJOR) {
        PyErr_Format(PyExc_BufferError, "DLPack version %u.%u is not supported",
                     (unsigned)managed->version.major, (unsigned)managed->version.minor);
        return NULL;
    }
    *writeable = !(managed->flags & DL_READ_ONLY);
    return &managed->tensor;
}

static int read_dtype(const dl_tensor *tensor, tn_dtype *dtype) {
    for (int k = 0; k < TN_DTYPE_COUNT && tensor->dtype.lanes == 1; k++)
        if (dl_dtypes[k].code == tensor->dtype.code && dl_dtypes[k].bits == tensor->dtype.bits) {
            *dtype = k;
            return 0;
        }
    PyErr_Format(PyExc_BufferError, "Unsupported dtype in DLTensor: code %d, %d bits, %d lanes",
                 tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes);
    return -1;
}

static int read_device(const dl_tensor *tensor, tn_device *device) {
    int kind = tensor->device.kind, number = tensor->device.number;
    bool is_cuda = kind == DL_CUDA || kind == DL_CUDA_MANAGED;
    tn_backend backend = is_cuda ? TN_BACKEND_CUDA : TN_BACKEND_HOST;
    if (kind == DL_CUDA_HOST) number = 0; /* the number is the GPU's; the memory is the host's */
    bool known = is_cuda || kind == DL_CPU || kind == DL_CUDA_HOST;
    if (!known || number < 0 || number >= tn_device_count(backend)) {
        PyErr_Format(PyExc_BufferError, "Unsupported device in DLTensor: kind %d, number %d", kind,
                     number);
        return -1;
    }
    *device = (tn_device){(int16_t)backend, (int16_t)number};
    return 0;
}

/* Strides in bytes. An axis of one element needs none. */
static int read_strides(const dl_tensor *tensor, int64_t item, int64_t *strides) {
    for (int axis = 0; axis < tensor->ndim; axis++) {
        strides[axis] = 0;
        if (tensor->shape[axis] > 1 &&
            __builtin_mul_overflow(tensor->strides[axis], item, &strides[axis])) {
            PyErr_SetString(PyExc_BufferError, "sizes or strides of the DLTensor are out of range");
            return -1;
        }
    }
    return 0;
}

/* The capsule's memory as an array. The buffer owns the tensor from the moment that it exists. */
static PyObject *import_tensor(const dl_tensor *tensor, consumed *capsule, bool writeable) {
    int64_t strides[TN_MAX_NDIM];
    ext_span memory = {"the DLTensor", PyExc_BufferError, tensor->data, tensor->byte_offset, 0, 0};
    tn_dtype dtype;
    tn_device device;
    tn_buffer *buffer;
    tn_array *array = NULL;
    if (tensor->ndim < 0 || tensor->ndim > TN_MAX_NDIM || (tensor->ndim > 0 && !tensor->shape))
        return PyErr_Format(PyExc_BufferError,
                            "maximum supported dimension for an ndarray is currently %d, found %d",
                            TN_MAX_NDIM, (int)tensor->ndim);
    if (read_dtype(tensor, &dtype) || read_device(tensor, &device) ||
        (tensor->strides && read_strides(tensor, tn_dtype_size(dtype), strides)) ||
        ext_check_span(&memory, tn_dtype_size(dtype), tensor->ndim, tensor->shape, strides,
                       tensor->strides != NULL))
        return NULL;
    EXT_TRY(tn_buffer_new_unowned(&buffer, memory.data, memory.bytes, device,
                                  capsule->versioned ? release_versioned : release_plain,
                                  capsule->managed));
    int renamed = PyCapsule_SetName(capsule->capsule, capsule->used);
    tn_status status = tn_array_new_view(&array, buffer, memory.offset, dtype, tensor->ndim,
                                         tensor->shape, strides);
    tn_buffer_release(buffer);
    if (status) return ext_raise(status);
    if (renamed) {
        tn_array_release(array);
        return NULL;
    }
    if (!writeable) tn_array_set_writeable(array, false);
    return ext_wrap(array);
}

PyObject *ext_from_capsule(PyObject *object) {
    consumed capsule;
    bool writeable;
    const dl_tensor *tensor = open_capsule(object, &capsule, &writeable);
    return tensor ? import_tensor(tensor, &capsule, writeable) : NULL;
}
