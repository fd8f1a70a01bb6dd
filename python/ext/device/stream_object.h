/* Stream objects: their parts, how an argument is read as a stream, and the object of a stream. */
#ifndef TENORITE_EXT_DEVICE_STREAM_OBJECT_H
#define TENORITE_EXT_DEVICE_STREAM_OBJECT_H

#include "base/ext.h"

/* A Stream object holds a tn_stream, or none: the null stream means the default stream of
 * whatever device is current when it is used, and ptds the calling thread's own one there. */
typedef struct ext_stream_data {
    PyObject_HEAD
    tn_stream *stream;  /* NULL: a default stream of the current device */
    bool is_per_thread; /* the thread's own (ptds), not the null stream */
    bool non_blocking;
    int priority;
    PyObject *owner; /* of an external stream */
    PyObject *weak_references;
    struct ext_stream_data *previous, *next; /* guarded by the GIL */
} ext_stream_data;

extern PyTypeObject *ext_stream_type;
enum {
    EXT_STREAM_LEGACY = 1,
    EXT_STREAM_PER_THREAD = 2
}; /* the runtime API's names of default streams */

static inline ext_stream_data *ext_stream_data_of(PyObject *object) {
    return (ext_stream_data *)object;
}
/* A tenorite.cuda.Stream (or an object with a stream's handle in .ptr) as a borrowed stream;
 * None and NULL give NULL. */
int ext_stream(PyObject *object, tn_stream **stream);
/* Stream.null or Stream.ptds; retains. */
PyObject *ext_stream_shared(bool is_per_thread);
/* A Stream object; retains. */
PyObject *ext_stream_object(tn_stream *stream);
/* The stream (borrowed) that an object means where `device` is current; NULL on failure. */
tn_stream *ext_stream_on(PyObject *object, tn_device device);
/* The same where the current device is current, with an exception on failure. */
tn_stream *ext_stream_of(PyObject *object);
/* An object of `type`; takes over the reference, also on failure. */
PyObject *ext_stream_make(PyTypeObject *type, tn_stream *stream);
/* The end of an object. */
void ext_stream_dealloc(PyObject *object);
/* The living stream of a handle, NULL if there is none. */
tn_stream *ext_stream_find(uintptr_t handle);
/* Makes the type known, and Stream.null and Stream.ptds as its attributes. */
int ext_stream_add_defaults(PyTypeObject *type);

#endif
