/* Functions of indexing, as methods and as plain functions: take, put, compress, extract,
 * nonzero. */
#include "functions/take.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/trace.h"
#include "documents.h"
#include "values/convert.h"
#include "values/operands.h"
#include "values/take_over.h"

static const int64_t flat_shape = -1;

/* --- Arguments --- */

static int read_mode(PyObject *object, tn_index_mode *mode) {
    static const char *const names[] = {"raise", "wrap", "clip"}; /* in the order of the enum */
    *mode = TN_INDEX_RAISE;
    if (!object) return 0;
    for (int k = 0; k < 3 && PyUnicode_Check(object); k++)
        if (!PyUnicode_CompareWithASCIIString(object, names[k])) {
            *mode = (tn_index_mode)k;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "clipmode must be one of 'clip', 'raise', or 'wrap' (got %R)",
                 object);
    return -1;
}

/* Indices as an array of integers, from anything array-like. As in NumPy, floats lose their
 * fractions where a list or a float of Python's holds them; arrays must cast. */
static tn_array *read_indices(PyObject *object, const tn_array *beside, tn_casting casting) {
    tn_array *array = ext_convert_beside(object, beside), *made;
    if (!array) return NULL;
    tn_kind kind = tn_dtype_kind(tn_array_dtype(array));
    bool is_integer = kind == TN_KIND_SIGNED || kind == TN_KIND_UNSIGNED;
    if (is_integer && (casting != TN_CASTING_SAFE || tn_array_dtype(array) != TN_U64)) return array;
    if (PyList_Check(object) || PyTuple_Check(object) || PyFloat_CheckExact(object))
        casting = TN_CASTING_UNSAFE;
    tn_status status =
        tn_array_astype(&made, array, TN_I64, TN_ORDER_C, casting, TN_COPY_IF_NEEDED, NULL);
    tn_array_release(array);
    if (!status) return made;
    ext_raise(status);
    return NULL;
}

/* The array that is indexed (new reference): flat where there is no axis, of one dimension where
 * there is none. */
