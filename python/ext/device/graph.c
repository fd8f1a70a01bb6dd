/* tenorite.cuda.Graph: work that Stream.begin_capture() and end_capture() recorded. */
#include "device/graph.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/kinds.h"
#include "base/types.h"
#include "device/stream_object.h"
#include "documents.h"

typedef struct graph_object {
    PyObject_HEAD
    tn_graph *graph;
    PyObject *functions; /* of the host: a list of (callback, argument) */
} graph_object;

static PyTypeObject *graph_type;

static tn_graph *graph_of(PyObject *object) {
    return ((graph_object *)object)->graph;
}

PyObject *ext_graph_object(tn_graph *graph, PyObject *functions) {
    PyObject *self = ext_alloc(graph_type);
    if (!self) {
        tn_graph_release(graph);
        return NULL;
    }
    ((graph_object *)self)->graph = graph;
    Py_INCREF(functions);
    ((graph_object *)self)->functions = functions;
    return self;
}

static void dealloc(PyObject *self) {
    tn_graph_release(graph_of(self));
    Py_XDECREF(((graph_object *)self)->functions);
    ext_free(self);
}

/* A queue that is full may have to wait for a function that needs the interpreter. */
static PyObject *queue(ARGUMENTS, const char *name,
                       tn_status (*function)(tn_graph *, tn_stream *)) {
    static const char *const names[] = {"stream", NULL};
    PyObject *object;
    tn_stream *stream;
    if (ext_parse(name, arguments, count, keywords, names, 0, &object) ||
        ext_stream(object, &stream))
        return NULL;
    tn_status status;
    EXT_WITHOUT_GIL(status, function(graph_of(self), stream));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

static PyObject *launch(ARGUMENTS) {
    return queue(self, arguments, count, keywords, "launch", tn_graph_launch);
}

static PyObject *upload(ARGUMENTS) {
    return queue(self, arguments, count, keywords, "upload", tn_graph_upload);
}

EXT_FORWARD(print, tn_cuda_graph_print(graph_of(call->self), call->path, call->flags), EXT_SHORT,
            (text, path), (flags, flags))

static PyObject *debug_dot_str(ARGUMENTS) {
    static const char *const names[] = {"flags", NULL};
    PyObject *flags;
    if (ext_parse("debug_dot_str", arguments, count, keywords, names, 0, &flags)) return NULL;
    PyObject *module = PyImport_ImportModule("tenorite.cuda.graph");
    if (!module) return NULL;
    PyObject *text = flags ? PyObject_CallMethod(module, "_describe", "OO", self, flags)
                           : PyObject_CallMethod(module, "_describe", "O", self);
    Py_DECREF(module);
    return text;
}

static PyObject *get_handle(PyObject *self, void *closure) {
    uintptr_t handles[2];
    tn_cuda_graph_get_handles(&handles[0], &handles[1], graph_of(self));
    return PyLong_FromSize_t(handles[closure != NULL]);
}

static PyObject *get_functions(PyObject *self, void *closure) {
    (void)closure;
    return PySequence_List(((graph_object *)self)->functions);
}

static PyObject *represent(PyObject *self) {
    uintptr_t graph, executable;
    tn_cuda_graph_get_handles(&graph, &executable, graph_of(self));
    return PyUnicode_FromFormat("<Graph %zu (executable %zu) at %p>", (size_t)graph,
                                (size_t)executable, (void *)self);
}

static PyMethodDef graph_methods[] = {
    {"launch", FAST(launch), DOC_Graph_launch},
    {"upload", FAST(upload), DOC_Graph_upload},
    {"debug_dot_str", FAST(debug_dot_str), DOC_Graph_debug_dot_str},
    EXT_ENTRY(print),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef graph_attributes[] = {
    {"graph", get_handle, NULL, "The cudaGraph_t.", NULL},
    {"graphExec", get_handle, NULL, "The cudaGraphExec_t.", (void *)1},
    {"host_funcargs", get_functions, NULL,
     "What launch_host_func() was given while the stream was captured: (callback, argument), in "
     "order.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int ext_graph_init(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_Graph},
        {Py_tp_new, (void *)ext_refuse_new},
        {Py_tp_dealloc, (void *)dealloc},
        {Py_tp_methods, graph_methods},
        {Py_tp_getset, graph_attributes},
        {Py_tp_repr, (void *)represent},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.Graph", sizeof(graph_object), 0, Py_TPFLAGS_DEFAULT,
                               slots};
    graph_type = ext_add_type(module, &spec, NULL);
    return graph_type ? 0 : -1;
}
