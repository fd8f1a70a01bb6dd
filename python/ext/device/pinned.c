/* tenorite.cuda.PinnedMemoryPool, PinnedMemory and PinnedMemoryPointer: page-locked host memory
 * (plain memory where the device is the host), with the buffer protocol. */
#include "device/pinned.h"

#include "base/arguments.h"
#include "base/kinds.h"
#include "base/types.h"
#include "base/wait.h"
#include "device/allocator.h"
#include "device/pointer.h"
#include "documents.h"

typedef struct pool_object {
    PyObject_HEAD
    tn_pinned_pool *pool;
    PyObject *allocator; /* the callable after it; NULL: none */
} pool_object;

typedef struct memory_object {
    PyObject_HEAD
    PyObject *pool;
    void *allocated; /* goes back to the pool */
    void *address;   /* these two a program may set, as those of a memory of its own */
    int64_t size;
} memory_object;

typedef struct pointer_object {
    PyObject_HEAD
    PyObject *memory;
    int64_t offset;
} pointer_object;

static PyTypeObject *pool_type, *memory_type, *pooled_type, *pointer_type;
static PyObject *default_pool;

static tn_pinned_pool *pool_of(PyObject *object) {
    return ((pool_object *)object)->pool;
}
static memory_object *memory_of(PyObject *object) {
    return (memory_object *)object;
}
static pointer_object *pointer_of(PyObject *object) {
    return (pointer_object *)object;
}

/* The default pool asks which device is there, so it is opened when it is first wanted. */
static PyObject *get_default_pool(void) {
    if (!pool_of(default_pool)) ((pool_object *)default_pool)->pool = tn_pinned_pool_default();
    return Py_NewRef(default_pool);
}

EXT_CALL(default_pinned_memory_pool, EXT_SHORT, (made_object, pool)) {
    call->pool = get_default_pool();
    return TN_OK;
}

/* --- Memory --- */

static PyObject *make_memory(PyTypeObject *type, PyObject *pool, int64_t size) {
    void *address = NULL;
    if (size < 0) return PyErr_Format(PyExc_ValueError, "memory cannot have %lld bytes", size);
    PyObject *self = ext_alloc(type);
    if (!self) return NULL;
    if (size > 0) {
        tn_status status = tn_pinned_pool_allocate(pool_of(pool), &address, size);
        if (status != TN_OK) {
            Py_DECREF(self);
            return ext_raise(status);
        }
    }
    Py_INCREF(pool);
    memory_of(self)->pool = pool;
    memory_of(self)->allocated = memory_of(self)->address = address;
    memory_of(self)->size = size;
    return self;
}

/* PinnedMemory(size, flags=0) */
static PyObject *new_memory(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"size", "flags", NULL};
    long long size;
    int flags = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "L|i:PinnedMemory",
                                     (char **)(uintptr_t)names, &size, &flags))
        return NULL;
    PyObject *pool = get_default_pool(), *self = make_memory(type, pool, size);
    Py_DECREF(pool);
    return self;
}

/* A program that copied from or to the address by itself did so on the current stream, for all
 * that is known. Copies of arrays keep the memory until they are done. */
static void give_back(tn_pinned_pool *pool, void *address) {
    if (ext_is_dropping() || tn_pinned_pool_free_after(pool, address, NULL) != TN_OK)
        tn_pinned_pool_free(pool, address, NULL);
}

static void free_memory(PyObject *self) {
    memory_object *memory = memory_of(self);
    if (memory->allocated) give_back(pool_of(memory->pool), memory->allocated);
    Py_CLEAR(memory->pool);
    ext_free(self);
}

static PyObject *memory_get_address(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromVoidPtr(memory_of(self)->address);
}
static PyObject *memory_get_size(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLongLong(memory_of(self)->size);
}

static int refuse_deletion(PyObject *value, const char *name) {
    if (!value) PyErr_Format(PyExc_AttributeError, "%s of a memory stays; set it", name);
    return value ? 0 : -1;
}

static int memory_set_address(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    if (refuse_deletion(value, "ptr")) return -1;
    void *address = PyLong_AsVoidPtr(value);
    if (!address && PyErr_Occurred()) return -1;
    memory_of(self)->address = address;
    return 0;
}

static int memory_set_size(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    return refuse_deletion(value, "size") ? -1 : ext_int64(value, &memory_of(self)->size);
}

/* --- Pointers --- */

static PyObject *make_pointer(PyTypeObject *type, PyObject *memory, int64_t offset) {
    PyObject *self = ext_alloc(type);
    if (!self) return NULL;
    Py_INCREF(memory);
    pointer_of(self)->memory = memory;
    pointer_of(self)->offset = offset;
    return self;
}

