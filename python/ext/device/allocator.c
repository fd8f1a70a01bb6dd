/* Allocators that are Python callables or C functions, the current allocator, and memory hooks.
 *
 * A callable (size -> MemoryPointer) becomes a tn_allocator whose context is the callable. The
 * pointer that it returns is kept in a dict by address until the memory is freed: after the
 * stream's work, for the callable knows nothing of streams. Any thread may call: these functions
 * take the GIL. */
#include "device/allocator.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/kinds.h"
#include "base/wait.h"
#include "device/pointer.h"

#include <stdlib.h>

static PyObject *kept; /* address -> (MemoryPointer, what was kept there before or None) */

/* --- A callable as tn_allocator --- */

int ext_keep_pointer(void *address, PyObject *pointer) {
    PyObject *key = PyLong_FromVoidPtr(address);
    PyObject *before = key ? PyDict_GetItemWithError(kept, key) : NULL, *entry = NULL;
    Py_XINCREF(before); /* making a tuple may collect garbage */
    if (key && (before || !PyErr_Occurred()))
        entry = PyTuple_Pack(2, pointer, before ? before : Py_None);
    Py_XDECREF(before);
    int failed = entry ? PyDict_SetItem(kept, key, entry) : -1;
    Py_XDECREF(entry);
    Py_XDECREF(key);
    return failed;
}

PyObject *ext_unkeep_pointer(void *address) {
    PyObject *key = PyLong_FromVoidPtr(address), *pointer = NULL;
    PyObject *entry = key ? PyDict_GetItemWithError(kept, key) : NULL;
    if (entry) {
        pointer = PyTuple_GetItem(entry, 0);
        Py_INCREF(pointer);
        PyObject *before = PyTuple_GetItem(entry, 1);
        if (before == Py_None ? PyDict_DelItem(kept, key) : PyDict_SetItem(kept, key, before))
            PyErr_Clear();
    }
    Py_XDECREF(key);
    return pointer;
}

/* Calls with the stream current, as the callable may ask for it. */
static PyObject *call_on_stream(PyObject *callable, int64_t bytes, tn_device device,
                                tn_stream *stream) {
    tn_device device_before = tn_device_get_current();
    tn_stream *stream_before = tn_stream_get_current(device);
    bool moves = !tn_device_is_equal(device, device_before) || stream != stream_before;
    if (moves && stream_before) tn_stream_retain(stream_before);
    bool is_there = !moves || (!tn_device_set_current(device) && !tn_stream_set_current(stream));
    PyObject *pointer = is_there ? PyObject_CallFunction(callable, "L", (long long)bytes)
                                 : ext_raise(TN_ERROR_DEVICE);
    if (moves) {
        tn_stream_set_current(stream_before);
        tn_stream_release(stream_before);
        tn_device_set_current(device_before);
    }
    return pointer;
}

static int check_pointer(PyObject *pointer, int64_t bytes, tn_device device, void **address) {
    int64_t offset;
    if (!PyObject_TypeCheck(pointer, ext_pointer_type)) {
        PyErr_Format(PyExc_TypeError, "an allocator must return a MemoryPointer, not %R",
                     Py_TYPE(pointer));
        return -1;
    }
    tn_buffer *buffer = ext_memory_buffer(pointer, &offset);
    int64_t size = tn_buffer_bytes(buffer);
    tn_device where = tn_buffer_device(buffer);
    *address = (char *)tn_buffer_address(buffer) + offset;
    tn_buffer_release(buffer); /* the pointer keeps it */
    if (offset < 0 || size - offset < bytes)
        PyErr_Format(PyExc_ValueError, "an allocator gave %lld bytes where %lld were asked for",
                     (long long)(size - offset), (long long)bytes);
    else if (!tn_device_is_equal(where, device))
        PyErr_Format(PyExc_ValueError, "an allocator gave memory of device %d for device %d",
                     where.number, device.number);
    else
        return 0;
    return -1;
}

/* A MemoryError lets a pool trim and ask again; any other exception is the caller's. */
tn_status ext_callable_status(void) {
    if (!PyErr_ExceptionMatches(PyExc_MemoryError)) {
        if (!PyGILState_GetThisThreadState()) PyErr_WriteUnraisable(NULL);
        return TN_ERROR_CALLBACK;
    }
    ext_error error = ext_error_take();
    PyErr_NormalizeException(&error.type, &error.value, &error.traceback);
    PyObject *text = error.value ? PyObject_Str(error.value) : NULL;
    const char *characters = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    tn_error_set(characters ? characters : "the allocator is out of memory");
    PyErr_Clear();
    Py_XDECREF(text);
    ext_error_drop(error);
    return TN_ERROR_MEMORY;
}

