/* Methods of ndarray that change its shape or move its elements. */
#include "array/methods.h"

#include "array/index.h"
#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/ext.h"
#include "base/object.h"
#include "base/trace.h"
#include "base/wait.h"
#include "documents.h"
#include "values/cast.h"
#include "values/convert.h"
#include "values/operands.h"

#include <string.h>

/* --- Shapes --- */

/* Positional ints or one sequence: a.reshape(2, 3), a.reshape((2, 3)). */
static int positional_shape(PyObject *const *arguments, Py_ssize_t count, int *ndim,
                            int64_t *shape) {
    if (count == 1) return ext_shape(arguments[0], ndim, shape);
    if (count > TN_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError,
                     "maximum supported dimension for an ndarray is currently %d, found %zd",
                     TN_MAX_NDIM, count);
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++)
        if (ext_int64(arguments[k], &shape[k])) return -1;
    *ndim = (int)count;
    return 0;
}

/* A reshaped array: a view with a base, or a copy without. */
static PyObject *wrap_reshaped(tn_array *made, PyObject *self) {
    bool shares = tn_array_buffer(made) == tn_array_buffer(ext_array(self));
    return shares ? ext_wrap_view(made, self) : ext_wrap_like(made, self);
}

static PyObject *reshape(ARGUMENTS) {
    static const char *const names[] = {"*order", "*copy", "*shape|newshape", NULL};
    PyObject *values[3];
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    tn_order order;
    tn_copy copy;
    tn_array *made;
    if (ext_parse("reshape", arguments + count, 0, keywords, names, 0, values)) return NULL;
    if (!values[2] && count == 0)
        return PyErr_Format(PyExc_TypeError, "reshape() takes exactly 1 argument (0 given)");
    if (values[2] ? ext_shape(values[2], &ndim, shape)
                  : positional_shape(arguments, count, &ndim, shape))
        return NULL;
    if (ext_order(values[0], &order, TN_ORDER_C) || ext_copy(values[1], &copy, TN_COPY_IF_NEEDED))
        return NULL;
    if (order == TN_ORDER_K)
        return PyErr_Format(PyExc_ValueError, "order 'K' is not permitted for reshaping");
    EXT_TRY(tn_array_reshape(&made, ext_array(self), ndim, shape, order, copy, NULL));
    return wrap_reshaped(made, self);
}

static PyObject *flat(PyObject *self, const char *function, PyObject *const *arguments,
                      Py_ssize_t count, PyObject *keywords, tn_copy copy) {
    static const char *const names[] = {"order", NULL};
    PyObject *values[1];
    tn_order order;
    tn_array *made;
    if (ext_parse(function, arguments, count, keywords, names, 0, values) ||
        ext_order(values[0], &order, TN_ORDER_C))
        return NULL;
    EXT_TRY(tn_array_flatten(&made, ext_array(self), order, copy, NULL));
    return wrap_reshaped(made, self);
}

static PyObject *ravel(ARGUMENTS) {
    return flat(self, "ravel", arguments, count, keywords, TN_COPY_IF_NEEDED);
}

static PyObject *flatten(ARGUMENTS) {
    return flat(self, "flatten", arguments, count, keywords, TN_COPY_ALWAYS);
}

static PyObject *transpose(ARGUMENTS) {
    int ndim = 0, axes[TN_MAX_NDIM];
    tn_array *view;
    if (keywords && PyTuple_Size(keywords) > 0)
        return PyErr_Format(PyExc_TypeError, "ndarray.transpose() takes no keyword arguments");
    bool given = count > 1 || (count == 1 && arguments[0] != Py_None);
    if (given) {
        int64_t values[TN_MAX_NDIM];
        if (positional_shape(arguments, count, &ndim, values)) return NULL;
        for (int k = 0; k < ndim; k++)
            axes[k] = values[k] > INT32_MAX || values[k] < INT32_MIN ? INT32_MAX : (int)values[k];
    }
    EXT_TRY(tn_array_transpose(&view, ext_array(self), ndim, given ? axes : NULL));
    return ext_wrap_view(view, self);
}

