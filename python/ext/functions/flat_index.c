/* Positions of elements among all of an array, from indices per axis and back: what the package's
 * unravel_index and ravel_multi_index compute. Operations of the library, put together without
 * Python between them. */
#include "functions/flat_index.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "values/kinds.h"
#include "values/operands.h"

/* The sizes of the axes, and in which order they are walked: the fastest one first. */
typedef struct frame {
    int ndim;
    int64_t sizes[TN_MAX_NDIM];
    bool is_fortran;
} frame;

static int fastest(const frame *f, int k) {
    return f->is_fortran ? k : f->ndim - 1 - k;
}

static int read_frame(frame *f, PyObject *shape, PyObject *order_object) {
    tn_order order;
    if (ext_shape(shape, &f->ndim, f->sizes)) return -1;
    if (ext_order(order_object, &order, TN_ORDER_C) || order == TN_ORDER_A || order == TN_ORDER_K) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_ValueError)) return -1;
        PyErr_Format(PyExc_ValueError, "only 'C' or 'F' order is permitted, not %R", order_object);
        return -1;
    }
    f->is_fortran = order == TN_ORDER_F;
    return 0;
}

/* The number of elements; -1 if there is none of 64 bits. */
static int64_t total_of(const frame *f) {
    int64_t total = 1;
    bool is_empty = false, is_too_large = false;
    for (int axis = 0; axis < f->ndim; axis++) {
        if (f->sizes[axis] < 0) return -1;
        is_empty |= f->sizes[axis] == 0;
        is_too_large |= __builtin_mul_overflow(total, f->sizes[axis], &total);
    }
    return is_empty ? 0 : is_too_large ? -1 : total;
}

/* The array of an operand as int64, of which *owned holds a reference. */
static int read_indices(PyObject *object, PyObject *beside, tn_array **owned) {
    if (ext_own(object, beside, owned)) return -1;
    if (!*owned) *owned = tn_array_retain(ext_array(object));
    tn_kind kind = tn_dtype_kind(tn_array_dtype(*owned));
    if (kind <= TN_KIND_UNSIGNED) return 0;
    PyErr_SetString(PyExc_TypeError, "only int indices permitted");
    return -1;
}

/* Whether all indices are in [0, size); if not, the first end of their extent that is outside. */
static tn_status find_outside(bool *is_inside, tn_scalar *outside, const tn_array *array,
                              int64_t size) {
    static const int64_t flat = -1;
    tn_scalar ends[2];
    tn_array *row = NULL;
    *is_inside = true;
    if (tn_array_size(array) == 0) return TN_OK;
    tn_status status = TN_OK;
    if (tn_array_ndim(array) != 1)
        status = tn_array_reshape(&row, array, 1, &flat, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    if (!status) status = tn_array_extent(&ends[0], &ends[1], row ? row : array, NULL);
    tn_array_release(row);
    for (int k = 0; k < 2 && !status && *is_inside; k++) {
        int64_t end;
        *outside = ends[k];
        if (tn_scalar_convert(&end, ends[k], TN_I64)) end = INT64_MAX; /* of uint64 */
        *is_inside = end >= 0 && end < size;
    }
    return status;
}

/* --- Indices per axis --- */

/* *rest becomes the quotients by the size, and *own the remainders. */
static tn_status divide(tn_array **rest, tn_array **own, int64_t size) {
    const tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    tn_operand inputs[2] = {tn_operand_array(*rest),
                            tn_operand_scalar(tn_scalar_weak_int(size ? size : 1))};
    tn_array *outputs[2] = {NULL, NULL};
    tn_status status = tn_elementwise(outputs, TN_OP_DIVMOD, inputs, &options, NULL);
    if (status) return status;
    tn_array_release(*rest);
    *rest = outputs[0];
    *own = outputs[1];
    return TN_OK;
}

/* The last quotients are in range, as the look at their extent has shown. */
static tn_status unravel(tn_array **found, const tn_array *flat, const frame *f) {
    tn_array *rest;
    tn_status status = tn_array_astype(&rest, flat, TN_I64, TN_ORDER_K, TN_CASTING_UNSAFE,
                                       f->ndim < 2 ? TN_COPY_ALWAYS : TN_COPY_IF_NEEDED, NULL);
    if (status) return status;
    for (int k = 0; k + 1 < f->ndim && !status; k++)
        status = divide(&rest, &found[fastest(f, k)], f->sizes[fastest(f, k)]);
    if (status || f->ndim == 0)
        tn_array_release(rest);
    else
        found[fastest(f, f->ndim - 1)] = rest;
    return status;
}

static PyObject *fail_outside(tn_scalar outside, int64_t total) {
    PyObject *number = ext_element_object(outside.value.bytes, outside.dtype);
    if (!number) return NULL;
    PyErr_Format(PyExc_ValueError, "index %S is out of bounds for array with size %lld", number,
                 (long long)total);
    Py_DECREF(number);
    return NULL;
}

/* A tuple of arrays, which are taken over. */
static PyObject *wrap_all(tn_array **found, int count, PyObject *like) {
    PyObject *tuple = PyTuple_New(count);
    for (int k = 0; k < count; k++) {
        PyObject *one = tuple ? ext_wrap_like(found[k], like) : NULL;
        if (!tuple) tn_array_release(found[k]);
        if (tuple && (!one || PyTuple_SetItem(tuple, k, one))) {
            for (int rest = k + 1; rest < count; rest++)
                tn_array_release(found[rest]);
            Py_DECREF(tuple);
            return NULL;
        }
    }
    return tuple;
}

/* What is known of a call before it computes; *flat is a reference. */
static PyObject *unravel_checked(tn_array *flat, const frame *f, PyObject *like) {
    tn_array *found[TN_MAX_NDIM] = {NULL};
    tn_scalar outside;
    bool is_inside;
    const int64_t total = total_of(f);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(flat), find_outside(&is_inside, &outside, flat, total));
    EXT_TRY(status);
    if (!is_inside) return fail_outside(outside, total);
    if (f->ndim == 0 && tn_array_ndim(flat) > 0)
        return PyErr_Format(PyExc_ValueError, "multiple indices are not supported for 0d arrays");
    EXT_LONG_CALL(status, tn_array_size(flat), unravel(found, flat, f));
    if (!status) return wrap_all(found, f->ndim, like);
    for (int k = 0; k < f->ndim; k++)
        tn_array_release(found[k]);
    return ext_raise(status);
}