/* PinnedMemoryPointer(mem, offset) */
static PyObject *new_pointer(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"mem", "offset", NULL};
    PyObject *memory;
    long long offset;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OL:PinnedMemoryPointer",
                                     (char **)(uintptr_t)names, &memory, &offset))
        return NULL;
    if (!PyObject_TypeCheck(memory, memory_type))
        return PyErr_Format(PyExc_TypeError, "mem must be a PinnedMemory, not %R", Py_TYPE(memory));
    return make_pointer(type, memory, offset);
}

static void free_pointer(PyObject *self) {
    Py_CLEAR(pointer_of(self)->memory);
    ext_free(self);
}

static char *address_of(PyObject *self) {
    char *start = memory_of(pointer_of(self)->memory)->address;
    return (char *)((intptr_t)start + pointer_of(self)->offset);
}
static int64_t left_of(PyObject *self) {
    return memory_of(pointer_of(self)->memory)->size - pointer_of(self)->offset;
}

static PyObject *pointer_get_address(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromVoidPtr(address_of(self));
}
static PyObject *pointer_to_int(PyObject *self) {
    return pointer_get_address(self, NULL);
}
static PyObject *pointer_get_memory(PyObject *self, void *closure) {
    (void)closure;
    Py_INCREF(pointer_of(self)->memory);
    return pointer_of(self)->memory;
}
static PyObject *pointer_size(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromLongLong(left_of(self));
}

static PyObject *shift(PyObject *self, PyObject *by, int sign) {
    if (!PyObject_TypeCheck(self, pointer_type) || !PyIndex_Check(by)) Py_RETURN_NOTIMPLEMENTED;
    int64_t offset = pointer_of(self)->offset;
    if (ext_shift(&offset, by, sign)) return NULL;
    return make_pointer(Py_TYPE(self), pointer_of(self)->memory, offset);
}
static PyObject *add(PyObject *a, PyObject *b) {
    return PyObject_TypeCheck(a, pointer_type) ? shift(a, b, 1) : shift(b, a, 1);
}
static PyObject *subtract(PyObject *a, PyObject *b) {
    return shift(a, b, -1);
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    int64_t left = left_of(self);
    if (left < 0 || pointer_of(self)->offset < 0) {
        PyErr_SetString(PyExc_BufferError, "the pointer lies outside its memory");
        view->obj = NULL;
        return -1;
    }
    return PyBuffer_FillInfo(view, self, address_of(self), (Py_ssize_t)left, 0, flags);
}

/* --- The pool --- */

/* A callable (size -> PinnedMemoryPointer) as the source of a pool: what it gives is kept until
 * the pool gives it back. Any thread may call. */
static int check_given(PyObject *pointer, int64_t bytes) {
    if (!PyObject_TypeCheck(pointer, pointer_type))
        PyErr_Format(PyExc_TypeError, "an allocator must return a PinnedMemoryPointer, not %R",
                     Py_TYPE(pointer));
    else if (pointer_of(pointer)->offset < 0 || left_of(pointer) < bytes)
        PyErr_Format(PyExc_ValueError, "an allocator gave %lld bytes where %lld were asked for",
                     (long long)left_of(pointer), (long long)bytes);
    else
        return 0;
    return -1;
}

static tn_status ask_callable(void *context, void **address, int64_t bytes) {
    tn_status status = TN_OK;
    ext_python python = ext_python_open();
    PyObject *pointer = PyObject_CallFunction(context, "L", (long long)bytes);
    if (!pointer || check_given(pointer, bytes) || ext_keep_pointer(address_of(pointer), pointer))
        status = ext_callable_status();
    else
        *address = address_of(pointer);
    Py_XDECREF(pointer);
    ext_python_close(python);
    return status;
}

static void drop_given(void *context, void *address, int64_t bytes) {
    (void)context;
    (void)bytes;
    ext_visit visit;
    if (!ext_visit_open(&visit)) return;
    Py_XDECREF(ext_unkeep_pointer(address));
    ext_visit_close(&visit);
}

/* PinnedMemoryPool(allocator=None) */
static PyObject *new_pool(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"allocator", NULL};
    PyObject *allocator = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:PinnedMemoryPool",
                                     (char **)(uintptr_t)names, &allocator))
        return NULL;
    if (allocator != Py_None && !PyCallable_Check(allocator))
        return PyErr_Format(PyExc_TypeError, "an allocator must be callable, not %R",
                            Py_TYPE(allocator));
    PyObject *self = ext_alloc(type);
    if (!self) return NULL;
    pool_object *made = (pool_object *)self;
    tn_pinned_source source = {allocator, ask_callable, drop_given};
    tn_status status = tn_pinned_pool_new(&made->pool, allocator == Py_None ? NULL : &source);
    if (status != TN_OK) {
        Py_DECREF(self);
        return ext_raise(status);
    }
    if (allocator != Py_None) {
        Py_INCREF(allocator);
        made->allocator = allocator;
    }
    return self;
}

/* Memory that is out holds the pool, so that all of it came back. */
static void free_pool(PyObject *self) {
    tn_pinned_pool_release(pool_of(self));
    Py_CLEAR(((pool_object *)self)->allocator);
    ext_free(self);
}

