/* Functions of rows of values. bincount, packbits and unpackbits are whole; the others, with an
 * underscore, are what
 * Python's functions of NumPy's names compute by: those check and complete what they were given. */
#include "functions/samples.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/object.h"
#include "base/trace.h"
#include "documents.h"
#include "values/kinds.h"
#include "values/operands.h"
#include "values/refusal.h"

enum { ARRAYS = 3 };

/* Arrays of a call, some of which may be absent. */
typedef struct several {
    PyObject *objects[ARRAYS];
    tn_array *owned[ARRAYS], *arrays[ARRAYS];
} several;

static void several_release(several *s) {
    for (int k = 0; k < ARRAYS; k++)
        tn_array_release(s->owned[k]);
}

/* Reads the objects, of which None and NULL are absent; when all are read none runs Python any
 * more. */
static int several_read(several *s) {
    PyObject *beside = NULL;
    for (int k = 0; k < ARRAYS; k++) {
        s->owned[k] = s->arrays[k] = NULL;
        if (s->objects[k] == Py_None) s->objects[k] = NULL;
        if (!beside && s->objects[k] && ext_is_array(s->objects[k])) beside = s->objects[k];
    }
    for (int k = 0; k < ARRAYS; k++)
        if (s->objects[k] && ext_own(s->objects[k], beside, &s->owned[k])) {
            several_release(s);
            return -1;
        }
    for (int k = 0; k < ARRAYS; k++)
        if (s->objects[k]) s->arrays[k] = ext_lend(s->objects[k], s->owned[k]);
    return 0;
}

static PyObject *bincount(ARGUMENTS) {
    static const char *const names[] = {"x", "weights", "minlength", NULL};
    PyObject *values[3];
    int64_t minlength = 0;
    if (ext_parse("bincount", arguments, count, keywords, names, 1, values) ||
        ext_int64(values[2], &minlength))
        return NULL;
    several s = {.objects = {values[0], values[1]}};
    if (!s.objects[0] || s.objects[0] == Py_None)
        return PyErr_Format(PyExc_TypeError, "Unsupported type %R", Py_TYPE(Py_None));
    if (several_read(&s)) return NULL;
    tn_array *made = NULL;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(s.arrays[0]),
                  tn_array_bincount(&made, s.arrays[0], s.arrays[1], minlength, NULL));
    PyObject *result = ext_result(status, NULL, made, s.objects[0]);
    several_release(&s);
    return result;
}

/* The least and the largest value, as Python's numbers. */
EXT_CALL(extent, EXT_SHORT, (array, array), (made_object, least), (made_object, largest)) {
    tn_scalar ends[2];
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(call->array),
                  tn_array_extent(&ends[0], &ends[1], call->array, NULL));
    if (status) return status;
    call->least = ext_element_object(ends[0].value.bytes, ends[0].dtype);
    if (call->least) call->largest = ext_element_object(ends[1].value.bytes, ends[1].dtype);
    return TN_OK;
}

/* (first, scale), or None. */
typedef struct ext_given_even_bins {
    bool is_given;
    tn_even_bins bins;
} ext_given_even_bins;

static int read_even_bins(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_even_bins *even = to;
    (void)which;
    even->is_given = object != Py_None;
    return !even->is_given || PyArg_ParseTuple(object, "dd", &even->bins.first, &even->bins.scale)
               ? 0
               : -1;
}
static const ext_kind ext_kind_even_bins = {.read = read_even_bins};

EXT_FORWARD(histogram,
            tn_array_histogram(&call->made, call->array, call->edges,
                               call->even.is_given ? &call->even.bins : NULL, call->weights, NULL),
            EXT_SIZED, (array, array), (array, edges), (even_bins, even), (optional_array, weights),
            (made, made))

/* "valid", "same", "full", or their numbers 0, 1, 2. */
typedef tn_correlate_mode ext_given_correlate_mode;
static int read_correlate_mode(void *to, PyObject *object, const ext_parameter *which) {
    static const struct {
        const char *name;
        tn_correlate_mode mode;
    } modes[] = {
        {"valid", TN_CORRELATE_VALID}, {"same", TN_CORRELATE_SAME}, {"full", TN_CORRELATE_FULL}};
    tn_correlate_mode *mode = to;
    int64_t number = -1;
    (void)which;
    if (PyUnicode_Check(object)) {
        for (int k = 0; k < 3; k++)
            if (!PyUnicode_CompareWithASCIIString(object, modes[k].name)) {
                *mode = modes[k].mode;
                return 0;
            }
        PyErr_SetString(PyExc_ValueError,
                        "Use one of 'valid', 'same', or 'full' for convolve/correlate mode");
        return -1;
    }
    if (ext_is_array(object) || !PyIndex_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "convolve/correlate mode not understood");
        return -1;
    }
    if (ext_int64(object, &number)) return -1;
    if (number < 0 || number > 2) {
        PyErr_SetString(PyExc_ValueError, "integer convolve/correlate mode must be 0, 1, or 2");
        return -1;
    }
    *mode = modes[number].mode;
    return 0;
}
static const ext_kind ext_kind_correlate_mode = {.read = read_correlate_mode};