static tn_status callable_allocate(void *context, void **address, int64_t bytes, tn_device device,
                                   tn_stream *stream) {
    tn_status status = TN_OK;
    void *found;
    ext_python python = ext_python_open();
    PyObject *pointer = call_on_stream(context, bytes, device, stream);
    if (!pointer || check_pointer(pointer, bytes, device, &found) ||
        ext_keep_pointer(found, pointer))
        status = ext_callable_status();
    else
        *address = found;
    Py_XDECREF(pointer);
    ext_python_close(python);
    return status;
}

static void callable_free(void *context, void *address, int64_t bytes, tn_device device,
                          tn_stream *stream) {
    (void)context;
    (void)bytes;
    (void)device;
    ext_visit visit;
    if (!ext_visit_open(&visit)) return;
    PyObject *pointer = ext_unkeep_pointer(address);
    if (pointer) ext_drop_after(stream, pointer);
    ext_visit_close(&visit);
}

static tn_pool *(*find_pool)(PyObject *callable); /* pool.c's */

void ext_allocator_find_pools(tn_pool *(*find)(PyObject *callable)) {
    find_pool = find;
}

int ext_allocator(PyObject *callable, tn_allocator *allocator) {
    if (!callable || callable == Py_None) {
        *allocator = *tn_allocator_raw();
        return 0;
    }
    tn_pool *pool = find_pool(callable);
    if (pool) {
        *allocator = tn_pool_allocator(pool);
        return 0;
    }
    if (!PyCallable_Check(callable)) {
        PyErr_Format(PyExc_TypeError, "an allocator must be callable, not %R", Py_TYPE(callable));
        return -1;
    }
    *allocator = (tn_allocator){callable, callable_allocate, callable_free};
    return 0;
}

/* --- The current allocator --- */

/* The callable must stay, because memory may be asked from it at this very moment. */
EXT_CALL(set_allocator, EXT_SHORT, (object, callable)) {
    tn_allocator allocator;
    if (ext_allocator(call->callable, &allocator)) return TN_ERROR_CALLBACK;
    tn_status status = tn_allocator_set(call->callable == Py_None ? NULL : &allocator);
    if (!status) Py_INCREF(call->callable);
    return status;
}

/* (callable,) for the calling thread, () for none; the package keeps the callable meanwhile. */
EXT_CALL(set_thread_allocator, EXT_SHORT, (tuple, callable)) {
    const bool is_given = PyTuple_Size(call->callable) == 1;
    tn_allocator allocator;
    if (is_given && ext_allocator(PyTuple_GetItem(call->callable, 0), &allocator))
        return TN_ERROR_CALLBACK;
    return tn_allocator_set_thread(is_given ? &allocator : NULL);
}

/* --- Memory from C functions and from Python functions --- */

typedef struct c_block {
    void *parameter, *address;
    void (*free)(void *parameter, void *address, int device_id);
    int device_id;
    PyObject *owner;
} c_block;

static void free_c_block(void *context) {
    c_block *block = context;
    block->free(block->parameter, block->address, block->device_id);
    ext_visit visit;
    if (ext_visit_open(&visit)) {
        Py_DECREF(block->owner);
        ext_visit_close(&visit);
    }
    free(block);
}

/* A MemoryPointer from C functions. */
EXT_CALL(c_function_malloc, EXT_SHORT, (object, type), (address, parameter), (address, malloc),
         (address, free), (object, owner), (int64, size), (made_object, pointer)) {
    void *(*allocate)(void *, size_t, int);
    c_block block = {.parameter = call->parameter,
                     .owner = call->owner,
                     .device_id = tn_device_get_current().number};
    *(void **)&allocate = call->malloc;
    *(void **)&block.free = call->free;
    if (call->size < 0 || !allocate || !block.free) {
        PyErr_SetString(PyExc_ValueError, "two functions and a size are needed");
        return TN_ERROR_CALLBACK;
    }
    block.address = allocate(block.parameter, (size_t)call->size, block.device_id);
    if (!block.address && call->size > 0) {
        tn_error_set("the allocator's C function returned NULL");
        return TN_ERROR_MEMORY;
    }
    c_block *context = malloc(sizeof *context);
    tn_buffer *buffer;
    tn_status status = TN_ERROR_CALLBACK;
    if (context) {
        *context = block;
        status = tn_buffer_new_unowned(&buffer, block.address, call->size, tn_device_get_current(),
                                       free_c_block, context);
    } else {
        PyErr_NoMemory();
    }
    if (status) {
        block.free(block.parameter, block.address, block.device_id);
        free(context);
        return status;
    }
    Py_INCREF(call->owner);
    call->pointer = ext_pointer((PyTypeObject *)call->type, buffer, 0);
    return TN_OK;
}