static PyObject *pool_malloc(PyObject *self, PyObject *size) {
    int64_t bytes;
    if (ext_int64(size, &bytes)) return NULL;
    PyObject *memory = make_memory(pooled_type, self, bytes);
    PyObject *pointer = memory ? make_pointer(pointer_type, memory, 0) : NULL;
    Py_XDECREF(memory);
    return pointer;
}

static PyObject *free_all_blocks(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_pinned_pool_trim(pool_of(self));
    Py_RETURN_NONE;
}

static PyObject *n_free_blocks(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromLongLong(tn_pinned_pool_free_blocks(pool_of(self)));
}

static PyObject *represent_pool(PyObject *self) {
    return PyUnicode_FromFormat("<PinnedMemoryPool free_blocks=%lld>",
                                (long long)tn_pinned_pool_free_blocks(pool_of(self)));
}

static PyObject *represent_memory(PyObject *self) {
    return PyUnicode_FromFormat("<PinnedMemory %p (%lld bytes)>", memory_of(self)->address,
                                (long long)memory_of(self)->size);
}

static PyObject *represent_pointer(PyObject *self) {
    pointer_object *pointer = pointer_of(self);
    memory_object *memory = memory_of(pointer->memory);
    return PyUnicode_FromFormat("<PinnedMemoryPointer %p (%lld bytes) mem=%R>",
                                (void *)((intptr_t)memory->address + (intptr_t)pointer->offset),
                                (long long)(memory->size - pointer->offset), pointer->memory);
}

/* --- The types --- */

static PyMethodDef pool_methods[] = {
    {"malloc", pool_malloc, METH_O, DOC_PinnedMemoryPool_malloc},
    {"free_all_blocks", free_all_blocks, METH_NOARGS, DOC_PinnedMemoryPool_free_all_blocks},
    {"n_free_blocks", n_free_blocks, METH_NOARGS, DOC_PinnedMemoryPool_n_free_blocks},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef memory_attributes[] = {
    {"ptr", memory_get_address, memory_set_address, "The address.", NULL},
    {"size", memory_get_size, memory_set_size, "The number of bytes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyGetSetDef pointer_attributes[] = {
    {"ptr", pointer_get_address, NULL, "The address.", NULL},
    {"mem", pointer_get_memory, NULL, "The memory object.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef pointer_methods[] = {
    {"size", pointer_size, METH_NOARGS, DOC_PinnedMemoryPointer_size},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject *add_pool_type(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_PinnedMemoryPool}, {Py_tp_repr, (void *)represent_pool},
        {Py_tp_new, (void *)new_pool},     {Py_tp_dealloc, (void *)free_pool},
        {Py_tp_methods, pool_methods},     {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.PinnedMemoryPool", sizeof(pool_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return ext_add_type(module, &spec, NULL);
}

static PyTypeObject *add_memory_type(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_PinnedMemory},          {Py_tp_new, (void *)new_memory},
        {Py_tp_dealloc, (void *)free_memory},   {Py_tp_getset, memory_attributes},
        {Py_tp_repr, (void *)represent_memory}, {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.PinnedMemory", sizeof(memory_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return ext_add_type(module, &spec, NULL);
}

static PyTypeObject *add_pooled_type(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_PooledPinnedMemory}, {Py_tp_new, (void *)ext_refuse_new}, {0, NULL}};
    static PyType_Spec spec = {"tenorite.cuda.pinned_memory.PooledPinnedMemory",
                               sizeof(memory_object), 0, Py_TPFLAGS_DEFAULT, slots};
    return ext_add_type(module, &spec, memory_type);
}

static PyTypeObject *add_pointer_type(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_PinnedMemoryPointer},
        {Py_tp_new, (void *)new_pointer},
        {Py_tp_dealloc, (void *)free_pointer},
        {Py_tp_getset, pointer_attributes},
        {Py_tp_methods, pointer_methods},
        {Py_bf_getbuffer, (void *)get_buffer},
        {Py_nb_int, (void *)pointer_to_int},
        {Py_nb_add, (void *)add},
        {Py_nb_subtract, (void *)subtract},
        {Py_tp_repr, (void *)represent_pointer},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.PinnedMemoryPointer", sizeof(pointer_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return ext_add_type(module, &spec, NULL);
}

static PyMethodDef functions[] = {
    EXT_ENTRY(default_pinned_memory_pool),
    {NULL, NULL, 0, NULL},
};

int ext_pinned_init(PyObject *module) {
    pool_type = add_pool_type(module);
    memory_type = add_memory_type(module);
    pooled_type = memory_type ? add_pooled_type(module) : NULL;
    pointer_type = add_pointer_type(module);
    if (!pool_type || !memory_type || !pooled_type || !pointer_type) return -1;
    default_pool = ext_alloc(pool_type);
    return default_pool ? PyModule_AddFunctions(module, functions) : -1;
}
