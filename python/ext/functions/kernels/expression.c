/* Expressions for Python: graphs as capsules, and the object that calls them.
 *
 * A fused function keeps one plan for each pattern of arguments: dtypes and numbers of axes of
 * arrays, kinds of scalars. A call writes its pattern down as a few bytes, finds the plan by them,
 * and evaluates the plan's expression: no Python runs. What has no plan yet goes to the method
 * _trace of the subclass (tenorite/_kernels/fuse.py), which gives one. */
#include "functions/kernels/expression.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "values/ufunc_object.h"

#include <string.h>

#define EXPRESSION "tenorite.expression"

static void release(PyObject *capsule) {
    tn_expression_release(PyCapsule_GetPointer(capsule, EXPRESSION));
}

static tn_expression *expression_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, EXPRESSION);
}

/* The number of a value that was added. */
static PyObject *number_or_raise(tn_status status, const int *value) {
    return status ? ext_raise(status) : PyLong_FromLong(*value);
}

/* --- Building --- */

/* _expression_new() */
static PyObject *expression_new(PyObject *self, PyObject *unused) {
    tn_expression *made;
    (void)self;
    (void)unused;
    EXT_TRY(tn_expression_new(&made));
    PyObject *capsule = PyCapsule_New(made, EXPRESSION, release);
    if (!capsule) tn_expression_release(made);
    return capsule;
}

/* _expression_operand(expression, argument): an array, or a scalar of that kind. */
static PyObject *expression_operand(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object;
    tn_scalar scalar;
    int value = 0;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO:_expression_operand", &capsule, &object)) return NULL;
    tn_expression *expression = expression_of(capsule);
    if (!expression) return NULL;
    if (ext_is_array(object))
        return number_or_raise(
            tn_expression_input(&value, expression, tn_array_dtype(ext_array(object))), &value);
    int is_scalar = ext_scalar(object, &scalar);
    if (is_scalar == 0)
        PyErr_Format(PyExc_TypeError, "Unsupported type %R", (PyObject *)Py_TYPE(object));
    if (is_scalar <= 0) return NULL;
    return number_or_raise(tn_expression_parameter(&value, expression, scalar.dtype, scalar.weak),
                           &value);
}

/* _expression_constant(expression, scalar) */
static PyObject *expression_constant(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object;
    tn_scalar scalar;
    int value = 0;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO:_expression_constant", &capsule, &object)) return NULL;
    int is_scalar = ext_scalar(object, &scalar);
    if (is_scalar == 0)
        PyErr_Format(PyExc_TypeError, "Unsupported type %R", (PyObject *)Py_TYPE(object));
    tn_expression *expression = is_scalar > 0 ? expression_of(capsule) : NULL;
    if (!expression) return NULL;
    return number_or_raise(tn_expression_constant(&value, expression, scalar), &value);
}

static int read_casting(const char *name, tn_casting *casting) {
    PyObject *text = PyUnicode_FromString(name);
    int failed = !text || ext_casting(text, casting, TN_CASTING_SAME_KIND);
    Py_XDECREF(text);
    return failed ? -1 : 0;
}

/* _expression_apply(expression, ufunc, values, dtype, casting): a tuple of values. */
static PyObject *expression_apply(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *ufunc, *values, *dtype_object;
    const char *casting_name;
    int inputs[TN_MAX_OPERANDS], made[TN_MAX_OPERANDS];
    tn_dtype dtype;
    tn_casting casting;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO!Os:_expression_apply", &capsule, &ufunc, &PyTuple_Type,
                          &values, &dtype_object, &casting_name))
        return NULL;
    if (ext_dtype(dtype_object, &dtype) || read_casting(casting_name, &casting)) return NULL;
    tn_op op = ext_ufunc_op(ufunc);
    if (PyTuple_Size(values) != tn_op_inputs(op))
        return PyErr_Format(PyExc_TypeError, "%s() takes %d values", tn_op_name(op),
                            tn_op_inputs(op));
    for (int k = 0; k < tn_op_inputs(op); k++)
        inputs[k] = (int)PyLong_AsLong(PyTuple_GetItem(values, k));
    tn_expression *expression = PyErr_Occurred() ? NULL : expression_of(capsule);
    if (!expression) return NULL;
    EXT_TRY(tn_expression_apply(made, expression, op, inputs, dtype, casting));
    PyObject *result = PyTuple_New(tn_op_outputs(op));
    for (int k = 0; result && k < tn_op_outputs(op); k++)
        PyTuple_SetItem(result, k, PyLong_FromLong(made[k]));
    return result;
}

