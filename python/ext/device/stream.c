/* tenorite.cuda.Stream.
 *
 * `ptr` of ptds is the handle of the stream that does the work, not the runtime API's name 2 for
 * such a stream: a library that got 2 would put work on the driver's own stream of the thread,
 * beside ours. As an argument the number 2 means ptds; ExternalStream(2), a stream of another
 * library, is the driver's. */
#include "device/stream.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/types.h"
#include "base/wait.h"
#include "device/device.h"
#include "device/event.h"
#include "device/graph.h"
#include "device/kinds.h"
#include "device/stream_object.h"
#include "documents.h"

#include <structmember.h>

/* Stream(null=False, non_blocking=False, ptds=False, priority=None) */
static PyObject *construct(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"null", "non_blocking", "ptds", "priority", NULL};
    int null = 0, non_blocking = 0, per_thread = 0;
    PyObject *priority_object = NULL;
    int64_t priority = 0;
    tn_stream *stream = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|pppO:Stream", (char **)(uintptr_t)names,
                                     &null, &non_blocking, &per_thread, &priority_object))
        return NULL;
    if (priority_object && priority_object != Py_None && ext_int64(priority_object, &priority))
        return NULL;
    if (null || per_thread) {
        if (priority_object && priority_object != Py_None) {
            PyErr_SetString(PyExc_ValueError, "a default stream has no priority");
            return NULL;
        }
        if (type == ext_stream_type) return ext_stream_shared(!null);
    } else {
        EXT_TRY(tn_stream_new(&stream, tn_device_get_current(), non_blocking, (int)priority));
    }
    PyObject *self = ext_stream_make(type, stream);
    if (!self) return NULL;
    ext_stream_data_of(self)->is_per_thread = per_thread && !null;
    ext_stream_data_of(self)->priority = (int)priority;
    ext_stream_data_of(self)->non_blocking = non_blocking;
    return self;
}

/* --- Being current --- */

/* The list of what the `with` statements of this thread replaced; borrowed. NULL: an exception. */
static PyObject *replaced(void) {
    static PyObject *key; /* lives on */
    PyObject *thread = PyThreadState_GetDict(), *list;
    if (!thread) return PyErr_Format(PyExc_RuntimeError, "the thread has no state");
    if (!key && !(key = PyUnicode_InternFromString("tenorite.streams"))) return NULL;
    if ((list = PyDict_GetItemWithError(thread, key)) || PyErr_Occurred()) return list;
    list = PyList_New(0);
    const int failed = list ? PyDict_SetItem(thread, key, list) : -1;
    Py_XDECREF(list); /* the thread's */
    return failed ? NULL : list;
}

/* Steals the entry. */
static int push(PyObject *entry) {
    PyObject *list = entry ? replaced() : NULL;
    const int failed = list ? PyList_Append(list, entry) : -1;
    Py_XDECREF(entry);
    return failed;
}

static PyObject *pop(void) {
    PyObject *list = replaced();
    const Py_ssize_t size = list ? PyList_Size(list) : 0;
    if (!list) return NULL;
    if (size == 0) return PyErr_Format(PyExc_RuntimeError, "__exit__ without __enter__");
    PyObject *last = PyList_GetItem(list, size - 1);
    Py_XINCREF(last);
    if (PyList_SetSlice(list, size - 1, size, NULL)) Py_CLEAR(last);
    return last;
}

/* A call of the library that this is inside of may use the former one until it is done. */
static tn_status make_current(tn_stream *stream) {
    tn_stream *before = tn_stream_get_current(tn_stream_device(stream));
    if (before) tn_stream_retain(before);
    tn_status status = tn_stream_set_current(stream);
    ext_let_go_stream(before);
    return status;
}

static PyObject *use(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_stream *stream = ext_stream_of(self);
    if (!stream) return NULL;
    EXT_TRY(make_current(stream));
    Py_INCREF(self);
    return self;
}

