/* New arrays from a shape or a rule: empty, zeros, ones, full, their _like forms, arange, linspace,
 * eye. */
#include "functions/create.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/kinds.h"
#include "base/object.h"
#include "base/trace.h"
#include "base/types.h"
#include "documents.h"
#include "exchange/foreign.h"
#include "values/asarray.h"
#include "values/convert.h"
#include "values/numpy.h"
#include "values/operands.h"
#include "values/take_over.h"

#include <math.h>

/* --- From a shape --- */

static int read_shape(PyObject *object, int *ndim, int64_t *shape) {
    if (object == Py_None) {
        PyErr_SetString(PyExc_TypeError, "Use () not None as shape arguments");
        return -1;
    }
    int failed = ext_shape(object, ndim, shape);
    if (failed && PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_SetString(PyExc_ValueError, "Maximum allowed dimension exceeded");
    return failed;
}

static int read_order(PyObject *object, tn_order *order) {
    if (ext_order(object, order, TN_ORDER_C)) return -1;
    if (*order == TN_ORDER_C || *order == TN_ORDER_F) return 0;
    PyErr_SetString(PyExc_ValueError, "only 'C' or 'F' order is permitted");
    return -1;
}

/* shape, dtype=float, order='C', *, device=None, like=None */
typedef struct plain_arguments {
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    tn_dtype dtype;
    tn_order order;
    PyObject *device;
} plain_arguments;

static int read_plain(const char *function, plain_arguments *plain, ARGUMENTS) {
    static const char *const names[] = {"shape", "dtype", "order", "*device", "*like", NULL};
    PyObject *values[5];
    if (count == 1 && !keywords) { /* the common call */
        plain->dtype = TN_F64;
        plain->order = TN_ORDER_C;
        plain->device = NULL;
        return read_shape(arguments[0], &plain->ndim, plain->shape);
    }
    if (ext_parse(function, arguments, count, keywords, names, 1, values) ||
        read_shape(values[0], &plain->ndim, plain->shape) || ext_dtype(values[1], &plain->dtype) ||
        read_order(values[2], &plain->order))
        return -1;
    if (plain->dtype == TN_DTYPE_NONE) plain->dtype = TN_F64;
    plain->device = values[3];
    return 0;
}

static PyObject *empty(ARGUMENTS) {
    plain_arguments plain;
    tn_array *made;
    if (read_plain("empty", &plain, self, arguments, count, keywords)) return NULL;
    EXT_TRY(tn_array_new(&made, plain.dtype, plain.ndim, plain.shape, plain.order, NULL));
    return ext_place(ext_wrap(made), plain.device);
}

static PyObject *zeros(ARGUMENTS) {
    plain_arguments plain;
    tn_array *made;
    if (read_plain("zeros", &plain, self, arguments, count, keywords)) return NULL;
    EXT_TRY(tn_array_new_zeros(&made, plain.dtype, plain.ndim, plain.shape, plain.order, NULL));
    return ext_place(ext_wrap(made), plain.device);
}

/* Fills elements that are no numbers, which take any value as an assignment does. */
static PyObject *fill_stored(tn_array *made, PyObject *value, PyObject *like) {
    PyObject *result = like ? ext_wrap_like(made, like) : ext_wrap(made);
    if (result && value && !PyObject_SetItem(result, Py_Ellipsis, value)) return result;
    Py_XDECREF(result);
    return NULL;
}

/* The same with what NumPy's zeros() or ones() has. */
static PyObject *fill_stored_by(const char *function, tn_array *made, PyObject *like) {
    PyObject *make = ext_import("numpy", function);
    PyObject *dtype = make ? ext_dtype_object(tn_array_dtype(made)) : NULL;
    PyObject *value = dtype ? PyObject_CallFunction(make, "()O", dtype) : NULL;
    PyObject *result = fill_stored(made, value, like);
    Py_XDECREF(value);
    Py_XDECREF(make);
    return result;
}

/* Fills with a scalar, or with an array-like broadcast; takes over `made`. */
static PyObject *fill_with(tn_array *made, const tn_scalar *scalar, tn_array *values,
                           PyObject *like) {
    tn_status status;
    if (ext_warn_complex(values ? tn_array_dtype(values) : scalar->dtype, tn_array_dtype(made))) {
        tn_array_release(made);
        return NULL;
    }
    EXT_LONG_CALL(status, tn_array_size(made),
                  values ? tn_array_assign(made, values, TN_CASTING_UNSAFE, NULL)
                         : tn_array_fill(made, *scalar, NULL));
    if (!status) return like ? ext_wrap_like(made, like) : ext_wrap(made);
    tn_array_release(made);
    return ext_raise(status);
}

static PyObject *ones(ARGUMENTS) {
    plain_arguments plain;
    tn_array *made;
    if (read_plain("ones", &plain, self, arguments, count, keywords)) return NULL;
    EXT_TRY(tn_array_new(&made, plain.dtype, plain.ndim, plain.shape, plain.order, NULL));
    const tn_scalar one = tn_scalar_bool(true);
    PyObject *result = tn_dtype_is_stored(plain.dtype) ? fill_stored_by("ones", made, NULL)
                                                       : fill_with(made, &one, NULL, NULL);
    return ext_place(result, plain.device);
}

/* A fill value: a scalar, or (*values not NULL, a new reference) an array. */
static int read_fill(PyObject *object, tn_dtype dtype, tn_scalar *scalar, tn_array **values) {
    *values = NULL;
    if (tn_dtype_is_stored(dtype)) return 0; /* fill_stored() reads it */
    int is_scalar = ext_scalar(object, scalar);
    if (is_scalar < 0) return -1;
    if (!is_scalar) *values = ext_convert(object, TN_DTYPE_NONE, TN_ORDER_K, TN_COPY_IF_NEEDED);
    return is_scalar || *values ? 0 : -1;
}

static PyObject *full(ARGUMENTS) {
    static const char *const names[] = {"shape",   "fill_value", "dtype", "order",
                                        "*device", "*like",      NULL};
    PyObject *values[6], *result = NULL;
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    tn_dtype dtype;
    tn_order order;
    tn_scalar scalar;
    tn_array *fill, *made;
    if (ext_parse("full", arguments, count, keywords, names, 2, values) ||
        read_shape(values[0], &ndim, shape) || ext_dtype(values[2], &dtype) ||
        read_order(values[3], &order) || read_fill(values[1], dtype, &scalar, &fill))
        return NULL;
    if (dtype == TN_DTYPE_NONE) dtype = fill ? tn_array_dtype(fill) : scalar.dtype;
    tn_status status = tn_array_new(&made, dtype, ndim, shape, order, NULL);
    if (status)
        ext_raise(status);
    else if (tn_dtype_is_stored(dtype))
        result = fill_stored(made, values[1], NULL);
    else
        result = fill_with(made, &scalar, fill, NULL);
    tn_array_release(fill);
    return ext_place(result, values[4]);
}

/* --- Like another array: a, dtype=None, order='K', subok=True, shape=None, *, device=None --- */

/* The array's axes lie in memory in the order of `axes`, outermost first. */
static tn_status new_in_order(tn_array **made, tn_dtype dtype, int ndim, const int64_t *shape,
                              const int *axes) {
    int64_t sorted[TN_MAX_NDIM];
    int places[TN_MAX_NDIM];
    tn_array *dense;
    for (int k = 0; k < ndim; k++) {
        sorted[k] = shape[axes[k]];
        places[axes[k]] = k;
    }
    tn_status status = tn_array_new(&dense, dtype, ndim, sorted, TN_ORDER_C, NULL);
    if (status) return status;
    status = tn_array_transpose(made, dense, ndim, places);
    tn_array_release(dense);
    return status;
}

/* Like a NumPy array. `shape` NULL: its own; order K and A speak of that array's. */
static tn_status new_like_numpy(tn_array **made, PyObject *like, tn_dtype dtype, int ndim,
                                const int64_t *shape, tn_order order) {
    tn_dtype own_dtype;
    int own_ndim, axes[TN_MAX_NDIM];
    int64_t own_shape[TN_MAX_NDIM];
    bool is_f;
    int state = ext_numpy_layout(like, &own_dtype, &own_ndim, own_shape, axes, &is_f);
    if (state == 0) ext_only_array(like); /* the usual TypeError */
    if (state <= 0) return TN_ERROR_CALLBACK;
    if (dtype == TN_DTYPE_NONE) dtype = own_dtype;
    if (!shape) {
        shape = own_shape;
        ndim = own_ndim;
    }
    if (order == TN_ORDER_K && ndim == own_ndim)
        return new_in_order(made, dtype, ndim, shape, axes);
    if (order == TN_ORDER_A) order = is_f ? TN_ORDER_F : TN_ORDER_C;
    return tn_array_new(made, dtype, ndim, shape, order == TN_ORDER_F ? order : TN_ORDER_C, NULL);
}

/* An array of the asked kind with undefined contents. */
static tn_array *new_like(PyObject *const *values, bool *subok) {
    tn_dtype dtype;
    tn_order order;
    tn_array *made;
    int ndim = 0;
    int64_t shape[TN_MAX_NDIM];
    bool has_shape = values[4] && values[4] != Py_None;
    if (ext_dtype(values[1], &dtype) || ext_order(values[2], &order, TN_ORDER_K) ||
        ext_bool(values[3], subok, true) || (has_shape && read_shape(values[4], &ndim, shape)))
        return NULL;
    const int64_t *given = has_shape ? shape : NULL;
    tn_status status;
    if (ext_is_array(values[0])) {
        tn_array *like = ext_array(values[0]);
        if (dtype == TN_DTYPE_NONE) dtype = tn_array_dtype(like);
        status = tn_array_new_like(&made, like, dtype, ndim, given, order, NULL);
    } else {
        *subok = false;
        status = new_like_numpy(&made, values[0], dtype, ndim, given, order);
    }
    if (!status) return made;
    ext_raise(status);
    return NULL;
}

static PyObject *filled_like(const char *function, bool fills, bool value, ARGUMENTS) {
    /* Names outlive the call: a refusal may look at them later (ext_parsed). */
    static const char *const of_fill[] = {"a", "dtype", "order", "subok", "shape", "*device", NULL};
    static const char *const of_empty[] = {"prototype", "dtype",   "order", "subok",
                                           "shape",     "*device", NULL};
    const char *const *names = fills ? of_fill : of_empty;
    PyObject *values[6], *result;
    tn_array *made;
    bool subok;
    if (ext_parse(function, arguments, count, keywords, names, 1, values) ||
        !(made = new_like(values, &subok)))
        return NULL;
    PyObject *like = subok ? values[0] : NULL;
    tn_scalar scalar = tn_scalar_bool(value);
    if (fills && tn_dtype_is_stored(tn_array_dtype(made)))
        result = fill_stored_by(value ? "ones" : "zeros", made, like);
    else if (fills)
        result = fill_with(made, &scalar, NULL, like);
    else
        result = like ? ext_wrap_like(made, like) : ext_wrap(made);
    return ext_place(result, values[5]);
}

static PyObject *empty_like(ARGUMENTS) {
    return filled_like("empty_like", false, false, self, arguments, count, keywords);
}
static PyObject *zeros_like(ARGUMENTS) {
    return filled_like("zeros_like", true, false, self, arguments, count, keywords);
}
static PyObject *ones_like(ARGUMENTS) {
    return filled_like("ones_like", true, true, self, arguments, count, keywords);
}

static PyObject *full_like(ARGUMENTS) {
    static const char *const names[] = {"a",     "fill_value", "dtype",   "order",
                                        "subok", "shape",      "*device", NULL};
    PyObject *values[7], *like_values[5], *result = NULL;
    tn_scalar scalar;
    tn_array *fill = NULL, *made;
    bool subok;
    if (ext_parse("full_like", arguments, count, keywords, names, 2, values)) return NULL;
    like_values[0] = values[0];
    for (int k = 1; k < 5; k++)
        like_values[k] = values[k + 1];
    if (!(made = new_like(like_values, &subok))) return NULL;
    PyObject *like = subok ? values[0] : NULL;
    if (tn_dtype_is_stored(tn_array_dtype(made)))
        result = fill_stored(made, values[1], like);
    else if (read_fill(values[1], tn_array_dtype(made), &scalar, &fill))
        tn_array_release(made);
    else
        result = fill_with(made, &scalar, fill, like);
    tn_array_release(fill);
    return ext_place(result, values[6]);
}

/* --- Ranges --- */

/* A number: a scalar, or the only element of a 0-d array. 1: none (no exception). */
static int read_number(PyObject *object, tn_scalar *scalar) {
    if (ext_is_array(object) && tn_array_ndim(ext_array(object)) == 0) {
        tn_status status = tn_array_item(scalar, ext_array(object), NULL);
        if (status) ext_raise(status);
        return status ? -1 : 0;
    }
    int is_scalar = ext_single(object, scalar);
    return is_scalar < 0 ? -1 : !is_scalar;
}

static int read_bound(PyObject *object, tn_scalar *scalar) {
    int failed = read_number(object, scalar);
    if (failed != 1) return failed;
    if (ext_is_array(object))
        PyErr_SetString(PyExc_TypeError,
                        "only 0-dimensional arrays can be converted to Python scalars");
    else
        PyErr_Format(PyExc_TypeError, "arange() not supported for inputs of type %R",
                     (PyObject *)Py_TYPE(object));
    return -1;
}

static bool is_zero(tn_scalar scalar) {
    double parts[2];
    return tn_scalar_convert(parts, scalar, TN_C128) == TN_OK && parts[0] == 0 && parts[1] == 0;
}

static bool is_nan(tn_scalar scalar) {
    double value;
    return tn_dtype_kind(scalar.dtype) == TN_KIND_FLOAT &&
           tn_scalar_convert(&value, scalar, TN_F64) == TN_OK && isnan(value);
}

static PyObject *arange(ARGUMENTS) {
    static const char *const names[] = {"start", "stop", "step", "dtype", "*device", "*like", NULL};
    PyObject *values[6];
    tn_scalar bounds[3] = {tn_scalar_weak_int(0), tn_scalar_weak_int(0), tn_scalar_weak_int(1)};
    tn_dtype dtype;
    tn_array *made;
    if (ext_parse("arange", arguments, count, keywords, names, 0, values)) return NULL;
    for (int k = 0; k < 3; k++)
        if (values[k] == Py_None && !(k == 0 && !values[1])) values[k] = NULL;
    if (!values[1] && (!values[0] || count == 0))
        return PyErr_Format(PyExc_TypeError, "arange() requires stop to be specified.");
    if (!values[1]) {
        values[1] = values[0];
        values[0] = NULL;
    }
    if (ext_dtype(values[3], &dtype)) return NULL;
    bool is_stored = tn_dtype_is_stored(dtype);
    for (int k = 0; k < 3 && !is_stored; k++) {
        const int failed = values[k] ? read_bound(values[k], &bounds[k]) : 0;
        is_stored = failed && (ext_is_stored(values[k]) || ext_names_stored(values[k]) > 0);
        if (is_stored) PyErr_Clear();
        if (failed && !is_stored) return NULL;
    }
    if (is_stored) return ext_take_over("arange", NULL, arguments, count, keywords);
    if (is_zero(bounds[2])) {
        bool is_float = false;
        for (int k = 0; k < 3; k++)
            is_float |= tn_dtype_kind(bounds[k].dtype) >= TN_KIND_FLOAT;
        return PyErr_Format(PyExc_ZeroDivisionError,
                            is_float ? "float division by zero" : "division by zero");
    }
    if (is_nan(bounds[0]) || is_nan(bounds[1]) || is_nan(bounds[2]))
        return PyErr_Format(PyExc_ValueError, "arange: cannot compute length");
    tn_status status = tn_array_new_range(&made, bounds[0], bounds[1], bounds[2], dtype, NULL);
    return ext_place(ext_wrap_status(status, made), values[4]);
}

/* start, stop and axis that the C function can't do: arrays, or dtypes that decide the
 * arithmetic. */
static PyObject *linspace_in_python(PyObject *const *arguments, Py_ssize_t count,
                                    PyObject *keywords) {
    PyObject *module = PyImport_ImportModule("tenorite._numpy.creation"), *function, *result = NULL;
    if (!module) return NULL;
    function = PyObject_GetAttrString(module, "_linspace_of_arrays");
    PyObject *tuple = PyTuple_New(count), *named = PyDict_New();
    bool good = function && tuple && named;
    for (Py_ssize_t k = 0; good && k < count; k++) {
        Py_INCREF(arguments[k]);
        PyTuple_SetItem(tuple, k, arguments[k]);
    }
    for (Py_ssize_t k = 0; good && keywords && k < PyTuple_Size(keywords); k++)
        good = !PyDict_SetItem(named, PyTuple_GetItem(keywords, k), arguments[count + k]);
    if (good) result = PyObject_Call(function, tuple, named);
    Py_XDECREF(named);
    Py_XDECREF(tuple);
    Py_XDECREF(function);
    Py_DECREF(module);
    return result;
}

static bool is_plain(const tn_scalar *scalar) {
    return scalar->weak || scalar->dtype < TN_F16 || scalar->dtype == TN_F64 ||
           scalar->dtype == TN_C128;
}

static PyObject *linspace(ARGUMENTS) {
    static const char *const names[] = {"start", "stop", "num",     "endpoint", "retstep",
                                        "dtype", "axis", "*device", NULL};
    PyObject *values[8];
    tn_scalar start, stop;
    int64_t samples = 50, axis = 0;
    bool endpoint, retstep;
    tn_dtype dtype;
    tn_array *made;
    double step[2];
    if (ext_parse("linspace", arguments, count, keywords, names, 2, values) ||
        ext_int64(values[2], &samples) || ext_bool(values[3], &endpoint, true) ||
        ext_bool(values[4], &retstep, false) || ext_dtype(values[5], &dtype) ||
        ext_int64(values[6], &axis))
        return NULL;
    int start_state = ext_scalar(values[0], &start), stop_state = ext_scalar(values[1], &stop);
    if (start_state < 0 || stop_state < 0) return NULL;
    if (!start_state || !stop_state || !is_plain(&start) || !is_plain(&stop) || axis < -1 ||
        axis > 0)
        return linspace_in_python(arguments, count, keywords);
    tn_status status;
    EXT_LONG_CALL(status, samples,
                  tn_array_new_linspace(&made, step, start, stop, samples, endpoint, dtype, NULL));
    PyObject *result = ext_place(ext_wrap_status(status, made), values[7]);
    if (!result || !retstep) return result;
    bool is_complex = tn_dtype_kind(start.dtype) == TN_KIND_COMPLEX ||
                      tn_dtype_kind(stop.dtype) == TN_KIND_COMPLEX;
    return is_complex ? Py_BuildValue("NN", result, PyComplex_FromDoubles(step[0], step[1]))
                      : Py_BuildValue("Nd", result, step[0]);
}

/* --- Matrices --- */

/* Which diagonal: one beyond int64 is as far outside as the last that int64 has. */
static int read_diagonal(PyObject *object, int64_t *offset) {
    if (!object) return 0;
    PyObject *index = PyNumber_Index(object);
    if (!index) return -1;
    int overflow;
    long long read = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (read == -1 && PyErr_Occurred()) return -1;
    *offset = overflow > 0 ? INT64_MAX : overflow < 0 ? INT64_MIN : read;
    return 0;
}

static PyObject *eye(ARGUMENTS) {
    static const char *const names[] = {"N", "M", "k", "dtype", "order", "*device", "*like", NULL};
    PyObject *values[7];
    int64_t rows, columns, offset = 0;
    tn_dtype dtype;
    tn_order order;
    tn_array *made;
    if (ext_parse("eye", arguments, count, keywords, names, 1, values) ||
        ext_int64(values[0], &rows) || read_diagonal(values[2], &offset) ||
        ext_dtype(values[3], &dtype) || read_order(values[4], &order))
        return NULL;
    columns = rows;
    if (values[1] && values[1] != Py_None && ext_int64(values[1], &columns)) return NULL;
    tn_status status = tn_array_new_eye(&made, rows, columns, offset,
                                        dtype == TN_DTYPE_NONE ? TN_F64 : dtype, order, NULL);
    return ext_place(ext_wrap_status(status, made), values[5]);
}

static PyObject *identity(ARGUMENTS) {
    static const char *const names[] = {"n", "dtype", "*like", NULL};
    PyObject *values[3];
    int64_t rows;
    tn_dtype dtype;
    tn_array *made;
    if (ext_parse("identity", arguments, count, keywords, names, 1, values) ||
        ext_int64(values[0], &rows) || ext_dtype(values[1], &dtype))
        return NULL;
    tn_status status = tn_array_new_eye(&made, rows, rows, 0,
                                        dtype == TN_DTYPE_NONE ? TN_F64 : dtype, TN_ORDER_C, NULL);
    return ext_wrap_status(status, made);
}

/* Whether NumPy's arrays stand for arrays in this thread; what was so before. */
EXT_CALL(take_host, EXT_SHORT, (truth, does), (made_truth, did)) {
    call->did = ext_lend_host(call->does ? ext_numpy_convert : NULL) != NULL;
    return TN_OK;
}

/* clang-format off */
EXT_TRACED(ext_array_function, "array")
EXT_TRACED(ext_asarray, "asarray")
EXT_TRACED(ext_asanyarray, "asanyarray")
EXT_TRACED(ext_ascontiguousarray, "ascontiguousarray")
EXT_TRACED(ext_asfortranarray, "asfortranarray")
EXT_TRACED(ext_frombuffer, "frombuffer")
EXT_TRACED(empty, "empty")
EXT_TRACED(zeros, "zeros")
EXT_TRACED(ones, "ones")
EXT_TRACED(full, "full")
EXT_TRACED(empty_like, "empty_like")
EXT_TRACED(zeros_like, "zeros_like")
EXT_TRACED(ones_like, "ones_like")
EXT_TRACED(full_like, "full_like")
EXT_TRACED(arange, "arange")
EXT_TRACED(linspace, "linspace")
EXT_TRACED(eye, "eye")
EXT_TRACED(identity, "identity")
/* clang-format on */

PyMethodDef ext_create_functions[] = {
    {"array", FAST(ext_array_function_traced), DOC_array},
    {"asarray", FAST(ext_asarray_traced), DOC_asarray},
    EXT_ENTRY(take_host),
    {"asanyarray", FAST(ext_asanyarray_traced), DOC_asanyarray},
    {"ascontiguousarray", FAST(ext_ascontiguousarray_traced), DOC_ascontiguousarray},
    {"asfortranarray", FAST(ext_asfortranarray_traced), DOC_asfortranarray},
    {"frombuffer", FAST(ext_frombuffer_traced), DOC_frombuffer},
    {"empty", FAST(empty_traced), DOC_empty},
    {"zeros", FAST(zeros_traced), DOC_zeros},
    {"ones", FAST(ones_traced), DOC_ones},
    {"full", FAST(full_traced), DOC_full},
    {"empty_like", FAST(empty_like_traced), DOC_empty_like},
    {"zeros_like", FAST(zeros_like_traced), DOC_zeros_like},
    {"ones_like", FAST(ones_like_traced), DOC_ones_like},
    {"full_like", FAST(full_like_traced), DOC_full_like},
    {"arange", FAST(arange_traced), DOC_arange},
    {"linspace", FAST(linspace_traced), DOC_linspace},
    {"eye", FAST(eye_traced), DOC_eye},
    {"identity", FAST(identity_traced), DOC_identity},
    {NULL, NULL, 0, NULL},
};
