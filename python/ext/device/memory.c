/* Memory as objects: BaseMemory and its kinds.
 *
 * A memory object holds a tn_buffer. A subclass of BaseMemory in Python that sets ptr, size and
 * device_id itself has none: each pointer to it makes one, which keeps the object. */
#include "device/memory.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/types.h"
#include "device/device.h"
#include "documents.h"

#include <stdio.h>
#include <string.h>

typedef struct memory_object {
    PyObject_HEAD
    tn_buffer *buffer; /* NULL: Python's own */
    int64_t address, size;
    tn_device device;
} memory_object;

PyTypeObject *ext_memory_type, *ext_pooled_type;
static PyTypeObject *raw_type, *unowned_type, *managed_type;

static memory_object *memory_of(PyObject *object) {
    return (memory_object *)object;
}
/* --- Memory --- */

PyObject *ext_memory(PyTypeObject *type, tn_buffer *buffer) {
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

/* The owner of foreign memory goes when the last use does, in whatever thread that is. */
static void drop_owner(void *owner) {
    ext_visit visit;
    if (!ext_visit_open(&visit)) return;
    Py_DECREF((PyObject *)owner);
    ext_visit_close(&visit);
}

tn_buffer *ext_foreign_buffer(void *address, int64_t size, tn_device device, PyObject *owner) {
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

tn_buffer *ext_memory_retain(PyObject *memory) {
    memory_object *data = memory_of(memory);
    if (data->buffer) return tn_buffer_retain(data->buffer);
    return ext_foreign_buffer((void *)(intptr_t)data->address, data->size, data->device, memory);
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

/* Memory(size), ManagedMemory(size): from the device itself. On the host both are the same. */
static PyObject *new_raw(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"size", NULL};
    long long size;
    tn_buffer *buffer;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "L:Memory", (char **)(uintptr_t)names,
                                     &size))
        return NULL;
    bool is_managed =
        PyType_IsSubtype(type, managed_type) && tn_device_get_current().backend != TN_BACKEND_HOST;
    EXT_TRY(tn_buffer_new_from(
        &buffer, is_managed ? tn_cuda_allocator_managed() : tn_allocator_raw(), size, NULL));
    return ext_memory(type, buffer);
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
    tn_buffer *buffer = ext_foreign_buffer(address, size, device, owner);
    return buffer ? ext_memory(type, buffer) : NULL;
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

/* What arrays and pointers still use is theirs: the memory goes back after the last of them. */
static PyObject *free_pooled(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_buffer *buffer = memory_of(self)->buffer;
    memory_of(self)->buffer = NULL;
    memory_of(self)->address = memory_of(self)->size = 0;
    tn_buffer_release(buffer);
    Py_RETURN_NONE;
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

/* A class of Python's shows its own name. */
static PyObject *represent(PyObject *self) {
    memory_object *memory = memory_of(self);
    PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(self), "__name__");
    if (!name) return NULL;
    char address[24] = "without memory";
    if (memory->address)
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)memory->address);
    PyObject *text = PyUnicode_FromFormat("<%U %s (%lld bytes, device %d)>", name, address,
                                          (long long)memory->size, memory->device.number);
    Py_DECREF(name);
    return text;
}

/* --- The types --- */

static PyGetSetDef memory_attributes[] = {
    {"ptr", get_address, set_address, "The address of the first byte.", NULL},
    {"size", get_size, set_size, "The number of bytes.", NULL},
    {"device_id", get_device_id, set_device_id, "The number of the device.", NULL},
    {"device", get_device, NULL, "The device.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef no_methods[] = {{NULL, NULL, 0, NULL}};
static PyMethodDef pooled_methods[] = {
    {"free", free_pooled, METH_NOARGS, DOC_PooledMemory_free},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject *add_memory_type(PyObject *module, const char *name, newfunc new,
                                     PyMethodDef *methods, const char *doc) {
    PyType_Slot slots[4] = {
        {Py_tp_new, (void *)new}, {Py_tp_doc, (void *)(uintptr_t)doc}, {Py_tp_methods, methods}};
    PyType_Spec spec = {name, sizeof(memory_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        slots};
    return ext_add_type(module, &spec, ext_memory_type);
}

int ext_memory_init(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_BaseMemory},
        {Py_tp_new, (void *)new_base},
        {Py_tp_dealloc, (void *)free_memory},
        {Py_tp_getset, memory_attributes},
        {Py_tp_richcompare, (void *)compare_memory},
        {Py_tp_hash, (void *)hash_memory},
        {Py_tp_repr, (void *)represent},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.BaseMemory", sizeof(memory_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    ext_memory_type = ext_add_type(module, &spec, NULL);
    if (!ext_memory_type) return -1;
    raw_type = add_memory_type(module, "tenorite.cuda.Memory", new_raw, no_methods, DOC_Memory);
    unowned_type = add_memory_type(module, "tenorite.cuda.UnownedMemory", new_unowned, no_methods,
                                   DOC_UnownedMemory);
    managed_type = add_memory_type(module, "tenorite.cuda.ManagedMemory", new_raw, no_methods,
                                   DOC_ManagedMemory);
    ext_pooled_type = add_memory_type(module, "tenorite.cuda.memory.PooledMemory", ext_refuse_new,
                                      pooled_methods, DOC_PooledMemory);
    return raw_type && unowned_type && managed_type && ext_pooled_type ? 0 : -1;
}
