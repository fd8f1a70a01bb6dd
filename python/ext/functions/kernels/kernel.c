/* Kernels of the program's own text: modules and kernels as capsules, and launches with Python's
 * objects. The classes around them are Python's (tenorite/_kernels/raw.py). */
#include "functions/kernels/kernel.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "device/pointer.h"
#include "device/stream.h"
#include "device/stream_object.h"
#include "values/kinds.h"
#include "values/refusal.h"

#include <string.h>

EXT_CAPSULE_KINDS(module, tn_module, tn_module_release)
EXT_CAPSULE_KINDS(kernel, tn_kernel, tn_kernel_release)

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

/* Raises the same; the status that a row gives then. */
static tn_status compile_status(tn_status status) {
    if (status) ext_raise_compile(status);
    return status ? TN_ERROR_CALLBACK : TN_OK;
}

/* --- Modules --- */

EXT_CALL(module_new, EXT_SHORT, (optional_text, code), (optional_text, path), (texts, options),
         (texts, names), (truth, is_cooperative), (truth, translates_cucomplex),
         (made_module, made)) {
    const tn_module_source source = {
        .code = call->code,
        .path = call->path,
        .options = call->options.at,
        .option_count = call->options.count,
        .names = call->names.at,
        .name_count = call->names.count,
        .is_cooperative = call->is_cooperative,
        .translates_cucomplex = call->translates_cucomplex,
    };
    return tn_module_new(&call->made, &source);
}

EXT_CALL(includes_cccl, EXT_SHORT, (optional_text, code), (truth, on_host),
         (made_truth, includes)) {
    call->includes = call->code && tn_code_includes_cccl(call->code, call->on_host);
    return TN_OK;
}

/* The words, numbers, quotes and marks of a text in C++ as a list of str. */
EXT_CALL(code_tokens, EXT_SHORT, (object, code), (made_object, tokens)) {
    Py_ssize_t length = 0;
    const char *at = PyUnicode_AsUTF8AndSize(call->code, &length), *text = at, *token;
    PyObject *made = at ? PyList_New(0) : NULL;
    for (int64_t bytes; made && (bytes = tn_code_next_token(&token, &at, text + length)) > 0;) {
        PyObject *one = PyUnicode_DecodeUTF8(token, (Py_ssize_t)bytes, NULL);
        if (!one || PyList_Append(made, one) < 0) Py_CLEAR(made);
        Py_XDECREF(one);
    }
    call->tokens = made;
    return TN_OK;
}

/* For the current device; gives what the compiler said. */
EXT_CALL(module_compile, EXT_SHORT, (module, module), (made_object, log)) {
    tn_status status;
    EXT_WITHOUT_GIL(status, tn_module_compile(call->module, tn_device_get_current()));
    const char *log = tn_module_log();
    if (!status) call->log = PyUnicode_DecodeUTF8(log, (Py_ssize_t)strlen(log), "replace");
    return compile_status(status);
}

/* On the current device. */
EXT_CALL(module_global, EXT_SHORT, (module, module), (text, name), (made_handle, address),
         (made_int64, bytes)) {
    tn_status status;
    EXT_WITHOUT_GIL(status, tn_module_get_global(&call->address, &call->bytes, call->module,
                                                 call->name, tn_device_get_current()));
    return compile_status(status);
}

/* --- Kernels, on the current device --- */

EXT_FORWARD(kernel_new, tn_kernel_raw_new(&call->made, call->module, call->name), EXT_SHORT,
            (module, module), (text, name), (made_kernel, made))

EXT_CALL(kernel_get_attribute, EXT_SHORT, (kernel, kernel), (number, attribute),
         (made_number, value)) {
    tn_status status;
    EXT_WITHOUT_GIL(status, tn_kernel_get_attribute(&call->value, call->kernel,
                                                    (tn_kernel_attribute)call->attribute,
                                                    tn_device_get_current()));
    return compile_status(status);
}

EXT_CALL(kernel_set_attribute, EXT_SHORT, (kernel, kernel), (number, attribute), (number, value)) {
    tn_status status;
    EXT_WITHOUT_GIL(status,
                    tn_kernel_set_attribute(call->kernel, (tn_kernel_attribute)call->attribute,
                                            call->value, tn_device_get_current()));
    return compile_status(status);
}

EXT_CALL(kernel_resident_blocks, EXT_SHORT, (kernel, kernel), (number, threads),
         (flags, shared_bytes), (made_int64, blocks)) {
    tn_status status;
    EXT_WITHOUT_GIL(status,
                    tn_kernel_get_resident_blocks(&call->blocks, call->kernel, call->threads,
                                                  call->shared_bytes, tn_device_get_current()));
    return compile_status(status);
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

/* Reads an argument; of an array, which is borrowed later, nothing. */
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
    return read_bytes(argument, &given->kept[k], object);
}

/* One to three numbers. */
typedef ext_extent_given ext_given_size;
static int read_size(void *to, PyObject *object, const ext_parameter *which) {
    unsigned *size = ((ext_extent_given *)to)->at;
    size[0] = size[1] = size[2] = 1;
    int is_tuple = PyTuple_Check(object);
    Py_ssize_t count = is_tuple ? PyTuple_Size(object) : 1;
    if (count < 1 || count > 3) {
        PyErr_Format(PyExc_ValueError, "%s has %zd numbers, one to three are needed", which->name,
                     count);
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        int64_t number = 0;
        if (ext_int64(is_tuple ? PyTuple_GetItem(object, k) : object, &number)) return -1;
        if (number < 0 || number > UINT32_MAX) {
            PyErr_Format(PyExc_ValueError, "%s holds %lld", which->name, (long long)number);
            return -1;
        }
        size[k] = (unsigned)number;
    }
    return 0;
}
static const ext_kind ext_kind_size = {.read = read_size};

/* Arrays are borrowed when no more Python runs. */
static tn_status launch(tn_kernel *kernel, const unsigned grid[3], const unsigned block[3],
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
    return compile_status(status);
}

EXT_CALL(kernel_launch, EXT_SHORT, (kernel, kernel), (size, grid), (size, block), (tuple, args),
         (int64, shared_mem), (object, stream)) {
    tn_status status = TN_ERROR_CALLBACK;
    tn_stream *stream;
    given given;
    if (call->shared_mem < 0 || call->shared_mem > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "shared_mem holds %lld", (long long)call->shared_mem);
        return TN_ERROR_CALLBACK;
    }
    const Py_ssize_t count = PyTuple_Size(call->args);
    bool is_good = make_room(&given, count) == 0;
    for (Py_ssize_t k = 0; is_good && k < count; k++)
        is_good = read_argument(&given, PyTuple_GetItem(call->args, k)) == 0;
    if (is_good && ext_stream(call->stream, &stream) == 0)
        status = launch(call->kernel, call->grid.at, call->block.at, call->args, &given,
                        (unsigned)call->shared_mem, stream);
    drop(&given);
    return status;
}

PyMethodDef ext_kernel_functions[] = {EXT_ENTRY(module_new),
                                      EXT_ENTRY(includes_cccl),
                                      EXT_ENTRY(code_tokens),
                                      EXT_ENTRY(module_compile),
                                      EXT_ENTRY(module_global),
                                      EXT_ENTRY(kernel_new),
                                      EXT_ENTRY(kernel_get_attribute),
                                      EXT_ENTRY(kernel_set_attribute),
                                      EXT_ENTRY(kernel_resident_blocks),
                                      EXT_ENTRY(kernel_launch),
                                      {NULL, NULL, 0, NULL}};
