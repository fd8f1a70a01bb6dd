/* tenorite.cuda.MemoryPool: a tn_pool. All figures and limits are of the current device. */
#include "device/pool.h"

#include "base/arguments.h"
#include "base/kinds.h"
#include "base/types.h"
#include "device/allocator.h"
#include "device/memory.h"
#include "device/pointer.h"
#include "device/stream_object.h"
#include "documents.h"

#include <structmember.h>

typedef struct pool_object {
    PyObject_HEAD
    tn_pool *pool;
    PyObject *allocator; /* the callable after it, if any */
    PyObject *weak_references;
} pool_object;

static PyTypeObject *pool_type;
static PyObject *default_pool;

static tn_pool *pool_of(PyObject *object) {
    return ((pool_object *)object)->pool;
}

/* MemoryPool(allocator=None) */
static PyObject *construct(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"allocator", NULL};
    PyObject *callable = Py_None;
    tn_allocator source;
    tn_pool *pool;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:MemoryPool",
                                     (char **)(uintptr_t)names, &callable) ||
        ext_allocator(callable, &source))
        return NULL;
    EXT_TRY(tn_pool_new(&pool, &source));
    PyObject *self = ext_alloc(type);
    if (!self) {
        tn_pool_release(pool);
        return NULL;
    }
    Py_INCREF(callable);
    ((pool_object *)self)->pool = pool;
    ((pool_object *)self)->allocator = callable;
    return self;
}

/* After its object the pool lives on in memory that is still out. It asks for no more then, and
 * memory goes back without the callable. */
static void dealloc(PyObject *object) {
    pool_object *self = (pool_object *)object;
    if (self->weak_references) PyObject_ClearWeakRefs(object);
    tn_pool_release(self->pool);
    Py_XDECREF(self->allocator);
    ext_free(object);
}

/* --- Memory --- */

static PyObject *pool_malloc(PyObject *self, PyObject *size) {
    int64_t bytes;
    tn_buffer *buffer;
    tn_allocator allocator = tn_pool_allocator(pool_of(self));
    if (ext_int64(size, &bytes)) return NULL;
    EXT_TRY(tn_buffer_new_from(&buffer, &allocator, bytes, NULL));
    return ext_pointer(ext_pooled_type, buffer, 0);
}

/* The pool of a MemoryPool's bound method malloc, NULL for anything else. */
static tn_pool *pool_of_method(PyObject *callable) {
    if (!PyCFunction_Check(callable)) return NULL;
    PyObject *self = PyCFunction_GetSelf(callable);
    bool is_malloc = PyCFunction_GetFunction(callable) == pool_malloc && self &&
                     PyObject_TypeCheck(self, pool_type);
    if (!is_malloc) PyErr_Clear();
    return is_malloc ? pool_of(self) : NULL;
}

static PyObject *free_all_blocks(ARGUMENTS) {
    static const char *const names[] = {"stream", NULL};
    PyObject *object;
    tn_stream *stream;
    if (ext_parse("free_all_blocks", arguments, count, keywords, names, 0, &object) ||
        ext_stream(object, &stream))
        return NULL;
    tn_device device = stream ? tn_stream_device(stream) : tn_device_get_current();
    ext_pause pause;
    ext_give_up(&pause);
    tn_pool_trim(pool_of(self), device, stream);
    ext_take_back(&pause);
    Py_RETURN_NONE;
}

static PyObject *free_all_free(PyObject *self, PyObject *unused) {
    (void)unused;
    if (PyErr_WarnEx(PyExc_DeprecationWarning,
                     "free_all_free is deprecated. Use free_all_blocks instead.", 1))
        return NULL;
    return free_all_blocks(self, NULL, 0, NULL);
}

/* --- Figures --- */

static tn_pool_statistics figures(PyObject *self) {
    return tn_pool_get_statistics(pool_of(self), tn_device_get_current());
}

#define FIGURE(name, member)                                                                       \
    static PyObject *name(PyObject *self, PyObject *unused) {                                      \
        (void)unused;                                                                              \
        return PyLong_FromLongLong(figures(self).member);                                          \
    }
FIGURE(n_free_blocks, free_blocks)
FIGURE(used_bytes, used_bytes)
FIGURE(free_bytes, free_bytes)
FIGURE(total_bytes, total_bytes)
FIGURE(get_limit, limit_bytes)

static PyObject *statistics(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_pool_statistics all = figures(self);
    return Py_BuildValue(
        "{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L}", "used_bytes", (long long)all.used_bytes,
        "free_bytes", (long long)all.free_bytes, "total_bytes", (long long)all.total_bytes,
        "peak_used_bytes", (long long)all.peak_used_bytes, "peak_total_bytes",
        (long long)all.peak_total_bytes, "limit_bytes", (long long)all.limit_bytes, "free_blocks",
        (long long)all.free_blocks, "allocations", (long long)all.allocations, "source_allocations",
        (long long)all.source_allocations);
}

static PyObject *represent(PyObject *self) {
    tn_pool_statistics all = figures(self);
    return PyUnicode_FromFormat("<MemoryPool used=%lld free=%lld total=%lld limit=%lld bytes>",
                                (long long)all.used_bytes, (long long)all.free_bytes,
                                (long long)all.total_bytes, (long long)all.limit_bytes);
}

