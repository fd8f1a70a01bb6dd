/* Ufunc objects: one for each operation of the table that NumPy offers as a ufunc. Calling one
 * reads inputs, outputs and options and makes one call of tn_elementwise(). */
#include "ufunc/ufunc.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/trace.h"
#include "documents.h"
#include "exchange/foreign.h"
#include "ufunc/ufunc_methods.h"
#include "values/convert.h"
#include "values/operands.h"
#include "values/override.h"
#include "values/signature.h"
#include "values/take_over.h"
#include "values/ufunc_object.h"

#include <string.h>

static PyTypeObject *ufunc_type;

/* --- Options --- */

typedef struct options {
    tn_elementwise_options call;
    tn_array *owned_where;
    PyObject *out, *where; /* as given, or NULL */
    bool subok, has_out, has_signature;
} options;

static int read_option(options *o, PyObject *name, PyObject *value, const char *function) {
    static const char *const names[] = {"out",   "where", "dtype",     "casting", "order",
                                        "subok", "sig",   "signature", NULL};
    int at = 0;
    while (names[at] && PyUnicode_CompareWithASCIIString(name, names[at]))
        at++;
    switch (at) {
    case 0:
        o->out = ext_is_no_out(value) ? NULL : value;
        o->has_out = true;
        return 0;
    case 1: o->where = value; return 0;
    case 2: return ext_dtype(value, &o->call.dtype);
    case 3: return ext_casting(value, &o->call.casting, TN_CASTING_SAME_KIND);
    case 4: return ext_order(value, &o->call.order, TN_ORDER_K);
    case 5:
        if (!PyBool_Check(value)) {
            PyErr_SetString(PyExc_TypeError, "'subok' must be a boolean");
            return -1;
        }
        o->subok = value == Py_True;
        return 0;
    case 6:
    case 7: o->has_signature = true; return 0;
    default:
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function,
                     name);
        return -1;
    }
}

static int read_options(options *o, PyObject *keywords, const char *function) {
    static const tn_elementwise_options defaults = TN_ELEMENTWISE_DEFAULTS;
    *o = (options){.call = defaults, .subok = true};
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (keywords && PyDict_Next(keywords, &at, &name, &value))
        if (read_option(o, name, value, function)) return -1;
    return 0;
}

/* --- Outputs --- */

static int set_output(PyObject *object, int k, PyObject **objects, tn_array **outputs) {
    if (object == Py_None) return 0;
    if (!ext_is_array(object)) {
        PyErr_SetString(PyExc_TypeError, object == Py_Ellipsis
                                             ? "out=... is only allowed as a keyword argument."
                                             : "return arrays must be of ArrayType");
        return -1;
    }
    objects[k] = object;
    outputs[k] = ext_array(object);
    return 0;
}

static int read_outputs(const options *o, PyObject *arguments, int inputs, int count,
                        PyObject **objects, tn_array **outputs) {
    int positional = (int)PyTuple_Size(arguments) - inputs;
    for (int k = 0; k < count; k++) {
        objects[k] = NULL;
        outputs[k] = NULL;
    }
    for (int k = 0; k < positional; k++)
        if (set_output(PyTuple_GetItem(arguments, inputs + k), k, objects, outputs)) return -1;
    if (!o->out) return 0;
    if (positional > 0) {
        PyErr_Format(PyExc_TypeError,
                     "cannot specify 'out' as both a positional and keyword argument");
        return -1;
    }
    if (!PyTuple_Check(o->out)) {
        if (count > 1) {
            PyErr_Format(PyExc_TypeError, "'out' must be a tuple of arrays");
            return -1;
        }
        return set_output(o->out, 0, objects, outputs);
    }
    if (PyTuple_Size(o->out) != count) {
        PyErr_Format(PyExc_ValueError,
                     "The 'out' tuple must have exactly one entry per ufunc output");
        return -1;
    }
    for (int k = 0; k < count; k++)
        if (set_output(PyTuple_GetItem(o->out, k), k, objects, outputs)) return -1;
    return 0;
}

/* The ComplexWarning of conversions to and from the loop; casting="unsafe" alone allows them. */
static int warn(const options *o, tn_op op, const tn_operand *operands, tn_array *const *out) {
    tn_dtype loop[TN_MAX_OPERANDS];
    int inputs = tn_op_inputs(op), outputs = tn_op_outputs(op), failed = 0;
    if (o->call.casting != TN_CASTING_UNSAFE ||
        tn_op_resolve(loop, op, operands, o->call.dtype, o->call.casting) != TN_OK)
        return 0; /* the call itself tells a failure */
    tn_dtype from[TN_MAX_OPERANDS], to[TN_MAX_OPERANDS];
    for (int k = 0; k < inputs + outputs; k++) {
        const tn_array *array = k < inputs ? operands[k].array : out[k - inputs];
        tn_dtype own = array ? tn_array_dtype(array) : loop[k];
        from[k] = k < inputs ? own : loop[k];
        to[k] = k < inputs ? loop[k] : own;
    }
    for (int k = 0; k < inputs + outputs && !failed; k++)
        failed = ext_warn_complex(from[k], to[k]);
    return failed;
}

