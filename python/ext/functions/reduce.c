/* Reductions and scans: functions of the module and methods of ndarray.
 *
 * A function is a row of a table: its name, what it computes, and its parameters in their order.
 * One reader fills the options from any such list. A method is the same without the array, and
 * without arguments goes straight to the library. */
#include "functions/reduce.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/hold.h"
#include "base/object.h"
#include "base/trace.h"
#include "base/types.h"
#include "documents.h"
#include "values/convert.h"
#include "values/operands.h"
#include "values/override.h"
#include "values/take_over.h"

#include <string.h>

/* --- Parameters --- */

enum { PARAMETERS_MAX = 12 };
typedef enum slot {
    ARRAY,
    AXIS,
    DTYPE,
    OUT,
    DDOF,
    KEEPDIMS,
    INITIAL,
    WHERE,
    MEAN,
    CORRECTION,
    INCLUDE_INITIAL,
    SLOTS
} slot;

/* Names as ext_parse wants them; slots[k] is what names[k] means. */
typedef struct signature {
    const char *names[PARAMETERS_MAX];
    slot slots[PARAMETERS_MAX];
} signature;

static const signature of_sum = {
    {"a", "axis", "dtype", "out", "keepdims", "initial", "where", NULL},
    {ARRAY, AXIS, DTYPE, OUT, KEEPDIMS, INITIAL, WHERE}};
static const signature of_max = {{"a", "axis", "out", "keepdims", "initial", "where", NULL},
                                 {ARRAY, AXIS, OUT, KEEPDIMS, INITIAL, WHERE}};
static const signature of_any = {{"a", "axis", "out", "keepdims", "*where", NULL},
                                 {ARRAY, AXIS, OUT, KEEPDIMS, WHERE}};
static const signature of_mean = {{"a", "axis", "dtype", "out", "keepdims", "*where", NULL},
                                  {ARRAY, AXIS, DTYPE, OUT, KEEPDIMS, WHERE}};
static const signature of_var = {
    {"a", "axis", "dtype", "out", "ddof", "keepdims", "*where", "*mean", "*correction", NULL},
    {ARRAY, AXIS, DTYPE, OUT, DDOF, KEEPDIMS, WHERE, MEAN, CORRECTION}};
static const signature of_ptp = {{"a", "axis", "out", "keepdims", NULL},
                                 {ARRAY, AXIS, OUT, KEEPDIMS}};
static const signature of_count = {{"a", "axis", "*keepdims", NULL}, {ARRAY, AXIS, KEEPDIMS}};

static int read_double(PyObject *object, double *value) {
    *value = PyFloat_AsDouble(object);
    return *value == -1.0 && PyErr_Occurred() ? -1 : 0;
}

/* ddof and correction are two names of one number. */
static int read_correction(PyObject *ddof, PyObject *correction, double *value) {
    double zero = 0;
    if (ddof && read_double(ddof, &zero)) return -1;
    if (correction && correction != Py_None) {
        if (zero != 0) {
            PyErr_SetString(PyExc_ValueError,
                            "ddof and correction can't be provided simultaneously.");
            return -1;
        }
        return read_double(correction, value);
    }
    *value = zero;
    return 0;
}

typedef struct request {
    tn_reduce_options options;
    int axes[TN_MAX_NDIM];
    tn_scalar initial;
    tn_array *out;
    tn_array *owned; /* a mask that was made */
} request;

static int read_options(request *r, PyObject *const *values) {
    tn_array *mask;
    static const tn_reduce_options defaults = TN_REDUCE_DEFAULTS;
    r->options = defaults;
    r->options.axes = r->axes;
    r->owned = NULL;
    if (ext_axes(values[AXIS], &r->options.axis_count, r->axes) ||
        ext_dtype(values[DTYPE], &r->options.dtype) ||
        ext_bool(values[KEEPDIMS], &r->options.keepdims, false) ||
        read_correction(values[DDOF], values[CORRECTION], &r->options.correction) ||
        ext_initial(values[INITIAL], &r->options, &r->initial) ||
        ext_where(values[WHERE], &mask, &r->owned))
        return -1;
    r->options.where = mask;
    if (!ext_optional_array(values[OUT], &r->out, "out")) return 0;
    tn_array_release(r->owned);
    return -1;
}

