/* Kernels for the types of a call: the type under ElementwiseKernel and ReductionKernel, which
 * holds the template and is called. Names and documents are Python's (tenorite/_kernels). */
#include "functions/kernels/template.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/stored.h"
#include "base/types.h"
#include "device/stream_object.h"
#include "exchange/foreign.h"
#include "functions/kernels/kernel.h"
#include "values/kinds.h"
#include "values/operands.h"
#include "values/take_over.h"

#include <string.h>

enum { ARGUMENTS_MAX = 64 };

typedef struct holder {
    PyObject_HEAD
    tn_template *kernel;
    bool is_reduction, returns_tuple, returns_nothing;
} holder;

static PyTypeObject *holder_type;
static PyObject *override_name;

/* --- The arguments of a call --- */

typedef struct reading {
    holder *self;
    tn_template_call call;
    tn_operand operands[ARGUMENTS_MAX];
    PyObject *objects[ARGUMENTS_MAX]; /* borrowed */
    tn_array *owned[ARGUMENTS_MAX];   /* of objects that stand for an array; NULL: none */
    PyObject *bytes[ARGUMENTS_MAX];   /* of structures and dates of NumPy's; NULL: none */
    int axes[TN_MAX_NDIM];
    bool is_plain; /* no reading of arguments ran Python */
} reading;

static void drop(reading *r) {
    for (int k = 0; k < r->call.count; k++) {
        tn_array_release(r->owned[k]);
        Py_XDECREF(r->bytes[k]);
    }
}

/* A texture, which is its handle: a number. False: the object is none. */
static bool read_texture(tn_operand *operand, PyObject *object) {
    PyErr_Clear(); /* the refusal as a number */
    PyObject *handle = PyObject_GetAttrString(object, "_kernel_handle");
    bool is_read = handle && ext_operand(handle, operand) == 0;
    Py_XDECREF(handle);
    PyErr_Clear();
    return is_read;
}

/* A structure, a date or the like of NumPy's, whose bytes (new reference) are the value; NULL: the
 * object is none, and the exception stays, or another is set. */
static PyObject *read_stored(tn_operand *operand, PyObject *object) {
    if (ext_names_stored(object) <= 0) return NULL;
    ext_error error = ext_error_take();
    PyObject *given = PyObject_GetAttrString(object, "dtype");
    PyObject *ndim = given ? PyObject_GetAttrString(object, "ndim") : NULL, *native = NULL;
    PyObject *bytes = NULL;
    tn_dtype dtype;
    const bool is_one = ndim && PyLong_Check(ndim) && PyLong_AsLong(ndim) == 0;
    if (is_one && ext_stored_dtype(given, &dtype) > 0)
        native = PyObject_CallMethod(object, "astype", "O", ext_stored_object(dtype));
    if (native) bytes = PyObject_CallMethod(native, "tobytes", NULL);
    if (bytes) {
        operand->scalar = (tn_scalar){.dtype = dtype, .value.stored = PyBytes_AsString(bytes)};
        if (ext_stored_define(dtype)) Py_CLEAR(bytes);
    }
    Py_XDECREF(native);
    Py_XDECREF(ndim);
    Py_XDECREF(given);
    ext_error_settle(error, bytes || PyErr_Occurred());
    return bytes;
}

/* One operand. An object of another library may stand for an array. */
static int read_operand(reading *r, PyObject *object) {
    int k = r->call.count;
    if (k == ARGUMENTS_MAX) {
        PyErr_Format(PyExc_TypeError, "a kernel takes %d arguments at most", ARGUMENTS_MAX);
        return -1;
    }
    r->owned[k] = NULL;
    r->bytes[k] = NULL;
    r->objects[k] = object;
    r->operands[k].array = NULL;
    if (Py_TYPE(object) == ext_ndarray_type) {
        r->operands[k].array = ext_array(object);
    } else {
        r->is_plain = false;
        if (ext_operand(object, &r->operands[k]) &&
            !(r->bytes[k] = read_stored(&r->operands[k], object)) &&
            !read_texture(&r->operands[k], object)) {
            if (ext_own(object, NULL, &r->owned[k])) return -1;
            r->operands[k].array = r->owned[k];
        }
    }
    r->call.count++;
    return 0;
}

