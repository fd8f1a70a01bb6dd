/* Objects of other libraries that stand for an array: those with __cuda_array_interface__, whose
 * memory is shared, and those with __cupy_get_ndarray__, which give an ndarray. As in CuPy the
 * first wins, and whatever takes arrays takes them. They are looked for where an object would be
 * refused or converted otherwise, so arrays and scalars do not pay for it. */
#include "exchange/foreign.h"

#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "exchange/cuda_array.h"

static PyObject *names[2], *numpy_ndarray, *numpy_generic;
static _Thread_local ext_host_converter convert_host; /* NumPy arrays stand for what it makes */

static int load(void) {
    PyObject *numpy = numpy_generic ? NULL : PyImport_ImportModule("numpy");
    if (numpy && !numpy_ndarray) numpy_ndarray = PyObject_GetAttrString(numpy, "ndarray");
    if (numpy) numpy_generic = PyObject_GetAttrString(numpy, "generic");
    Py_XDECREF(numpy);
    if (!numpy_ndarray || !numpy_generic) return -1;
    if (!names[0]) names[0] = PyUnicode_InternFromString("__cuda_array_interface__");
    if (!names[1]) names[1] = PyUnicode_InternFromString("__cupy_get_ndarray__");
    return names[0] && names[1] ? 0 : -1;
}

static bool is_lent(PyObject *object) {
    return convert_host && !load() && PyObject_TypeCheck(object, (PyTypeObject *)numpy_ndarray);
}

/* What Python and NumPy know has neither; a class has what its objects have. */
static bool is_plain(PyObject *object) {
    return Py_TYPE(object) == (PyTypeObject *)numpy_ndarray ||
           PyObject_TypeCheck(object, (PyTypeObject *)numpy_generic) || PyLong_CheckExact(object) ||
           PyFloat_CheckExact(object) || PyComplex_CheckExact(object) || PyBool_Check(object) ||
           PyUnicode_Check(object) || PyBytes_Check(object) || PyList_Check(object) ||
           PyTuple_Check(object) || PyType_Check(object) || object == Py_None ||
           ext_is_array(object);
}

int ext_find_override(PyObject *type, PyObject **value) {
    static PyObject *name;
    *value = NULL;
    if (!name) name = PyUnicode_InternFromString("__array_ufunc__");
    return name ? ext_find(type, name, value) : -1;
}

/* None counts as absent. */
static int find_attribute(PyObject *object, PyObject *name, PyObject **value) {
    if (ext_find(object, name, value)) return -1;
    if (*value == Py_None) Py_CLEAR(*value);
    return 0;
}

int ext_foreign(PyObject *object, PyObject **made) {
    PyObject *found;
    *made = NULL;
    if (load()) return -1;
    if (is_lent(object)) {
        tn_array *copy = convert_host(object, TN_DTYPE_NONE, TN_ORDER_K);
        *made = copy ? ext_wrap(copy) : NULL;
        return *made ? 0 : -1;
    }
    if (is_plain(object)) return 0;
    if (find_attribute(object, names[0], &found)) return -1;
    if (found) {
        *made = ext_from_cuda_array(object, found);
        Py_DECREF(found);
        return *made ? 0 : -1;
    }
    if (find_attribute(object, names[1], &found)) return -1;
    if (!found) return 0;
    PyObject *given = PyObject_CallNoArgs(found);
    Py_DECREF(found);
    if (given && !ext_is_array(given)) {
        PyErr_Format(PyExc_TypeError, "__cupy_get_ndarray__ of %R gave %R, no ndarray",
                     (PyObject *)Py_TYPE(object), (PyObject *)Py_TYPE(given));
        Py_CLEAR(given);
    }
    *made = given;
    return given ? 0 : -1;
}

int ext_is_foreign(PyObject *object) {
    PyObject *value = NULL;
    if (load()) return -1;
    if (is_plain(object)) return 0;
    for (int k = 0; k < 2 && !value; k++)
        if (ext_find(object, names[k], &value)) return -1;
    Py_XDECREF(value);
    return value != NULL;
}

PyObject *ext_stand_in(PyObject *object, bool by_override) {
    PyObject *made = NULL, *was_asked = NULL;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
    ext_error error = ext_error_take();
    bool failed = by_override && !is_lent(object) &&
                  ext_find_override((PyObject *)Py_TYPE(object), &was_asked);
    if (!failed && !was_asked) ext_foreign(object, &made);
    Py_XDECREF(was_asked);
    ext_error_settle(error, made != NULL);
    return made;
}

ext_host_converter ext_lend_host(ext_host_converter convert) {
    ext_host_converter before = convert_host;
    convert_host = convert;
    return before;
}
