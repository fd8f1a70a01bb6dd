/* The type tenorite.cuda.MemoryPointer. */
#ifndef TENORITE_EXT_DEVICE_POINTER_H
#define TENORITE_EXT_DEVICE_POINTER_H

#include "base/ext.h"

/* A MemoryPointer to an array's first element. */
PyObject *ext_memory_pointer(tn_array *array);
/* The buffer (new reference) and the offset of a MemoryPointer. */
tn_buffer *ext_memory_buffer(PyObject *pointer, int64_t *offset);

int ext_pointer_init(PyObject *module);
/* *offset + sign * by, or OverflowError. */
int ext_shift(int64_t *offset, PyObject *by, int sign);
extern PyTypeObject *ext_pointer_type;
/* A MemoryPointer to a new memory object of `type` (a subtype of BaseMemory). Takes over the
 * buffer's reference, also on failure. */
PyObject *ext_pointer(PyTypeObject *type, tn_buffer *buffer, int64_t offset);

#endif
