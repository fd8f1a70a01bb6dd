/* Kernels of the program's own text: modules and kernels as capsules, and launches with Python's
 * objects. The classes around them are Python's (tenorite/_kernels/raw.py). */
#include "functions/kernels/kernel.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "device/device.h"
#include "device/pointer.h"
#include "device/stream.h"
#include "device/stream_object.h"
#include "values/refusal.h"

#include <string.h>

#define MODULE "tenorite.module"
#define KERNEL "tenorite.kernel"

static void release_module(PyObject *capsule) {
    tn_module_release(PyCapsule_GetPointer(capsule, MODULE));
}

static void release_kernel(PyObject *capsule) {
    tn_kernel_release(PyCapsule_GetPointer(capsule, KERNEL));
}

/* A compiler's failure has all that the compiler said. */
PyObject *ext_raise_compile(tn_status status) {
    const char *log = tn_module_log();
    if (status == TN_ERROR_COMPILE && *log) {
        char first[512];
        const char *message = tn_error_message(), *end = strchr(message, '\n');
        size_t length = end ? (size_t)(end - message) : strlen(message);
        if (length >= sizeof first) length = sizeof first - 1;
        memcpy(first, message, length);
        first[length] = '\0';
        PyObject *text = PyUnicode_DecodeUTF8(log, (Py_ssize_t)strlen(log), "replace");
        ext_raise(status);
        ext_error error = ext_error_take();
        Py_XDECREF(error.value);
        error.value = text ? PyUnicode_FromFormat("%s\n%U\nsee errors/compile in the documentation",
                                                  first, text)
                           : NULL;
        Py_XDECREF(text);
        ext_error_put_back(error);
        return NULL;
    }
    return ext_raise(status);
}

/* --- Modules --- */

/* The texts of a tuple of str, which keeps them. The list is freed with PyMem_Free(). */
static const char **read_texts(PyObject *tuple, int *count) {
    Py_ssize_t size = PyTuple_Size(tuple);
    if (size < 0) return NULL;
    const char **texts = PyMem_Malloc(((size_t)size + 1) * sizeof *texts);
    if (!texts) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t k = 0; k < size; k++) {
        Py_ssize_t length;
        texts[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, k), &length);
        if (texts[k] && strlen(texts[k]) != (size_t)length)
            PyErr_SetString(PyExc_ValueError, "embedded null character");
        if (PyErr_Occurred()) {
            PyMem_Free(texts);
            return NULL;
        }
    }
    *count = (int)size;
    return texts;
}

/* _module_new(code, path, options, names, cooperative, translate_cucomplex) */
static PyObject *module_new(PyObject *self, PyObject *arguments) {
    tn_module_source source = {0};
    PyObject *options, *names, *result = NULL;
    const char **option_texts = NULL, **name_texts = NULL;
    int is_cooperative, translates;
    tn_module *made;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "zzO!O!pp:_module_new", &source.code, &source.path,
                          &PyTuple_Type, &options, &PyTuple_Type, &names, &is_cooperative,
                          &translates))
        return NULL;
    option_texts = read_texts(options, &source.option_count);
    if (option_texts) name_texts = read_texts(names, &source.name_count);
    if (name_texts) {
        source.options = option_texts;
        source.names = name_texts;
        source.is_cooperative = is_cooperative;
        source.translates_cucomplex = translates;
        tn_status status = tn_module_new(&made, &source);
        result = status ? ext_raise(status) : PyCapsule_New(made, MODULE, release_module);
        if (!status && !result) tn_module_release(made);
    }
    PyMem_Free(option_texts);
    PyMem_Free(name_texts);
    return result;
}

/* _includes_cccl(code, on_host) */
static PyObject *includes_cccl(PyObject *self, PyObject *arguments) {
    const char *code;
    int on_host;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "zp:_includes_cccl", &code, &on_host)) return NULL;
    return PyBool_FromLong(code && tn_code_includes_cccl(code, on_host));
}

