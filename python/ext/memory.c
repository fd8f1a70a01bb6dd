/* Memory as objects: BaseMemory and its kinds, and MemoryPointer.
 *
 * A memory object holds a tn_buffer; a pointer holds a memory object and an offset. A subclass of
 * BaseMemory in Python that sets ptr, size and device_id itself has no buffer: the first pointer to it
 * makes one, which keeps the object. */
#include "memory.h"

#include <string.h>

typedef struct memory_object {
    PyObject_HEAD
    tn_buffer *buffer; /* NULL: Python's own */
    int64_t address, size;
    tn_device device;
} memory_object;

typedef struct pointer_object {
    PyObject_HEAD
    PyObject *memory;
    tn_buffer *buffer;
    int64_t offset;
} pointer_object;

PyTypeObject *ext_memory_type, *ext_pooled_type, *ext_pointer_type;
static PyTypeObject *raw_type, *unowned_type, *managed_type;

static memory_object *memory_of(PyObject *object) {
    return (memory_object *)object;
}
static pointer_object *pointer_of(PyObject *object) {
    return (pointer_object *)object;
}

/* --- Objects in general --- */

PyObject *ext_alloc(PyTypeObject *type) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

void ext_free(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

PyObject *ext_refuse_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments;
    (void)keywords;
    return PyErr_Format(PyExc_TypeError, "cannot create %R instances", type);
}

PyTypeObject *ext_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base) {
    PyObject *bases = base ? PyTuple_Pack(1, base) : NULL;
    if (base && !bases) return NULL;
    PyObject *type = PyType_FromSpecWithBases(spec, bases);
    Py_XDECREF(bases);
    if (!type) return NULL;
    const char *last = strrchr(spec->name, '.');
    PyObject *name = PyUnicode_FromFormat("_%s", last ? last + 1 : spec->name);
    int failed = name ? PyObject_SetAttr(module, name, type) : -1;
    Py_XDECREF(name);
    if (failed) Py_CLEAR(type);
    return (PyTypeObject *)type;
}

int ext_address(PyObject *object, void **address) {
    static const char *const attributes[] = {"value", "ptr"}; /* ctypes.c_void_p, pointers */
    PyObject *number = NULL;
    if (PyIndex_Check(object)) {
        number = PyNumber_Index(object);
    } else {
        for (int k = 0; k < 2 && !number; k++) {
            number = PyObject_GetAttrString(object, attributes[k]);
            if (!number && !PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
            if (!number) PyErr_Clear();
        }
        if (!number) PyErr_Format(PyExc_TypeError, "an address is needed, not %R", Py_TYPE(object));
    }
    if (!number) return -1;
    *address = number == Py_None ? NULL : PyLong_AsVoidPtr(number);
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

/* --- Memory --- */

static PyObject *make_memory(PyTypeObject *type, tn_buffer *buffer) {
    PyObject *self = ext_alloc(type);
    if (!self) {
        tn_buffer_release(buffer);
        return NULL;
    }
    memory_of(self)->buffer = buffer;
    memory_of(self)->device = tn_buffer_device(buffer);
    memory_of(self)->address = (int64_t)(intptr_t)tn_buffer_address(buffer);
    memory_of(self)->size = tn_buffer_bytes(buffer);
    return self;
}

static PyObject *new_base(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments;
    (void)keywords;
    PyObject *self = ext_alloc(type);
    if (self) memory_of(self)->device = tn_device_get_current();
    return self;
}

static void free_memory(PyObject *self) {
    tn_buffer_release(memory_of(self)->buffer);
    ext_free(self);
}

/* Memory(size), ManagedMemory(size): from the device itself. */
static PyObject *new_raw(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"size", NULL};
    long long size;
    tn_buffer *buffer;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "L:Memory", (char **)(uintptr_t)names,
                                     &size))
        return NULL;
    if (PyType_IsSubtype(type, managed_type) && tn_device_get_current().backend != TN_BACKEND_HOST)
        return PyErr_Format(PyExc_NotImplementedError, "managed memory on this device");
    EXT_TRY(tn_buffer_new_from(&buffer, tn_allocator_raw(), size, NULL));
    return make_memory(type, buffer);
}

/* The owner of foreign memory goes when the last use does, in whatever thread that is. */
static void drop_owner(void *owner) {
    if (!Py_IsInitialized()) return;
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)owner);
    PyGILState_Release(state);
}

static tn_buffer *wrap_foreign(void *address, int64_t size, tn_device device, PyObject *owner) {
    tn_buffer *buffer;
    if (size < 0) {
        PyErr_Format(PyExc_ValueError, "memory cannot have %lld bytes", (long long)size);
        return NULL;
    }
    Py_INCREF(owner);
    tn_status status = tn_buffer_new_unowned(&buffer, address, size, device, drop_owner, owner);
    if (status == TN_OK) return buffer;
    Py_DECREF(owner);
    ext_raise(status);
    return NULL;
}

