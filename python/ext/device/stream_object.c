/* Stream objects below their type: streams as arguments, and as objects. Living objects are
 * linked, so that a handle finds its stream. */
#include "device/stream_object.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/types.h"

PyTypeObject *ext_stream_type;
static ext_stream_data *living;
static PyObject *null_stream, *thread_stream;

tn_stream *ext_stream_on(PyObject *object, tn_device device) {
    const ext_stream_data *self = ext_stream_data_of(object);
    if (self->stream) return self->stream;
    return self->is_per_thread ? tn_stream_per_thread(device) : tn_stream_default(device);
}

tn_stream *ext_stream_of(PyObject *object) {
    tn_stream *stream = ext_stream_on(object, tn_device_get_current());
    if (!stream) ext_raise(TN_ERROR_DEVICE);
    return stream;
}

PyObject *ext_stream_make(PyTypeObject *type, tn_stream *stream) {
    PyObject *object = ext_alloc(type);
    if (!object) {
        tn_stream_release(stream);
        return NULL;
    }
    ext_stream_data *self = ext_stream_data_of(object);
    self->stream = stream;
    self->next = living;
    if (living) living->previous = self;
    living = self;
    return object;
}

void ext_stream_dealloc(PyObject *object) {
    ext_stream_data *self = ext_stream_data_of(object);
    if (self->weak_references) PyObject_ClearWeakRefs(object);
    if (self->previous)
        self->previous->next = self->next;
    else if (living == self)
        living = self->next;
    if (self->next) self->next->previous = self->previous;
    tn_stream_release(self->stream);
    Py_CLEAR(self->owner);
    ext_free(object);
}

PyObject *ext_stream_shared(bool is_per_thread) {
    PyObject *shared = is_per_thread ? thread_stream : null_stream;
    Py_INCREF(shared);
    return shared;
}

PyObject *ext_stream_object(tn_stream *stream) {
    if (tn_stream_is_default(stream) || tn_stream_is_per_thread(stream))
        return ext_stream_shared(!tn_stream_is_default(stream));
    for (ext_stream_data *known = living; known; known = known->next)
        if (known->stream == stream && !known->owner) {
            Py_INCREF((PyObject *)known);
            return (PyObject *)known;
        }
    return ext_stream_make(ext_stream_type, tn_stream_retain(stream));
}

tn_stream *ext_stream_find(uintptr_t handle) {
    if (handle <= EXT_STREAM_LEGACY) return tn_stream_default(tn_device_get_current());
    for (ext_stream_data *known = living; known; known = known->next)
        if (known->stream && tn_stream_peek_handle(known->stream) == handle) return known->stream;
    return NULL;
}

int ext_stream(PyObject *object, tn_stream **stream) {
    void *handle;
    *stream = NULL;
    if (!object || object == Py_None) return 0;
    if (PyObject_TypeCheck(object, ext_stream_type)) {
        *stream = ext_stream_of(object);
        return *stream ? 0 : -1;
    }
    if (PyFloat_Check(object) || ext_address(object, &handle)) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "a stream is a Stream or its handle, not %R",
                     Py_TYPE(object));
        return -1;
    }
    if ((uintptr_t)handle == EXT_STREAM_PER_THREAD) {
        *stream = ext_stream_of(thread_stream);
        return *stream ? 0 : -1;
    }
    *stream = ext_stream_find((uintptr_t)handle);
    if (*stream) return 0;
    PyErr_Format(PyExc_ValueError, "%p is not the handle of a stream made here", handle);
    return -1;
}

int ext_stream_add_defaults(PyTypeObject *type) {
    ext_stream_type = type;
    null_stream = ext_stream_make(ext_stream_type, NULL);
    thread_stream = ext_stream_make(ext_stream_type, NULL);
    if (!null_stream || !thread_stream) return -1;
    ext_stream_data_of(thread_stream)->is_per_thread = true;
    return PyObject_SetAttrString((PyObject *)ext_stream_type, "null", null_stream) ||
                   PyObject_SetAttrString((PyObject *)ext_stream_type, "ptds", thread_stream)
               ? -1
               : 0;
}