/* _code_tokens(code): the words, numbers, quotes and marks of a text in C++ as a list of str. */
static PyObject *code_tokens(PyObject *self, PyObject *code) {
    Py_ssize_t length = 0;
    const char *at = PyUnicode_AsUTF8AndSize(code, &length), *text = at, *token;
    PyObject *made = at ? PyList_New(0) : NULL;
    (void)self;
    for (int64_t bytes; made && (bytes = tn_code_next_token(&token, &at, text + length)) > 0;) {
        PyObject *one = PyUnicode_DecodeUTF8(token, (Py_ssize_t)bytes, NULL);
        if (!one || PyList_Append(made, one) < 0) Py_CLEAR(made);
        Py_XDECREF(one);
    }
    return made;
}

/* _module_compile(module): for the current device; returns what the compiler said. */
static PyObject *module_compile(PyObject *self, PyObject *capsule) {
    tn_module *module = PyCapsule_GetPointer(capsule, MODULE);
    tn_status status;
    (void)self;
    if (!module) return NULL;
    EXT_WITHOUT_GIL(status, tn_module_compile(module, tn_device_get_current()));
    if (status) return ext_raise_compile(status);
    const char *log = tn_module_log();
    return PyUnicode_DecodeUTF8(log, (Py_ssize_t)strlen(log), "replace");
}

/* _module_global(module, name): (address, bytes) on the current device. */
static PyObject *module_global(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    const char *name;
    uintptr_t address;
    int64_t bytes;
    tn_status status;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Os:get_global", &capsule, &name)) return NULL;
    tn_module *module = PyCapsule_GetPointer(capsule, MODULE);
    if (!module) return NULL;
    EXT_WITHOUT_GIL(status,
                    tn_module_get_global(&address, &bytes, module, name, tn_device_get_current()));
    if (status) return ext_raise_compile(status);
    return Py_BuildValue("KL", (unsigned long long)address, (long long)bytes);
}

/* --- Kernels --- */

static PyObject *kernel_new(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    const char *name;
    tn_kernel *made;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Os:_kernel_new", &capsule, &name)) return NULL;
    tn_module *module = PyCapsule_GetPointer(capsule, MODULE);
    if (!module) return NULL;
    EXT_TRY(tn_kernel_raw_new(&made, module, name));
    PyObject *result = PyCapsule_New(made, KERNEL, release_kernel);
    if (!result) tn_kernel_release(made);
    return result;
}

/* _kernel_attribute(kernel, number[, value]): reads it on the current device, or sets it. */
static PyObject *kernel_attribute(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *value_object = NULL;
    int attribute, value = 0;
    tn_status status;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Oi|O:_kernel_attribute", &capsule, &attribute, &value_object))
        return NULL;
    if (value_object) {
        long number = PyLong_AsLong(value_object);
        if (number == -1 && PyErr_Occurred()) return NULL;
        if (number != (int)number)
            return PyErr_Format(PyExc_OverflowError, "%ld is no C int", number);
        value = (int)number;
    }
    tn_kernel *kernel = PyCapsule_GetPointer(capsule, KERNEL);
    if (!kernel) return NULL;
    tn_device device = tn_device_get_current();
    tn_kernel_attribute number = (tn_kernel_attribute)attribute;
    EXT_WITHOUT_GIL(status, value_object ? tn_kernel_set_attribute(kernel, number, value, device)
                                         : tn_kernel_get_attribute(&value, kernel, number, device));
    if (status) return ext_raise_compile(status);
    return PyLong_FromLong(value);
}

/* _kernel_resident_blocks(kernel, threads, shared_bytes) */
static PyObject *kernel_resident_blocks(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    int threads;
    unsigned shared_bytes;
    int64_t blocks;
    tn_status status;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OiI:_kernel_resident_blocks", &capsule, &threads,
                          &shared_bytes))
        return NULL;
    tn_kernel *kernel = PyCapsule_GetPointer(capsule, KERNEL);
    if (!kernel) return NULL;
    EXT_WITHOUT_GIL(status, tn_kernel_get_resident_blocks(&blocks, kernel, threads, shared_bytes,
                                                          tn_device_get_current()));
    if (status) return ext_raise_compile(status);
    return PyLong_FromLongLong(blocks);
}

/* --- Launching --- */

enum { SMALL = 16 };

typedef union value {
    unsigned char bytes[16];
    void *address;
} value;

typedef struct given {
    int count;
    tn_kernel_argument *arguments, small_arguments[SMALL];
    value *values, small_values[SMALL];
    PyObject **kept, *small_kept[SMALL]; /* bytes objects and buffers that the launch uses */
} given;