static int read_size(PyObject *value, int64_t *number, const char *name) {
    if (value == Py_None) return 0;
    if (ext_int64(value, number)) return -1;
    if (*number >= 0) return 0;
    PyErr_Format(PyExc_ValueError, "%s is %lld", name, (long long)*number);
    return -1;
}

static int read_block(reading *r, PyObject *value) {
    int64_t block = 0;
    if (ext_int64(value, &block)) return -1;
    if (block < 1 || block > 1024) {
        PyErr_Format(PyExc_ValueError, "block_size is %lld, blocks have 1 to 1024 threads",
                     (long long)block);
        return -1;
    }
    r->call.block_size = (unsigned)block;
    return 0;
}

/* out=: an array, a tuple of them, or None. */
static int read_out(reading *r, PyObject *value) {
    if (value == Py_None) return 0;
    int inputs, outputs;
    tn_template_parameters(r->self->kernel, &inputs, &outputs);
    if (r->call.count != inputs) {
        PyErr_SetString(PyExc_ValueError,
                        "cannot specify 'out' as both a positional and keyword argument");
        return -1;
    }
    if (!PyTuple_Check(value)) return read_operand(r, value);
    for (Py_ssize_t k = 0; k < PyTuple_Size(value); k++)
        if (read_operand(r, PyTuple_GetItem(value, k))) return -1;
    return 0;
}

static int read_option(reading *r, PyObject *name, PyObject *value) {
    static const char *const names[] = {"stream",   "size", "block_size", "axis",
                                        "keepdims", "out",  NULL};
    int at = 0, from = r->self->is_reduction ? 3 : 1, to = r->self->is_reduction ? 6 : 3;
    while (names[at] && PyUnicode_CompareWithASCIIString(name, names[at]))
        at++;
    r->is_plain = false;
    if (at > 0 && (at < from || at >= to)) at = 6;
    switch (at) {
    case 0: return ext_stream(value, &r->call.stream);
    case 1: return read_size(value, &r->call.size, "size");
    case 2: return read_block(r, value);
    case 3: r->call.axes = r->axes; return ext_axes(value, &r->call.axis_count, r->axes);
    case 4: return ext_bool(value, &r->call.keepdims, false);
    case 5: return read_out(r, value);
    default:
        PyErr_Format(PyExc_TypeError, "'%U' is an invalid keyword argument for this function",
                     name);
        return -1;
    }
}

/* The types of dates and structures, which are asked of Python when a kernel first wants them. */
static int define_types(reading *r) {
    for (int k = 0; k < r->call.count; k++) {
        const tn_array *array = r->owned[k];
        if (!array && ext_is_array(r->objects[k])) array = ext_array(r->objects[k]);
        if (!array || !tn_dtype_is_stored(tn_array_dtype(array))) continue;
        r->is_plain = false;
        if (ext_stored_define(tn_array_dtype(array))) return -1;
    }
    return 0;
}

/* axis= and the like are options of reductions and stand after the operands, too: (x, out, axis,
 * keepdims) is not read so, for operands may be any number. */
static int read_call(reading *r, PyObject *arguments, PyObject *keywords) {
    Py_ssize_t count = PyTuple_Size(arguments), at = 0;
    PyObject *name, *value;
    r->call = (tn_template_call){.size = -1, .axis_count = -1};
    r->call.operands = r->operands;
    r->is_plain = true;
    for (Py_ssize_t k = 0; k < count; k++)
        if (read_operand(r, PyTuple_GetItem(arguments, k))) return -1;
    while (keywords && PyDict_Next(keywords, &at, &name, &value))
        if (read_option(r, name, value)) return -1;
    if (define_types(r)) return -1;
    if (!r->is_plain)
        for (int k = 0; k < r->call.count; k++)
            if (r->operands[k].array && !r->owned[k])
                r->operands[k].array = ext_array(r->objects[k]);
    return 0;
}

/* What an argument's __cupy_override_elementwise_kernel__ makes of a call. NULL without an
 * exception if there is none. */
static PyObject *ask_others(PyObject *self, PyObject *arguments, PyObject *keywords) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(arguments); k++) {
        PyObject *object = PyTuple_GetItem(arguments, k), *method;
        if (Py_TYPE(object) == ext_ndarray_type || PyLong_CheckExact(object) ||
            PyFloat_CheckExact(object))
            continue;
        if (ext_find(object, override_name, &method)) return NULL;
        if (!method) continue;
        Py_ssize_t count = PyTuple_Size(arguments);
        PyObject *all = PyTuple_New(count + 1), *result = NULL;
        for (Py_ssize_t l = 0; all && l <= count; l++) {
            PyObject *item = l ? PyTuple_GetItem(arguments, l - 1) : self;
            Py_INCREF(item);
            PyTuple_SetItem(all, l, item);
        }
        if (all) result = PyObject_Call(method, all, keywords);
        Py_XDECREF(all);
        Py_DECREF(method);
        return result;
    }
    return NULL;
}

