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

int ext_read_event(void *to, PyObject *object, const ext_parameter *which) {
    (void)which;
    *(tn_event **)to = ext_event(object);
    return *(tn_event **)to ? 0 : -1;
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
    if (!ext_may_wait(NULL)) return NULL;
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

EXT_FORWARD(elapsed_time, tn_event_elapsed_ms(&call->milliseconds, call->start, call->stop),
            EXT_SHORT, (event, start), (event, stop), (made_real, milliseconds))

/* An Event of `type` for one of another process. */
EXT_CALL(import_event, EXT_SHORT, (object, type), (shared, shared), (made_object, event)) {
    tn_event *event;
    tn_status status =
        tn_cuda_event_import(&event, call->shared.at, tn_device_get_current().number);
    if (!status) call->event = make_event((PyTypeObject *)call->type, event);
    return status;
}

/* The living Event of a handle; None if there is none. */
EXT_CALL(find_event, EXT_SHORT, (handle, handle), (made_object, event)) {
    PyObject *found = Py_None;
    for (event_object *known = living; known && found == Py_None; known = known->next)
        if (tn_cuda_event_handle(known->event) == call->handle) found = (PyObject *)known;
    call->event = Py_NewRef(found);
    return TN_OK;
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
    EXT_ENTRY(elapsed_time),
    EXT_ENTRY(import_event),
    EXT_ENTRY(find_event),
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