typedef struct python_block {
    PyObject *free;
    void *address;
    int device_id;
} python_block;

static void free_python_block(void *context) {
    python_block *block = context;
    ext_visit visit;
    if (ext_visit_open(&visit)) {
        PyObject *address = PyLong_FromVoidPtr(block->address);
        PyObject *result =
            address ? PyObject_CallFunction(block->free, "Oi", address, block->device_id) : NULL;
        if (!result) PyErr_WriteUnraisable(block->free);
        Py_XDECREF(result);
        Py_XDECREF(address);
        Py_DECREF(block->free);
        ext_visit_close(&visit);
    }
    free(block);
}

/* A MemoryPointer from Python functions. */
EXT_CALL(python_function_malloc, EXT_SHORT, (object, type), (object, malloc), (object, free),
         (int64, size), (made_object, pointer)) {
    tn_device device = tn_device_get_current();
    python_block block = {call->free, NULL, device.number};
    PyObject *address =
        PyObject_CallFunction(call->malloc, "Li", (long long)call->size, block.device_id);
    int failed = !address || ext_address(address, &block.address);
    Py_XDECREF(address);
    if (failed) return TN_ERROR_CALLBACK;
    python_block *context = malloc(sizeof *context);
    if (!context) return PyErr_NoMemory(), TN_ERROR_CALLBACK;
    Py_INCREF(call->free);
    *context = block;
    tn_buffer *buffer;
    tn_status status = tn_buffer_new_unowned(&buffer, block.address, call->size, device,
                                             free_python_block, context);
    if (status)
        free_python_block(context);
    else
        call->pointer = ext_pointer((PyTypeObject *)call->type, buffer, 0);
    return status;
}

/* --- Hooks --- */

/* The package's function of all hooks: (event, is_after, device_id, size, mem_size, mem_ptr). */
static PyObject *dispatcher;

static void call_hooks(bool is_after, const char *event, tn_device device, int64_t bytes,
                       int64_t rounded_bytes, void *address) {
    ext_visit visit;
    if (!ext_visit_open(&visit)) return;
    PyObject *result =
        PyObject_CallFunction(dispatcher, "siiLLn", event, (int)is_after, (int)device.number,
                              (long long)bytes, (long long)rounded_bytes, (Py_ssize_t)address);
    if (!result) PyErr_WriteUnraisable(dispatcher);
    Py_XDECREF(result);
    ext_visit_close(&visit);
}

static void before(void *context, const char *event, tn_device device, int64_t bytes,
                   int64_t rounded_bytes, void *address) {
    (void)context;
    call_hooks(false, event, device, bytes, rounded_bytes, address);
}
static void after(void *context, const char *event, tn_device device, int64_t bytes,
                  int64_t rounded_bytes, void *address) {
    (void)context;
    call_hooks(true, event, device, bytes, rounded_bytes, address);
}

static const tn_memory_hook hook = {NULL, before, after};

/* The calling thread's hooks: called through `dispatch`, or (None) not any more. */
EXT_CALL(set_memory_hooks, EXT_SHORT, (object, dispatch)) {
    tn_memory_hook_remove(&hook);
    if (call->dispatch == Py_None) return TN_OK;
    if (!dispatcher) dispatcher = Py_NewRef(call->dispatch);
    return tn_memory_hook_add(&hook);
}

static PyMethodDef functions[] = {
    EXT_ENTRY(set_allocator),     EXT_ENTRY(set_thread_allocator),
    EXT_ENTRY(c_function_malloc), EXT_ENTRY(python_function_malloc),
    EXT_ENTRY(set_memory_hooks),  {NULL, NULL, 0, NULL},
};

int ext_allocator_init(PyObject *module) {
    kept = PyDict_New();
    return kept ? PyModule_AddFunctions(module, functions) : -1;
}