static tn_array *read_target(PyObject *object, PyObject *axis_object, int *axis) {
    bool is_flat = !axis_object || axis_object == Py_None;
    int64_t number = 0;
    *axis = 0;
    if (!is_flat && ext_axis_number(axis_object, &number)) return NULL;
    tn_array *array = ext_array(object);
    int ndim = tn_array_ndim(array);
    if (!is_flat && ext_check_axis(number, ndim ? ndim : 1, axis)) return NULL;
    if (!is_flat && ndim > 0) return tn_array_retain(array);
    tn_array *flat;
    tn_status status =
        tn_array_reshape(&flat, array, 1, &flat_shape, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    if (!status) return flat;
    ext_raise(status);
    return NULL;
}

/* --- take --- */

/* Takes over `indices` (NULL: an exception is set). */
static PyObject *take_from(PyObject *self, tn_array *indices, PyObject *axis_object,
                           PyObject *out_object, tn_index_mode mode) {
    tn_array *out = NULL, *made, *target = NULL;
    PyObject *result = NULL;
    int axis;
    if (!indices || !(target = read_target(self, axis_object, &axis)) ||
        ext_optional_array(out_object, &out, "out"))
        goto cleanup;
    int64_t size = tn_array_shape(target)[axis], others = tn_array_size(indices);
    for (int k = 0; k < tn_array_ndim(target); k++)
        if (k != axis) others *= tn_array_shape(target)[k];
    if (size == 0 && others > 0) {
        PyErr_SetString(PyExc_IndexError, "cannot do a non-empty take from an empty axes.");
        goto cleanup;
    }
    tn_status status;
    made = out;
    bool has_out = out != NULL;
    EXT_LONG_CALL(status, others, tn_array_take(&made, target, indices, axis, mode, NULL));
    if (status)
        ext_raise(status);
    else if (has_out)
        Py_INCREF(result = out_object);
    else
        result = ext_wrap_like(made, self);
cleanup:
    tn_array_release(target);
    tn_array_release(indices);
    return result;
}

static PyObject *take(ARGUMENTS) {
    static const char *const names[] = {"indices", "axis", "out", "mode", NULL};
    PyObject *values[4];
    tn_index_mode mode;
    if (ext_parse("take", arguments, count, keywords, names, 1, values) ||
        read_mode(values[3], &mode))
        return NULL;
    return take_from(self, read_indices(values[0], ext_array(self), TN_CASTING_SAME_KIND),
                     values[1], values[2], mode);
}

static PyObject *take_function(ARGUMENTS) {
    static const char *const names[] = {"a", "indices", "axis", "out", "mode", NULL};
    PyObject *values[5];
    tn_index_mode mode;
    (void)self;
    if (ext_parse("take", arguments, count, keywords, names, 2, values) ||
        read_mode(values[4], &mode) || !ext_only_array(values[0]))
        return NULL;
    return take_from(values[0], read_indices(values[1], ext_array(values[0]), TN_CASTING_SAME_KIND),
                     values[2], values[3], mode);
}

/* --- put --- */

static bool is_of_one(PyObject *array, PyObject *value) {
    return ext_is_array(value) &&
           tn_array_dtype(ext_array(value)) == tn_array_dtype(ext_array(array));
}

static PyObject *put_into(PyObject *object, PyObject *const *values) {
    tn_index_mode mode;
    tn_operand operand;
    tn_array *converted = NULL;
    if ((ext_is_stored(object) || ext_is_stored(values[1])) && !is_of_one(object, values[1])) {
        PyObject *const given[] = {object, values[0], values[1], values[2]};
        return ext_take_over("put", NULL, given, values[2] ? 4 : 3, NULL);
    }
    if (read_mode(values[2], &mode)) return NULL;
    int is_scalar = ext_scalar(values[1], &operand.scalar);
    operand.array = NULL;
    if (is_scalar < 0) return NULL;
    if (!is_scalar) {
        converted = ext_convert_beside(values[1], ext_array(object));
        if (!converted) return NULL;
        operand.array = converted;
    }
    tn_dtype from = converted ? tn_array_dtype(converted) : operand.scalar.dtype;
    if (ext_warn_complex(from, tn_array_dtype(ext_array(object)))) {
        tn_array_release(converted);
        return NULL;
    }
    tn_array *indices = read_indices(values[0], ext_array(object), TN_CASTING_SAFE);
    tn_status status = TN_OK;
    if (indices)
        EXT_LONG_CALL(status, tn_array_size(indices),
                      tn_array_put_flat(ext_array(object), indices, &operand, mode, NULL));
    bool failed = !indices;
    tn_array_release(indices);
    tn_array_release(converted);
    if (failed) return NULL;
    EXT_TRY(status);
    Py_RETURN_NONE;
}

static PyObject *put(ARGUMENTS) {
    static const char *const names[] = {"indices", "values", "mode", NULL};
    PyObject *values[3];
    if (ext_parse("put", arguments, count, keywords, names, 2, values)) return NULL;
    return put_into(self, values);
}

static PyObject *put_function(ARGUMENTS) {
    static const char *const names[] = {"a", "ind", "v", "mode", NULL};
    PyObject *values[4];
    (void)self;
    if (ext_parse("put", arguments, count, keywords, names, 3, values) ||
        !ext_only_array(values[0]))
        return NULL;
    return put_into(values[0], values + 1);
}

/* --- nonzero --- */

static PyObject *nonzero_of(tn_array *array) {
    tn_array *made[TN_MAX_NDIM];
    int ndim = tn_array_ndim(array);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array), tn_array_nonzero(made, array, NULL));
    EXT_TRY(status);
    PyObject *tuple = PyTuple_New(ndim);
    for (int axis = 0; axis < ndim; axis++) {
        PyObject *item = tuple ? ext_wrap(made[axis]) : (tn_array_release(made[axis]), NULL);
        if (item)
            PyTuple_SetItem(tuple, axis, item);
        else
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *nonzero(PyObject *self, PyObject *unused) {
    (void)unused;
    return ext_is_stored(self) ? ext_take_over("nonzero", self, NULL, 0, NULL)
                               : nonzero_of(ext_array(self));
}

/* The array of a function's only argument; NULL with an exception. */
static tn_array *only_argument(const char *function, PyObject *const *arguments, Py_ssize_t count,
                               PyObject *keywords) {
    static const char *const names[] = {"a", NULL};
    PyObject *value;
    if (ext_parse(function, arguments, count, keywords, names, 1, &value)) return NULL;
    return ext_only_array(value);
}

static PyObject *nonzero_function(ARGUMENTS) {
    (void)self;
    tn_array *array = only_argument("nonzero", arguments, count, keywords);
    return array ? nonzero_of(array) : NULL;
}

static PyObject *table_of(tn_array *array,
                          tn_status (*function)(tn_array **, const tn_array *, tn_stream *)) {
    tn_array *made;
    tn_status status;
    if (!array) return NULL;
    EXT_LONG_CALL(status, tn_array_size(array), function(&made, array, NULL));
    return ext_wrap_status(status, made);
}

static PyObject *flatnonzero(ARGUMENTS) {
    (void)self;
    return table_of(only_argument("flatnonzero", arguments, count, keywords), tn_array_flatnonzero);
}

static PyObject *argwhere(ARGUMENTS) {
    (void)self;
    return table_of(only_argument("argwhere", arguments, count, keywords), tn_array_argwhere);
}

/* --- compress and extract --- */

/* The indices where a condition is true; NULL with an exception. */
static tn_array *true_indices(const tn_array *condition) {
    tn_array *indices = NULL;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(condition),
                  tn_array_flatnonzero(&indices, condition, NULL));
    if (status) ext_raise(status);
    return indices;
}