/* Whether an output or a mask is another object than an ndarray, which may take the call. */
static bool has_other_outputs(const options *o, PyObject *arguments, int inputs) {
    bool found = o->where && o->where != Py_True && Py_TYPE(o->where) != ext_ndarray_type;
    PyObject *outputs = o->out && PyTuple_Check(o->out) ? o->out : arguments;
    found |= o->out && outputs != o->out && Py_TYPE(o->out) != ext_ndarray_type;
    for (Py_ssize_t k = outputs == arguments ? inputs : 0; k < PyTuple_Size(outputs); k++) {
        PyObject *output = PyTuple_GetItem(outputs, k);
        found |= output != Py_None && Py_TYPE(output) != ext_ndarray_type;
    }
    return found;
}

static PyObject *wrap_output(PyObject *given, tn_array *made, PyObject *like) {
    if (!given) return like ? ext_wrap_like(made, like) : ext_wrap(made);
    Py_INCREF(given);
    return given;
}

static PyObject *wrap_outputs(int count, PyObject *const *given, tn_array *const *made,
                              PyObject *like) {
    if (count == 1) return wrap_output(given[0], made[0], like);
    PyObject *tuple = PyTuple_New(count);
    for (int k = 0; k < count; k++) {
        PyObject *one = tuple ? wrap_output(given[k], made[k], like) : NULL;
        if (one) {
            PyTuple_SetItem(tuple, k, one);
            continue;
        }
        if (!tuple && !given[k]) tn_array_release(made[k]);
        Py_CLEAR(tuple);
    }
    return tuple;
}

/* What a mask leaves out keeps no value where there is no output. */
static int warn_of_mask(const options *o, int outputs, PyObject *const *objects) {
    bool has_output = o->has_out;
    for (int k = 0; k < outputs; k++)
        has_output |= objects[k] != NULL;
    if (!o->where || o->where == Py_True || has_output) return 0;
    return PyErr_WarnEx(PyExc_UserWarning,
                        "'where' used without 'out', expect uninitialized memory in output. If "
                        "this is intentional, use out=None.",
                        1);
}

/* --- Call --- */

static PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords);

/* The array that a refused input stands for. As in CuPy isreal and iscomplex take lists. */
static PyObject *find_stand_in(tn_op op, PyObject *object) {
    bool is_list = PyList_Check(object) || PyTuple_Check(object);
    if (!is_list || (op != TN_OP_ISREAL && op != TN_OP_ISCOMPLEX))
        return ext_stand_in(object, false);
    PyErr_Clear();
    tn_array *array = ext_convert(object, TN_DTYPE_NONE, TN_ORDER_C, TN_COPY_IF_NEEDED);
    return array ? ext_wrap(array) : NULL;
}

/* The call with an input that was refused replaced by the array that it may stand for. */
static PyObject *call_with_stand_in(PyObject *self, PyObject *arguments, PyObject *keywords,
                                    Py_ssize_t at) {
    PyObject *stand_in = find_stand_in(ext_ufunc_op(self), PyTuple_GetItem(arguments, at));
    PyObject *result = NULL, *inputs[TN_MAX_OPERANDS];
    const int count = tn_op_inputs(ext_ufunc_op(self));
    for (int k = 0; k < count; k++)
        inputs[k] = PyTuple_GetItem(arguments, k);
    if (!stand_in && PyErr_ExceptionMatches(PyExc_TypeError) && ext_are_stored(inputs, count)) {
        PyErr_Clear();
        return ext_take_over_call("ufunc.__call__", self, arguments, keywords);
    }
    PyObject *replaced = stand_in ? PyTuple_New(PyTuple_Size(arguments)) : NULL;
    for (Py_ssize_t k = 0; replaced && k < PyTuple_Size(arguments); k++) {
        PyObject *item = k == at ? stand_in : PyTuple_GetItem(arguments, k);
        Py_INCREF(item);
        PyTuple_SetItem(replaced, k, item);
    }
    if (replaced) result = call(self, replaced, keywords);
    Py_XDECREF(replaced);
    Py_XDECREF(stand_in);
    return result;
}