static void drop(given *given) {
    for (int k = 0; k < given->count; k++) {
        Py_XDECREF(given->kept[k]);
        tn_buffer_release((tn_buffer *)(uintptr_t)given->arguments[k].buffer);
    }
    if (given->arguments != given->small_arguments) PyMem_Free(given->arguments);
    if (given->values != given->small_values) PyMem_Free(given->values);
    if (given->kept != given->small_kept) PyMem_Free(given->kept);
}

static int make_room(given *given, Py_ssize_t count) {
    given->count = 0;
    given->arguments = given->small_arguments;
    given->values = given->small_values;
    given->kept = given->small_kept;
    if (count > INT16_MAX) {
        PyErr_Format(PyExc_ValueError, "%zd arguments are more than %d", count, INT16_MAX);
        return -1;
    }
    if (count > SMALL) {
        given->arguments = PyMem_Malloc((size_t)count * sizeof *given->arguments);
        given->values = PyMem_Malloc((size_t)count * sizeof *given->values);
        given->kept = PyMem_Malloc((size_t)count * sizeof *given->kept);
        if (!given->arguments || !given->values || !given->kept) {
            PyErr_NoMemory();
            return -1;
        }
    }
    return 0;
}

static void set_value(tn_kernel_argument *argument, const void *value, int64_t bytes, char kind) {
    argument->value = value;
    argument->bytes = bytes;
    argument->kind = kind;
}

static int read_scalar(tn_kernel_argument *argument, value *value, const tn_scalar *scalar) {
    static const char kinds[] = {[TN_KIND_BOOL] = 'i',
                                 [TN_KIND_SIGNED] = 'i',
                                 [TN_KIND_UNSIGNED] = 'i',
                                 [TN_KIND_FLOAT] = 'f',
                                 [TN_KIND_COMPLEX] = 's'};
    if (scalar->huge) {
        PyErr_SetString(PyExc_OverflowError, "a Python int that no 64 bits hold");
        return -1;
    }
    if (tn_scalar_convert(value->bytes, *scalar, scalar->dtype)) {
        ext_raise(TN_ERROR_VALUE);
        return -1;
    }
    set_value(argument, value, tn_dtype_size(scalar->dtype), kinds[tn_dtype_kind(scalar->dtype)]);
    return 0;
}

/* The bytes of numpy.void, a numpy.ndarray of one element and the like. -1: it has none. */
static int read_bytes(tn_kernel_argument *argument, PyObject **kept, PyObject *object) {
    PyObject *size = PyObject_GetAttrString(object, "size");
    long count = size && PyLong_Check(size) ? PyLong_AsLong(size) : -1;
    Py_XDECREF(size);
    PyErr_Clear();
    PyObject *bytes = count == 1 ? PyObject_CallMethod(object, "tobytes", NULL) : NULL;
    if (bytes && PyBytes_Check(bytes)) {
        *kept = bytes;
        set_value(argument, PyBytes_AsString(bytes), (int64_t)PyBytes_Size(bytes), 's');
        return 0;
    }
    Py_XDECREF(bytes);
    PyErr_Clear();
    ext_refuse_type(object, NULL, NULL);
    return -1;
}

/* The memory of an array of structures, void or times, whose bytes are an ndarray. False: the
 * object is none. */
static bool read_stored(tn_kernel_argument *argument, PyObject *object) {
    PyObject *bytes = PyObject_GetAttrString(object, "_bytes");
    if (!bytes || !ext_is_array(bytes)) {
        Py_XDECREF(bytes);
        PyErr_Clear();
        return false;
    }
    argument->buffer = tn_buffer_retain(tn_array_buffer(ext_array(bytes)));
    argument->offset = tn_array_offset(ext_array(bytes));
    Py_DECREF(bytes);
    return true;
}