/* --- Calls --- */

static PyObject *wrap_one(const reading *r, int at, tn_array *made) {
    if (at >= r->call.count || r->owned[at]) return ext_wrap(made);
    tn_array_release(made);
    Py_INCREF(r->objects[at]);
    return r->objects[at];
}

/* The outputs, whose references are taken over. */
static PyObject *wrap_all(const reading *r, tn_array **made, int inputs, int outputs) {
    if (r->self->returns_nothing || outputs == 0) {
        for (int k = 0; k < outputs; k++)
            tn_array_release(made[k]);
        if (r->self->returns_nothing || !r->self->returns_tuple) Py_RETURN_NONE;
    }
    if (outputs == 1 && !r->self->returns_tuple) return wrap_one(r, inputs, made[0]);
    PyObject *result = PyTuple_New(outputs);
    for (int k = 0; k < outputs; k++) {
        PyObject *one = result ? wrap_one(r, inputs + k, made[k]) : NULL;
        if (!result) tn_array_release(made[k]);
        if (one)
            PyTuple_SetItem(result, k, one);
        else
            Py_CLEAR(result);
    }
    return result;
}

/* The exception gets the text that did not compile. */
static void report_source(const holder *self) {
    ext_error error = ext_error_take();
    const char *dtypes, *code = NULL;
    for (int k = 0; tn_template_get_code(self->kernel, k, &dtypes, &code);)
        k++;
    PyErr_NormalizeException(&error.type, &error.value, &error.traceback);
    PyObject *text = code ? PyUnicode_FromString(code) : NULL;
    PyObject *name = PyObject_GetAttrString((PyObject *)(uintptr_t)self, "name");
    if (text && error.value) PyObject_SetAttrString(error.value, "source", text);
    if (name && error.value) PyObject_SetAttrString(error.value, "name", name);
    Py_XDECREF(text);
    Py_XDECREF(name);
    PyErr_Clear();
    ext_error_put_back(error);
}

static PyObject *launch(reading *r) {
    tn_array *made[ARGUMENTS_MAX];
    int inputs, outputs;
    int64_t size = r->call.size;
    bool is_missing = false;
    tn_status status;
    tn_template_parameters(r->self->kernel, &inputs, &outputs);
    for (int k = 0; k < r->call.count; k++)
        if (r->operands[k].array && tn_array_size(r->operands[k].array) > size)
            size = tn_array_size(r->operands[k].array);
    r->call.is_missing = &is_missing;
    EXT_LONG_CALL(status, size, tn_template_launch(made, r->self->kernel, &r->call));
    if (status && is_missing) {
        r->call.is_missing = NULL;
        EXT_WITHOUT_GIL(status, tn_template_launch(made, r->self->kernel, &r->call));
    }
    if (status == TN_OK) return wrap_all(r, made, inputs, outputs);
    ext_raise_compile(status);
    if (status == TN_ERROR_COMPILE) report_source(r->self);
    return NULL;
}

static PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords) {
    reading r;
    PyObject *result = ask_others(self, arguments, keywords);
    if (result || PyErr_Occurred()) return result;
    r.self = (holder *)self;
    if (!r.self->kernel)
        return PyErr_Format(PyExc_RuntimeError, "the kernel's __init__ was not called");
    if (read_call(&r, arguments, keywords) == 0) result = launch(&r);
    drop(&r);
    return result;
}

/* --- Making one --- */

/* Takes over what was made. */
static tn_status set_kernel(holder *holder, tn_status status, tn_template *made) {
    if (status) return status;
    tn_template_release(holder->kernel);
    holder->kernel = made;
    return TN_OK;
}