/* An operand that we do not take may take the call, or stand for an array that we take. */
static PyObject *refuse(PyObject *self, PyObject *arguments, PyObject *keywords, Py_ssize_t at) {
    ext_error error = ext_error_take();
    PyObject *result = ext_override(self, "__call__", arguments, keywords);
    bool is_left = !result && !PyErr_Occurred();
    ext_error_settle(error, !is_left);
    return is_left ? call_with_stand_in(self, arguments, keywords, at) : result;
}

static const char *input_name(int inputs, int k) {
    static const char *const names[] = {"x1", "x2", "x3", "x4"};
    return inputs == 1 ? "x" : names[k];
}

static PyObject *call_untraced(PyObject *self, PyObject *arguments, PyObject *keywords) {
    tn_op op = ext_ufunc_op(self);
    int inputs = tn_op_inputs(op), outputs = tn_op_outputs(op);
    const char *function = tn_op_name(op);
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count < inputs || count > inputs + outputs)
        return PyErr_Format(PyExc_TypeError,
                            "%s() takes from %d to %d positional arguments but %zd %s given",
                            function, inputs, inputs + outputs, count, count == 1 ? "was" : "were");
    tn_operand operands[TN_MAX_OPERANDS];
    PyObject *like = NULL, *given[TN_MAX_OPERANDS], *objects[TN_MAX_OPERANDS], *result = NULL;
    tn_array *made[TN_MAX_OPERANDS];
    bool is_stored = false;
    bool is_plain = !keywords; /* nothing between here and the operation runs Python */
    for (int k = 0; k < inputs; k++) {
        PyObject *input = given[k] = PyTuple_GetItem(arguments, k);
        if (ext_operand_of(input, &operands[k], function, input_name(inputs, k)))
            return refuse(self, arguments, keywords, k);
        is_stored |= operands[k].array && tn_dtype_is_stored(tn_array_dtype(operands[k].array));
        if (Py_TYPE(input) == ext_ndarray_type) continue;
        is_plain = false;
        if (!operands[k].array) continue;
        like = like ? ext_dominant(like, input) : input;
        if (!like) return NULL;
    }
    options o;
    if (!like && read_options(&o, keywords, function)) goto cleanup;
    if (like || has_other_outputs(&o, arguments, inputs)) {
        result = ext_override(self, "__call__", arguments, keywords);
        if (result || PyErr_Occurred()) return result;
    }
    if (is_stored) return ext_take_over_call("ufunc.__call__", self, arguments, keywords);
    if (like && read_options(&o, keywords, function)) goto cleanup;
    if (o.has_signature) return ext_by_signature(function, arguments, keywords);
    if (o.call.casting == TN_CASTING_UNSAFE) {
        if (read_outputs(&o, arguments, inputs, outputs, objects, made)) goto cleanup;
        ext_lend_operands(inputs, given, operands);
        if (warn(&o, op, operands, made)) goto cleanup;
    }
    if ((o.where && ext_where(o.where, &o.call.where, &o.owned_where)) ||
        read_outputs(&o, arguments, inputs, outputs, objects, made) ||
        warn_of_mask(&o, outputs, objects))
        goto cleanup;
    if (!is_plain) ext_lend_operands(inputs, given, operands);
    int64_t size = 0;
    for (int k = 0; k < inputs; k++)
        if (operands[k].array && tn_array_size(operands[k].array) > size)
            size = tn_array_size(operands[k].array);
    tn_status status;
    EXT_LONG_CALL(status, size, tn_elementwise(made, op, operands, &o.call, NULL));
    if (status)
        ext_raise(status);
    else
        result = wrap_outputs(outputs, objects, made, o.subok ? like : NULL);
cleanup:
    tn_array_release(o.owned_where);
    return result;
}

static EXT_COLD PyObject *call_traced(PyObject *self, PyObject *arguments, PyObject *keywords) {
    int64_t begun = ext_trace_begin();
    PyObject *result = call_untraced(self, arguments, keywords), *objects[TN_MAX_OPERANDS];
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count > TN_MAX_OPERANDS) count = TN_MAX_OPERANDS;
    for (Py_ssize_t k = 0; k < count; k++)
        objects[k] = PyTuple_GetItem(arguments, k);
    ext_trace_end(begun, tn_op_name(ext_ufunc_op(self)), objects, count, result);
    return result;
}

static PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords) {
    return ext_is_traced() ? call_traced(self, arguments, keywords)
                           : call_untraced(self, arguments, keywords);
}

/* --- Attributes --- */

static PyObject *get_number(PyObject *self, void *closure) {
    tn_op op = ext_ufunc_op(self);
    int inputs = tn_op_inputs(op), outputs = tn_op_outputs(op);
    switch ((intptr_t)closure) {
    case 0: return PyLong_FromLong(inputs);
    case 1: return PyLong_FromLong(outputs);
    default: return PyLong_FromLong(inputs + outputs);
    }
}

