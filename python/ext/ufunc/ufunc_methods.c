/* The methods of ufunc objects: reduce, accumulate, reduceat, outer and at. */
#include "ufunc/ufunc_methods.h"

#include "array/key.h"
#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/kinds.h"
#include "base/object.h"
#include "documents.h"
#include "values/convert.h"
#include "values/operands.h"
#include "values/override.h"
#include "values/take_over.h"
#include "values/ufunc_object.h"

#include <tenorite/index.h>
#include <tenorite/kernel.h>
#include <tenorite/reduce.h>

static int check_binary(PyObject *self, const char *method) {
    tn_op op = ext_ufunc_op(self);
    if (tn_op_inputs(op) != 2) {
        PyErr_Format(PyExc_ValueError, "%s only supported for binary functions", method);
        return -1;
    }
    if (tn_op_outputs(op) != 1) {
        PyErr_Format(PyExc_ValueError, "%s only supported for functions returning a single value",
                     method);
        return -1;
    }
    return 0;
}

static PyObject *reduce(ARGUMENTS) {
    static const char *const names[] = {"array",    "axis",    "dtype", "out",
                                        "keepdims", "initial", "where", NULL};
    PyObject *values[7];
    tn_array *array, *out, *mask, *owned = NULL;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    int axes[TN_MAX_NDIM] = {0};
    tn_scalar initial;
    PyObject *result;
    if (check_binary(self, "reduce") ||
        ext_parse("reduce", arguments, count, keywords, names, 1, values))
        return NULL;
    if (ext_override_method(&result, self, "reduce", 1, names, values)) return result;
    if (!ext_only_array(values[0]) ||
        ext_warn_made(tn_array_dtype(ext_array(values[0])), values[2], values[3]))
        return NULL;
    options.axes = axes;
    if ((values[1] && ext_axes(values[1], &options.axis_count, axes)) ||
        ext_dtype(values[2], &options.dtype) || ext_bool(values[4], &options.keepdims, false) ||
        ext_initial(values[5], &options, &initial) || ext_where(values[6], &mask, &owned))
        return NULL;
    if (ext_out(&values[3], &out)) {
        tn_array_release(owned);
        return NULL;
    }
    options.where = mask;
    array = ext_array(values[0]);
    if (!values[1]) options.axis_count = tn_array_ndim(array) > 0; /* axis 0 by default */
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_op_reduce(&out, ext_ufunc_op(self), array, &options, NULL));
    tn_array_release(owned);
    return ext_result(status, values[3], out, values[0]);
}

/* One axis: an int or a tuple of one. */
static int single_axis(PyObject *object, const char *method, int *axis) {
    int count = 1, axes[TN_MAX_NDIM] = {0};
    if (object && ext_axes(object, &count, axes)) return -1;
    *axis = axes[0];
    if (count == 1) return 0;
    PyErr_Format(PyExc_ValueError, "%s does not allow multiple axes", method);
    return -1;
}

static PyObject *accumulate(ARGUMENTS) {
    static const char *const names[] = {"array", "axis", "dtype", "out", NULL};
    PyObject *values[4];
    tn_array *array, *out;
    tn_dtype dtype;
    int axis = 0;
    PyObject *result;
    if (check_binary(self, "accumulate") ||
        ext_parse("accumulate", arguments, count, keywords, names, 1, values))
        return NULL;
    if (ext_override_method(&result, self, "accumulate", 1, names, values)) return result;
    if (!ext_only_array(values[0]) ||
        ext_warn_made(tn_array_dtype(ext_array(values[0])), values[2], values[3]) ||
        single_axis(values[1], "accumulate", &axis) || ext_dtype(values[2], &dtype) ||
        ext_out(&values[3], &out))
        return NULL;
    array = ext_array(values[0]);
    if (tn_array_ndim(array) == 0)
        return PyErr_Format(PyExc_TypeError, "cannot accumulate on a scalar");
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_op_accumulate(&out, ext_ufunc_op(self), array, axis, dtype, NULL));
    return ext_result(status, values[3], out, values[0]);
}

/* The indices of reduceat(), owned: none of them, a list, are integers. */
static tn_array *indices_beside(PyObject *object, const tn_array *array) {
    tn_array *indices = ext_convert_beside(object, array), *made = NULL;
    if (!indices || ext_is_array(object) || tn_array_size(indices)) return indices;
    tn_status status = tn_array_astype(&made, indices, TN_I64, TN_ORDER_C, TN_CASTING_UNSAFE,
                                       TN_COPY_IF_NEEDED, NULL);
    tn_array_release(indices);
    return status ? ext_raise(status), NULL : made;
}

