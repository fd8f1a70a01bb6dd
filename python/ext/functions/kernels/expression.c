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
#include "values/kinds.h"

#include <string.h>

EXT_CAPSULE_KINDS(expression, tn_expression, tn_expression_release)

/* --- Building --- */

EXT_FORWARD(expression_new, tn_expression_new(&call->made), EXT_SHORT, (made_expression, made))

/* A scalar; anything else is a TypeError. */
static tn_status read_scalar(PyObject *object, tn_scalar *scalar) {
    int is_scalar = ext_scalar(object, scalar);
    if (is_scalar == 0)
        PyErr_Format(PyExc_TypeError, "Unsupported type %R", (PyObject *)Py_TYPE(object));
    return is_scalar > 0 ? TN_OK : TN_ERROR_CALLBACK;
}

/* An array, or a scalar of that kind. */
EXT_CALL(expression_operand, EXT_SHORT, (expression, expression), (object, operand),
         (made_number, value)) {
    tn_scalar scalar;
    if (ext_is_array(call->operand))
        return tn_expression_input(&call->value, call->expression,
                                   tn_array_dtype(ext_array(call->operand)));
    tn_status status = read_scalar(call->operand, &scalar);
    return status
               ? status
               : tn_expression_parameter(&call->value, call->expression, scalar.dtype, scalar.weak);
}

EXT_CALL(expression_constant, EXT_SHORT, (expression, expression), (object, scalar),
         (made_number, value)) {
    tn_scalar scalar;
    tn_status status = read_scalar(call->scalar, &scalar);
    return status ? status : tn_expression_constant(&call->value, call->expression, scalar);
}

/* A tuple of values. */
EXT_CALL(expression_apply, EXT_SHORT, (expression, expression), (ufunc, op), (tuple, values),
         (dtype, dtype), (casting, casting), (made_object, made)) {
    int inputs[TN_MAX_OPERANDS], made[TN_MAX_OPERANDS];
    const int wanted = tn_op_inputs(call->op);
    if (PyTuple_Size(call->values) != wanted)
        PyErr_Format(PyExc_TypeError, "%s() takes %d values", tn_op_name(call->op), wanted);
    for (int k = 0; !PyErr_Occurred() && k < wanted; k++)
        inputs[k] = (int)PyLong_AsLong(PyTuple_GetItem(call->values, k));
    if (PyErr_Occurred()) return TN_ERROR_CALLBACK;
    tn_status status =
        tn_expression_apply(made, call->expression, call->op, inputs, call->dtype, call->casting);
    if (status) return status;
    call->made = PyTuple_New(tn_op_outputs(call->op));
    for (int k = 0; call->made && k < tn_op_outputs(call->op); k++)
        PyTuple_SetItem(call->made, k, PyLong_FromLong(made[k]));
    return TN_OK;
}

EXT_FORWARD(expression_cast,
            tn_expression_cast(&call->value, call->expression, call->from, call->dtype,
                               call->casting),
            EXT_SHORT, (expression, expression), (number, from), (dtype, dtype), (casting, casting),
            (made_number, value))

EXT_CALL(expression_reduce, EXT_SHORT, (expression, expression), (text, name), (number, from),
         (axes, axes), (dtype, dtype), (truth, keepdims), (real, correction),
         (made_number, value)) {
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    int reduction = 0;
    while (reduction < TN_REDUCE_COUNT &&
           strcmp(tn_reduction_name((tn_reduction)reduction), call->name))
        reduction++;
    options.axis_count = call->axes.count;
    options.axes = call->axes.at;
    options.dtype = call->dtype;
    options.keepdims = call->keepdims;
    options.correction = call->correction;
    return tn_expression_reduce(&call->value, call->expression, (tn_reduction)reduction, call->from,
                                &options);
}

EXT_FORWARD(expression_store,
            tn_expression_store(&call->value, call->expression, call->to, call->from,
                                call->casting),
            EXT_SHORT, (expression, expression), (number, to), (number, from), (casting, casting),
            (made_number, value))
EXT_FORWARD(expression_hold, tn_expression_hold(&call->value, call->expression, call->from),
            EXT_SHORT, (expression, expression), (number, from), (made_number, value))
EXT_FORWARD(expression_assign,
            tn_expression_assign(&call->value, call->expression, call->to, call->from,
                                 call->casting, call->takes),
            EXT_SHORT, (expression, expression), (number, to), (number, from), (casting, casting),
            (truth, takes), (made_number, value))
EXT_FORWARD(expression_output, tn_expression_output(call->expression, call->value), EXT_SHORT,
            (expression, expression), (number, value))

/* --- Views --- */

