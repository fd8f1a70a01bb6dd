/* tenorite.cuda.Device. */
#include "device/device.h"

#include "base/arguments.h"
#include "base/kinds.h"
#include "base/types.h"
#include "base/wait.h"
#include "documents.h"

#include <stdlib.h>
#include <string.h>

typedef struct device_object {
    PyObject_HEAD
    tn_device device;
} device_object;

static PyTypeObject *device_type;

static tn_device device_of(PyObject *object) {
    return ((device_object *)object)->device;
}

/* --- What `with` replaced --- */

enum { FEW = 32 };
/* The devices that the `with` statements of a thread replaced, the outermost first. */
static _Thread_local struct {
    tn_device few[FEW], *more; /* those beyond FEW; NULL: none */
    size_t count, room;        /* of both; of `more` */
} replaced;

static int push(tn_device device) {
    const size_t beyond = replaced.count < FEW ? 0 : replaced.count - FEW;
    if (replaced.count < FEW) {
        replaced.few[replaced.count++] = device;
        return 0;
    }
    if (beyond == replaced.room) {
        const size_t room = 2 * replaced.room + FEW;
        tn_device *more = realloc(replaced.more, room * sizeof *more);
        if (!more) return -1;
        replaced.more = more;
        replaced.room = room;
    }
    replaced.more[beyond] = device;
    replaced.count++;
    return 0;
}

/* False: there is none. */
static bool pop(tn_device *device) {
    if (!replaced.count) return false;
    replaced.count--;
    *device =
        replaced.count < FEW ? replaced.few[replaced.count] : replaced.more[replaced.count - FEW];
    if (replaced.count == FEW) {
        free(replaced.more);
        replaced.more = NULL;
        replaced.room = 0;
    }
    return true;
}

/* --- Making --- */

PyObject *ext_device_object(tn_device device) {
    PyObject *made = ext_alloc(device_type);
    if (made) ((device_object *)made)->device = device;
    return made;
}

static int parse_text(PyObject *text, tn_device *device) {
    Py_ssize_t length;
    const char *characters = PyUnicode_AsUTF8AndSize(text, &length);
    if (!characters) return -1;
    if (!strcmp(characters, "cpu")) { /* NumPy's name of it */
        *device = (tn_device){TN_BACKEND_HOST, 0};
        return 0;
    }
    for (int backend = 0; backend < TN_BACKEND_COUNT; backend++) {
        const char *name = tn_backend_name((tn_backend)backend), *rest = characters + strlen(name);
        if (strncmp(characters, name, strlen(name)) || (*rest && *rest != ':')) continue;
        long number = 0;
        char *end = (char *)(uintptr_t)rest;
        if (*rest) number = strtol(rest + 1, &end, 10);
        if (*end || end == rest + 1 || number < 0 || number > INT16_MAX) break;
        *device = (tn_device){(int16_t)backend, (int16_t)number};
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "a device is \"host\", \"cuda\" or \"host:1\", not %R", text);
    return -1;
}

int ext_device(PyObject *object, tn_device *device) {
    int64_t number;
    if (!object || object == Py_None) {
        *device = tn_device_get_current();
        return 0;
    }
    if (PyObject_TypeCheck(object, device_type)) {
        *device = device_of(object);
        return 0;
    }
    if (PyUnicode_Check(object)) return parse_text(object, device);
    if (ext_int64(object, &number)) return -1;
    if (number < 0 || number > INT16_MAX) {
        PyErr_Format(PyExc_ValueError, "invalid device number %lld", (long long)number);
        return -1;
    }
    *device = (tn_device){(int16_t)tn_backend_primary(), (int16_t)number};
    return 0;
}

static PyObject *construct(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"device", NULL};
    PyObject *object = NULL;
    tn_device device;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:Device", (char **)(uintptr_t)names,
                                     &object) ||
        ext_device(object, &device))
        return NULL;
    PyObject *self = ext_alloc(type);
    if (self) ((device_object *)self)->device = device;
    return self;
}

/* --- Being current --- */

static PyObject *use(PyObject *self, PyObject *unused) {
    (void)unused;
    EXT_TRY(tn_device_set_current(device_of(self)));
    Py_RETURN_NONE;
}

static PyObject *enter(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_device before = tn_device_get_current();
    EXT_TRY(tn_device_set_current(device_of(self)));
    if (push(before)) {
        tn_device_set_current(before);
        return PyErr_NoMemory();
    }
    Py_INCREF(self);
    return self;
}

static PyObject *leave(PyObject *self, PyObject *const *error, Py_ssize_t count) {
    (void)self, (void)error, (void)count;
    tn_device before;
    if (!pop(&before)) return PyErr_Format(PyExc_RuntimeError, "__exit__ without __enter__");
    EXT_TRY(tn_device_set_current(before));
    Py_RETURN_NONE;
}

static PyObject *synchronize(PyObject *self, PyObject *unused) {
    (void)unused;
    if (!ext_may_wait(NULL)) return NULL;
    EXT_TRY(tn_device_synchronize(device_of(self), -1));
    Py_RETURN_NONE;
}

/* --- Facts --- */

static PyObject *get_id(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLong(device_of(self).number);
}

static PyObject *get_backend(PyObject *self, void *closure) {
    (void)closure;
    return PyUnicode_FromString(tn_backend_name((tn_backend)device_of(self).backend));
}

static PyObject *get_name(PyObject *self, void *closure) {
    (void)closure;
    char name[256];
    EXT_TRY(tn_device_get_name(device_of(self), name, sizeof name));
    return PyUnicode_FromString(name);
}