/* --- Functions and methods --- */

static int read_slots(PyObject **values, const signature *s, int skipped, const char *name,
                      PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    PyObject *parsed[PARAMETERS_MAX];
    if (ext_parse(name, arguments, count, keywords, s->names + skipped, !skipped, parsed))
        return -1;
    memset(values, 0, sizeof *values * SLOTS);
    for (int k = skipped; s->names[k]; k++)
        values[s->slots[k]] = parsed[k - skipped];
    return 0;
}

/* What a row of the table computes; `kind` is an enumerator of its family. The array is
 * ext_lend()'s, when the family has converted the values. */
typedef PyObject *(*family)(int kind, PyObject *object, tn_array *owned, PyObject *const *values);

static PyObject *as_function(family family, int kind, const signature *s, const char *name,
                             PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    PyObject *values[SLOTS];
    tn_array *owned;
    if (read_slots(values, s, 0, name, arguments, count, keywords)) return NULL;
    if (ext_own(values[ARRAY], NULL, &owned))
        return ext_override_function(name, values[ARRAY], arguments, count, keywords);
    PyObject *result = ext_is_stored(values[ARRAY])
                           ? ext_take_over(name, NULL, arguments, count, keywords)
                           : family(kind, values[ARRAY], owned, values);
    tn_array_release(owned);
    return result;
}

static PyObject *as_method(family family, int kind, const signature *s, const char *name,
                           PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                           PyObject *keywords) {
    PyObject *values[SLOTS];
    if (read_slots(values, s, 1, name, arguments, count, keywords)) return NULL;
    return ext_is_stored(self) ? ext_take_over(name, self, arguments, count, keywords)
                               : family(kind, self, NULL, values);
}

/* --- Reductions --- */

/* With a mean= that the caller knows, var and its kin are compositions of the package. */
static PyObject *reduce_about(int reduction, PyObject *object, PyObject *const *values) {
    double correction;
    if (read_correction(values[DDOF], values[CORRECTION], &correction)) return NULL;
    PyObject *function = ext_import("tenorite._numpy.statistics", "moment_about");
    if (!function) return NULL;
    static const slot slots[] = {AXIS, DTYPE, OUT, KEEPDIMS, WHERE, MEAN};
    PyObject *given[6];
    for (int k = 0; k < 6; k++)
        given[k] = values[slots[k]] ? values[slots[k]] : Py_None;
    PyObject *result = PyObject_CallFunction(
        function, "sOdOOOOOO", tn_reduction_name((tn_reduction)reduction), object, correction,
        given[0], given[1], given[2], given[3], given[4], given[5]);
    Py_DECREF(function);
    return result;
}

/* Whether complex elements give something else whatever the options are. */
static bool is_never_complex(int reduction) {
    return reduction == TN_REDUCE_ALL || reduction == TN_REDUCE_ANY || reduction == TN_REDUCE_VAR ||
           reduction == TN_REDUCE_STD || reduction == TN_REDUCE_NANVAR ||
           reduction == TN_REDUCE_NANSTD || reduction == TN_REDUCE_COUNT_NONZERO;
}

/* ext_warn_made() for an array that the call has. */
static int warn(PyObject *object, tn_array *owned, PyObject *dtype, PyObject *out) {
    if (!dtype && !out) return 0;
    return ext_warn_made(tn_array_dtype(ext_lend(object, owned)), dtype, out);
}

/* What NumPy warns of where an array has no elements to take a mean of, or no more than are
 * taken off their number for a variance; NULL for other reductions. */
static const char *warning_of_few(int reduction) {
    switch (reduction) {
    case TN_REDUCE_MEAN:
    case TN_REDUCE_NANMEAN: return "Mean of empty slice";
    case TN_REDUCE_VAR:
    case TN_REDUCE_STD: return "Degrees of freedom <= 0 for slice";
    case TN_REDUCE_NANVAR:
    case TN_REDUCE_NANSTD: return "Degrees of freedom <= 0 for slice.";
    default: return NULL;
    }
}