static tn_status correlate_rows(tn_array **made, const tn_array *array, const tn_array *window,
                                tn_correlate_mode mode) {
    tn_status status;
    const int64_t sizes[2] = {tn_array_size(array), tn_array_size(window)};
    EXT_LONG_CALL(status, sizes[0] > 4096 || sizes[1] > 4096 ? INT64_MAX : sizes[0] * sizes[1],
                  tn_array_correlate(made, array, window, mode, NULL));
    return status;
}

/* The window of a correlation is conjugate. */
static tn_status correlate_conjugate(tn_array **made, tn_array *array, tn_array *window,
                                     tn_correlate_mode mode) {
    if (tn_dtype_kind(tn_array_dtype(window)) != TN_KIND_COMPLEX)
        return correlate_rows(made, array, window, mode);
    tn_array *conjugate = NULL;
    tn_status status = tn_unary(&conjugate, TN_OP_CONJUGATE, window, NULL);
    if (!status) status = correlate_rows(made, array, conjugate, mode);
    tn_array_release(conjugate);
    return status;
}

/* The window of a convolution is the shorter row, from its end. */
static tn_status convolve_rows(tn_array **made, tn_array *array, tn_array *window,
                               tn_correlate_mode mode) {
    static const int64_t one = 1;
    tn_array *rows[2] = {NULL, NULL}, *reverse = NULL;
    tn_status status = TN_OK;
    for (int k = 0; k < 2 && !status; k++) {
        tn_array *row = k ? window : array;
        if (tn_array_ndim(row) == 0)
            status = tn_array_reshape(&rows[k], row, 1, &one, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
        else
            rows[k] = tn_array_retain(row);
        if (!status && tn_array_shape(rows[k])[0] == 0) {
            tn_error_set(k ? "v cannot be empty" : "a cannot be empty");
            status = TN_ERROR_VALUE;
        }
    }
    const bool are_rows = !status && tn_array_ndim(rows[0]) == 1 && tn_array_ndim(rows[1]) == 1;
    const int window_at = are_rows && tn_array_size(rows[1]) > tn_array_size(rows[0]) ? 0 : 1;
    const tn_index reversed = {.kind = TN_INDEX_SLICE, .step = -1};
    if (!status) status = tn_array_slice(&reverse, rows[window_at], 1, &reversed);
    if (!status) status = correlate_rows(made, rows[!window_at], reverse, mode);
    tn_array_release(reverse);
    tn_array_release(rows[1]);
    tn_array_release(rows[0]);
    return status;
}

typedef tn_status (*rows_function)(tn_array **made, tn_array *a, tn_array *v,
                                   tn_correlate_mode mode);

/* Of rows that may be scalars. */
static PyObject *combine(rows_function function, PyObject *a, PyObject *v, tn_correlate_mode mode) {
    tn_array *made = NULL;
    several s = {.objects = {a, v}};
    if (a == Py_None || v == Py_None) return ext_refuse_argument(Py_None), NULL;
    if (several_read(&s)) return NULL;
    tn_status status = function(&made, s.arrays[0], s.arrays[1], mode);
    PyObject *result = ext_result(status, NULL, made, s.objects[0]);
    several_release(&s);
    return result;
}

EXT_CALL(correlate, EXT_SHORT, (noted, a), (noted, v), (correlate_mode, mode),
         (made_object, made)) {
    call->made = combine(correlate_conjugate, call->a, call->v, call->mode);
    return TN_OK;
}

EXT_CALL(convolve, EXT_SHORT, (noted, a), (noted, v), (correlate_mode, mode), (made_object, made)) {
    call->made = combine(convolve_rows, call->a, call->v, call->mode);
    return TN_OK;
}

/* A number, or None. */
typedef struct ext_given_end {
    bool is_given;
    tn_scalar scalar;
} ext_given_end;

static int read_end(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_end *end = to;
    (void)which;
    end->is_given = object != Py_None;
    int found = end->is_given ? ext_scalar(object, &end->scalar) : 1;
    if (found == 0)
        PyErr_Format(PyExc_TypeError, "the value beyond the points must be a number, not %R",
                     Py_TYPE(object));
    return found > 0 ? 0 : -1;
}
static const ext_kind ext_kind_end = {.read = read_end};

EXT_FORWARD(interp,
            tn_array_interpolate(&call->made, call->x, call->xp, call->fp,
                                 call->left.is_given ? &call->left.scalar : NULL,
                                 call->right.is_given ? &call->right.scalar : NULL, NULL),
            EXT_SIZED, (array, x), (array, xp), (array, fp), (end, left), (end, right),
            (made, made))

EXT_FORWARD(peak_bases,
            tn_array_peak_bases(&call->prominences, &call->left, &call->right, call->values,
                                call->lows, call->highs, call->peaks, call->reach, NULL),
            EXT_SIZED, (array, values), (array, lows), (array, highs), (array, peaks),
            (int64, reach), (made, prominences), (made, left), (made, right))

EXT_CALL(peak_widths, EXT_SIZED, (array, values), (array, lows), (array, peaks),
         (array, prominences), (array, left), (array, right), (real, relative), (made, widths),
         (made, heights), (made, left_places), (made, right_places)) {
    tn_array *made[4] = {NULL, NULL, NULL, NULL};
    tn_status status =
        tn_array_peak_widths(made, call->values, call->lows, call->peaks, call->prominences,
                             call->left, call->right, call->relative, NULL);
    call->widths = made[0];
    call->heights = made[1];
    call->left_places = made[2];
    call->right_places = made[3];
    return status;
}

EXT_FORWARD(peak_ends, tn_array_peak_ends(&call->ends, call->values, call->places, NULL), EXT_SIZED,
            (array, values), (array, places), (made, ends))

EXT_FORWARD(peaks_apart,
            tn_array_peaks_apart(&call->kept, call->peaks, call->order, call->distance, NULL),
            EXT_SIZED, (array, peaks), (array, order), (int64, distance), (made, kept))

/* "big" and "little"; NULL is "big". */
static int read_bit_order(PyObject *object, bool *is_little) {
    *is_little = false;
    if (!object) return 0;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "bitorder must be 'big' or 'little', not %R", object);
        return -1;
    }
    *is_little = !PyUnicode_CompareWithASCIIString(object, "little");
    if (*is_little || !PyUnicode_CompareWithASCIIString(object, "big")) return 0;
    PyErr_Format(PyExc_ValueError, "bitorder must be either 'big' or 'little', not %R", object);
    return -1;
}