/* UnownedMemory(ptr, size, owner, device_id=-1) */
static PyObject *new_unowned(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"ptr", "size", "owner", "device_id", NULL};
    PyObject *pointer, *owner, *device_id = NULL;
    long long size;
    void *address;
    tn_device device = tn_device_get_current();
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OLO|O:UnownedMemory",
                                     (char **)(uintptr_t)names, &pointer, &size, &owner,
                                     &device_id) ||
        ext_address(pointer, &address))
        return NULL;
    bool is_current = !device_id || (PyLong_Check(device_id) && PyLong_AsLong(device_id) == -1);
    if (!is_current && ext_device(device_id, &device)) return NULL;
    tn_buffer *buffer = wrap_foreign(address, size, device, owner);
    return buffer ? make_memory(type, buffer) : NULL;
}

static PyObject *get_address(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromVoidPtr((void *)(intptr_t)memory_of(self)->address);
}
static PyObject *get_size(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLongLong(memory_of(self)->size);
}
static PyObject *get_device_id(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLong(memory_of(self)->device.number);
}
static PyObject *get_device(PyObject *self, void *closure) {
    (void)closure;
    return ext_device_object(memory_of(self)->device);
}

/* Only a subclass that has no memory of ours may say what its memory is. */
static int read_own(PyObject *self, PyObject *value, int64_t *number) {
    if (value && !memory_of(self)->buffer) return ext_int64(value, number);
    PyErr_SetString(PyExc_AttributeError, "the attribute is read-only");
    return -1;
}
static int set_address(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    void *address;
    int64_t number;
    if (!value || memory_of(self)->buffer) return read_own(self, value, &number);
    if (ext_address(value, &address)) return -1;
    memory_of(self)->address = (int64_t)(intptr_t)address;
    return 0;
}
static int set_size(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    return read_own(self, value, &memory_of(self)->size);
}
static int set_device_id(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    int64_t number;
    if (read_own(self, value, &number)) return -1;
    return number < 0 ? 0 : ext_device(value, &memory_of(self)->device);
}