/* How many elements a result is made of; -1 for axes that the array has not. */
static int64_t count_reduced(const tn_array *array, int axis_count, const int *axes) {
    int ndim = tn_array_ndim(array);
    int64_t items = 1;
    if (axis_count < 0) return (int64_t)tn_array_size(array);
    for (int k = 0; k < axis_count; k++) {
        int axis = axes[k] < 0 ? axes[k] + ndim : axes[k];
        if (axis < 0 || axis >= ndim) return -1;
        items *= tn_array_shape(array)[axis];
    }
    return items;
}

/* Whether NumPy warns, as far as shapes tell: no element is looked at, for which a GPU would be
 * waited for. */
static bool is_of_few(int reduction, const tn_array *array, const tn_reduce_options *options) {
    if (!warning_of_few(reduction) || options->where) return false;
    int64_t items = count_reduced(array, options->axis_count, options->axes);
    return items >= 0 && (double)items <= options->correction;
}

static PyObject *reduce(int reduction, PyObject *object, tn_array *owned, PyObject *const *values) {
    request r;
    if (values[MEAN] && values[MEAN] != Py_None) return reduce_about(reduction, object, values);
    PyObject *out = is_never_complex(reduction) ? NULL : values[OUT];
    if (warn(object, owned, values[DTYPE], out) || read_options(&r, values)) return NULL;
    if (__builtin_expect(is_of_few(reduction, ext_lend(object, owned), &r.options), 0)) {
        tn_array_release(r.owned); /* what hears of a warning may change the operands */
        if (PyErr_WarnEx(PyExc_RuntimeWarning, warning_of_few(reduction), 1) ||
            read_options(&r, values))
            return NULL;
    }
    const tn_array *array = ext_lend(object, owned);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_reduce(&r.out, (tn_reduction)reduction, array, &r.options, NULL));
    tn_array_release(r.owned);
    return ext_result(status, values[OUT], r.out, object);
}

static PyObject *reduce_all(tn_reduction reduction, PyObject *self) {
    tn_array *array = ext_array(self), *made = NULL;
    tn_status status;
    if (tn_dtype_is_stored(tn_array_dtype(array)))
        return ext_take_over(tn_reduction_name(reduction), self, NULL, 0, NULL);
    if (tn_array_size(array) == 0 && warning_of_few(reduction)) {
        if (PyErr_WarnEx(PyExc_RuntimeWarning, warning_of_few(reduction), 1)) return NULL;
        array = ext_array(self);
    }
    EXT_LONG_CALL(status, tn_array_size(array), tn_reduce(&made, reduction, array, NULL, NULL));
    return status ? ext_raise(status) : ext_wrap_like(made, self);
}

/* name, kind, parameters, text of the parameters after the array, what it does */

#define METHODS(X)                                                                                 \
    X(sum, SUM, of_sum)                                                                            \
    X(prod, PROD, of_sum)                                                                          \
    X(max, MAX, of_max)                                                                            \
    X(min, MIN, of_max)                                                                            \
    X(all, ALL, of_any)                                                                            \
    X(any, ANY, of_any)                                                                            \
    X(mean, MEAN, of_mean)                                                                         \
    X(var, VAR, of_var)                                                                            \
    X(std, STD, of_var)                                                                            \
    X(ptp, PTP, of_ptp)

#define FUNCTIONS(X)                                                                               \
    METHODS(X)                                                                                     \
    X(count_nonzero, COUNT_NONZERO, of_count)                                                      \
    X(nansum, NANSUM, of_sum)                                                                      \
    X(nanprod, NANPROD, of_sum)                                                                    \
    X(nanmax, NANMAX, of_max)                                                                      \
    X(nanmin, NANMIN, of_max)                                                                      \
    X(nanmean, NANMEAN, of_mean)                                                                   \
    X(nanvar, NANVAR, of_var)                                                                      \
    X(nanstd, NANSTD, of_var)

#define DEFINE_FUNCTION(family, name, kind, parameters)                                            \
    static PyObject *function_##name(ARGUMENTS) {                                                  \
        return as_function(family, kind, &parameters, #name, arguments, count, keywords);          \
    }
#define DEFINE_METHOD(family, name, kind, parameters)                                              \
    static PyObject *method_##name(ARGUMENTS) {                                                    \
        return as_method(family, kind, &parameters, #name, self, arguments, count, keywords);      \
    }