/* _expression_cast(expression, value, dtype, casting) */
static PyObject *expression_cast(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *dtype_object;
    const char *casting_name;
    int from, value = 0;
    tn_dtype dtype;
    tn_casting casting;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OiOs:_expression_cast", &capsule, &from, &dtype_object,
                          &casting_name))
        return NULL;
    if (ext_dtype(dtype_object, &dtype) || read_casting(casting_name, &casting)) return NULL;
    tn_expression *expression = expression_of(capsule);
    if (!expression) return NULL;
    return number_or_raise(tn_expression_cast(&value, expression, from, dtype, casting), &value);
}

/* _expression_reduce(expression, name, value, axis, dtype, keepdims, correction) */
static PyObject *expression_reduce(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *axis, *dtype_object;
    const char *name;
    int from, keepdims, value = 0, axes[TN_MAX_NDIM], reduction = 0;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OsiOOpd:_expression_reduce", &capsule, &name, &from, &axis,
                          &dtype_object, &keepdims, &options.correction))
        return NULL;
    if (ext_axes(axis, &options.axis_count, axes) || ext_dtype(dtype_object, &options.dtype))
        return NULL;
    while (reduction < TN_REDUCE_COUNT && strcmp(tn_reduction_name((tn_reduction)reduction), name))
        reduction++;
    options.axes = axes;
    options.keepdims = keepdims;
    tn_expression *expression = expression_of(capsule);
    if (!expression) return NULL;
    return number_or_raise(
        tn_expression_reduce(&value, expression, (tn_reduction)reduction, from, &options), &value);
}

/* _expression_store(expression, to, value, casting) */
static PyObject *expression_store(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    const char *casting_name;
    int to, from, value = 0;
    tn_casting casting;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Oiis:_expression_store", &capsule, &to, &from,
                          &casting_name) ||
        read_casting(casting_name, &casting))
        return NULL;
    tn_expression *expression = expression_of(capsule);
    if (!expression) return NULL;
    return number_or_raise(tn_expression_store(&value, expression, to, from, casting), &value);
}

/* _expression_match(expression, value, other) */
static PyObject *expression_match(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    int value, other;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Oii:_expression_match", &capsule, &value, &other))
        return NULL;
    tn_expression *expression = expression_of(capsule);
    if (!expression) return NULL;
    EXT_TRY(tn_expression_match(expression, value, other));
    Py_RETURN_NONE;
}

/* _expression_output(expression, value) */
static PyObject *expression_output(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    int value;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Oi:_expression_output", &capsule, &value)) return NULL;
    tn_expression *expression = expression_of(capsule);
    if (!expression) return NULL;
    EXT_TRY(tn_expression_output(expression, value));
    Py_RETURN_NONE;
}

/* _expression_dtype(expression, value) */
static PyObject *expression_dtype(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    int value;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Oi:_expression_dtype", &capsule, &value)) return NULL;
    tn_expression *expression = expression_of(capsule);
    if (!expression) return NULL;
    return Py_XNewRef(ext_dtype_object(tn_expression_dtype(expression, value)));
}