static PyObject *reduceat(ARGUMENTS) {
    static const char *const names[] = {"array", "indices", "axis", "dtype", "out", NULL};
    PyObject *values[5];
    tn_array *array, *out;
    tn_dtype dtype;
    int axis = 0;
    PyObject *result;
    if (check_binary(self, "reduceat") ||
        ext_parse("reduceat", arguments, count, keywords, names, 2, values))
        return NULL;
    if (ext_override_method(&result, self, "reduceat", 2, names, values)) return result;
    if (!ext_only_array(values[0]) ||
        ext_warn_made(tn_array_dtype(ext_array(values[0])), values[3], values[4]) ||
        single_axis(values[2], "reduceat", &axis) || ext_dtype(values[3], &dtype))
        return NULL;
    if (tn_array_ndim(ext_array(values[0])) == 0)
        return PyErr_Format(PyExc_TypeError, "cannot reduceat on a scalar");
    tn_array *indices = indices_beside(values[1], ext_array(values[0]));
    if (!indices) return NULL;
    if (ext_out(&values[4], &out)) {
        tn_array_release(indices);
        return NULL;
    }
    array = ext_array(values[0]);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_op_reduceat(&out, ext_ufunc_op(self), array, indices, axis, dtype, NULL));
    tn_array_release(indices);
    return ext_result(status, values[4], out, values[0]);
}

/* A with as many axes of size 1 after as B has. */
static PyObject *widened(PyObject *object, int added) {
    tn_array *view;
    if (!ext_is_array(object)) {
        Py_INCREF(object);
        return object;
    }
    int axes[TN_MAX_NDIM], ndim = tn_array_ndim(ext_array(object));
    if (ndim + added > TN_MAX_NDIM)
        return PyErr_Format(PyExc_ValueError,
                            "maximum supported dimension for an ndarray is currently %d, found %d",
                            TN_MAX_NDIM, ndim + added);
    for (int k = 0; k < added; k++)
        axes[k] = ndim + k;
    EXT_TRY(tn_array_expand_dims(&view, ext_array(object), added, axes));
    return ext_wrap_view(view, object);
}

static PyObject *outer(PyObject *self, PyObject *arguments, PyObject *keywords) {
    if (tn_op_inputs(ext_ufunc_op(self)) != 2)
        return PyErr_Format(PyExc_ValueError, "outer product only supported for binary functions");
    if (PyTuple_Size(arguments) != 2)
        return PyErr_Format(PyExc_TypeError, "exactly two arguments expected");
    PyObject *taken = ext_override(self, "outer", arguments, keywords);
    if (taken || PyErr_Occurred()) return taken;
    PyObject *a = PyTuple_GetItem(arguments, 0), *b = PyTuple_GetItem(arguments, 1);
    PyObject *wide = widened(a, ext_is_array(b) ? tn_array_ndim(ext_array(b)) : 0);
    if (!wide) return NULL;
    PyObject *both = PyTuple_Pack(2, wide, b);
    Py_DECREF(wide);
    PyObject *result = both ? PyObject_Call(self, both, keywords) : NULL;
    Py_XDECREF(both);
    return result;
}

/* --- at --- */

/* The second operand as an array (new reference): lists and NumPy's arrays come to the device, a
 * weak scalar gets the dtype that the operation would give it. */
static tn_array *read_operand(PyObject *object, tn_array *array) {
    tn_scalar scalar;
    tn_operand given;
    int state = ext_is_array(object) ? 0 : ext_single(object, &scalar);
    if (state < 0) return NULL;
    if (state) {
        given = tn_operand_scalar(scalar);
    } else {
        state = ext_is_host_values(object);
        if (state) return state < 0 ? NULL : ext_convert_beside(object, array);
        if (ext_operand(object, &given)) return NULL;
        if (given.array) return tn_array_retain((tn_array *)(uintptr_t)given.array);
    }
    tn_array *made = NULL;
    tn_dtype dtype = given.scalar.dtype;
    tn_operand both[2] = {tn_operand_array(array), given};
    tn_status status = TN_OK;
    if (given.scalar.weak) {
        dtype = tn_array_dtype(array);
        status = tn_result_type(&dtype, 2, both);
    }
    if (!status)
        status = tn_array_new_scalar(&made, given.scalar, dtype,
                                     tn_stream_get_current(tn_array_device(array)));
    if (status) ext_raise(status);
    return made;
}

/* Where no index array is left each element comes once: an ordinary call that writes back as
 * tn_op_at. */
static PyObject *call_on_view(PyObject *self, tn_array *view, tn_array *operand) {
    PyObject *out = ext_wrap(tn_array_retain(view)), *result = NULL;
    PyObject *b = out && operand ? ext_wrap(tn_array_retain(operand)) : NULL, *inputs = NULL;
    if (out && (b || !operand)) inputs = b ? PyTuple_Pack(2, out, b) : PyTuple_Pack(1, out);
    PyObject *options = inputs ? Py_BuildValue("{sOss}", "out", out, "casting", "unsafe") : NULL;
    if (options) result = PyObject_Call(self, inputs, options);
    Py_XDECREF(options);
    Py_XDECREF(inputs);
    Py_XDECREF(b);
    Py_XDECREF(out);
    if (!result) return NULL;
    Py_DECREF(result);
    Py_RETURN_NONE;
}

