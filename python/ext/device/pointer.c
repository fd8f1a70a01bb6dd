/* tenorite.cuda.MemoryPointer: an offset into a memory object, and copies from and to it. */
#include "device/pointer.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/types.h"
#include "base/wait.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/stream_object.h"
#include "documents.h"

typedef struct pointer_object {
    PyObject_HEAD
    PyObject *memory;
    tn_buffer *buffer;
    int64_t offset;
} pointer_object;

PyTypeObject *ext_pointer_type;

static pointer_object *pointer_of(PyObject *object) {
    return (pointer_object *)object;
}

PyObject *ext_pointer(PyTypeObject *type, tn_buffer *buffer, int64_t offset) {
    tn_buffer_retain(buffer); /* the pointer's */
    PyObject *memory = ext_memory(type, buffer), *self = NULL;
    if (memory) self = ext_alloc(ext_pointer_type);
    if (!self) {
        Py_XDECREF(memory);
        tn_buffer_release(buffer);
        return NULL;
    }
    pointer_of(self)->memory = memory;
    pointer_of(self)->buffer = buffer;
    pointer_of(self)->offset = offset;
    return self;
}

PyObject *ext_memory_pointer(tn_array *array) {
    return ext_pointer(ext_pooled_type, tn_buffer_retain(tn_array_buffer(array)),
                       tn_array_offset(array));
}

tn_buffer *ext_memory_buffer(PyObject *pointer, int64_t *offset) {
    if (!PyObject_TypeCheck(pointer, ext_pointer_type)) {
        PyErr_Format(PyExc_TypeError, "memptr must be a MemoryPointer, not %R", Py_TYPE(pointer));
        return NULL;
    }
    *offset = pointer_of(pointer)->offset;
    return tn_buffer_retain(pointer_of(pointer)->buffer);
}

/* MemoryPointer(mem, offset) */
static PyObject *new_pointer(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"mem", "offset", NULL};
    PyObject *memory;
    long long offset;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OL:MemoryPointer",
                                     (char **)(uintptr_t)names, &memory, &offset))
        return NULL;
    if (!PyObject_TypeCheck(memory, ext_memory_type))
        return PyErr_Format(PyExc_TypeError, "mem must be a BaseMemory, not %R", Py_TYPE(memory));
    tn_buffer *buffer = ext_memory_retain(memory);
    if (!buffer) return NULL;
    PyObject *self = ext_alloc(type);
    if (!self) {
        tn_buffer_release(buffer);
        return NULL;
    }
    Py_INCREF(memory);
    pointer_of(self)->memory = memory;
    pointer_of(self)->buffer = buffer;
    pointer_of(self)->offset = offset;
    return self;
}

static void free_pointer(PyObject *self) {
    tn_buffer_release(pointer_of(self)->buffer);
    Py_CLEAR(pointer_of(self)->memory);
    ext_free(self);
}

static int64_t pointer_address(PyObject *self) {
    return (int64_t)(intptr_t)tn_buffer_address(pointer_of(self)->buffer) +
           pointer_of(self)->offset;
}

static PyObject *pointer_get_address(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromVoidPtr((void *)(intptr_t)pointer_address(self));
}
static PyObject *pointer_to_int(PyObject *self) {
    return pointer_get_address(self, NULL);
}
static PyObject *pointer_get_memory(PyObject *self, void *closure) {
    (void)closure;
    Py_INCREF(pointer_of(self)->memory);
    return pointer_of(self)->memory;
}
static PyObject *pointer_get_device(PyObject *self, void *closure) {
    (void)closure;
    return ext_device_object(tn_buffer_device(pointer_of(self)->buffer));
}
static PyObject *pointer_get_device_id(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLong(tn_buffer_device(pointer_of(self)->buffer).number);
}

int ext_shift(int64_t *offset, PyObject *by, int sign) {
    int64_t distance;
    if (ext_int64(by, &distance)) return -1;
    if (!__builtin_mul_overflow(distance, sign, &distance) &&
        !__builtin_add_overflow(*offset, distance, offset))
        return 0;
    PyErr_SetString(PyExc_OverflowError, "the offset is too large");
    return -1;
}

