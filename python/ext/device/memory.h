/* What the files about devices, streams and memory share: device.c, stream.c, event.c, wait.c,
 * memory.c, pointer.c, allocator.c, pool.c and pinned.c. */
#ifndef TENORITE_EXT_MEMORY_H
#define TENORITE_EXT_MEMORY_H

#include "base/ext.h"

/* What each file adds to the module. */
int ext_wait_init(PyObject *module);
int ext_device_init(PyObject *module);
int ext_stream_init(PyObject *module);
int ext_event_init(PyObject *module);
int ext_graph_init(PyObject *module);
int ext_pointer_init(PyObject *module);
int ext_pool_init(PyObject *module);
int ext_allocator_init(PyObject *module);
int ext_pinned_init(PyObject *module);

/* Makes a type and adds it to the module as "_" and the last part of its name. NULL on failure. */
PyTypeObject *ext_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base);

/* tp_new of types that only the library makes, and the usual end of an object. */
PyObject *ext_refuse_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords);
PyObject *ext_alloc(PyTypeObject *type);
void ext_free(PyObject *object);

/* --- device.c --- */

/* A device-like (Device, number, text, None: the current one) as a device. */
int ext_device(PyObject *object, tn_device *device);
/* The stack of what a `with` of this thread replaced: pushes (steals `object`), or pops the last. */
int ext_push(const char *name, PyObject *object);
PyObject *ext_pop(const char *name);

/* --- stream.c --- */

/* A Stream object; retains. */
PyObject *ext_stream_object(tn_stream *stream);

/* --- event.c --- */

extern PyTypeObject *ext_event_type;
/* The event of an Event; NULL with a TypeError for anything else. */
tn_event *ext_event(PyObject *object);

/* --- graph.c --- */

/* A Graph; takes over the reference, also on failure. */
PyObject *ext_graph_object(tn_graph *graph);

/* --- wait.c --- */

/* Calls `callable(argument)` behind the stream's work, if it is not NULL; keeps both until then. While the
 * stream captures a graph, each launch of that calls it, and it keeps both. */
tn_status ext_call_behind(tn_stream *stream, PyObject *callable, PyObject *argument);
/* Whether this thread is dropping what was kept for queued work, which is done. */
bool ext_is_dropping(void);
/* Drops a reference behind the stream's work, now if there is none; with the graph that it captures. */
void ext_drop_behind(tn_stream *stream, PyObject *object);

/* --- memory.c --- */

extern PyTypeObject *ext_memory_type, *ext_pooled_type;
/* A memory object of `type` (a subtype of BaseMemory). Takes over the buffer's reference, also on
 * failure. */
PyObject *ext_memory(PyTypeObject *type, tn_buffer *buffer);
/* The buffer of a memory object (new reference). */
tn_buffer *ext_memory_retain(PyObject *memory);

/* A buffer of memory that `owner` keeps; holds that. NULL with an exception. */
tn_buffer *ext_foreign_buffer(void *address, int64_t size, tn_device device, PyObject *owner);

/* An address: an int, a ctypes pointer (.value), or anything with .ptr. */
int ext_address(PyObject *object, void **address);

/* --- pointer.c --- */

/* *offset + sign * by, or OverflowError. */
int ext_shift(int64_t *offset, PyObject *by, int sign);

extern PyTypeObject *ext_pointer_type;
/* A MemoryPointer to a new memory object of `type` (a subtype of BaseMemory). Takes over the buffer's
 * reference, also on failure. */
PyObject *ext_pointer(PyTypeObject *type, tn_buffer *buffer, int64_t offset);

/* --- allocator.c --- */

/* The allocator behind a callable size -> MemoryPointer: that of a pool for a MemoryPool's malloc,
 * else one that calls back. None: the raw one. The callable must outlive the allocator's use. */
int ext_allocator(PyObject *callable, tn_allocator *allocator);

/* Keeps what a callable gave by the address of its memory, and finds it again (new reference). */
int ext_keep_pointer(void *address, PyObject *pointer);
PyObject *ext_unkeep_pointer(void *address);
/* The status for the exception that a callable raised; a MemoryError is taken away. */
tn_status ext_callable_status(void);

/* --- pool.c --- */

/* The pool of a MemoryPool's bound method malloc, NULL for anything else. */
tn_pool *ext_pool_of_method(PyObject *callable);

#endif