static PyObject *enter(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_stream *stream = ext_stream_of(self);
    if (!stream) return NULL;
    tn_device device = tn_stream_device(stream);
    tn_stream *before = tn_stream_get_current(device);
    PyObject *entry = Py_BuildValue("NN", ext_device_object(device), ext_stream_object(before));
    if (push(entry)) return NULL;
    tn_status status = make_current(stream);
    if (status != TN_OK) {
        Py_XDECREF(pop());
        return ext_raise(status);
    }
    Py_INCREF(self);
    return self;
}

static PyObject *leave(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    PyObject *entry = pop();
    if (!entry) return NULL;
    tn_device device;
    tn_status status = TN_ERROR_CALLBACK;
    if (!ext_device(PyTuple_GetItem(entry, 0), &device)) {
        tn_stream *before = ext_stream_on(PyTuple_GetItem(entry, 1), device);
        status = before ? make_current(before) : TN_ERROR_DEVICE;
    }
    Py_DECREF(entry);
    EXT_TRY(status);
    Py_RETURN_NONE;
}

/* --- Work --- */

static PyObject *synchronize(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_stream *stream = ext_may_wait(NULL) ? ext_stream_of(self) : NULL;
    if (!stream) return NULL;
    tn_stream_retain(stream); /* another thread may drop the object meanwhile */
    tn_status status = ext_wait_stream(stream);
    tn_stream_release(stream);
    EXT_TRY(status);
    Py_RETURN_NONE;
}

static PyObject *get_done(PyObject *self, void *closure) {
    (void)closure;
    bool done;
    tn_stream *stream = ext_stream_of(self);
    if (!stream) return NULL;
    EXT_TRY(tn_stream_is_done(stream, &done));
    return PyBool_FromLong(done);
}

/* The functions of captures under way: {the stream that began it: [(callback, argument)]}. */
static PyObject *captured;

static PyObject *key_of(tn_stream *stream) {
    return PyLong_FromVoidPtr(stream);
}

/* Notes a function that a capture records: that of its stream, or the only one under way, which the
 * stream has joined then. */
static int note(tn_stream *stream, PyObject *callback, PyObject *argument) {
    if (!tn_stream_is_capturing(stream)) return 0;
    PyObject *key = key_of(stream), *name, *found = key ? PyDict_GetItem(captured, key) : NULL;
    Py_XDECREF(key);
    Py_ssize_t place = 0;
    if (!found && PyDict_Size(captured) == 1) PyDict_Next(captured, &place, &name, &found);
    if (!found) return key ? 0 : -1;
    PyObject *pair = PyTuple_Pack(2, callback, argument);
    int failed = pair ? PyList_Append(found, pair) : -1;
    Py_XDECREF(pair);
    return failed;
}

static PyObject *launch_host_func(ARGUMENTS) {
    static const char *const names[] = {"callback", "arg", NULL};
    PyObject *values[2];
    tn_stream *stream = ext_stream_of(self);
    if (!stream || ext_parse("launch_host_func", arguments, count, keywords, names, 2, values))
        return NULL;
    if (!PyCallable_Check(values[0]))
        return PyErr_Format(PyExc_TypeError, "%R is not callable", values[0]);
    EXT_TRY(ext_call_after(stream, values[0], values[1]));
    if (note(stream, values[0], values[1])) return NULL;
    Py_RETURN_NONE;
}

/* callback(stream, error_status, arg), bound to its arguments by functools.partial. */
static PyObject *add_callback(ARGUMENTS) {
    static const char *const names[] = {"callback", "arg", NULL};
    PyObject *values[2];
    tn_stream *stream = ext_stream_of(self);
    if (!stream || ext_parse("add_callback", arguments, count, keywords, names, 2, values))
        return NULL;
    if (!PyCallable_Check(values[0]))
        return PyErr_Format(PyExc_TypeError, "%R is not callable", values[0]);
    PyObject *functools = PyImport_ImportModule("functools");
    if (!functools) return NULL;
    PyObject *bound = PyObject_CallMethod(functools, "partial", "OOi", values[0], self, 0);
    Py_DECREF(functools);
    if (!bound) return NULL;
    tn_status status = ext_call_after(stream, bound, values[1]);
    Py_DECREF(bound);
    EXT_TRY(status);
    Py_RETURN_NONE;
}