/* A call with an ndarray and no options goes straight to the library. */
#define REDUCE_FUNCTION(name, kind, parameters)                                                    \
    static PyObject *function_##name(ARGUMENTS) {                                                  \
        if (count == 1 && !keywords && ext_is_array(arguments[0]))                                 \
            return reduce_all(TN_REDUCE_##kind, arguments[0]);                                     \
        return as_function(reduce, TN_REDUCE_##kind, &parameters, #name, arguments, count,         \
                           keywords);                                                              \
    }
FUNCTIONS(REDUCE_FUNCTION)

#define REDUCE_METHOD(name, kind, parameters)                                                      \
    static PyObject *method_##name(ARGUMENTS) {                                                    \
        if (count == 0 && !keywords) return reduce_all(TN_REDUCE_##kind, self);                    \
        return as_method(reduce, TN_REDUCE_##kind, &parameters, #name, self, arguments, count,     \
                         keywords);                                                                \
    }
METHODS(REDUCE_METHOD)

/* --- Positions --- */

/* One axis, kept in *number; without one *axis is NULL, for the flattened array. */
static int read_axis(PyObject *object, int *number, const int **axis) {
    *axis = object && object != Py_None ? number : NULL;
    return *axis ? ext_axis(object, number) : 0;
}

/* The positions as another dtype. */
static tn_status find_as(tn_array **result, tn_dtype dtype, tn_argreduction reduction,
                         const tn_array *array, const int *axis, bool keepdims) {
    tn_array *found = NULL;
    tn_status status = tn_argreduce(&found, reduction, array, axis, keepdims, NULL);
    if (!status)
        status = tn_array_astype(result, found, dtype, TN_ORDER_C, TN_CASTING_UNSAFE,
                                 TN_COPY_IF_NEEDED, NULL);
    tn_array_release(found);
    return status;
}

/* dtype= is CuPy's, what the result is made as. */
static PyObject *find(int reduction, PyObject *object, tn_array *owned, PyObject *const *values) {
    int number = 0;
    const int *axis;
    bool keepdims;
    tn_array *out;
    tn_dtype dtype;
    if (read_axis(values[AXIS], &number, &axis) || ext_dtype(values[DTYPE], &dtype) ||
        ext_bool(values[KEEPDIMS], &keepdims, false) ||
        ext_optional_array(values[OUT], &out, "out"))
        return NULL;
    const tn_array *array = ext_lend(object, owned);
    if (out && dtype != TN_DTYPE_NONE && dtype != tn_array_dtype(out))
        return PyErr_Format(PyExc_TypeError, "dtype is %s, but out is an array of dtype %s",
                            tn_dtype_name(dtype), tn_dtype_name(tn_array_dtype(out)));
    bool is_converted = !out && dtype != TN_DTYPE_NONE;
    tn_argreduction which = (tn_argreduction)reduction;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  is_converted ? find_as(&out, dtype, which, array, axis, keepdims)
                               : tn_argreduce(&out, which, array, axis, keepdims, NULL));
    return ext_result(status, values[OUT], out, object);
}

static const signature of_argmax = {{"a", "axis", "out", "*dtype", "*keepdims", NULL},
                                    {ARRAY, AXIS, OUT, DTYPE, KEEPDIMS}};

#define FIND_METHODS(X)                                                                            \
    X(argmax, ARGMAX, of_argmax)                                                                   \
    X(argmin, ARGMIN, of_argmax)
#define FIND_FUNCTIONS(X)                                                                          \
    FIND_METHODS(X)                                                                                \
    X(nanargmax, NANARGMAX, of_argmax)                                                             \
    X(nanargmin, NANARGMIN, of_argmax)

#define FIND_FUNCTION(name, kind, parameters) DEFINE_FUNCTION(find, name, TN_##kind, parameters)
#define FIND_METHOD(name, kind, parameters) DEFINE_METHOD(find, name, TN_##kind, parameters)
FIND_FUNCTIONS(FIND_FUNCTION)
FIND_METHODS(FIND_METHOD)

/* --- Scans --- */

static const signature of_cumsum = {{"a", "axis", "dtype", "out", NULL}, {ARRAY, AXIS, DTYPE, OUT}};
static const signature of_cumulative = {{"x", "*axis", "*dtype", "*out", "*include_initial", NULL},
                                        {ARRAY, AXIS, DTYPE, OUT, INCLUDE_INITIAL}};