static PyObject *swapaxes(ARGUMENTS) {
    static const char *const names[] = {"axis1", "axis2", NULL};
    PyObject *values[2];
    int64_t swapped[2];
    tn_array *view;
    int first, second, axes[TN_MAX_NDIM];
    if (ext_parse("swapaxes", arguments, count, keywords, names, 2, values) ||
        ext_int64(values[0], &swapped[0]) || ext_int64(values[1], &swapped[1]))
        return NULL;
    int ndim = tn_array_ndim(ext_array(self));
    if (ext_check_named_axis("axis1", swapped[0], ndim, &first) ||
        ext_check_named_axis("axis2", swapped[1], ndim, &second))
        return NULL;
    for (int axis = 0; axis < ndim; axis++)
        axes[axis] = axis;
    axes[first] = second;
    axes[second] = first;
    EXT_TRY(tn_array_transpose(&view, ext_array(self), ndim, axes));
    return ext_wrap_view(view, self);
}

static PyObject *squeeze(ARGUMENTS) {
    static const char *const names[] = {"axis", NULL};
    PyObject *values[1];
    int axis_count, axes[TN_MAX_NDIM];
    tn_array *view;
    if (ext_parse("squeeze", arguments, count, keywords, names, 0, values) ||
        ext_axes(values[0], &axis_count, axes))
        return NULL;
    EXT_TRY(tn_array_squeeze(&view, ext_array(self), axis_count, axis_count < 0 ? NULL : axes));
    return ext_wrap_view(view, self);
}

static PyObject *diagonal(ARGUMENTS) {
    static const char *const names[] = {"offset", "axis1", "axis2", NULL};
    PyObject *values[3];
    int64_t offset = 0;
    int axis1 = 0, axis2 = 1;
    tn_array *view;
    if (ext_parse("diagonal", arguments, count, keywords, names, 0, values) ||
        ext_int64(values[0], &offset) || ext_axis(values[1], &axis1) || ext_axis(values[2], &axis2))
        return NULL;
    EXT_TRY(tn_array_diagonal(&view, ext_array(self), offset, axis1, axis2));
    return ext_wrap_view(view, self);
}

/* --- Elements --- */

static PyObject *astype(ARGUMENTS) {
    static const char *const names[] = {"dtype", "order", "casting", "subok", "copy", NULL};
    PyObject *values[5];
    tn_dtype dtype;
    tn_order order;
    tn_casting casting;
    bool copy, subok;
    tn_array *made;
    if (ext_parse("astype", arguments, count, keywords, names, 1, values) ||
        ext_dtype(values[0], &dtype) || ext_order(values[1], &order, TN_ORDER_K) ||
        ext_casting(values[2], &casting, TN_CASTING_UNSAFE) || ext_bool(values[3], &subok, true) ||
        ext_bool(values[4], &copy, true))
        return NULL;
    if (dtype == TN_DTYPE_NONE) dtype = TN_F64;
    tn_array *array = ext_array(self);
    tn_dtype own_dtype = tn_array_dtype(array);
    made = ext_cast(array, dtype, order, casting, copy ? TN_COPY_ALWAYS : TN_COPY_IF_NEEDED);
    if (!made) return NULL;
    bool is_same = made == array;
    if (ext_warn_complex(own_dtype, dtype)) {
        tn_array_release(made);
        return NULL;
    }
    if (is_same) {
        tn_array_release(made);
        Py_INCREF(self);
        return self;
    }
    return subok ? ext_wrap_like(made, self) : ext_wrap(made);
}

static PyObject *copy_as(PyObject *self, tn_order order) {
    tn_array *array = ext_array(self), *made;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_array_astype(&made, array, tn_array_dtype(array), order, TN_CASTING_NO,
                                  TN_COPY_ALWAYS, NULL));
    if (status) return ext_raise(status);
    return ext_wrap_like(made, self);
}

static PyObject *copy(ARGUMENTS) {
    static const char *const names[] = {"order", NULL};
    PyObject *values[1];
    tn_order order;
    if (ext_parse("copy", arguments, count, keywords, names, 0, values) ||
        ext_order(values[0], &order, TN_ORDER_C))
        return NULL;
    return copy_as(self, order);
}

static PyObject *shallow_copy(PyObject *self, PyObject *unused) {
    (void)unused;
    return copy_as(self, TN_ORDER_K);
}