static PyObject *record(ARGUMENTS) {
    static const char *const names[] = {"event", NULL};
    PyObject *event;
    tn_stream *stream = ext_stream_of(self);
    if (!stream || ext_parse("record", arguments, count, keywords, names, 0, &event)) return NULL;
    if (!event || event == Py_None) {
        event = PyObject_CallNoArgs((PyObject *)ext_event_type);
        if (!event) return NULL;
    } else {
        if (!ext_event(event)) return NULL;
        Py_INCREF(event);
    }
    tn_status status = tn_event_record(ext_event(event), stream);
    if (status == TN_OK) return event;
    Py_DECREF(event);
    return ext_raise(status);
}

static PyObject *wait_event(PyObject *self, PyObject *event) {
    tn_stream *stream = ext_stream_of(self);
    if (!stream || !ext_event(event)) return NULL;
    EXT_TRY(tn_stream_wait_event(stream, ext_event(event)));
    Py_RETURN_NONE;
}

/* --- Graphs --- */

static PyObject *begin_capture(ARGUMENTS) {
    static const char *const names[] = {"mode", NULL};
    PyObject *object;
    int64_t mode = TN_CAPTURE_RELAXED;
    tn_stream *stream = ext_stream_of(self);
    if (!stream || ext_parse("begin_capture", arguments, count, keywords, names, 0, &object) ||
        (object && object != Py_None && ext_int64(object, &mode)))
        return NULL;
    EXT_TRY(tn_stream_begin_capture(stream, (tn_capture_mode)mode));
    PyObject *key = key_of(stream), *made = PyList_New(0);
    int failed = key && made ? PyDict_SetItem(captured, key, made) : -1;
    Py_XDECREF(key);
    Py_XDECREF(made);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* The functions of the stream's capture, which is over; a new reference. */
static PyObject *take_functions(tn_stream *stream) {
    PyObject *key = key_of(stream), *found = key ? PyDict_GetItem(captured, key) : NULL;
    Py_XINCREF(found);
    if (found && PyDict_DelItem(captured, key)) Py_CLEAR(found);
    bool is_absent = key && !found && !PyErr_Occurred(); /* another library began it */
    Py_XDECREF(key);
    return is_absent ? PyList_New(0) : found;
}

static PyObject *end_capture(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_graph *graph;
    tn_stream *stream = ext_stream_of(self);
    if (!stream) return NULL;
    tn_status status = tn_stream_end_capture(&graph, stream);
    PyObject *noted = tn_stream_is_capturing(stream) ? PyList_New(0) : take_functions(stream);
    if (status != TN_OK || !noted) {
        if (status == TN_OK) tn_graph_release(graph);
        Py_XDECREF(noted);
        return status == TN_OK ? NULL : ext_raise(status);
    }
    PyObject *object = ext_graph_object(graph, noted);
    Py_DECREF(noted);
    return object;
}

/* Another library may capture a stream of the driver's: the driver is asked. */
static PyObject *is_capturing(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_stream *stream = ext_stream_of(self);
    if (!stream) return NULL;
    bool answer = tn_stream_is_capturing(stream);
    if (!answer && !tn_stream_is_default(stream) &&
        tn_stream_device(stream).backend == TN_BACKEND_CUDA)
        EXT_TRY(tn_cuda_stream_is_capturing(&answer, stream));
    return PyBool_FromLong(answer);
}

/* --- Facts --- */

/* The null stream's is 0 everywhere, whatever the device. `leaves`: the program gets it. */
static int handle_of(PyObject *object, bool leaves, uintptr_t *handle) {
    bool is_null =
        !ext_stream_data_of(object)->stream && !ext_stream_data_of(object)->is_per_thread;
    tn_stream *stream = is_null ? NULL : ext_stream_of(object);
    *handle = !stream ? 0 : leaves ? tn_stream_handle(stream) : tn_stream_peek_handle(stream);
    return is_null || stream ? 0 : -1;
}

static PyObject *get_ptr(PyObject *self, void *closure) {
    (void)closure;
    uintptr_t handle;
    return handle_of(self, true, &handle) ? NULL : PyLong_FromSize_t(handle);
}

static PyObject *get_device_id(PyObject *self, void *closure) {
    (void)closure;
    tn_stream *stream = ext_stream_data_of(self)->stream;
    return PyLong_FromLong(stream ? tn_stream_device(stream).number : -1);
}

static PyObject *get_device(PyObject *self, void *closure) {
    (void)closure;
    tn_stream *stream = ext_stream_of(self);
    return stream ? ext_device_object(tn_stream_device(stream)) : NULL;
}

static PyObject *get_priority(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLong(ext_stream_data_of(self)->priority);
}

static PyObject *get_non_blocking(PyObject *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(ext_stream_data_of(self)->non_blocking);
}

static PyObject *represent(PyObject *self) {
    tn_stream *stream = ext_stream_data_of(self)->stream;
    uintptr_t handle;
    if (handle_of(self, false, &handle)) return NULL;
    if (!stream) return PyUnicode_FromFormat("<Stream %zu (default)>", (size_t)handle);
    return PyUnicode_FromFormat("<Stream %zu (device %d)>", (size_t)handle,
                                tn_stream_device(stream).number);
}

/* Where the default stream runs in the caller, ptds and the null stream are equal. */
static PyObject *compare(PyObject *a, PyObject *b, int operation) {
    uintptr_t handles[2];
    if (!PyObject_TypeCheck(b, ext_stream_type) || (operation != Py_EQ && operation != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    if (handle_of(a, false, &handles[0]) || handle_of(b, false, &handles[1])) return NULL;
    Py_RETURN_RICHCOMPARE(handles[0], handles[1], operation);
}

/* Both default streams hash to 0, as they may be equal. */
static Py_hash_t hash(PyObject *self) {
    tn_stream *stream = ext_stream_data_of(self)->stream;
    return stream ? (Py_hash_t)(tn_stream_peek_handle(stream) >> 4) : 0;
}

/* --- External streams --- */

/* The stream of a handle as an object of `type` that keeps `owner`. */
static PyObject *make_external(PyObject *type, PyObject *pointer, PyObject *owner) {
    void *handle;
    if (ext_address(pointer, &handle)) return NULL;
    tn_device device = tn_device_get_current();
    bool is_here = device.backend != TN_BACKEND_CUDA && (uintptr_t)handle == EXT_STREAM_PER_THREAD;
    tn_stream *stream = is_here ? tn_stream_per_thread(device) : ext_stream_find((uintptr_t)handle);
    if (stream) {
        tn_stream_retain(stream);
    } else if (device.backend == TN_BACKEND_CUDA) {
        EXT_TRY(tn_cuda_stream_wrap(&stream, (uintptr_t)handle, device.number));
    } else {
        return PyErr_Format(PyExc_ValueError, "%p is not the handle of a stream made here", handle);
    }
    PyObject *made = ext_stream_make((PyTypeObject *)type, stream);
    if (!made) return NULL;
    Py_INCREF(owner);
    ext_stream_data_of(made)->owner = owner;
    return made;
}

EXT_CALL(external_stream, EXT_SHORT, (object, type), (object, pointer), (object, owner),
         (made_object, stream)) {
    call->stream = make_external(call->type, call->pointer, call->owner);
    return TN_OK;
}

/* Sets TypeError where what __cuda_stream__() gave is not (0, handle). */
static int check_stream_facts(PyObject *facts) {
    if (!PyTuple_Check(facts) || PyTuple_Size(facts) != 2) {
        PyErr_Format(PyExc_TypeError, "__cuda_stream__ must return a 2-tuple, not %R", facts);
        return -1;
    }
    PyObject *version = PyTuple_GetItem(facts, 0);
    if (!PyLong_Check(version) || !PyLong_Check(PyTuple_GetItem(facts, 1))) {
        PyErr_Format(PyExc_TypeError, "__cuda_stream__ must return (int, int), not %R", facts);
        return -1;
    }
    if (PyLong_AsLong(version) != 0) {
        if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Format(PyExc_TypeError,
                         "__cuda_stream__ gives an unsupported version: %R; 0 is known", version);
        return -1;
    }
    return 0;
}

/* CuPy's name for what keeps the handle alive. */
static PyObject *get_owner(PyObject *self, void *closure) {
    (void)closure;
    PyObject *owner = ext_stream_data_of(self)->owner;
    if (!owner) owner = Py_None;
    Py_INCREF(owner);
    return owner;
}

/* The stream protocol: owner.__cuda_stream__() gives (version, handle). */
static PyObject *from_external(PyObject *type, PyObject *owner) {
    if (!PyObject_HasAttrString(owner, "__cuda_stream__"))
        return PyErr_Format(PyExc_TypeError, "%R does not implement __cuda_stream__()", owner);
    PyObject *facts = PyObject_CallMethod(owner, "__cuda_stream__", NULL), *made = NULL;
    if (!facts) return NULL;
    if (!check_stream_facts(facts)) made = make_external(type, PyTuple_GetItem(facts, 1), owner);
    Py_DECREF(facts);
    return made;
}

static PyObject *cuda_stream(PyObject *self, PyObject *unused) {
    (void)unused;
    uintptr_t handle;
    return handle_of(self, true, &handle) ? NULL : Py_BuildValue("in", 0, (Py_ssize_t)handle);
}

/* --- The module's functions --- */

EXT_CALL(current_stream, EXT_SHORT, (device, device), (made_object, stream)) {
    tn_stream *stream = tn_stream_get_current(call->device);
    if (stream) call->stream = ext_stream_object(stream);
    return stream ? TN_OK : TN_ERROR_DEVICE;
}

/* --- The types --- */

static PyMethodDef stream_methods[] = {
    {"use", use, METH_NOARGS, DOC_Stream_use},
    {"synchronize", synchronize, METH_NOARGS, DOC_Stream_synchronize},
    {"launch_host_func", FAST(launch_host_func), DOC_Stream_launch_host_func},
    {"add_callback", FAST(add_callback), DOC_Stream_add_callback},
    {"record", FAST(record), DOC_Stream_record},
    {"wait_event", wait_event, METH_O, DOC_Stream_wait_event},
    {"begin_capture", FAST(begin_capture), DOC_Stream_begin_capture},
    {"end_capture", end_capture, METH_NOARGS, DOC_Stream_end_capture},
    {"is_capturing", is_capturing, METH_NOARGS, DOC_Stream_is_capturing},
    {"from_external", from_external, METH_O | METH_CLASS, DOC_Stream_from_external},
    {"__cuda_stream__", cuda_stream, METH_NOARGS, NULL},
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", leave, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef stream_attributes[] = {
    {"ptr", get_ptr, NULL,
     "The handle that other libraries know the stream by; that of ptds is the calling thread's.",
     NULL},
    {"device_id", get_device_id, NULL, "The device's number; -1 for null and ptds.", NULL},
    {"device", get_device, NULL, "The stream's device.", NULL},
    {"done", get_done, NULL, "Whether the work queued so far is done.", NULL},
    {"priority", get_priority, NULL, "The priority; lower runs first.", NULL},
    {"_foreign_stream_ref", get_owner, NULL, NULL, NULL},
    {"is_non_blocking", get_non_blocking, NULL, "Whether it ignores the default stream.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef functions[] = {
    EXT_ENTRY(current_stream),
    EXT_ENTRY(external_stream),
    {NULL, NULL, 0, NULL},
};

static int add_stream_type(PyObject *module) {
    static PyMemberDef members[] = {
        {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_stream_data, weak_references), READONLY,
         NULL},
        {NULL, 0, 0, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_Stream},
        {Py_tp_new, (void *)construct},
        {Py_tp_dealloc, (void *)ext_stream_dealloc},
        {Py_tp_methods, stream_methods},
        {Py_tp_getset, stream_attributes},
        {Py_tp_members, members},
        {Py_tp_repr, (void *)represent},
        {Py_tp_richcompare, (void *)compare},
        {Py_tp_hash, (void *)hash},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.Stream", sizeof(ext_stream_data), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    PyTypeObject *type = ext_add_type(module, &spec, NULL);
    return type ? ext_stream_add_defaults(type) : -1;
}

int ext_stream_init(PyObject *module) {
    captured = PyDict_New();
    return !captured || add_stream_type(module) ? -1 : PyModule_AddFunctions(module, functions);
}