static PyObject *scan(int kind, PyObject *object, tn_array *owned, PyObject *const *values) {
    int number = 0;
    const int *axis;
    tn_dtype dtype;
    tn_array *out;
    bool include_initial;
    if (warn(object, owned, values[DTYPE], values[OUT]) ||
        read_axis(values[AXIS], &number, &axis) || ext_dtype(values[DTYPE], &dtype) ||
        ext_bool(values[INCLUDE_INITIAL], &include_initial, false) ||
        ext_optional_array(values[OUT], &out, "out"))
        return NULL;
    const tn_array *array = ext_lend(object, owned);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_scan(&out, (tn_scan_kind)kind, array, axis, dtype, include_initial, NULL));
    return ext_result(status, values[OUT], out, object);
}

static PyObject *cumulate(int kind, PyObject *object, tn_array *owned, PyObject *const *values) {
    bool has_axis = values[AXIS] && values[AXIS] != Py_None;
    if (!has_axis && tn_array_ndim(ext_lend(object, owned)) > 1)
        return PyErr_Format(
            PyExc_ValueError,
            "For arrays which have more than one dimension ``axis`` argument is required.");
    return scan(kind, object, owned, values);
}

#define SCAN_METHODS(X)                                                                            \
    X(cumsum, CUMSUM, of_cumsum)                                                                   \
    X(cumprod, CUMPROD, of_cumsum)
#define SCAN_FUNCTIONS(X)                                                                          \
    SCAN_METHODS(X)                                                                                \
    X(nancumsum, NANCUMSUM, of_cumsum)                                                             \
    X(nancumprod, NANCUMPROD, of_cumsum)
#define CUMULATIVE_FUNCTIONS(X)                                                                    \
    X(cumulative_sum, CUMSUM, of_cumulative)                                                       \
    X(cumulative_prod, CUMPROD, of_cumulative)

#define SCAN_FUNCTION(name, kind, parameters)                                                      \
    DEFINE_FUNCTION(scan, name, TN_SCAN_##kind, parameters)
#define CUMULATIVE_FUNCTION(name, kind, parameters)                                                \
    DEFINE_FUNCTION(cumulate, name, TN_SCAN_##kind, parameters)
#define SCAN_METHOD(name, kind, parameters) DEFINE_METHOD(scan, name, TN_SCAN_##kind, parameters)
SCAN_FUNCTIONS(SCAN_FUNCTION)
CUMULATIVE_FUNCTIONS(CUMULATIVE_FUNCTION)
SCAN_METHODS(SCAN_METHOD)

/* --- diff and average --- */

/* Values of functions that take lists and NumPy arrays, too: those go to the device of beside. */
static int own_values(PyObject *object, PyObject *beside, tn_array **owned) {
    int is_host = ext_is_host_values(object);
    if (is_host <= 0) return is_host ? -1 : ext_own(object, beside, owned);
    tn_array *held = beside ? tn_array_retain(ext_array(beside)) : NULL;
    *owned = held ? ext_convert_beside(object, held)
                  : ext_convert(object, TN_DTYPE_NONE, TN_ORDER_K, TN_COPY_IF_NEEDED);
    tn_array_release(held);
    return *owned ? 0 : -1;
}

static PyObject *diff(ARGUMENTS) {
    static const char *const names[] = {"a", "n", "axis", "prepend", "append", NULL};
    PyObject *values[5], *result = NULL;
    int64_t order = 1;
    int axis = -1;
    tn_array *ends[2] = {NULL, NULL}, *owned[3] = {NULL, NULL, NULL}, *made = NULL;
    if (ext_parse("diff", arguments, count, keywords, names, 1, values)) return NULL;
    PyObject *beside = ext_is_array(values[0]) ? values[0] : NULL;
    if (own_values(values[0], NULL, &owned[0]) || ext_int64(values[1], &order) ||
        ext_axis(values[2], &axis))
        goto cleanup;
    for (int k = 0; k < 2; k++) {
        if (values[3 + k] == Py_None) values[3 + k] = NULL;
        if (values[3 + k] && own_values(values[3 + k], beside, &owned[1 + k])) goto cleanup;
    }
    for (int k = 0; k < 2; k++)
        if (values[3 + k]) ends[k] = ext_lend(values[3 + k], owned[1 + k]);
    const tn_array *array = ext_lend(values[0], owned[0]);
    tn_status status;
    if (tn_dtype_is_stored(tn_array_dtype(array))) {
        result = ext_take_over("diff", NULL, arguments, count, keywords);
        goto cleanup;
    }
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_diff(&made, array, order, axis, ends[0], ends[1], NULL));
    result = ext_result(status, NULL, made, values[0]);
cleanup:
    for (int k = 0; k < 3; k++)
        tn_array_release(owned[k]);
    return result;
}

static PyObject *average(ARGUMENTS) {
    static const char *const names[] = {"a", "axis", "weights", "returned", "*keepdims", NULL};
    PyObject *values[5], *result = NULL, *sum;
    int axes[TN_MAX_NDIM];
    bool returned;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    tn_array *weights = NULL, *owned[2] = {NULL, NULL}, *made = NULL, *weight_sum = NULL;
    options.axes = axes;
    if (ext_parse("average", arguments, count, keywords, names, 1, values) ||
        ext_axes(values[1], &options.axis_count, axes) || ext_bool(values[3], &returned, false) ||
        ext_bool(values[4], &options.keepdims, false))
        return NULL;
    if (values[2] == Py_None) values[2] = NULL;
    PyObject *beside = ext_is_array(values[0]) ? values[0] : NULL;
    if (own_values(values[0], NULL, &owned[0]) ||
        (values[2] && own_values(values[2], beside, &owned[1])))
        goto cleanup;
    const tn_array *array = ext_lend(values[0], owned[0]);
    if (values[2]) weights = ext_lend(values[2], owned[1]);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_average(&made, returned ? &weight_sum : NULL, array, weights, &options, NULL));
    if (status == TN_ERROR_RUNTIME && values[2]) {
        PyErr_SetString(PyExc_ZeroDivisionError, tn_error_message());
        goto cleanup;
    }
    result = ext_result(status, NULL, made, values[0]);
    if (!result) tn_array_release(weight_sum);
    if (!result || !returned) goto cleanup;
    sum = ext_wrap_like(weight_sum, values[0]);
    if (sum) {
        PyObject *mean = result;
        result = PyTuple_Pack(2, mean, sum);
        Py_DECREF(mean);
        Py_DECREF(sum);
    } else {
        Py_CLEAR(result);
    }
cleanup:
    for (int k = 0; k < 2; k++)
        tn_array_release(owned[k]);
    return result;
}