EXT_CALL(unravel_index, EXT_SHORT, (noted, indices), (object, shape), (object, order),
         (made_object, found)) {
    tn_array *flat = NULL;
    frame f;
    if (read_frame(&f, call->shape, call->order)) return TN_ERROR_CALLBACK;
    if (total_of(&f) < 0) {
        tn_error_set("dimensions are too large; arrays and shapes with a total size greater than "
                     "'intp' are not supported.");
        return TN_ERROR_VALUE;
    }
    if (!read_indices(call->indices, NULL, &flat))
        call->found = unravel_checked(flat, &f, call->indices);
    tn_array_release(flat);
    return call->found ? TN_OK : TN_ERROR_CALLBACK;
}

/* --- Flat indices --- */

enum { AXES = TN_MAX_NDIM };

typedef struct ravelling {
    frame frame;
    tn_array *indices[AXES];
    tn_index_mode modes[AXES];
} ravelling;

static tn_status combine(tn_array **made, tn_op op, tn_operand a, tn_operand b) {
    const tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    const tn_operand inputs[2] = {a, b};
    *made = NULL;
    return tn_elementwise(made, op, inputs, &options, NULL);
}

/* Replaces an array by what an operation makes of it and an integer. */
static tn_status change(tn_array **array, tn_op op, int64_t value) {
    tn_array *made;
    tn_status status =
        combine(&made, op, tn_operand_array(*array), tn_operand_scalar(tn_scalar_weak_int(value)));
    if (status) return status;
    tn_array_release(*array);
    *array = made;
    return TN_OK;
}

/* The indices of an axis as int64 within its size, times what a step along it counts. */
static tn_status place_axis(tn_array **array, int64_t size, int64_t step, tn_index_mode mode) {
    tn_array *wide;
    bool is_inside;
    tn_scalar outside;
    tn_status status = TN_OK;
    if (mode == TN_INDEX_RAISE) {
        status = find_outside(&is_inside, &outside, *array, size);
        if (!status && !is_inside) {
            tn_error_set("invalid entry in coordinates array");
            status = TN_ERROR_VALUE;
        }
    } else if (size == 0 && tn_array_size(*array) > 0) {
        tn_error_set("cannot unravel if shape has zero entries (is empty).");
        status = TN_ERROR_VALUE;
    }
    if (!status)
        status = tn_array_astype(&wide, *array, TN_I64, TN_ORDER_K, TN_CASTING_UNSAFE,
                                 TN_COPY_IF_NEEDED, NULL);
    if (status) return status;
    tn_array_release(*array);
    *array = wide;
    if (mode == TN_INDEX_WRAP) status = change(array, TN_OP_REMAINDER, size ? size : 1);
    if (mode == TN_INDEX_CLIP) {
        status = change(array, TN_OP_MINIMUM, size - 1);
        if (!status) status = change(array, TN_OP_MAXIMUM, 0);
    }
    return status || step == 1 ? status : change(array, TN_OP_MULTIPLY, step);
}