static PyObject *at(ARGUMENTS) {
    static const char *const names[] = {"a", "indices", "b", NULL};
    PyObject *values[3];
    tn_array *operand = NULL;
    tn_op op = ext_ufunc_op(self);
    PyObject *result = NULL;
    ext_parsed_key m;
    if (ext_parse("at", arguments, count, keywords, names, 2, values)) return NULL;
    bool binary = tn_op_inputs(op) == 2;
    if (tn_op_outputs(op) != 1)
        return PyErr_Format(PyExc_ValueError, "at only supported for functions with one output");
    if (binary != (values[2] != NULL))
        return PyErr_Format(PyExc_ValueError, binary
                                                  ? "second operand needed for ufunc"
                                                  : "second operand provided when ufunc is unary");
    if (ext_override_method(&result, self, "at", binary ? 3 : 2, names, values)) return result;
    if (!ext_only_array(values[0])) return NULL;
    tn_array *array = tn_array_retain(ext_array(values[0]));
    if (binary && !(operand = read_operand(values[2], array))) goto cleanup;
    if (ext_read_places(&m, array, values[1])) goto cleanup;
    if (m.count == 0) {
        result = call_on_view(self, m.view, operand);
    } else {
        tn_status status;
        EXT_LONG_CALL(status, tn_array_size(m.arrays[0]),
                      tn_op_at(m.view, op, m.count, m.axes, m.shown,
                               (const tn_array *const *)m.arrays, operand, NULL));
        if (status)
            ext_raise(status);
        else
            Py_INCREF(result = Py_None);
    }
    ext_release_key(&m);
cleanup:
    tn_array_release(operand);
    tn_array_release(array);
    return result;
}

/* --- Text --- */

static int read_text_operand(PyObject *object, tn_operand *operand) {
    tn_scalar scalar = {TN_DTYPE_NONE, false, false, {0}};
    int state = ext_scalar(object, &scalar);
    if (state < 0 || (!state && ext_dtype(object, &scalar.dtype))) return -1;
    *operand = tn_operand_scalar(scalar);
    return 0;
}

/* The loop for operands (dtypes, and numbers) as text of a program: the function's name, the text,
 * the dtypes of inputs and outputs. */
EXT_CALL(text, EXT_SHORT, (tuple, operands), (dtype, dtype), (made_object, made)) {
    tn_operand inputs[TN_MAX_OPERANDS];
    const tn_op op = ext_ufunc_op(call->self);
    const int count = tn_op_inputs(op), all = count + tn_op_outputs(op);
    tn_op_text text;
    if (PyTuple_Size(call->operands) != count) {
        PyErr_Format(PyExc_ValueError, "%s takes %d numbers, not %zd", tn_op_name(op), count,
                     PyTuple_Size(call->operands));
        return TN_ERROR_CALLBACK;
    }
    for (int k = 0; k < count; k++)
        if (read_text_operand(PyTuple_GetItem(call->operands, k), &inputs[k]))
            return TN_ERROR_CALLBACK;
    tn_status status = tn_op_write(&text, op, inputs, call->dtype, TN_CASTING_SAME_KIND);
    if (status) return status;
    PyObject *loop = PyTuple_New(all);
    for (int k = 0; loop && k < all; k++) {
        PyObject *one = ext_dtype_object(text.loop[k]);
        if (!one || PyTuple_SetItem(loop, k, Py_NewRef(one))) Py_CLEAR(loop);
    }
    if (loop) call->made = Py_BuildValue("ssN", text.name, text.text, loop);
    return TN_OK;
}

EXT_OF_ANY(reduce, "ufunc.reduce", self)
EXT_OF_ANY(accumulate, "ufunc.accumulate", self)
EXT_OF_ANY(reduceat, "ufunc.reduceat", self)
EXT_OF_ANY(at, "ufunc.at", self)

PyMethodDef ext_ufunc_methods[] = {
    EXT_ENTRY(text),
    {"reduce", FAST(reduce_of_any), DOC_ufunc_reduce},
    {"accumulate", FAST(accumulate_of_any), DOC_ufunc_accumulate},
    {"reduceat", FAST(reduceat_of_any), DOC_ufunc_reduceat},
    {"outer", (PyCFunction)(void (*)(void))outer, METH_VARARGS | METH_KEYWORDS, DOC_ufunc_outer},
    {"at", FAST(at_of_any), DOC_ufunc_at},
    {NULL, NULL, 0, NULL},
};