static PyObject *shift(PyObject *pointer, PyObject *by, int sign) {
    if (!PyObject_TypeCheck(pointer, ext_pointer_type) || !PyIndex_Check(by))
        Py_RETURN_NOTIMPLEMENTED;
    int64_t offset = pointer_of(pointer)->offset;
    if (ext_shift(&offset, by, sign)) return NULL;
    PyObject *made = ext_alloc(Py_TYPE(pointer));
    if (!made) return NULL;
    Py_INCREF(pointer_of(pointer)->memory);
    pointer_of(made)->memory = pointer_of(pointer)->memory;
    pointer_of(made)->buffer = tn_buffer_retain(pointer_of(pointer)->buffer);
    pointer_of(made)->offset = offset;
    return made;
}

static PyObject *add(PyObject *a, PyObject *b) {
    return PyObject_TypeCheck(a, ext_pointer_type) ? shift(a, b, 1) : shift(b, a, 1);
}
static PyObject *subtract(PyObject *a, PyObject *b) {
    return shift(a, b, -1);
}

static PyObject *represent_pointer(PyObject *self) {
    return PyUnicode_FromFormat(
        "<MemoryPointer %p device=%d mem=%R>", (void *)(intptr_t)pointer_address(self),
        tn_buffer_device(pointer_of(self)->buffer).number, pointer_of(self)->memory);
}

/* --- Bytes --- */

/* The stream of a synchronous call (the default one) or of an asynchronous one. */
static int choose_stream(PyObject *self, PyObject *object, bool is_async, tn_stream **stream) {
    tn_device device = tn_buffer_device(pointer_of(self)->buffer);
    if (is_async && object && object != Py_None) return ext_stream(object, stream);
    *stream = is_async ? tn_stream_get_current(device) : tn_stream_default(device);
    if (*stream) return 0;
    ext_raise(TN_ERROR_DEVICE);
    return -1;
}

typedef enum transfer { FROM_DEVICE, FROM_HOST, TO_HOST } transfer;

static tn_status move(PyObject *self, PyObject *other, void *host, int64_t bytes, transfer kind,
                      tn_stream *stream) {
    tn_buffer *buffer = pointer_of(self)->buffer;
    int64_t offset = pointer_of(self)->offset;
    tn_status status;
    if (kind == FROM_DEVICE)
        EXT_LONG_CALL(status, bytes,
                      tn_buffer_copy(buffer, offset, pointer_of(other)->buffer,
                                     pointer_of(other)->offset, bytes, stream));
    else if (kind == FROM_HOST)
        EXT_LONG_CALL(status, bytes, tn_buffer_write(buffer, offset, host, bytes, stream));
    else
        EXT_LONG_CALL(status, bytes, tn_buffer_read(host, buffer, offset, bytes, stream));
    return status;
}

/* One body for all: (mem, size[, stream]). `kind` -1: device or host, whatever `mem` is. */
static PyObject *transfer_bytes(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                                PyObject *keywords, const char *name, int kind, bool is_async) {
    static const char *const names[] = {"mem", "size", "stream", NULL};
    static const char *const names_device[] = {"src", "size", "stream", NULL};
    PyObject *values[3];
    int64_t bytes;
    void *host = NULL;
    tn_stream *stream;
    if (ext_parse(name, arguments, count, keywords, kind == FROM_DEVICE ? names_device : names, 2,
                  values) ||
        ext_int64(values[1], &bytes))
        return NULL;
    bool is_pointer = PyObject_TypeCheck(values[0], ext_pointer_type);
    if (kind < 0) kind = is_pointer ? FROM_DEVICE : FROM_HOST;
    if (kind == FROM_DEVICE && !is_pointer)
        return PyErr_Format(PyExc_TypeError, "src must be a MemoryPointer, not %R",
                            Py_TYPE(values[0]));
    if ((kind != FROM_DEVICE && ext_address(values[0], &host)) ||
        choose_stream(self, values[2], is_async, &stream))
        return NULL;
    EXT_TRY(move(self, values[0], host, bytes, (transfer)kind, stream));
    if (!is_async) EXT_TRY(ext_wait_stream(stream));
    Py_RETURN_NONE;
}

