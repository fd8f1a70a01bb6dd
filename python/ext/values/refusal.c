/* Refusals of objects that are neither an array nor a scalar. Each kind of object has a sentence
 * that says how a program makes an array of it. */
#include "values/refusal.h"

#include "base/arguments.h"

/* For an object of which no array can be made. */
static const char *way_out_of(PyObject *object) {
    if (object == Py_None) return "None is no array and no number";
    if (PyUnicode_Check(object) || PyBytes_Check(object))
        return "a text is no number; int() and float() read one";
    if (PyAnySet_Check(object))
        return "a set has no order; tenorite.asarray(sorted(x)) gives it one";
    if (PyDict_Check(object))
        return "a dict is no array; tenorite.asarray(list(x.values())) is one";
    if (PyObject_HasAttrString((PyObject *)Py_TYPE(object), "tocsr"))
        return "a sparse matrix is no array: its methods (x.sum(), x @ y) and "
               "tenorite.scipy.sparse.linalg compute with it, x.toarray() makes an array of it";
    if (PyIter_Check(object)) return "tenorite.fromiter(x, dtype) makes an array of what it yields";
    if (PyCallable_Check(object)) return "a function or class is no array; call it first";
    return "data of the host comes to the device with tenorite.asarray(x), and an array goes to "
           "the host with .get(); see errors/host-data in the documentation";
}

void ext_refuse_type(PyObject *object, const char *function, const char *argument) {
    PyObject *type = object ? (PyObject *)Py_TYPE(object) : Py_None;
    const char *way_out = way_out_of(object ? object : Py_None);
    if (function && argument)
        PyErr_Format(PyExc_TypeError, "Unsupported type %R for argument '%s' of %s(): %s", type,
                     argument, function, way_out);
    else
        PyErr_Format(PyExc_TypeError, "Unsupported type %R: %s", type, way_out);
}

void ext_refuse_argument(PyObject *object) {
    char argument[EXT_NAME_BYTES];
    const char *function = ext_parsed(object, argument);
    ext_refuse_type(object, function, function ? argument : NULL);
}
