/* Protocols by which other code meets an array: NumPy's dispatch, the array API, pickling, DLPack.
 *
 * None of them is hot, and most only find another function by its name, so their bodies are Python:
 * a method here calls the function of its name in tenorite._interop with the same arguments. */
#include "dlpack.h"

static PyObject *call_python(const char *function, PyObject *self, PyObject *arguments,
                             PyObject *keywords) {
    PyObject *result = NULL, *callable = NULL, *with_self = NULL;
    PyObject *module = PyImport_ImportModule("tenorite._interop");
    if (!module) return NULL;
    Py_ssize_t count = PyTuple_Size(arguments);
    callable = PyObject_GetAttrString(module, function);
    with_self = PyTuple_New(count + 1);
    if (callable && with_self) {
        Py_INCREF(self);
        PyTuple_SetItem(with_self, 0, self);
        for (Py_ssize_t k = 0; k < count; k++) {
            PyObject *argument = PyTuple_GetItem(arguments, k);
            Py_INCREF(argument);
            PyTuple_SetItem(with_self, k + 1, argument);
        }
        result = PyObject_Call(callable, with_self, keywords);
    }
    Py_XDECREF(with_self);
    Py_XDECREF(callable);
    Py_DECREF(module);
    return result;
}

#define IN_PYTHON(name)                                                                            \
    static PyObject *name(PyObject *self, PyObject *arguments, PyObject *keywords) {               \
        return call_python(#name, self, arguments, keywords);                                      \
    }
IN_PYTHON(array_function)
IN_PYTHON(array_ufunc)
IN_PYTHON(array_namespace)
IN_PYTHON(to_device)
IN_PYTHON(reduce)

static PyObject *refuse_array(PyObject *self, PyObject *arguments, PyObject *keywords) {
    (void)self, (void)arguments, (void)keywords;
    return PyErr_Format(
        PyExc_TypeError,
        "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to "
        "construct a NumPy array explicitly.");
}

static PyObject *deep_copy(PyObject *self, PyObject *memo) {
    (void)memo; /* elements refer to nothing */
    return PyObject_CallMethod(self, "__copy__", NULL);
}

#define KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

PyMethodDef ext_interop_methods[] = {
    {"__array__", KEYWORDS(refuse_array), "Always a TypeError: a copy to host memory is explicit."},
    {"__array_function__", KEYWORDS(array_function), "numpy.f(a) is tenorite.f(a)."},
    {"__array_ufunc__", KEYWORDS(array_ufunc), "numpy.f(a) is tenorite.f(a), for ufuncs."},
    {"__array_namespace__", KEYWORDS(array_namespace),
     "a.__array_namespace__(*, api_version=None): the module tenorite."},
    {"to_device", KEYWORDS(to_device),
     "a.to_device(device, /, *, stream=None): the array on a device, given as a Device, a number, "
     "or "
     "a text such as \"host\", \"cuda\" or \"cuda:1\"; the same object if it is there already. "
     "ValueError if there is no such device."},
    {"__reduce__", KEYWORDS(reduce), "For pickle: the elements travel as a NumPy array."},
    {"__deepcopy__", deep_copy, METH_O, "copy.deepcopy(a): a copy."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "ndarray[shape, dtype], for typing."},
    {"__dlpack__", (PyCFunction)(void (*)(void))ext_dlpack, METH_FASTCALL | METH_KEYWORDS,
     "a.__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None): a DLPack capsule "
     "of "
     "the same memory; waits for all work on it. BufferError if it can't be exported so."},
    {"__dlpack_device__", ext_dlpack_device, METH_NOARGS, "a.__dlpack_device__(): (kind, number)."},
    {"toDlpack", ext_to_dlpack, METH_NOARGS, "a.toDlpack(): an unversioned DLPack capsule."},
    {NULL, NULL, 0, NULL},
};
