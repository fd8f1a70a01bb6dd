/* tenorite.cuda.Event. Living objects are linked, so that a handle finds its event: programs
 * that call the runtime API's functions know events by their handles, and the driver may crash
 * when it is asked about something that is none. */
#include "device/event.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/types.h"
#include "base/wait.h"
#include "device/stream_object.h"
#include "documents.h"

typedef struct event_object {
    PyObject_HEAD
    tn_event *event;
    struct event_object *previous, *next; /* guarded by the GIL */
} event_object;

PyTypeObject *ext_event_type;
static event_object *living;

tn_event *ext_event(PyObject *object) {
    if (PyObject_TypeCheck(object, ext_event_type)) return ((event_object *)object)->event;
    PyErr_Format(PyExc_TypeError, "an Event is needed, not %R", Py_TYPE(object));
    return NULL;
}

/* Takes over the reference, also on failure. */
static PyObject *make_event(PyTypeObject *type, tn_event *event) {
    PyObject *object = ext_alloc(type);
    if (!object) {
        tn_event_release(event);
        return NULL;
    }
    event_object *self = (event_object *)object;
    self->event = event;
    self->next = living;
    if (living) living->previous = self;
    living = self;
    return object;
}

/* Event(block=False, disable_timing=False, interprocess=False) */
static PyObject *event_construct(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"block", "disable_timing", "interprocess", NULL};
    int block = 0, disable_timing = 0, interprocess = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|ppp:Event", (char **)(uintptr_t)names,
                                     &block, &disable_timing, &interprocess))
        return NULL;
    tn_event *event;
    tn_device device = tn_device_get_current();
    if (device.backend == TN_BACKEND_CUDA) {
        int flags = (block ? TN_CUDA_EVENT_BLOCKING : 0) |
                    (disable_timing ? TN_CUDA_EVENT_NO_TIMING : 0) |
                    (interprocess ? TN_CUDA_EVENT_INTERPROCESS : 0);
        EXT_TRY(tn_cuda_event_new(&event, flags, device.number));
    } else if (interprocess) {
        PyErr_SetString(PyExc_NotImplementedError, "events between processes on the host");
        return NULL;
    } else {
        EXT_TRY(tn_event_new(&event, device, !disable_timing));
    }
    return make_event(type, event);
}

static void event_dealloc(PyObject *object) {
    event_object *self = (event_object *)object;
    if (self->previous)
        self->previous->next = self->next;
    else if (living == self)
        living = self->next;
    if (self->next) self->next->previous = self->previous;
    tn_event_release(self->event);
    ext_free(object);
}

static PyObject *event_record(ARGUMENTS) {
    static const char *const names[] = {"stream", NULL};
    PyObject *object;
    tn_stream *stream;
    if (ext_parse("record", arguments, count, keywords, names, 0, &object) ||
        ext_stream(object, &stream))
        return NULL;
    EXT_TRY(tn_event_record(((event_object *)self)->event, stream));
    Py_RETURN_NONE;
}

static PyObject *event_synchronize(PyObject *self, PyObject *unused) {
    (void)unused;
    if (!ext_may_wait()) return NULL;
    EXT_TRY(tn_event_synchronize(((event_object *)self)->event, -1));
    Py_RETURN_NONE;
}

static PyObject *event_done(PyObject *self, void *closure) {
    (void)closure;
    bool done;
    EXT_TRY(tn_event_is_done(((event_object *)self)->event, &done));
    return PyBool_FromLong(done);
}

static PyObject *event_ptr(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromSize_t(tn_cuda_event_handle(((event_object *)self)->event));
}

/* The question whether the event has come would break a capture. */
static PyObject *represent(PyObject *self) {
    return PyUnicode_FromFormat("<Event %zu at %p>",
                                (size_t)tn_cuda_event_handle(((event_object *)self)->event),
                                (void *)self);
}

static PyObject *elapsed(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *start, *stop;
    double milliseconds;
    if (!PyArg_ParseTuple(arguments, "OO:get_elapsed_time", &start, &stop) || !ext_event(start) ||
        !ext_event(stop))
        return NULL;
    EXT_TRY(tn_event_elapsed_ms(&milliseconds, ext_event(start), ext_event(stop)));
    return PyFloat_FromDouble(milliseconds);
}

/* An Event of `type` for one of another process: (type, handle). */
static PyObject *import_event(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *type;
    const char *handle;
    Py_ssize_t length;
    tn_event *event;
    if (!PyArg_ParseTuple(arguments, "Oy#", &type, &handle, &length)) return NULL;
    if (length != 64)
        return PyErr_Format(PyExc_ValueError, "a handle has 64 bytes, not %zd", length);
    EXT_TRY(tn_cuda_event_import(&event, (const unsigned char *)handle,
                                 tn_device_get_current().number));
    return make_event((PyTypeObject *)type, event);
}

/* The living Event of a handle; None if there is none. */
static PyObject *find_event(PyObject *module, PyObject *number) {
    (void)module;
    void *handle = PyLong_AsVoidPtr(number);
    if (PyErr_Occurred()) return NULL;
    PyObject *found = Py_None;
    for (event_object *known = living; known && found == Py_None; known = known->next)
        if (tn_cuda_event_handle(known->event) == (uintptr_t)handle) found = (PyObject *)known;
    Py_INCREF(found);
    return found;
}

static PyMethodDef event_methods[] = {
    {"record", FAST(event_record), DOC_Event_record},
    {"synchronize", event_synchronize, METH_NOARGS, DOC_Event_synchronize},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef event_attributes[] = {
    {"done", event_done, NULL, "Whether the event has come (never recorded: it has).", NULL},
    {"ptr", event_ptr, NULL, "The event's handle.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef functions[] = {
    {"_elapsed_time", elapsed, METH_VARARGS, NULL},
    {"_import_event", import_event, METH_VARARGS, NULL},
    {"_find_event", find_event, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int ext_event_init(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_Event},
        {Py_tp_new, (void *)event_construct},
        {Py_tp_dealloc, (void *)event_dealloc},
        {Py_tp_methods, event_methods},
        {Py_tp_getset, event_attributes},
        {Py_tp_repr, (void *)represent},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.Event", sizeof(event_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    ext_event_type = ext_add_type(module, &spec, NULL);
    return ext_event_type ? PyModule_AddFunctions(module, functions) : -1;
}