/* An axis, or NULL in *axis for None and an absent one. */
static int read_axis(PyObject *object, int *number, int **axis) {
    *axis = NULL;
    if (!object || object == Py_None) return 0;
    *axis = number;
    return ext_axis(object, number);
}

static PyObject *packbits(ARGUMENTS) {
    static const char *const names[] = {"a|myarray", "axis", "bitorder", NULL};
    PyObject *values[3];
    tn_array *array, *made = NULL;
    int number = 0, *axis;
    bool is_little;
    tn_status status;
    if (ext_parse("packbits", arguments, count, keywords, names, 1, values) ||
        read_axis(values[1], &number, &axis) || read_bit_order(values[2], &is_little) ||
        !(array = ext_only_array(values[0])))
        return NULL;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_array_packbits(&made, array, axis, is_little, NULL));
    return ext_result(status, NULL, made, values[0]);
}

static PyObject *unpackbits(ARGUMENTS) {
    static const char *const names[] = {"a|myarray", "axis", "count", "bitorder", NULL};
    PyObject *values[4];
    tn_array *array, *made = NULL;
    int number = 0, *axis;
    int64_t bits = 0;
    bool is_little;
    tn_status status;
    if (ext_parse("unpackbits", arguments, count, keywords, names, 1, values) ||
        read_axis(values[1], &number, &axis) || read_bit_order(values[3], &is_little))
        return NULL;
    const bool is_counted = values[2] && values[2] != Py_None;
    if ((is_counted && ext_int64(values[2], &bits)) || !(array = ext_only_array(values[0])))
        return NULL;
    EXT_LONG_CALL(
        status, tn_array_size(array),
        tn_array_unpackbits(&made, array, axis, is_counted ? &bits : NULL, is_little, NULL));
    return ext_result(status, NULL, made, values[0]);
}

/* clang-format off */
EXT_TRACED(bincount, "bincount")
EXT_TRACED(packbits, "packbits")
EXT_TRACED(unpackbits, "unpackbits")
/* clang-format on */

PyMethodDef ext_samples_functions[] = {
    {"bincount", FAST(bincount_traced), DOC_bincount},
    {"packbits", FAST(packbits_traced), DOC_packbits},
    {"unpackbits", FAST(unpackbits_traced), DOC_unpackbits},
    EXT_ENTRY(extent),
    EXT_ENTRY(histogram),
    EXT_ENTRY(correlate),
    EXT_ENTRY(convolve),
    EXT_ENTRY(interp),
    EXT_ENTRY(peak_bases),
    EXT_ENTRY(peak_ends),
    EXT_ENTRY(peak_widths),
    EXT_ENTRY(peaks_apart),
    {NULL, NULL, 0, NULL},
};