static PyObject *getfield(ARGUMENTS) {
    static const char *const names[] = {"dtype", "offset", NULL};
    PyObject *values[2];
    tn_dtype dtype;
    tn_array *made;
    int inner_ndim;
    int64_t offset = 0, inner[TN_MAX_NDIM], shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    if (ext_parse("getfield", arguments, count, keywords, names, 1, values) ||
        ext_dtype_with_shape(values[0], &dtype, &inner_ndim, inner) ||
        ext_int64(values[1], &offset))
        return NULL;
    if (dtype == TN_DTYPE_NONE) dtype = TN_F64;
    const int64_t size = tn_dtype_size(tn_array_dtype(ext_array(self)));
    int64_t part = tn_dtype_size(dtype);
    const int ndim = tn_array_ndim(ext_array(self));
    if (ndim + inner_ndim > TN_MAX_NDIM)
        return PyErr_Format(PyExc_ValueError, "the parts would have %d dimensions, more than %d",
                            ndim + inner_ndim, TN_MAX_NDIM);
    for (int axis = inner_ndim - 1; axis >= 0; axis--) {
        shape[ndim + axis] = inner[axis];
        strides[ndim + axis] = part;
        part *= inner[axis];
    }
    if (offset < 0 || offset > size - part)
        return PyErr_Format(PyExc_ValueError,
                            "a part of %lld bytes at offset %lld does not lie in elements of %lld "
                            "bytes",
                            (long long)part, (long long)offset, (long long)size);
    const tn_array *array = ext_array(self);
    memcpy(shape, tn_array_shape(array), sizeof *shape * (size_t)ndim);
    memcpy(strides, tn_array_strides(array), sizeof *strides * (size_t)ndim);
    EXT_TRY(tn_array_new_view(&made, tn_array_buffer(array), tn_array_offset(array) + offset, dtype,
                              ndim + inner_ndim, shape, strides));
    tn_array_set_writeable(made, tn_array_is_writeable(ext_array(self)));
    return ext_wrap_view(made, self);
}

static PyObject *view(ARGUMENTS) {
    static const char *const names[] = {"dtype", "type|array_class", NULL};
    PyObject *values[2];
    tn_dtype dtype = TN_DTYPE_NONE;
    tn_array *made;
    if (ext_parse("view", arguments, count, keywords, names, 0, values)) return NULL;
    PyObject *type = values[1];
    if (!type && values[0] && PyType_Check(values[0]) &&
        PyType_IsSubtype((PyTypeObject *)values[0], ext_ndarray_type)) {
        type = values[0]; /* a.view(Subclass) */
    } else if (ext_dtype(values[0], &dtype)) {
        return NULL;
    }
    if (type &&
        (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, ext_ndarray_type))) {
        PyErr_SetString(PyExc_ValueError, "Type must be a sub-type of ndarray type");
        return NULL;
    }
    const tn_array *array = ext_array(self);
    EXT_TRY(tn_array_view_as(&made, array, dtype == TN_DTYPE_NONE ? tn_array_dtype(array) : dtype));
    if (!type) return ext_wrap_view(made, self);
    return ext_wrap_as(made, (PyTypeObject *)type, self);
}

static PyObject *fill(ARGUMENTS) {
    static const char *const names[] = {"value", NULL};
    PyObject *values[1];
    tn_scalar scalar;
    tn_status status;
    if (ext_parse("fill", arguments, count, keywords, names, 1, values)) return NULL;
    if (tn_dtype_is_stored(tn_array_dtype(ext_array(self)))) {
        if (ext_assign_subscript(self, Py_Ellipsis, values[0])) return NULL;
        Py_RETURN_NONE;
    }
    int is_scalar = ext_scalar(values[0], &scalar);
    if (is_scalar < 0) return NULL;
    if (is_scalar) {
        if (ext_element(&scalar, tn_array_dtype(ext_array(self)))) return NULL;
        tn_array *array = ext_array(self);
        EXT_LONG_CALL(status, tn_array_size(array), tn_array_fill(array, scalar, NULL));
    } else {
        tn_array *value = ext_convert_beside(values[0], ext_array(self));
        if (!value) return NULL;
        status = TN_ERROR_VALUE;
        if (ext_warn_complex(tn_array_dtype(value), tn_array_dtype(ext_array(self))))
            return tn_array_release(value), NULL;
        if (tn_array_ndim(value) == 0)
            status = tn_array_assign(ext_array(self), value, TN_CASTING_UNSAFE, NULL);
        else
            tn_error_set("fill: the value must be a scalar or an array of no dimension");
        tn_array_release(value);
    }
    if (status) return ext_raise(status);
    Py_RETURN_NONE;
}

