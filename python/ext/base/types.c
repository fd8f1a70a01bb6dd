/* Types and objects in general: making a type of the module, the life of its objects, looking
 * for an attribute, in a module too. */
#include "base/types.h"

#include "base/hold.h"

#include <string.h>

PyObject *ext_alloc(PyTypeObject *type) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

void ext_free(PyObject *object) {
    EXT_SETTLE();
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

PyObject *ext_refuse_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments;
    (void)keywords;
    return PyErr_Format(PyExc_TypeError, "cannot create %R instances", type);
}

PyTypeObject *ext_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base) {
    PyObject *bases = base ? PyTuple_Pack(1, base) : NULL;
    if (base && !bases) return NULL;
    PyObject *type = PyType_FromSpecWithBases(spec, bases);
    Py_XDECREF(bases);
    if (!type) return NULL;
    const char *last = strrchr(spec->name, '.');
    PyObject *name = PyUnicode_FromFormat("_%s", last ? last + 1 : spec->name);
    int failed = name ? PyObject_SetAttr(module, name, type) : -1;
    Py_XDECREF(name);
    if (failed) Py_CLEAR(type);
    return (PyTypeObject *)type;
}

PyObject *ext_import(const char *module_name, const char *name) {
    /* A module that is there needs no import, which takes long, unless it is being made. */
    PyObject *key = PyUnicode_FromString(module_name);
    PyObject *module = key ? PyImport_GetModule(key) : NULL;
    PyObject *found = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    if (!found && key) {
        PyErr_Clear();
        module = PyImport_Import(key);
        found = module ? PyObject_GetAttrString(module, name) : NULL;
        Py_XDECREF(module);
    }
    Py_XDECREF(key);
    return found;
}

int ext_find(PyObject *object, PyObject *name, PyObject **value) {
    *value = PyObject_GetAttr(object, name);
    if (!*value && !PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    if (!*value) PyErr_Clear();
    return 0;
}