static PyObject *get_level(PyObject *self, void *closure) {
    (void)closure;
    char level[32];
    EXT_TRY(tn_device_get_level(device_of(self), level, sizeof level));
    return PyUnicode_FromString(level);
}

static PyObject *get_memory_info(PyObject *self, void *closure) {
    (void)closure;
    int64_t free_bytes, total_bytes;
    EXT_TRY(tn_device_get_memory_info(device_of(self), &free_bytes, &total_bytes));
    return Py_BuildValue("LL", (long long)free_bytes, (long long)total_bytes);
}

/* Facts that tenorite.cuda.device puts together. */
static PyObject *get_from_package(PyObject *self, void *closure) {
    PyObject *module = PyImport_ImportModule("tenorite.cuda.device");
    if (!module) return NULL;
    PyObject *result = PyObject_CallMethod(module, closure, "O", self);
    Py_DECREF(module);
    return result;
}

static PyObject *represent(PyObject *self) {
    tn_device device = device_of(self);
    return PyUnicode_FromFormat(
        device.backend == TN_BACKEND_CUDA ? "<CUDA Device %d>" : "<Host Device %d>", device.number);
}

static PyObject *compare(PyObject *a, PyObject *b, int operation) {
    if (!PyObject_TypeCheck(a, device_type) || !PyObject_TypeCheck(b, device_type))
        Py_RETURN_NOTIMPLEMENTED;
    tn_device first = device_of(a), second = device_of(b);
    int order = first.backend != second.backend ? first.backend - second.backend
                                                : first.number - second.number;
    Py_RETURN_RICHCOMPARE(order, 0, operation);
}

static Py_hash_t hash(PyObject *self) {
    return device_of(self).number + 1000 * device_of(self).backend;
}

static PyObject *to_int(PyObject *self) {
    return PyLong_FromLong(device_of(self).number);
}

static PyObject *reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    tn_device device = device_of(self);
    PyObject *text =
        PyUnicode_FromFormat("%s:%d", tn_backend_name((tn_backend)device.backend), device.number);
    return text ? Py_BuildValue("O(N)", Py_TYPE(self), text) : NULL;
}

/* The device of a PCI address, which only GPUs have. */
static PyObject *from_pci_bus_id(PyObject *type, PyObject *text) {
    int number;
    const char *characters = PyUnicode_AsUTF8AndSize(text, NULL);
    if (!characters) return NULL;
    EXT_TRY(tn_cuda_find_pci_bus_id(&number, characters));
    return PyObject_CallFunction(type, "N", PyUnicode_FromFormat("cuda:%d", number));
}

static PyMethodDef methods[] = {
    {"from_pci_bus_id", from_pci_bus_id, METH_CLASS | METH_O, DOC_Device_from_pci_bus_id},
    {"use", use, METH_NOARGS, DOC_Device_use},
    {"synchronize", synchronize, METH_NOARGS, DOC_Device_synchronize},
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))leave, METH_FASTCALL, NULL},
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define FACT(name, function, doc)                                                                  \
    { name, get_from_package, NULL, doc, function }
static PyGetSetDef attributes[] = {
    {"id", get_id, NULL, "The number of the device.", NULL},
    {"backend", get_backend, NULL, "'host' or 'cuda'.", NULL},
    {"name", get_name, NULL, "The name of the hardware.", NULL},
    {"level", get_level, NULL,
     "The instruction set of its loops or kernels: 'v2', 'v3' or 'v4' of x86-64, 'sm_90'.", NULL},
    {"mem_info", get_memory_info, NULL, "(free bytes, total bytes) of the device's memory.", NULL},
    FACT("attributes", "_attributes", "A dict of the device's attributes, by CUDA's names."),
    FACT("compute_capability", "_compute_capability",
         "The compute capability, as '90'; the host's is '0'."),
    FACT("pci_bus_id", "_pci_bus_id", "The PCI address, as '0000:3B:00.0'."),
    FACT("cublas_handle", "_cublas_handle", "A library's handle for this thread."),
    FACT("cusolver_handle", "_cusolver_handle", "A library's handle for this thread."),
    FACT("cusolver_sp_handle", "_cusolver_sp_handle", "A library's handle for this thread."),
    FACT("cusparse_handle", "_cusparse_handle", "A library's handle for this thread."),
    FACT("cutensor_handle", "_cutensor_handle", "A library's handle for this thread."),
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- Functions --- */

EXT_CALL(device_count, EXT_SHORT, (object, name), (made_number, count)) {
    tn_device device = {(int16_t)tn_backend_primary(), 0};
    if (call->name != Py_None && parse_text(call->name, &device)) return TN_ERROR_CALLBACK;
    call->count = tn_device_count((tn_backend)device.backend);
    return TN_OK;
}

EXT_CALL(current_device_id, EXT_SHORT, (made_number, id)) {
    call->id = tn_device_get_current().number;
    return TN_OK;
}

static PyMethodDef functions[] = {
    EXT_ENTRY(current_device_id),
    EXT_ENTRY(device_count),
    {NULL, NULL, 0, NULL},
};

int ext_device_init(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_doc, DOC_Device},
        {Py_tp_new, (void *)construct},
        {Py_tp_dealloc, (void *)ext_free},
        {Py_tp_methods, methods},
        {Py_tp_getset, attributes},
        {Py_tp_repr, (void *)represent},
        {Py_tp_richcompare, (void *)compare},
        {Py_tp_hash, (void *)hash},
        {Py_nb_int, (void *)to_int},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.cuda.Device", sizeof(device_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    device_type = ext_add_type(module, &spec, NULL);
    return device_type ? PyModule_AddFunctions(module, functions) : -1;
}