#define TRANSFER(name, kind, is_async)                                                             \
    static PyObject *name(ARGUMENTS) {                                                             \
        return transfer_bytes(self, arguments, count, keywords, #name, kind, is_async);            \
    }
TRANSFER(copy_from, -1, false)
TRANSFER(copy_from_async, -1, true)
TRANSFER(copy_from_device, FROM_DEVICE, false)
TRANSFER(copy_from_device_async, FROM_DEVICE, true)
TRANSFER(copy_from_host, FROM_HOST, false)
TRANSFER(copy_from_host_async, FROM_HOST, true)
TRANSFER(copy_to_host, TO_HOST, false)
TRANSFER(copy_to_host_async, TO_HOST, true)

static PyObject *fill(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords, const char *name, bool is_async) {
    static const char *const names[] = {"value", "size", "stream", NULL};
    PyObject *values[3];
    int64_t value, bytes;
    tn_stream *stream;
    if (ext_parse(name, arguments, count, keywords, names, 2, values) ||
        ext_int64(values[0], &value) || ext_int64(values[1], &bytes) ||
        choose_stream(self, values[2], is_async, &stream))
        return NULL;
    pointer_object *pointer = pointer_of(self);
    tn_status status;
    EXT_LONG_CALL(
        status, bytes,
        tn_buffer_fill(pointer->buffer, pointer->offset, (int)(value & 0xff), bytes, stream));
    EXT_TRY(status);
    if (!is_async) EXT_TRY(ext_wait_stream(stream));
    Py_RETURN_NONE;
}

static PyObject *memset_now(ARGUMENTS) {
    return fill(self, arguments, count, keywords, "memset", false);
}
static PyObject *memset_async(ARGUMENTS) {
    return fill(self, arguments, count, keywords, "memset_async", true);
}

/* --- The type --- */

static PyMethodDef pointer_methods[] = {
    {"copy_from", FAST(copy_from), DOC_MemoryPointer_copy_from},
    {"copy_from_async", FAST(copy_from_async), DOC_MemoryPointer_copy_from_async},
    {"copy_from_device", FAST(copy_from_device), DOC_MemoryPointer_copy_from_device},
    {"copy_from_device_async", FAST(copy_from_device_async),
     DOC_MemoryPointer_copy_from_device_async},
    {"copy_from_host", FAST(copy_from_host), DOC_MemoryPointer_copy_from_host},
    {"copy_from_host_async", FAST(copy_from_host_async), DOC_MemoryPointer_copy_from_host_async},
    {"copy_to_host", FAST(copy_to_host), DOC_MemoryPointer_copy_to_host},
    {"copy_to_host_async", FAST(copy_to_host_async), DOC_MemoryPointer_copy_to_host_async},
    {"memset", FAST(memset_now), DOC_MemoryPointer_memset},
    {"memset_async", FAST(memset_async), DOC_MemoryPointer_memset_async},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef pointer_attributes[] = {
    {"ptr", pointer_get_address, NULL, "The address.", NULL},
    {"mem", pointer_get_memory, NULL, "The memory object.", NULL},
    {"device", pointer_get_device, NULL, "The device of the memory.", NULL},
    {"device_id", pointer_get_device_id, NULL, "The number of the device.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int ext_pointer_init(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_MemoryPointer},        {Py_tp_new, (void *)new_pointer},
        {Py_tp_dealloc, (void *)free_pointer}, {Py_tp_methods, pointer_methods},
        {Py_tp_getset, pointer_attributes},    {Py_tp_repr, (void *)represent_pointer},
        {Py_nb_int, (void *)pointer_to_int},   {Py_nb_add, (void *)add},
        {Py_nb_subtract, (void *)subtract},    {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.MemoryPointer", sizeof(pointer_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    ext_pointer_type = ext_add_type(module, &spec, NULL);
    return ext_pointer_type ? 0 : -1;
}