PyMethodDef ext_expression_functions[] = {
    {"_expression_new", expression_new, METH_NOARGS, NULL},
    {"_expression_operand", expression_operand, METH_VARARGS, NULL},
    {"_expression_constant", expression_constant, METH_VARARGS, NULL},
    {"_expression_apply", expression_apply, METH_VARARGS, NULL},
    {"_expression_cast", expression_cast, METH_VARARGS, NULL},
    {"_expression_reduce", expression_reduce, METH_VARARGS, NULL},
    {"_expression_store", expression_store, METH_VARARGS, NULL},
    {"_expression_match", expression_match, METH_VARARGS, NULL},
    {"_expression_output", expression_output, METH_VARARGS, NULL},
    {"_expression_dtype", expression_dtype, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* --- Calling --- */

enum { MOST_ARGUMENTS = 24, PATTERN_BYTES = 3 * MOST_ARGUMENTS };
enum { RESULT_NONE = 255, RESULT_ARGUMENT = 128 }; /* else the number of an output */

/* What a pattern of arguments becomes. */
typedef struct plan {
    unsigned char pattern[PATTERN_BYTES];
    int length;
    PyObject *capsule; /* NULL: it runs unfused */
    PyObject *prepare; /* NULL, or what makes the operands of the arguments: a tuple, or None */
    tn_expression *expression;
    int operand_count, result_count;
    bool is_tuple;
    unsigned char operands[TN_EXPRESSION_OPERANDS]; /* arguments, where `prepare` is NULL */
    unsigned char results[TN_EXPRESSION_OUTPUTS];
} plan;

typedef struct fused {
    PyObject_HEAD
    PyObject *function;
    plan **plans;
    int count;
} fused;

/* What tells one plan from another. -1: an argument that no plan takes, without an exception. */
static int write_pattern(unsigned char *pattern, tn_operand *operands, PyObject *arguments) {
    Py_ssize_t count = PyTuple_Size(arguments);
    int length = 0;
    if (count > MOST_ARGUMENTS) return -1;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *object = PyTuple_GetItem(arguments, k);
        operands[k].array = NULL;
        if (Py_TYPE(object) == ext_ndarray_type) {
            const tn_array *array = ext_array(object);
            pattern[length++] = 'a';
            pattern[length++] = (unsigned char)tn_array_dtype(array);
            pattern[length++] = (unsigned char)tn_array_ndim(array);
            continue;
        }
        if (object == Py_None) {
            pattern[length++] = 'n';
            continue;
        }
        int is_scalar = ext_scalar(object, &operands[k].scalar);
        if (is_scalar < 0) PyErr_Clear();
        if (is_scalar <= 0 || operands[k].scalar.huge) return -1;
        pattern[length++] = operands[k].scalar.weak ? 'w' : 's';
        pattern[length++] = (unsigned char)operands[k].scalar.dtype;
    }
    return length;
}

static PyObject *wrap_result(int code, tn_array **outputs, PyObject *arguments) {
    if (code == RESULT_NONE) Py_RETURN_NONE;
    if (code >= RESULT_ARGUMENT)
        return Py_XNewRef(PyTuple_GetItem(arguments, code - RESULT_ARGUMENT));
    return ext_wrap(tn_array_retain(outputs[code]));
}

static PyObject *wrap_results(const plan *p, tn_array **outputs, PyObject *arguments) {
    if (!p->is_tuple) return wrap_result(p->results[0], outputs, arguments);
    PyObject *result = PyTuple_New(p->result_count);
    for (int k = 0; result && k < p->result_count; k++) {
        int first = 0; /* the first result that is the same object */
        while (p->results[first] != p->results[k])
            first++;
        PyObject *one = first < k ? Py_XNewRef(PyTuple_GetItem(result, first))
                                  : wrap_result(p->results[k], outputs, arguments);
        if (one)
            PyTuple_SetItem(result, k, one);
        else
            Py_CLEAR(result);
    }
    return result;
}

static bool is_refusal(tn_status status) {
    return status == TN_ERROR_TYPE || status == TN_ERROR_VALUE || status == TN_ERROR_OVERFLOW ||
           status == TN_ERROR_CASTING || status == TN_ERROR_AXIS ||
           status == TN_ERROR_NOT_IMPLEMENTED;
}

/* Evaluates with the operands, whose arrays are borrowed here. NULL without an exception: the
 * expression refused them, and nothing was written. */
static PyObject *evaluate(const plan *p, PyObject *const *objects, tn_operand *operands,
                          PyObject *arguments) {
    tn_array *outputs[TN_EXPRESSION_OUTPUTS];
    int64_t size = 0;
    tn_status status;
    for (int k = 0; k < p->operand_count; k++) {
        if (!ext_is_array(objects[k])) continue;
        operands[k].array = ext_array(objects[k]);
        if (tn_array_size(operands[k].array) > size) size = tn_array_size(operands[k].array);
    }
    EXT_LONG_CALL(status, size, tn_expression_evaluate(outputs, p->expression, operands, NULL));
    if (status) return is_refusal(status) ? NULL : ext_raise(status);
    int count = tn_expression_output_count(p->expression);
    PyObject *result = wrap_results(p, outputs, arguments);
    for (int k = 0; k < count; k++)
        tn_array_release(outputs[k]);
    return result;
}

/* The operands that the plan's own function makes of the arguments; it may decline. */
static PyObject *run_prepared(const plan *p, PyObject *arguments, bool *declines) {
    PyObject *objects[TN_EXPRESSION_OPERANDS], *result = NULL;
    tn_operand operands[TN_EXPRESSION_OPERANDS];
    PyObject *made = PyObject_CallFunctionObjArgs(p->prepare, arguments, NULL);
    if (!made) return NULL;
    *declines = made == Py_None;
    bool fits = PyTuple_Check(made) && PyTuple_Size(made) == p->operand_count;
    for (int k = 0; fits && k < p->operand_count; k++) {
        objects[k] = PyTuple_GetItem(made, k);
        operands[k].array = NULL;
        if (ext_is_array(objects[k])) continue;
        int is_scalar = ext_scalar(objects[k], &operands[k].scalar);
        if (is_scalar < 0) PyErr_Clear();
        fits = is_scalar > 0;
    }
    if (fits) result = evaluate(p, objects, operands, arguments);
    Py_DECREF(made);
    return result;
}

static PyObject *run(const plan *p, const tn_operand *given, PyObject *arguments, bool *declines) {
    if (p->prepare) return run_prepared(p, arguments, declines);
    PyObject *objects[TN_EXPRESSION_OPERANDS];
    tn_operand operands[TN_EXPRESSION_OPERANDS];
    for (int k = 0; k < p->operand_count; k++) {
        objects[k] = PyTuple_GetItem(arguments, p->operands[k]);
        operands[k] = given[p->operands[k]];
    }
    return evaluate(p, objects, operands, arguments);
}

/* What a plan of this pattern gives. NULL without an exception: there is none that holds, or
 * (*is_known) the function runs as it is. */
static PyObject *try_plans(fused *f, const unsigned char *pattern, int length,
                           const tn_operand *operands, PyObject *arguments, bool *is_known) {
    for (int k = 0; k < f->count; k++) {
        const plan *p = f->plans[k];
        if (p->length != length || memcmp(p->pattern, pattern, (size_t)length)) continue;
        *is_known = true;
        if (!p->capsule) return NULL;
        plan own = *p; /* clear_cache() may run meanwhile */
        Py_INCREF(own.capsule);
        Py_XINCREF(own.prepare);
        bool declines = false;
        PyObject *result = run(&own, operands, arguments, &declines);
        Py_XDECREF(own.prepare);
        Py_DECREF(own.capsule);
        if (result || PyErr_Occurred() || !declines) return result;
        *is_known = false;
    }
    return NULL;
}

static PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords) {
    fused *f = (fused *)self;
    unsigned char pattern[PATTERN_BYTES];
    tn_operand operands[MOST_ARGUMENTS];
    if (!f->function)
        return PyErr_Format(PyExc_TypeError, "the fused function was not initialised");
    if (keywords && PyDict_Size(keywords))
        return PyObject_CallMethod(self, "_call_named", "OO", arguments, keywords);
    int length = write_pattern(pattern, operands, arguments);
    bool is_known = false;
    PyObject *result = try_plans(f, pattern, length, operands, arguments, &is_known);
    if (result || PyErr_Occurred()) return result;
    return is_known ? PyObject_Call(f->function, arguments, NULL)
                    : PyObject_CallMethod(self, "_trace", "O", arguments);
}

