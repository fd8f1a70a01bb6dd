/* What the files about devices, streams and memory share: device.c, stream.c, event.c, wait.c,
 * memory.c, pointer.c, allocator.c, pool.c and pinned.c. */
#ifndef TENORITE_EXT_MEMORY_H
#define TENORITE_EXT_MEMORY_H

#include "base/ext.h"

/* Makes a type and adds it to the module as "_" and the last part of its name. NULL on failure. */
PyTypeObject *ext_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base);

/* tp_new of types that only the library makes, and the usual end of an object. */
PyObject *ext_refuse_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords);
PyObject *ext_alloc(PyTypeObject *type);
void ext_free(PyObject *object);

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

int ext_memory_init(PyObject *module);

#endif