EXT_CALL(start_elementwise, EXT_SHORT, (text, in_params), (text, out_params), (text, operation),
         (text, name), (text, preamble), (text, loop_prep), (text, after_loop), (texts, options),
         (truth, keeps_axes), (truth, returns_tuple), (truth, returns_nothing)) {
    const tn_elementwise_source source = {
        .in_params = call->in_params,
        .out_params = call->out_params,
        .operation = call->operation,
        .name = call->name,
        .preamble = call->preamble,
        .loop_prep = call->loop_prep,
        .after_loop = call->after_loop,
        .options = call->options.at,
        .option_count = call->options.count,
        .keeps_axes = call->keeps_axes,
    };
    holder *self = (void *)call->self;
    tn_template *made = NULL;
    self->returns_tuple = call->returns_tuple;
    self->returns_nothing = call->returns_nothing;
    tn_status status = tn_kernel_elementwise_new(&made, &source);
    return set_kernel(self, status, made);
}

EXT_CALL(start_reduction, EXT_SHORT, (text, in_params), (text, out_params), (text, map),
         (text, reduce), (text, post_map), (text, identity), (text, name), (text, reduce_type),
         (text, preamble), (texts, options), (truth, keeps_axes)) {
    const tn_reduction_source source = {
        .in_params = call->in_params,
        .out_params = call->out_params,
        .map = call->map,
        .reduce = call->reduce,
        .post_map = call->post_map,
        .identity = call->identity,
        .name = call->name,
        .reduce_type = call->reduce_type,
        .preamble = call->preamble,
        .options = call->options.at,
        .option_count = call->options.count,
        .keeps_axes = call->keeps_axes,
    };
    holder *self = (void *)call->self;
    tn_template *made = NULL;
    self->is_reduction = true;
    tn_status status = tn_kernel_reduction_new(&made, &source);
    return set_kernel(self, status, made);
}

/* --- Attributes --- */

/* (inputs, ((name, type, dtype or None, raw, const), ...)) */
EXT_CALL(parameters, EXT_SHORT, (made_number, inputs), (made_object, all)) {
    const holder *self = (void *)call->self;
    int outputs;
    if (!self->kernel) {
        PyErr_SetString(PyExc_RuntimeError, "the kernel's __init__ was not called");
        return TN_ERROR_CALLBACK;
    }
    const tn_parameter *list = tn_template_parameters(self->kernel, &call->inputs, &outputs);
    PyObject *all = PyTuple_New(call->inputs + outputs);
    for (int k = 0; all && k < call->inputs + outputs; k++) {
        PyObject *dtype =
            list[k].dtype == TN_DTYPE_NONE ? Py_None : ext_dtype_object(list[k].dtype);
        PyObject *one = dtype ? Py_BuildValue("ssOOO", list[k].name, list[k].type, dtype,
                                              list[k].is_raw ? Py_True : Py_False,
                                              list[k].is_const ? Py_True : Py_False)
                              : NULL;
        if (one)
            PyTuple_SetItem(all, k, one);
        else
            Py_CLEAR(all);
    }
    call->all = all;
    return TN_OK;
}

/* [(dtypes, code), ...] of what was compiled, oldest first. */
EXT_CALL(codes, EXT_SHORT, (made_object, list)) {
    const holder *self = (void *)call->self;
    const char *dtypes, *code;
    PyObject *list = PyList_New(0);
    for (int k = 0; list && self->kernel && tn_template_get_code(self->kernel, k, &dtypes, &code);
         k++) {
        PyObject *one = Py_BuildValue("ss", dtypes, code);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    call->list = list;
    return TN_OK;
}

static void dealloc(PyObject *self) {
    tn_template_release(((holder *)(void *)self)->kernel);
    ext_free(self);
}

static PyObject *make(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments, (void)keywords;
    return ext_alloc(type);
}

int ext_template_init(PyObject *module) {
    static PyMethodDef methods[] = {
        EXT_ENTRY(start_elementwise), EXT_ENTRY(start_reduction),
        EXT_ENTRY(parameters),        EXT_ENTRY(codes),
        {NULL, NULL, 0, NULL},
    };
    PyType_Slot slots[] = {
        {Py_tp_call, (void *)call},
        {Py_tp_new, (void *)make},
        {Py_tp_methods, methods},
        {Py_tp_dealloc, (void *)dealloc},
        {0, NULL},
    };
    PyType_Spec spec = {"tenorite._core.template", sizeof(holder), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    override_name = PyUnicode_InternFromString("__cupy_override_elementwise_kernel__");
    if (!override_name) return -1;
    holder_type = ext_add_type(module, &spec, NULL);
    return holder_type ? 0 : -1;
}
