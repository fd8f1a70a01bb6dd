/* Memory objects and the buffers after them. */
#ifndef TENORITE_EXT_DEVICE_MEMORY_H
#define TENORITE_EXT_DEVICE_MEMORY_H

#include "base/ext.h"

extern PyTypeObject *ext_memory_type, *ext_pooled_type;
/* A memory object of `type` (a subtype of BaseMemory). Takes over the buffer's reference, also on
 * failure. */
PyObject *ext_memory(PyTypeObject *type, tn_buffer *buffer);
/* The buffer of a memory object (new reference). */
tn_buffer *ext_memory_retain(PyObject *memory);

/* A buffer of memory that `owner` keeps; holds that. NULL with an exception. */
tn_buffer *ext_foreign_buffer(void *address, int64_t size, tn_device device, PyObject *owner);

int ext_memory_init(PyObject *module);

#endif