/* --- The type --- */

static void free_plan(plan *p) {
    Py_XDECREF(p->capsule);
    Py_XDECREF(p->prepare);
    PyMem_Free(p);
}

static int clear(PyObject *self) {
    fused *f = (fused *)self;
    plan **plans = f->plans;
    int count = f->count;
    f->plans = NULL;
    f->count = 0;
    for (int k = 0; k < count; k++)
        free_plan(plans[k]);
    PyMem_Free(plans);
    Py_CLEAR(f->function);
    return 0;
}

static PyObject *clear_cache(PyObject *self, PyObject *unused) {
    PyObject *function = Py_XNewRef(((fused *)self)->function);
    (void)unused;
    clear(self);
    ((fused *)self)->function = function;
    Py_RETURN_NONE;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    fused *f = (fused *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(f->function);
    for (int k = 0; k < f->count; k++)
        Py_VISIT(f->plans[k]->prepare);
    return 0;
}

static void dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_object(self);
    Py_DECREF(type);
}

static int init(PyObject *self, PyObject *arguments, PyObject *keywords) {
    PyObject *function;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "O:_Fused", &function)) return -1;
    Py_XDECREF(((fused *)self)->function);
    ((fused *)self)->function = Py_NewRef(function);
    return 0;
}

static int read_numbers(PyObject *tuple, int most, int *count, unsigned char *numbers) {
    Py_ssize_t size = PyTuple_Size(tuple);
    if (size < 0 || size > most) return -1;
    for (Py_ssize_t k = 0; k < size; k++) {
        long number = PyLong_AsLong(PyTuple_GetItem(tuple, k));
        if (number == -1 && PyErr_Occurred()) return -1;
        numbers[k] = (unsigned char)number;
    }
    *count = (int)size;
    return 0;
}