static PyObject *get_types(PyObject *self, void *as_count) {
    PyObject *types = PyList_New(0);
    const char *text;
    for (int k = 0; types && (text = tn_op_types(ext_ufunc_op(self), k)); k++) {
        PyObject *one = PyUnicode_FromString(text);
        if (!one || PyList_Append(types, one)) Py_CLEAR(types);
        Py_XDECREF(one);
    }
    if (!types || !as_count) return types;
    PyObject *count = PyLong_FromSsize_t(PyList_Size(types));
    Py_DECREF(types);
    return count;
}

static PyObject *get_identity(PyObject *self, void *closure) {
    (void)closure;
    tn_scalar identity;
    if (!tn_op_identity(ext_ufunc_op(self), &identity)) Py_RETURN_NONE;
    return ext_scalar_object(&identity);
}

static PyObject *get_none(PyObject *self, void *closure) {
    (void)self;
    (void)closure;
    Py_RETURN_NONE;
}

static PyObject *get_name(PyObject *self, void *closure) {
    (void)closure;
    return PyUnicode_FromString(tn_op_name(ext_ufunc_op(self)));
}

/* The formula and the example of each ufunc. */
#define ROW(name, formula, example) [TN_OP_##name] = {formula, example},
static const struct {
    const char *formula, *example;
} documents[TN_OP_COUNT] = {UFUNC_DOCUMENTS(ROW)};
#undef ROW

static PyObject *get_doc(PyObject *self, void *closure) {
    (void)closure;
    tn_op op = ext_ufunc_op(self);
    static const char *const operands[] = {"x", "x1, x2", "x1, x2, x3", "x1, x2, x3, x4"};
    const char *names = operands[tn_op_inputs(op) - 1];
    bool one = tn_op_outputs(op) == 1;
    return PyUnicode_FromFormat(DOC_UFUNC, tn_op_name(op), names,
                                one ? "out=None" : "out=(None, None)", tn_op_doc(op),
                                documents[op].formula, names,
                                one ? "ndarray" : "tuple of two ndarrays", documents[op].example);
}

static PyObject *represent(PyObject *self) {
    return PyUnicode_FromFormat("<ufunc '%s'>", tn_op_name(ext_ufunc_op(self)));
}

/* A string: pickle then stores the object by its global name, tenorite.NAME. */
static PyObject *reduce_pickle(PyObject *self, PyObject *unused) {
    (void)unused;
    return get_name(self, NULL);
}

static PyGetSetDef attributes[] = {
    {"nin", get_number, NULL, "Number of inputs.", (void *)0},
    {"nout", get_number, NULL, "Number of outputs.", (void *)1},
    {"nargs", get_number, NULL, "Number of inputs and outputs.", (void *)2},
    {"types", get_types, NULL, "The loops, as NumPy's type characters ('ff->f').", NULL},
    {"ntypes", get_types, NULL, "Number of loops.", (void *)1},
    {"identity", get_identity, NULL, "The value of an empty reduction, or None.", NULL},
    {"signature", get_none, NULL, "None: element by element.", NULL},
    {"__name__", get_name, NULL, NULL, NULL},
    {"__qualname__", get_name, NULL, NULL, NULL},
    {"name", get_name, NULL, "The name.", NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- The type and its objects --- */

/* What NumPy offers as a function, and what such functions need, gets a name like _where: the
 * package makes the function of it. */
static int add_ufunc(PyObject *module, tn_op op) {
    char name[64];
    PyObject *made = ext_ufunc_new(ufunc_type, op);
    if (!made) return -1;
    PyOS_snprintf(name, sizeof name, "%s%s", tn_op_is_ufunc(op) ? "" : "_", tn_op_name(op));
    int failed = PyModule_AddObjectRef(module, name, made);
    Py_DECREF(made);
    return failed;
}

static void dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

int ext_ufunc_init(PyObject *module) {
    static PyMethodDef methods[16];
    int count = 0;
    for (PyMethodDef *m = ext_ufunc_methods; m->ml_name; m++)
        methods[count++] = *m;
    methods[count++] = (PyMethodDef){"__reduce__", reduce_pickle, METH_NOARGS, NULL};
    PyType_Slot slots[] = {
        {Py_tp_call, (void *)call},      {Py_tp_getset, attributes},       {Py_tp_methods, methods},
        {Py_tp_repr, (void *)represent}, {Py_tp_dealloc, (void *)dealloc}, {0, NULL},
    };
    PyType_Spec spec = {"tenorite.ufunc", sizeof(ext_ufunc), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    ufunc_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!ufunc_type || PyModule_AddObjectRef(module, "ufunc", (PyObject *)ufunc_type)) return -1;
    for (int op = 0; op < TN_OP_COUNT; op++)
        if (add_ufunc(module, op)) return -1;
    return 0;
}
