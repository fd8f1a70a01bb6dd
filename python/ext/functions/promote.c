/* Promotion of dtypes, as the package's Python wraps it. */
#include "functions/promote.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "values/storage.h"

/* The order of bytes is no part of promotion. */
static int read_dtype(PyObject *object, tn_dtype *dtype) {
    bool is_swapped;
    return ext_dtype_any_order(object, dtype, &is_swapped);
}

/* A value, or (strong, whatever its value) a dtype. */
static int read_typed(PyObject *object, tn_operand *operand) {
    operand->array = NULL;
    if (ext_is_array(object)) {
        operand->array = ext_array(object);
        return 0;
    }
    int found = PyType_Check(object) ? 0 : ext_scalar(object, &operand->scalar);
    if (found) return found < 0 ? -1 : 0;
    operand->scalar = tn_scalar_bool(false);
    if (read_dtype(object, &operand->scalar.dtype)) return -1;
    if (operand->scalar.dtype == TN_DTYPE_NONE) operand->scalar.dtype = TN_F64; /* None */
    return 0;
}

static PyObject *dtype_reference(tn_dtype dtype) {
    PyObject *object = ext_dtype_object(dtype);
    Py_XINCREF(object);
    return object;
}

enum { FEW = 8 };

static PyObject *result_type(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count == 0)
        return PyErr_Format(PyExc_ValueError, "at least one array or dtype is required");
    if (count > INT32_MAX / (Py_ssize_t)sizeof(tn_operand)) return PyErr_NoMemory();
    tn_operand few[FEW];
    tn_operand *operands = count <= FEW ? few : PyMem_Malloc((size_t)count * sizeof *operands);
    if (!operands) return PyErr_NoMemory();
    PyObject *result = NULL;
    tn_dtype dtype;
    for (Py_ssize_t k = 0; k < count; k++)
        if (read_typed(PyTuple_GetItem(arguments, k), &operands[k])) goto cleanup;
    for (Py_ssize_t k = 0; k < count; k++)
        if (operands[k].array) operands[k].array = ext_array(PyTuple_GetItem(arguments, k));
    tn_status status = tn_result_type(&dtype, (int)count, operands);
    result = status ? ext_raise(status) : dtype_reference(dtype);
cleanup:
    if (operands != few) PyMem_Free(operands);
    return result;
}

static PyObject *promote_types(PyObject *module, PyObject *arguments) {
    PyObject *objects[2];
    tn_dtype dtypes[2];
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO:promote_types", &objects[0], &objects[1])) return NULL;
    for (int k = 0; k < 2; k++) {
        if (read_dtype(objects[k], &dtypes[k])) return NULL;
        if (dtypes[k] == TN_DTYPE_NONE) dtypes[k] = TN_F64;
    }
    return dtype_reference(tn_dtype_promote(dtypes[0], dtypes[1]));
}

static PyObject *can_cast(PyObject *module, PyObject *arguments) {
    PyObject *from_object, *to_object, *casting_object = NULL;
    tn_dtype from, to;
    tn_casting casting;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO|O:can_cast", &from_object, &to_object, &casting_object) ||
        read_dtype(from_object, &from) || read_dtype(to_object, &to) ||
        ext_casting(casting_object, &casting, TN_CASTING_SAFE))
        return NULL;
    if (from == TN_DTYPE_NONE) from = TN_F64;
    if (to == TN_DTYPE_NONE) to = TN_F64;
    return PyBool_FromLong(tn_dtype_can_cast(from, to, casting));
}

EXT_TUPLE_OR_STORE(result_type, "_result_type")

PyMethodDef ext_promote_functions[] = {
    {"_result_type", result_type_or_store, METH_VARARGS, "_result_type(*arrays_and_dtypes)."},
    {"_promote_types", promote_types, METH_VARARGS, "_promote_types(type1, type2)."},
    {"_can_cast", can_cast, METH_VARARGS, "_can_cast(from_dtype, to, casting='safe')."},
    {NULL, NULL, 0, NULL},
};