/* All but an array, which is borrowed later. */
static int read_argument(given *given, PyObject *object) {
    int k = given->count++;
    tn_kernel_argument *argument = &given->arguments[k];
    tn_scalar scalar;
    memset(argument, 0, sizeof *argument);
    given->kept[k] = NULL;
    if (ext_is_array(object)) return 0;
    if (object == Py_None) {
        given->values[k].address = NULL;
        set_value(argument, &given->values[k], sizeof(void *), 'p');
        return 0;
    }
    int is_scalar = ext_scalar(object, &scalar);
    if (is_scalar < 0) return -1;
    if (is_scalar) return read_scalar(argument, &given->values[k], &scalar);
    if (PyObject_TypeCheck(object, ext_pointer_type)) {
        argument->buffer = ext_memory_buffer(object, &argument->offset);
        return argument->buffer ? 0 : -1;
    }
    if (read_stored(argument, object)) return 0;
    return read_bytes(argument, &given->kept[k], object);
}

static int read_size(PyObject *object, const char *name, unsigned size[3]) {
    size[0] = size[1] = size[2] = 1;
    int is_tuple = PyTuple_Check(object);
    Py_ssize_t count = is_tuple ? PyTuple_Size(object) : 1;
    if (count < 1 || count > 3) {
        PyErr_Format(PyExc_ValueError, "%s has %zd numbers, one to three are needed", name, count);
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        int64_t number = 0;
        if (ext_int64(is_tuple ? PyTuple_GetItem(object, k) : object, &number)) return -1;
        if (number < 0 || number > UINT32_MAX) {
            PyErr_Format(PyExc_ValueError, "%s holds %lld", name, (long long)number);
            return -1;
        }
        size[k] = (unsigned)number;
    }
    return 0;
}

static PyObject *launch(tn_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                        PyObject *objects, given *given, unsigned shared_bytes, tn_stream *stream) {
    int64_t threads = (int64_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
    bool is_long = threads > 256 || !tn_kernel_is_ready(kernel, tn_device_get_current());
    tn_status status;
    for (int k = 0; k < given->count; k++) {
        PyObject *object = PyTuple_GetItem(objects, k);
        if (ext_is_array(object)) given->arguments[k].array = ext_array(object);
    }
    EXT_LONG_CALL(status, is_long ? INT64_MAX : 0,
                  tn_kernel_launch(kernel, grid, block, given->count, given->arguments,
                                   shared_bytes, stream));
    if (status) return ext_raise_compile(status);
    Py_RETURN_NONE;
}

/* _kernel_launch(kernel, grid, block, args, shared_mem, stream) */
static PyObject *kernel_launch(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *grid_object, *block_object, *objects, *stream_object, *result = NULL;
    unsigned grid[3], block[3];
    long long shared_bytes;
    tn_stream *stream;
    given given;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOOO!LO:RawKernel", &capsule, &grid_object, &block_object,
                          &PyTuple_Type, &objects, &shared_bytes, &stream_object) ||
        read_size(grid_object, "grid", grid) || read_size(block_object, "block", block))
        return NULL;
    tn_kernel *kernel = PyCapsule_GetPointer(capsule, KERNEL);
    if (!kernel) return NULL;
    if (shared_bytes < 0 || shared_bytes > INT32_MAX)
        return PyErr_Format(PyExc_ValueError, "shared_mem holds %lld", shared_bytes);
    Py_ssize_t count = PyTuple_Size(objects);
    bool is_good = make_room(&given, count) == 0;
    for (Py_ssize_t k = 0; is_good && k < count; k++)
        is_good = read_argument(&given, PyTuple_GetItem(objects, k)) == 0;
    if (is_good && ext_stream(stream_object, &stream) == 0)
        result = launch(kernel, grid, block, objects, &given, (unsigned)shared_bytes, stream);
    drop(&given);
    return result;
}

PyMethodDef ext_kernel_functions[] = {
    {"_module_new", module_new, METH_VARARGS, NULL},
    {"_includes_cccl", includes_cccl, METH_VARARGS, NULL},
    {"_code_tokens", code_tokens, METH_O, NULL},
    {"_module_compile", module_compile, METH_O, NULL},
    {"_module_global", module_global, METH_VARARGS, NULL},
    {"_kernel_new", kernel_new, METH_VARARGS, NULL},
    {"_kernel_attribute", kernel_attribute, METH_VARARGS, NULL},
    {"_kernel_resident_blocks", kernel_resident_blocks, METH_VARARGS, NULL},
    {"_kernel_launch", kernel_launch, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