static PyObject *compare_memory(PyObject *a, PyObject *b, int operation) {
    if (!PyObject_TypeCheck(b, ext_memory_type) || (operation != Py_EQ && operation != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    bool same = a == b || (memory_of(a)->buffer && memory_of(a)->buffer == memory_of(b)->buffer);
    return PyBool_FromLong(same == (operation == Py_EQ));
}
static Py_hash_t hash_memory(PyObject *self) {
    return (Py_hash_t)(memory_of(self)->address >> 9);
}

/* On the host, managed memory is where it is. */
static PyObject *nothing_to_do(PyObject *self, PyObject *arguments) {
    (void)self;
    (void)arguments;
    Py_RETURN_NONE;
}

/* --- Pointers --- */

PyObject *ext_pointer(PyTypeObject *type, tn_buffer *buffer, int64_t offset) {
    tn_buffer_retain(buffer); /* the pointer's */
    PyObject *memory = make_memory(type, buffer), *self = NULL;
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
    memory_object *data = memory_of(memory);
    tn_buffer *buffer = data->buffer ? tn_buffer_retain(data->buffer)
                                     : wrap_foreign((void *)(intptr_t)data->address, data->size,
                                                    data->device, memory);
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

static PyObject *shift(PyObject *pointer, PyObject *by, int sign) {
    int64_t distance, offset;
    if (!PyObject_TypeCheck(pointer, ext_pointer_type) || !PyIndex_Check(by))
        Py_RETURN_NOTIMPLEMENTED;
    if (ext_int64(by, &distance)) return NULL;
    if (__builtin_mul_overflow(distance, sign, &distance) ||
        __builtin_add_overflow(pointer_of(pointer)->offset, distance, &offset))
        return PyErr_Format(PyExc_OverflowError, "the offset is too large");
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
        ext_int64(values[1], &bytes) || choose_stream(self, values[2], is_async, &stream))
        return NULL;
    bool is_pointer = PyObject_TypeCheck(values[0], ext_pointer_type);
    if (kind < 0) kind = is_pointer ? FROM_DEVICE : FROM_HOST;
    if (kind == FROM_DEVICE && !is_pointer)
        return PyErr_Format(PyExc_TypeError, "src must be a MemoryPointer, not %R",
                            Py_TYPE(values[0]));
    if (kind != FROM_DEVICE && ext_address(values[0], &host)) return NULL;
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

/* --- The types --- */

static PyMethodDef pointer_methods[] = {
    {"copy_from", FAST(copy_from),
     "copy_from(mem, size): bytes from a MemoryPointer or host memory."},
    {"copy_from_async", FAST(copy_from_async), "copy_from_async(mem, size, stream=None)"},
    {"copy_from_device", FAST(copy_from_device), "copy_from_device(src, size)"},
    {"copy_from_device_async", FAST(copy_from_device_async),
     "copy_from_device_async(src, size, stream=None)"},
    {"copy_from_host", FAST(copy_from_host), "copy_from_host(mem, size): bytes from an address."},
    {"copy_from_host_async", FAST(copy_from_host_async),
     "copy_from_host_async(mem, size, stream=None): the host memory must stay valid until the "
     "stream "
     "is synchronized."},
    {"copy_to_host", FAST(copy_to_host), "copy_to_host(mem, size): bytes to an address."},
    {"copy_to_host_async", FAST(copy_to_host_async),
     "copy_to_host_async(mem, size, stream=None): the host memory must stay valid until the stream "
     "is synchronized."},
    {"memset", FAST(memset_now), "memset(value, size): fills bytes."},
    {"memset_async", FAST(memset_async), "memset_async(value, size, stream=None)"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef pointer_attributes[] = {
    {"ptr", pointer_get_address, NULL, "The address.", NULL},
    {"mem", pointer_get_memory, NULL, "The memory object.", NULL},
    {"device", pointer_get_device, NULL, "The device of the memory.", NULL},
    {"device_id", pointer_get_device_id, NULL, "The number of the device.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef memory_attributes[] = {
    {"ptr", get_address, set_address, "The address of the first byte.", NULL},
    {"size", get_size, set_size, "The number of bytes.", NULL},
    {"device_id", get_device_id, set_device_id, "The number of the device.", NULL},
    {"device", get_device, NULL, "The device.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef managed_methods[] = {
    {"prefetch", nothing_to_do, METH_VARARGS, "On the host there is nothing to move."},
    {"advise", nothing_to_do, METH_VARARGS, "On the host there is nothing to advise."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject *add_memory_type(PyObject *module, const char *name, newfunc new,
                                     const char *doc, PyMethodDef *methods) {
    PyType_Slot slots[6] = {{Py_tp_new, (void *)new}, {Py_tp_doc, (void *)(uintptr_t)doc}};
    if (methods) slots[2] = (PyType_Slot){Py_tp_methods, methods};
    PyType_Spec spec = {name, sizeof(memory_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        slots};
    return ext_add_type(module, &spec, ext_memory_type);
}

static int add_memory_types(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, "Memory of a device: ptr, size, device_id."},
        {Py_tp_new, (void *)new_base},
        {Py_tp_dealloc, (void *)free_memory},
        {Py_tp_getset, memory_attributes},
        {Py_tp_richcompare, (void *)compare_memory},
        {Py_tp_hash, (void *)hash_memory},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.BaseMemory", sizeof(memory_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    ext_memory_type = ext_add_type(module, &spec, NULL);
    if (!ext_memory_type) return -1;
    raw_type = add_memory_type(
        module, "tenorite.cuda.Memory", new_raw,
        "Memory(size)\n--\n\nMemory from the device itself, not from a pool.", NULL);
    unowned_type = add_memory_type(
        module, "tenorite.cuda.UnownedMemory", new_unowned,
        "UnownedMemory(ptr, size, owner, device_id=-1)\n--\n\nMemory that `owner` keeps.", NULL);
    managed_type = add_memory_type(module, "tenorite.cuda.ManagedMemory", new_raw,
                                   "ManagedMemory(size)\n--\n\nMemory that host and devices share.",
                                   managed_methods);
    ext_pooled_type = add_memory_type(module, "tenorite.cuda.memory.PooledMemory", ext_refuse_new,
                                      "Memory that goes back to where arrays get theirs.", NULL);
    return raw_type && unowned_type && managed_type && ext_pooled_type ? 0 : -1;
}

static int add_pointer_type(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, "MemoryPointer(mem, offset)\n--\n\nAn address in a memory object."},
        {Py_tp_new, (void *)new_pointer},
        {Py_tp_dealloc, (void *)free_pointer},
        {Py_tp_methods, pointer_methods},
        {Py_tp_getset, pointer_attributes},
        {Py_tp_repr, (void *)represent_pointer},
        {Py_nb_int, (void *)pointer_to_int},
        {Py_nb_add, (void *)add},
        {Py_nb_subtract, (void *)subtract},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.MemoryPointer", sizeof(pointer_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    ext_pointer_type = ext_add_type(module, &spec, NULL);
    return ext_pointer_type ? 0 : -1;
}

int ext_memory_init(PyObject *module) {
    if (ext_wait_init(module) || ext_device_init(module) || ext_stream_init(module)) return -1;
    if (add_memory_types(module) || add_pointer_type(module)) return -1;
    return ext_pool_init(module) || ext_allocator_init(module) || ext_pinned_init(module) ? -1 : 0;
}

PyMethodDef ext_memory_functions[] = {{NULL, NULL, 0, NULL}}; /* the files add their own */
