/* Promotion of dtypes, as the package's Python wraps it. */
#include "functions/promote.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "values/kinds.h"
#include "values/take_over.h"

/* A dtype in either order of bytes, which is no part of promotion; None: float64. */
typedef tn_dtype ext_given_any_dtype;
static int read_any_dtype(void *to, PyObject *object, const ext_parameter *which) {
    tn_dtype *dtype = to;
    bool is_swapped;
    (void)which;
    if (ext_dtype_any_order(object, dtype, &is_swapped)) return -1;
    if (*dtype == TN_DTYPE_NONE) *dtype = TN_F64;
    return 0;
}
static const ext_kind ext_kind_any_dtype = {.read = read_any_dtype};

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
    return read_any_dtype(&operand->scalar.dtype, object, NULL);
}

static PyObject *dtype_reference(tn_dtype dtype) {
    PyObject *object = ext_dtype_object(dtype);
    Py_XINCREF(object);
    return object;
}

static tn_dtype dtype_of(const tn_operand *operand) {
    return operand->array ? tn_array_dtype(operand->array) : operand->scalar.dtype;
}

enum { FEW = 8 };

/* No row: a row has a fixed number of arguments, and a tuple of them would have to be made in each
 * of the calls that have two, which are short. */
static PyObject *result_type(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    if (count == 0)
        return PyErr_Format(PyExc_ValueError, "at least one array or dtype is required");
    if (count > INT32_MAX / (Py_ssize_t)sizeof(tn_operand)) return PyErr_NoMemory();
    tn_operand few[FEW];
    tn_operand *operands = count <= FEW ? few : PyMem_Malloc((size_t)count * sizeof *operands);
    if (!operands) return PyErr_NoMemory();
    PyObject *result = NULL;
    tn_dtype dtype;
    for (Py_ssize_t k = 0; k < count; k++)
        if (read_typed(arguments[k], &operands[k])) goto cleanup;
    for (Py_ssize_t k = 0; k < count; k++)
        if (operands[k].array) operands[k].array = ext_array(arguments[k]);
    for (Py_ssize_t k = 0; k < count; k++)
        if (tn_dtype_is_stored(dtype_of(&operands[k]))) {
            result = ext_take_over("_result_type", NULL, arguments, count, NULL);
            goto cleanup;
        }
    tn_status status = tn_result_type(&dtype, (int)count, operands);
    result = status ? ext_raise(status) : dtype_reference(dtype);
cleanup:
    if (operands != few) PyMem_Free(operands);
    return result;
}

/* What NumPy's function of two dtypes says of some that are no numbers. */
static PyObject *ask_numpy(const char *name, tn_dtype a, tn_dtype b, const char *rule) {
    PyObject *function = ext_import("numpy", name), *answer = NULL;
    PyObject *first = ext_dtype_object(a), *second = ext_dtype_object(b);
    if (function && first && second)
        answer = PyObject_CallFunction(function, rule ? "OOs" : "OO", first, second, rule);
    Py_XDECREF(function);
    return answer;
}

static bool is_stored(tn_dtype a, tn_dtype b) {
    return tn_dtype_is_stored(a) || tn_dtype_is_stored(b);
}

EXT_CALL(promote_types, EXT_SHORT, (any_dtype, type1), (any_dtype, type2),
         (made_object, promoted)) {
    call->promoted = is_stored(call->type1, call->type2)
                         ? ask_numpy("promote_types", call->type1, call->type2, NULL)
                         : dtype_reference(tn_dtype_promote(call->type1, call->type2));
    return call->promoted ? TN_OK : TN_ERROR_CALLBACK;
}

EXT_CALL(can_cast, EXT_SHORT, (any_dtype, from), (any_dtype, to), (casting, casting),
         (made_truth, can)) {
    call->can = tn_dtype_can_cast(call->from, call->to, call->casting);
    if (!is_stored(call->from, call->to)) return TN_OK;
    PyObject *can = ask_numpy("can_cast", call->from, call->to, tn_casting_name(call->casting));
    call->can = can == Py_True;
    Py_XDECREF(can);
    return can ? TN_OK : TN_ERROR_CALLBACK;
}

PyMethodDef ext_promote_functions[] = {
    {"_result_type", (PyCFunction)(void (*)(void))result_type, METH_FASTCALL,
     "_result_type(*arrays_and_dtypes)."},
    EXT_ENTRY(promote_types),
    EXT_ENTRY(can_cast),
    {NULL, NULL, 0, NULL},
};