/* item() of the NumPy array that get() gives: only NumPy knows what the elements mean. */
static PyObject *item_of_host(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *host = PyObject_CallMethod(self, "get", NULL), *made = NULL;
    PyObject *method = host ? PyObject_GetAttrString(host, "item") : NULL;
    PyObject *tuple = method ? PyTuple_New(count) : NULL;
    for (Py_ssize_t k = 0; tuple && k < count; k++)
        PyTuple_SetItem(tuple, k, Py_NewRef(arguments[k]));
    if (tuple) made = PyObject_CallObject(method, tuple);
    Py_XDECREF(tuple);
    Py_XDECREF(method);
    Py_XDECREF(host);
    return made;
}

/* The element at a flat index or a full index; no index: the only one. */
static PyObject *item_untraced(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    tn_array *element = NULL;
    tn_scalar scalar;
    tn_index index[TN_MAX_NDIM];
    int64_t position[TN_MAX_NDIM];
    int ndim = 0;
    if (!ext_may_wait("item()")) return NULL;
    if (tn_dtype_is_stored(tn_array_dtype(ext_array(self))))
        return item_of_host(self, arguments, count);
    if (count > 0 && positional_shape(arguments, count, &ndim, position)) return NULL;
    const tn_array *array = ext_array(self);
    tn_status status = TN_OK;
    if (ndim == 0 && count == 0) {
        status = tn_array_item(&scalar, array, NULL);
        return status ? ext_raise(status) : ext_scalar_object(&scalar);
    }
    if (ndim == 1 && tn_array_ndim(array) != 1) { /* a flat index: unravel it */
        int64_t size = tn_array_size(array),
                at = position[0] < 0 ? position[0] + size : position[0];
        if (at < 0 || at >= size)
            return PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for size %lld",
                                (long long)position[0], (long long)size);
        ndim = tn_array_ndim(array);
        for (int axis = ndim - 1; axis >= 0; axis--) {
            position[axis] = at % tn_array_shape(array)[axis];
            at /= tn_array_shape(array)[axis];
        }
    }
    if (ndim != tn_array_ndim(array))
        return PyErr_Format(PyExc_ValueError, "incorrect number of indices for array");
    for (int k = 0; k < ndim; k++)
        index[k] = (tn_index){.kind = TN_INDEX_INTEGER, .start = position[k]};
    status = tn_array_slice(&element, array, ndim, index);
    if (!status) status = tn_array_item(&scalar, element, NULL);
    tn_array_release(element);
    return status ? ext_raise(status) : ext_scalar_object(&scalar);
}

/* The elements side by side, as far as both have them, from one array into another. */
static tn_status copy_start(tn_array *to, const tn_array *from) {
    const int64_t fewest =
        tn_array_size(to) < tn_array_size(from) ? tn_array_size(to) : tn_array_size(from);
    const tn_index start = {.kind = TN_INDEX_SLICE, .step = 1, .stop = fewest, .has_stop = true};
    tn_array *rows[2] = {NULL, NULL}, *parts[2] = {NULL, NULL};
    tn_status status = tn_array_flatten(&rows[0], to, TN_ORDER_K, TN_COPY_NEVER, NULL);
    if (!status) status = tn_array_flatten(&rows[1], from, TN_ORDER_K, TN_COPY_NEVER, NULL);
    for (int k = 0; k < 2 && !status; k++)
        status = tn_array_slice(&parts[k], rows[k], 1, &start);
    if (!status) status = tn_array_assign(parts[0], parts[1], TN_CASTING_NO, NULL);
    for (int k = 0; k < 2; k++) {
        tn_array_release(parts[k]);
        tn_array_release(rows[k]);
    }
    return status;
}

/* Whether a shape has as many elements as the array. */
static bool is_size_of(const tn_array *array, int ndim, const int64_t *shape) {
    int64_t size = 1;
    for (int axis = 0; axis < ndim; axis++)
        if (__builtin_mul_overflow(size, shape[axis], &size)) return false;
    return size == (int64_t)tn_array_size(array);
}

