/* One wrapper for all functions of numbers. */
#include "cuda/table.h"

#include "base/errors.h"
#include "base/hold.h"

/* The formats write them as these types of C. */
_Static_assert(sizeof(uintptr_t) == sizeof(unsigned long long), "\"K\" writes a handle");
_Static_assert(sizeof(int64_t) == sizeof(long long), "\"L\" writes bytes");

enum { VALUES_MAX = 16 };

static PyObject *give(ext_gives gives, const ext_value *result) {
    switch (gives) {
    case EXT_NUMBER: return PyLong_FromLong(result->number);
    case EXT_HANDLE: return PyLong_FromSize_t(result->handle);
    case EXT_COUNT: return PyLong_FromUnsignedLongLong(result->count);
    case EXT_BYTES: return PyLong_FromLongLong(result->bytes);
    case EXT_TRUTH: return PyBool_FromLong(result->truth);
    case EXT_OBJECT: return result->object;
    default: Py_RETURN_NONE;
    }
}

PyObject *ext_function_call(PyObject *row, PyObject *arguments) {
    const ext_function *entry = PyCapsule_GetPointer(row, NULL);
    ext_value v[VALUES_MAX]; /* the format says how many of them are written */
    tn_status status;
    if (!entry ||
        !PyArg_ParseTuple(arguments, entry->format, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
                          &v[7], &v[8], &v[9], &v[10], &v[11], &v[12], &v[13], &v[14], &v[15]))
        return NULL;
    if (entry->is_long)
        EXT_WITHOUT_GIL(status, entry->function(v));
    else
        status = entry->function(v);
    EXT_TRY(status);
    return give(entry->gives, &v[0]);
}

int ext_function_add_all(PyObject *module, ext_function *table) {
    PyObject *module_name = PyObject_GetAttrString(module, "__name__");
    int failed = module_name ? 0 : -1;
    for (ext_function *entry = table; !failed && entry->definition.ml_name; entry++) {
        PyObject *row = PyCapsule_New(entry, NULL, NULL);
        PyObject *made = row ? PyCFunction_NewEx(&entry->definition, row, module_name) : NULL;
        failed = made ? PyModule_AddObjectRef(module, entry->definition.ml_name, made) : -1;
        Py_XDECREF(made);
        Py_XDECREF(row);
    }
    Py_XDECREF(module_name);
    return failed;
}