/* An end of a slice; 0: it is not given. */
static int read_bound(PyObject *given, int64_t *bound) {
    if (given == Py_None) return 0;
    *bound = PyLong_AsLongLong(given);
    return *bound == -1 && PyErr_Occurred() ? -1 : 1;
}

/* An integer, None, Ellipsis, or a tuple (start, stop, step). */
static int read_item(tn_index *item, PyObject *given) {
    *item = (tn_index){.kind = TN_INDEX_SLICE, .step = 1};
    if (given == Py_None || given == Py_Ellipsis) {
        item->kind = given == Py_None ? TN_INDEX_NEWAXIS : TN_INDEX_ELLIPSIS;
    } else if (PyTuple_Check(given)) {
        int has_start = read_bound(PyTuple_GetItem(given, 0), &item->start);
        int has_stop = read_bound(PyTuple_GetItem(given, 1), &item->stop);
        item->has_start = has_start > 0;
        item->has_stop = has_stop > 0;
        if (has_start < 0 || has_stop < 0) return -1;
        return read_bound(PyTuple_GetItem(given, 2), &item->step) < 0 ? -1 : 0;
    } else {
        item->kind = TN_INDEX_INTEGER;
        return read_bound(given, &item->start) < 0 ? -1 : 0;
    }
    return 0;
}

EXT_CALL(expression_slice, EXT_SHORT, (expression, expression), (number, from), (tuple, key),
         (made_number, value)) {
    tn_index items[2 * TN_MAX_NDIM];
    const Py_ssize_t count = PyTuple_Size(call->key);
    if (count > 2 * TN_MAX_NDIM) PyErr_SetString(PyExc_IndexError, "too many indices for array");
    for (Py_ssize_t k = 0; k < count && !PyErr_Occurred(); k++)
        read_item(&items[k], PyTuple_GetItem(call->key, k));
    if (PyErr_Occurred()) return TN_ERROR_CALLBACK;
    return tn_expression_slice(&call->value, call->expression, call->from, (int)count, items);
}

EXT_FORWARD(expression_transpose,
            tn_expression_transpose(&call->value, call->expression, call->from, call->axes.count,
                                    call->axes.count < 0 ? NULL : call->axes.at),
            EXT_SHORT, (expression, expression), (number, from), (axes, axes), (made_number, value))
EXT_FORWARD(expression_squeeze,
            tn_expression_squeeze(&call->value, call->expression, call->from, call->axes.count,
                                  call->axes.at),
            EXT_SHORT, (expression, expression), (number, from), (axes, axes), (made_number, value))
EXT_FORWARD(expression_reshape,
            tn_expression_reshape(&call->value, call->expression, call->from, call->shape.count,
                                  call->shape.at),
            EXT_SHORT, (expression, expression), (number, from), (shape, shape),
            (made_number, value))
EXT_FORWARD(expression_broadcast,
            tn_expression_broadcast_to(&call->value, call->expression, call->from,
                                       call->shape.count, call->shape.at),
            EXT_SHORT, (expression, expression), (number, from), (shape, shape),
            (made_number, value))
EXT_FORWARD(expression_part,
            tn_expression_part(&call->value, call->expression, call->from, call->is_imaginary),
            EXT_SHORT, (expression, expression), (number, from), (truth, is_imaginary),
            (made_number, value))

/* --- Looking --- */

EXT_CALL(expression_dtype, EXT_SHORT, (expression, expression), (number, value),
         (made_object, dtype)) {
    call->dtype = Py_XNewRef(ext_dtype_object(tn_expression_dtype(call->expression, call->value)));
    return TN_OK;
}

/* --- Explaining --- */

static PyObject *explained_cost(tn_explained_cost cost) {
    return Py_BuildValue("(iLL)", cost.launches, (long long)cost.bytes_read,
                         (long long)cost.bytes_written);
}

/* (form, shape, ((operation, dtype), ...), launches, bytes read, bytes written, registers, why) */
static PyObject *explained_group(const tn_explained_group *group) {
    PyObject *shape = PyTuple_New(group->ndim), *operations = PyTuple_New(group->operation_count);
    for (int k = 0; shape && k < group->ndim; k++)
        PyTuple_SetItem(shape, k, PyLong_FromLongLong(group->shape[k]));
    for (int k = 0; operations && k < group->operation_count; k++)
        PyTuple_SetItem(operations, k,
                        Py_BuildValue("(sO)", group->operations[k].name,
                                      ext_dtype_object(group->operations[k].dtype)));
    if (shape && operations && !PyErr_Occurred())
        return Py_BuildValue("(sNNiLLis)", tn_group_form_name(group->form), shape, operations,
                             group->launches, (long long)group->bytes_read,
                             (long long)group->bytes_written, group->registers, group->why);
    Py_XDECREF(shape);
    Py_XDECREF(operations);
    return NULL;
}