/* Views keep the memory that they show, so there is no reference to check (refcheck). */
static PyObject *resize(ARGUMENTS) {
    static const char *const names[] = {"*refcheck", NULL};
    PyObject *values[1];
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    tn_array *made = NULL;
    if (ext_parse("resize", arguments + count, 0, keywords, names, 0, values)) return NULL;
    if (count == 0 || (count == 1 && arguments[0] == Py_None)) Py_RETURN_NONE;
    if (positional_shape(arguments, count, &ndim, shape)) return NULL;
    for (int k = 0; k < ndim; k++)
        if (shape[k] < 0)
            return PyErr_Format(PyExc_ValueError,
                                "resize() got a shape of which dimension %d is negative: %lld", k,
                                (long long)shape[k]);
    const bool is_c = tn_array_is_c_contiguous(ext_array(self));
    if (!is_c && !tn_array_is_f_contiguous(ext_array(self)))
        return PyErr_Format(PyExc_ValueError, "resize only works on single-segment arrays");
    if (is_size_of(ext_array(self), ndim, shape)) { /* a view may be seen in another shape */
        EXT_TRY(tn_array_reshape(&made, ext_array(self), ndim, shape,
                                 is_c ? TN_ORDER_C : TN_ORDER_F, TN_COPY_NEVER, NULL));
        ext_replace_array(self, made);
        Py_RETURN_NONE;
    }
    if (ext_base(self))
        return PyErr_Format(PyExc_ValueError, "cannot resize this array: it does not own its data");
    tn_array *array = tn_array_retain(ext_array(self));
    tn_stream *stream = tn_stream_get_current(tn_array_device(array));
    tn_status status = tn_array_new_zeros(&made, tn_array_dtype(array), ndim, shape,
                                          is_c ? TN_ORDER_C : TN_ORDER_F, stream);
    if (!status) status = copy_start(made, array);
    tn_array_release(array);
    if (status) {
        tn_array_release(made);
        return ext_raise(status);
    }
    ext_replace_array(self, made);
    Py_RETURN_NONE;
}

static EXT_COLD PyObject *item_traced(PyObject *self, PyObject *const *arguments,
                                      Py_ssize_t count) {
    int64_t begun = ext_trace_begin();
    PyObject *result = item_untraced(self, arguments, count);
    ext_trace_end(begun, "item", &self, 1, result);
    return result;
}

static PyObject *item(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    return ext_is_traced() ? item_traced(self, arguments, count)
                           : item_untraced(self, arguments, count);
}

/* clang-format off */
EXT_TRACED(ravel, "ravel")
EXT_TRACED(flatten, "flatten")
EXT_TRACED(astype, "astype")
EXT_TRACED(copy, "copy")
EXT_TRACED(resize, "resize")
EXT_TRACED(fill, "fill")
/* clang-format on */

PyMethodDef ext_array_methods[] = {
    {"reshape", FAST(reshape), DOC_ndarray_reshape},
    {"ravel", FAST(ravel_traced), DOC_ndarray_ravel},
    {"flatten", FAST(flatten_traced), DOC_ndarray_flatten},
    {"getfield", FAST(getfield), DOC_ndarray_getfield},
    {"transpose", FAST(transpose), DOC_ndarray_transpose},
    {"swapaxes", FAST(swapaxes), DOC_ndarray_swapaxes},
    {"squeeze", FAST(squeeze), DOC_ndarray_squeeze},
    {"diagonal", FAST(diagonal), DOC_ndarray_diagonal},
    {"astype", FAST(astype_traced), DOC_ndarray_astype},
    {"copy", FAST(copy_traced), DOC_ndarray_copy},
    {"view", FAST(view), DOC_ndarray_view},
    {"resize", FAST(resize_traced), DOC_ndarray_resize},
    {"fill", FAST(fill_traced), DOC_ndarray_fill},
    {"item", (PyCFunction)(void (*)(void))item, METH_FASTCALL, DOC_ndarray_item},
    {"__copy__", shallow_copy, METH_NOARGS, "copy.copy(a): a copy."},
    {NULL, NULL, 0, NULL},
};