static PyObject *compress_from(PyObject *self, PyObject *condition, PyObject *axis, PyObject *out) {
    tn_array *mask = ext_convert_beside(condition, ext_array(self));
    PyObject *result = NULL;
    if (!mask) return NULL;
    if (tn_array_ndim(mask) == 1)
        result = take_from(self, true_indices(mask), axis, out, TN_INDEX_RAISE);
    else
        PyErr_SetString(PyExc_ValueError, "condition must be a 1-d array");
    tn_array_release(mask);
    return result;
}

static PyObject *compress(ARGUMENTS) {
    static const char *const names[] = {"condition", "axis", "out", NULL};
    PyObject *values[3];
    if (ext_parse("compress", arguments, count, keywords, names, 1, values)) return NULL;
    return compress_from(self, values[0], values[1], values[2]);
}

static PyObject *compress_function(ARGUMENTS) {
    static const char *const names[] = {"condition", "a", "axis", "out", NULL};
    PyObject *values[4];
    (void)self;
    if (ext_parse("compress", arguments, count, keywords, names, 2, values) ||
        !ext_only_array(values[1]))
        return NULL;
    return compress_from(values[1], values[0], values[2], values[3]);
}

static PyObject *extract(ARGUMENTS) {
    static const char *const names[] = {"condition", "arr|a", NULL};
    PyObject *values[2], *result = NULL;
    (void)self;
    if (ext_parse("extract", arguments, count, keywords, names, 2, values) ||
        !ext_only_array(values[1]))
        return NULL;
    tn_array *mask = ext_convert_beside(values[0], ext_array(values[1]));
    if (!mask) return NULL;
    result = take_from(values[1], true_indices(mask), NULL, NULL, TN_INDEX_RAISE);
    tn_array_release(mask);
    return result;
}

/* --- Of structures, void and times, too, or NumPy's --- */

EXT_OF_ANY(nonzero_function, "nonzero", NULL)
EXT_OF_ANY(flatnonzero, "flatnonzero", NULL)
EXT_OF_ANY(argwhere, "argwhere", NULL)
EXT_OR_NUMPY(take_function, "take")
EXT_OR_NUMPY(compress_function, "compress")

/* clang-format off */
EXT_TRACED(take, "take")
EXT_TRACED(put, "put")
EXT_TRACED(compress, "compress")
EXT_TRACED(take_function_or_numpy, "take")
EXT_TRACED(put_function, "put")
EXT_TRACED(compress_function_or_numpy, "compress")
EXT_TRACED(extract, "extract")
EXT_TRACED(nonzero_function_of_any, "nonzero")
EXT_TRACED(flatnonzero_of_any, "flatnonzero")
EXT_TRACED(argwhere_of_any, "argwhere")
/* clang-format on */

PyMethodDef ext_index_methods[] = {
    {"take", FAST(take_traced), DOC_ndarray_take},
    {"put", FAST(put_traced), DOC_ndarray_put},
    {"compress", FAST(compress_traced), DOC_ndarray_compress},
    {"nonzero", nonzero, METH_NOARGS, DOC_ndarray_nonzero},
    {NULL, NULL, 0, NULL},
};

PyMethodDef ext_index_functions[] = {
    {"take", FAST(take_function_or_numpy_traced), DOC_take},
    {"put", FAST(put_function_traced), DOC_put},
    {"compress", FAST(compress_function_or_numpy_traced), DOC_compress},
    {"extract", FAST(extract_traced), DOC_extract},
    {"nonzero", FAST(nonzero_function_of_any_traced), DOC_nonzero},
    {"flatnonzero", FAST(flatnonzero_of_any_traced), DOC_flatnonzero},
    {"argwhere", FAST(argwhere_of_any_traced), DOC_argwhere},
    {NULL, NULL, 0, NULL},
};