static PyObject *explained(const tn_explanation *explanation) {
    int count = tn_explanation_group_count(explanation);
    PyObject *groups = PyTuple_New(count);
    for (int k = 0; groups && k < count; k++) {
        PyObject *group = explained_group(tn_explanation_group(explanation, k));
        if (group)
            PyTuple_SetItem(groups, k, group);
        else
            Py_CLEAR(groups);
    }
    if (!groups) return NULL;
    return Py_BuildValue("(NNNs)", groups, explained_cost(tn_explanation_cost(explanation)),
                         explained_cost(tn_explanation_unfused_cost(explanation)),
                         tn_explanation_text(explanation));
}

/* (groups, cost, unfused cost, text) of an evaluation with a tuple of operands. */
EXT_CALL(expression_explain, EXT_SHORT, (expression, expression), (tuple, operands),
         (made_object, made)) {
    tn_operand operands[TN_EXPRESSION_OPERANDS];
    tn_explanation *explanation;
    tn_status status = TN_OK;
    int count = tn_expression_operand_count(call->expression);
    if (PyTuple_Size(call->operands) != count)
        return PyErr_Format(PyExc_TypeError, "%d operands are needed", count), TN_ERROR_CALLBACK;
    for (int k = 0; k < count && !status; k++) {
        operands[k].array = NULL;
        if (!ext_is_array(PyTuple_GetItem(call->operands, k)))
            status = read_scalar(PyTuple_GetItem(call->operands, k), &operands[k].scalar);
    }
    if (status) return status;
    for (int k = 0; k < count; k++) /* no Python runs any more */
        if (ext_is_array(PyTuple_GetItem(call->operands, k)))
            operands[k].array = ext_array(PyTuple_GetItem(call->operands, k));
    EXT_LONG_CALL(status, INT64_MAX,
                  tn_expression_explain(&explanation, call->expression, operands, NULL));
    if (status) return status;
    call->made = explained(explanation);
    tn_explanation_release(explanation);
    return call->made ? TN_OK : TN_ERROR_CALLBACK;
}

static PyObject *prepare_operands(PyObject *prepare, PyObject *arguments);

EXT_CALL(expression_prepare, EXT_SHORT, (tuple, prepare), (tuple, arguments), (made_object, made)) {
    call->made = prepare_operands(call->prepare, call->arguments);
    return call->made ? TN_OK : TN_ERROR_CALLBACK;
}

PyMethodDef ext_expression_functions[] = {
    EXT_ENTRY(expression_new),     EXT_ENTRY(expression_operand), EXT_ENTRY(expression_constant),
    EXT_ENTRY(expression_apply),   EXT_ENTRY(expression_cast),    EXT_ENTRY(expression_reduce),
    EXT_ENTRY(expression_hold),    EXT_ENTRY(expression_store),   EXT_ENTRY(expression_assign),
    EXT_ENTRY(expression_output),  EXT_ENTRY(expression_slice),   EXT_ENTRY(expression_transpose),
    EXT_ENTRY(expression_squeeze), EXT_ENTRY(expression_reshape), EXT_ENTRY(expression_broadcast),
    EXT_ENTRY(expression_part),    EXT_ENTRY(expression_dtype),   EXT_ENTRY(expression_explain),
    EXT_ENTRY(expression_prepare), {NULL, NULL, 0, NULL}};

/* --- Calling --- */

enum { MOST_ARGUMENTS = 64, PATTERN_BYTES = 3 * MOST_ARGUMENTS };
enum { RESULT_NONE = 255, RESULT_ARGUMENT = 128 }; /* else the number of an output */