/* The sum of all axes' places; the one of a lone axis is copied. */
static tn_status ravel(tn_array **result, ravelling *r) {
    const frame *f = &r->frame;
    tn_array *sum = NULL;
    int64_t step = 1;
    tn_status status = TN_OK;
    for (int k = 0; k < f->ndim && !status; k++) {
        const int axis = fastest(f, k);
        status = place_axis(&r->indices[axis], f->sizes[axis], step, r->modes[axis]);
        step *= f->sizes[axis];
        if (status || k == 0) continue;
        const tn_array *before = sum ? sum : r->indices[fastest(f, 0)];
        tn_array *made;
        status =
            combine(&made, TN_OP_ADD, tn_operand_array(before), tn_operand_array(r->indices[axis]));
        if (status) continue;
        tn_array_release(sum);
        sum = made;
    }
    if (!status && !sum)
        status = tn_array_astype(&sum, r->indices[0], TN_I64, TN_ORDER_K, TN_CASTING_UNSAFE,
                                 TN_COPY_ALWAYS, NULL);
    if (status)
        tn_array_release(sum);
    else
        *result = sum;
    return status;
}

static int read_mode(PyObject *object, tn_index_mode *mode) {
    static const char *const names[] = {"raise", "wrap", "clip"};
    for (int k = 0; k < 3; k++)
        if (PyUnicode_Check(object) && !PyUnicode_CompareWithASCIIString(object, names[k])) {
            *mode = (tn_index_mode)k;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "mode must be one of 'clip', 'raise', or 'wrap' (got %R)",
                 object);
    return -1;
}

/* One mode for all axes, or a tuple of as many. */
static int read_modes(PyObject *object, ravelling *r) {
    for (int axis = 0; axis < r->frame.ndim; axis++) {
        PyObject *one = object;
        if (PyTuple_Check(object) && axis < PyTuple_Size(object))
            one = PyTuple_GetItem(object, axis);
        if (read_mode(one, &r->modes[axis])) return -1;
    }
    return 0;
}

static PyObject *ravel_read(ravelling *r, PyObject *like) {
    tn_array *result;
    int64_t work = 0;
    if (total_of(&r->frame) < 0)
        return PyErr_Format(PyExc_ValueError, "invalid dims: array size defined by dims is larger "
                                              "than the maximum possible size.");
    for (int axis = 0; axis < r->frame.ndim; axis++)
        work += tn_array_size(r->indices[axis]);
    tn_status status;
    EXT_LONG_CALL(status, work, ravel(&result, r));
    return status ? ext_raise(status) : ext_wrap_like(result, like);
}

/* multi_index: a tuple of indices; mode: one or a tuple of them. */
EXT_CALL(ravel_multi_index, EXT_SHORT, (noted, multi_index), (object, dims), (object, mode),
         (object, order), (made_object, made)) {
    PyObject *indices = call->multi_index, *beside = NULL;
    ravelling r = {.indices = {NULL}};
    if (read_frame(&r.frame, call->dims, call->order) || read_modes(call->mode, &r))
        return TN_ERROR_CALLBACK;
    const int ndim = r.frame.ndim;
    if (!PyTuple_Check(indices) || PyTuple_Size(indices) != ndim || ndim == 0) {
        PyErr_Format(PyExc_ValueError, "parameter multi_index must be a sequence of length %d",
                     ndim);
        return TN_ERROR_CALLBACK;
    }
    for (int axis = 0; axis < ndim && !beside; axis++)
        if (ext_is_array(PyTuple_GetItem(indices, axis))) beside = PyTuple_GetItem(indices, axis);
    int failed = 0;
    for (int axis = 0; axis < ndim && !failed; axis++)
        failed = read_indices(PyTuple_GetItem(indices, axis), beside, &r.indices[axis]);
    if (!failed) call->made = ravel_read(&r, beside ? beside : Py_None);
    for (int axis = 0; axis < ndim; axis++)
        tn_array_release(r.indices[axis]);
    return call->made ? TN_OK : TN_ERROR_CALLBACK;
}

PyMethodDef ext_flat_index_functions[] = {
    EXT_ENTRY(unravel_index),
    EXT_ENTRY(ravel_multi_index),
    {NULL, NULL, 0, NULL},
};