/* --- Tables --- */

/* clang-format off */
EXT_TRACED(diff, "diff")
EXT_TRACED(average, "average")
/* clang-format on */

/* clang-format off */
#define TRACED_FUNCTION(name, kind, parameters) EXT_TRACED(function_##name, #name)
#define TRACED_METHOD(name, kind, parameters) EXT_TRACED(method_##name, #name)
FUNCTIONS(TRACED_FUNCTION)
FIND_FUNCTIONS(TRACED_FUNCTION)
SCAN_FUNCTIONS(TRACED_FUNCTION)
CUMULATIVE_FUNCTIONS(TRACED_FUNCTION)
METHODS(TRACED_METHOD)
FIND_METHODS(TRACED_METHOD)
SCAN_METHODS(TRACED_METHOD)

#define FUNCTION_ROW(name, kind, parameters) {#name, FAST(function_##name##_traced), DOC_##name},
#define METHOD_ROW(name, kind, parameters) {#name, FAST(method_##name##_traced), DOC_ndarray_##name},
/* clang-format on */
PyMethodDef ext_reduce_functions[] = {
    FUNCTIONS(FUNCTION_ROW) FIND_FUNCTIONS(FUNCTION_ROW) SCAN_FUNCTIONS(FUNCTION_ROW)
        CUMULATIVE_FUNCTIONS(FUNCTION_ROW){"amax", FAST(function_max_traced), DOC_amax},
    {"amin", FAST(function_min_traced), DOC_amin},
    {"diff", FAST(diff_traced), DOC_diff},
    {"average", FAST(average_traced), DOC_average},
    {NULL, NULL, 0, NULL}};

PyMethodDef ext_reduce_methods[] = {METHODS(METHOD_ROW) FIND_METHODS(METHOD_ROW)
                                        SCAN_METHODS(METHOD_ROW){NULL, NULL, 0, NULL}};