/* What a pattern of arguments becomes. */
typedef struct plan {
    unsigned char pattern[PATTERN_BYTES];
    int length;
    PyObject *capsule; /* NULL: it runs unfused */
    PyObject *prepare; /* NULL, or what makes the operands of the arguments (prepare_operands) */
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
    for (Py_ssize_t k = 0; k < PyTuple_Size(arguments); k++) { /* a view of an argument */
        PyObject *argument = PyTuple_GetItem(arguments, k);
        if (ext_is_array(argument) &&
            tn_array_buffer(ext_array(argument)) == tn_array_buffer(outputs[code]))
            return ext_wrap_view(tn_array_retain(outputs[code]), argument);
    }
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
           status == TN_ERROR_CASTING || status == TN_ERROR_AXIS || status == TN_ERROR_INDEX ||
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

/* --- Arithmetic on scalars, before a call --- */

/* A step is (function, ((place, constant), ...), expected): it calls Python with values that are
 * there, or (place below 0) constants. */
static PyObject *run_step(PyObject *step, PyObject *values) {
    PyObject *operands = PyTuple_GetItem(step, 1);
    Py_ssize_t count = PyTuple_Size(operands);
    PyObject *given = PyTuple_New(count), *made;
    for (Py_ssize_t k = 0; given && k < count; k++) {
        PyObject *operand = PyTuple_GetItem(operands, k);
        long place = PyLong_AsLong(PyTuple_GetItem(operand, 0));
        PyObject *value =
            place < 0 ? PyTuple_GetItem(operand, 1) : PyList_GetItem(values, (Py_ssize_t)place);
        PyTuple_SetItem(given, k, Py_XNewRef(value));
    }
    made = given ? PyObject_Call(PyTuple_GetItem(step, 0), given, NULL) : NULL;
    Py_XDECREF(given);
    return made;
}

/* Whether two answers are one: -0.0 is not 0.0, and NaN is NaN. -1: an exception. */
static int is_same_answer(PyObject *made, PyObject *expected) {
    if (made == expected) return 1;
    if (Py_TYPE(made) != Py_TYPE(expected)) return 0;
    PyObject *one = PyObject_Repr(made), *other = PyObject_Repr(expected);
    int same = one && other ? PyObject_RichCompareBool(one, other, Py_EQ) : -1;
    Py_XDECREF(one);
    Py_XDECREF(other);
    return same;
}

/* Appends what each step makes. 1: each answer is the expected one, 0: one is not; -1: an
 * exception. */
static int run_steps(PyObject *steps, PyObject *values) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(steps); k++) {
        PyObject *step = PyTuple_GetItem(steps, k), *expected = PyTuple_GetItem(step, 2);
        PyObject *made = run_step(step, values);
        int holds = made ? 1 : -1;
        if (made && expected != Py_None) holds = is_same_answer(made, PyTuple_GetItem(expected, 0));
        if (holds > 0 && PyList_Append(values, made)) holds = -1;
        Py_XDECREF(made);
        if (holds <= 0) return holds;
    }
    return 1;
}

/* The operands that (steps, places of the operands) make of arguments, as a tuple; None where an
 * answer is another one, or a step fails: then the function itself raises it. */
static PyObject *prepare_operands(PyObject *prepare, PyObject *arguments) {
    PyObject *places = PyTuple_GetItem(prepare, 1), *values = PySequence_List(arguments);
    if (!values) return NULL;
    int holds = run_steps(PyTuple_GetItem(prepare, 0), values);
    if (holds < 0 && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        holds = 0;
    }
    PyObject *made = holds > 0 ? PyTuple_New(PyTuple_Size(places)) : NULL;
    for (Py_ssize_t k = 0; made && k < PyTuple_Size(places); k++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GetItem(places, k));
        PyTuple_SetItem(made, k, Py_XNewRef(PyList_GetItem(values, place)));
    }
    Py_DECREF(values);
    return holds == 0 ? Py_NewRef(Py_None) : made;
}

/* The operands that the plan's steps make of the arguments; it may decline. */
static PyObject *run_prepared(const plan *p, PyObject *arguments, bool *declines) {
    PyObject *objects[TN_EXPRESSION_OPERANDS], *result = NULL;
    tn_operand operands[TN_EXPRESSION_OPERANDS];
    PyObject *made = prepare_operands(p->prepare, arguments);
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

/* The plan of these arguments' pattern; expression and prepare may be None. Whether they have
 * one. */
EXT_CALL(add, EXT_SHORT, (tuple, arguments), (object, expression), (object, prepare),
         (tuple, operands), (tuple, results), (truth, is_tuple), (made_truth, is_added)) {
    tn_operand given[MOST_ARGUMENTS];
    plan *made = PyMem_Calloc(1, sizeof *made);
    if (!made) return PyErr_NoMemory(), TN_ERROR_CALLBACK;
    made->length = write_pattern(made->pattern, given, call->arguments);
    made->is_tuple = call->is_tuple;
    if (call->expression != Py_None) {
        ext_kind_expression.read(&made->expression, call->expression, NULL);
        made->capsule = Py_NewRef(call->expression);
    }
    if (call->prepare != Py_None) made->prepare = Py_NewRef(call->prepare);
    call->is_added =
        !PyErr_Occurred() && made->length >= 0 &&
        !read_numbers(call->operands, TN_EXPRESSION_OPERANDS, &made->operand_count,
                      made->operands) &&
        !read_numbers(call->results, TN_EXPRESSION_OUTPUTS, &made->result_count, made->results);
    if (call->is_added && add_plan((fused *)call->self, made)) PyErr_NoMemory();
    if (!call->is_added || PyErr_Occurred()) free_plan(made);
    return PyErr_Occurred() ? TN_ERROR_CALLBACK : TN_OK;
}

int ext_expression_init(PyObject *module) {
    static PyMethodDef methods[] = {
        EXT_ENTRY(add),
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