static PyObject *set_limit(ARGUMENTS) {
    static const char *const names[] = {"size", "fraction", NULL};
    PyObject *values[2];
    int64_t size = 0, free_bytes, total_bytes;
    tn_device device = tn_device_get_current();
    if (ext_parse("set_limit", arguments, count, keywords, names, 0, values)) return NULL;
    bool has_size = values[0] && values[0] != Py_None;
    bool has_fraction = values[1] && values[1] != Py_None;
    if (has_size && has_fraction)
        return PyErr_Format(PyExc_ValueError, "size and fraction cannot be specified at one time");
    if (has_size && ext_int64(values[0], &size)) return NULL;
    if (has_fraction) {
        double fraction = PyFloat_AsDouble(values[1]);
        if (fraction == -1 && PyErr_Occurred()) return NULL;
        if (!(fraction >= 0 && fraction <= 1))
            return PyErr_Format(PyExc_ValueError, "memory limit fraction out of range: %R",
                                values[1]);
        EXT_TRY(tn_device_get_memory_info(device, &free_bytes, &total_bytes));
        size = (int64_t)((double)total_bytes * fraction);
    }
    EXT_TRY(tn_pool_set_limit(pool_of(self), device, size));
    Py_RETURN_NONE;
}

/* --- Out of memory --- */

/* Garbage may hold memory: called by a pool that is out of it, from any thread. */
static void collect(void *unused) {
    (void)unused;
    ext_visit visit;
    if (!Py_IsInitialized() || !PyGILState_GetThisThreadState()) return;
    if (!ext_visit_open(&visit)) return;
    PyObject *module = PyImport_ImportModule("gc"); /* collects even where it is disabled */
    PyObject *count = module ? PyObject_CallMethod(module, "collect", NULL) : NULL;
    if (!count) PyErr_WriteUnraisable(module);
    Py_XDECREF(count);
    Py_XDECREF(module);
    ext_visit_close(&visit);
}

/* --- The type --- */

static PyMethodDef methods[] = {
    {"malloc", pool_malloc, METH_O, DOC_MemoryPool_malloc},
    {"free_all_blocks", FAST(free_all_blocks), DOC_MemoryPool_free_all_blocks},
    {"free_all_free", free_all_free, METH_NOARGS, DOC_MemoryPool_free_all_free},
    {"n_free_blocks", n_free_blocks, METH_NOARGS, DOC_MemoryPool_n_free_blocks},
    {"used_bytes", used_bytes, METH_NOARGS, DOC_MemoryPool_used_bytes},
    {"free_bytes", free_bytes, METH_NOARGS, DOC_MemoryPool_free_bytes},
    {"total_bytes", total_bytes, METH_NOARGS, DOC_MemoryPool_total_bytes},
    {"set_limit", FAST(set_limit), DOC_MemoryPool_set_limit},
    {"get_limit", get_limit, METH_NOARGS, DOC_MemoryPool_get_limit},
    {"statistics", statistics, METH_NOARGS, DOC_MemoryPool_statistics},
    {NULL, NULL, 0, NULL},
};

/* --- The whole process --- */

EXT_CALL(get_statistics, EXT_SHORT, (made_object, all)) {
    tn_statistics all;
    tn_statistics_get(&all);
    const struct {
        const char *name;
        int64_t value;
    } figures[] = {
#define FIGURE_OF(name) {#name, all.name}
        FIGURE_OF(arrays),      FIGURE_OF(buffers),        FIGURE_OF(streams),
        FIGURE_OF(events),      FIGURE_OF(graphs),         FIGURE_OF(arenas),
        FIGURE_OF(chunks),      FIGURE_OF(queued_calls),   FIGURE_OF(worker_threads),
        FIGURE_OF(kernels),     FIGURE_OF(driver_handles), FIGURE_OF(used_bytes),
        FIGURE_OF(total_bytes), FIGURE_OF(pinned_bytes),
#undef FIGURE_OF
    };
    PyObject *result = PyDict_New();
    for (size_t k = 0; result && k < sizeof figures / sizeof figures[0]; k++) {
        PyObject *value = PyLong_FromLongLong(figures[k].value);
        if (!value || PyDict_SetItemString(result, figures[k].name, value)) Py_CLEAR(result);
        Py_XDECREF(value);
    }
    call->all = result;
    return TN_OK;
}

static PyMethodDef functions[] = {
    EXT_ENTRY(get_statistics),
    {NULL, NULL, 0, NULL},
};

int ext_pool_init(PyObject *module) {
    ext_allocator_find_pools(pool_of_method);
    if (PyModule_AddFunctions(module, functions)) return -1;
    static PyMemberDef members[] = {
        {"__weaklistoffset__", T_PYSSIZET, offsetof(pool_object, weak_references), READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_MemoryPool},
        {Py_tp_new, (void *)construct},
        {Py_tp_dealloc, (void *)dealloc},
        {Py_tp_methods, methods},
        {Py_tp_members, members},
        {Py_tp_repr, (void *)represent},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.MemoryPool", sizeof(pool_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    pool_type = ext_add_type(module, &spec, NULL);
    default_pool = pool_type ? ext_alloc(pool_type) : NULL;
    if (!default_pool) return -1;
    ((pool_object *)default_pool)->pool = tn_pool_default();
    tn_pool_set_reclaim(collect, NULL);
    return PyModule_AddObjectRef(module, "_default_memory_pool", default_pool);
}