static int add_plan(fused *f, plan *made) {
    plan **plans = PyMem_Realloc(f->plans, ((size_t)f->count + 1) * sizeof *plans);
    if (!plans) return -1;
    f->plans = plans;
    plans[f->count++] = made;
    return 0;
}

/* _add(arguments, expression or None, prepare or None, operands, results, is_tuple): the plan of
 * these arguments' pattern. Whether they have one. */
static PyObject *add(PyObject *self, PyObject *parameters) {
    PyObject *arguments, *capsule, *prepare, *operands, *results;
    tn_operand given[MOST_ARGUMENTS];
    int is_tuple;
    if (!PyArg_ParseTuple(parameters, "O!OOO!O!p:_add", &PyTuple_Type, &arguments, &capsule,
                          &prepare, &PyTuple_Type, &operands, &PyTuple_Type, &results, &is_tuple))
        return NULL;
    plan *made = PyMem_Calloc(1, sizeof *made);
    if (!made) return PyErr_NoMemory();
    made->length = write_pattern(made->pattern, given, arguments);
    made->is_tuple = is_tuple;
    if (capsule != Py_None) {
        made->expression = expression_of(capsule);
        made->capsule = Py_NewRef(capsule);
    }
    if (prepare != Py_None) made->prepare = Py_NewRef(prepare);
    if (PyErr_Occurred() ||
        read_numbers(operands, TN_EXPRESSION_OPERANDS, &made->operand_count, made->operands) ||
        read_numbers(results, TN_EXPRESSION_OUTPUTS, &made->result_count, made->results)) {
        free_plan(made);
        if (PyErr_Occurred()) return NULL;
        Py_RETURN_FALSE;
    }
    if (made->length < 0) {
        free_plan(made);
        Py_RETURN_FALSE;
    }
    if (add_plan((fused *)self, made)) {
        free_plan(made);
        return PyErr_NoMemory();
    }
    Py_RETURN_TRUE;
}

int ext_expression_init(PyObject *module) {
    static PyMethodDef methods[] = {
        {"_add", add, METH_VARARGS, NULL},
        {"clear_cache", clear_cache, METH_NOARGS, "Forgets what was traced; the next call traces."},
        {NULL, NULL, 0, NULL},
    };
    PyType_Slot slots[] = {
        {Py_tp_call, (void *)call},
        {Py_tp_init, (void *)init},
        {Py_tp_traverse, (void *)traverse},
        {Py_tp_clear, (void *)clear},
        {Py_tp_dealloc, (void *)dealloc},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    PyType_Spec spec = {"tenorite.Fused", sizeof(fused), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    return ext_add_type(module, &spec, NULL) ? 0 : -1;
}
