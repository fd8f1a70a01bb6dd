/* Types and objects in general. */
#ifndef TENORITE_EXT_BASE_TYPES_H
#define TENORITE_EXT_BASE_TYPES_H

#include "base/ext.h"

/* Makes a type and adds it to the module as "_" and the last part of its name. NULL on failure. */
PyTypeObject *ext_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base);

/* tp_new of types that only the library makes, and the usual end of an object. */
PyObject *ext_refuse_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords);
PyObject *ext_alloc(PyTypeObject *type);
void ext_free(PyObject *object);

/* An attribute (new reference), NULL where it is absent. Any other exception than AttributeError
 * is the program's, and comes out: -1. */
int ext_find(PyObject *object, PyObject *name, PyObject **value);
/* What a module of Python names so (new reference). */
PyObject *ext_import(const char *module_name, const char *name);

#endif
