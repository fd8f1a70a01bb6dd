/* Protocols by which other code meets an array: what must be in C of them. The rest, which only
 * finds our function for NumPy's, is Python: tenorite._array.interop gives it to the type. */
#include "exchange/interop.h"

#include "base/kinds.h"
#include "documents.h"
#include "exchange/dlpack.h"
#include "exchange/foreign.h"

static PyObject *refuse_array(PyObject *self, PyObject *arguments, PyObject *keywords) {
    (void)self, (void)arguments, (void)keywords;
    return PyErr_Format(
        PyExc_TypeError,
        "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to "
        "construct a NumPy array explicitly (see errors/implicit-conversion in the "
        "documentation).");
}

static PyObject *deep_copy(PyObject *self, PyObject *memo) {
    (void)memo; /* elements refer to nothing */
    return PyObject_CallMethod(self, "__copy__", NULL);
}

/* Subclasses override it; see ext_wrap_view. */
static PyObject *finalize(PyObject *self, PyObject *like) {
    (void)self, (void)like;
    Py_RETURN_NONE;
}

PyMethodDef ext_interop_methods[] = {
    {"__array__", (PyCFunction)(void (*)(void))refuse_array, METH_VARARGS | METH_KEYWORDS,
     "Always a TypeError: a copy to host memory is explicit."},
    {"__array_finalize__", finalize, METH_O,
     "__array_finalize__($self, /, like)\n--\n\n"
     "Called for every new object of a subclass."},
    {"__deepcopy__", deep_copy, METH_O, "copy.deepcopy(a): a copy."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "ndarray[shape, dtype], for typing."},
    {"__dlpack__", (PyCFunction)(void (*)(void))ext_dlpack, METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A DLPack capsule of the same memory; waits for all work on it. BufferError if it can't be "
     "exported so."},
    {"__dlpack_device__", ext_dlpack_device, METH_NOARGS, "a.__dlpack_device__(): (kind, number)."},
    {"toDlpack", ext_to_dlpack, METH_NOARGS, DOC_ndarray_toDlpack},
    {NULL, NULL, 0, NULL},
};

/* The ndarray that an object stands for, or None. */
EXT_CALL(foreign, EXT_SHORT, (object, object), (made_object, array)) {
    PyObject *made;
    if (ext_foreign(call->object, &made)) return TN_ERROR_CALLBACK;
    call->array = made ? made : Py_NewRef(Py_None);
    return TN_OK;
}

EXT_CALL(from_capsule, EXT_SHORT, (object, capsule), (made_object, array)) {
    call->array = ext_from_capsule(call->capsule);
    return TN_OK;
}

PyMethodDef ext_interop_functions[] = {
    EXT_ENTRY(foreign), EXT_ENTRY(from_capsule), {NULL, NULL, 0, NULL}};
