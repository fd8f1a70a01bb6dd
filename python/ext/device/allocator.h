/* Allocators that are callables, and what such a callable gave. */
#ifndef TENORITE_EXT_DEVICE_ALLOCATOR_H
#define TENORITE_EXT_DEVICE_ALLOCATOR_H

#include "base/ext.h"

int ext_allocator_init(PyObject *module);
/* The allocator of a callable size -> MemoryPointer: the one of a pool for a MemoryPool's
 * malloc, else one that calls back. None: the raw one. The callable must outlive the allocator's
 * use. */
int ext_allocator(PyObject *callable, tn_allocator *allocator);
/* Says what finds the pool of a MemoryPool's bound method malloc; NULL for any other callable. */
void ext_allocator_find_pools(tn_pool *(*find)(PyObject *callable));
/* Keeps what a callable gave by the address of its memory, and finds it again (new reference). */
int ext_keep_pointer(void *address, PyObject *pointer);
PyObject *ext_unkeep_pointer(void *address);
/* The status for the exception that a callable raised; a MemoryError is taken away. */
tn_status ext_callable_status(void);

#endif
