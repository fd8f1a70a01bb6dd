/* Functions of rows of values. bincount, packbits and unpackbits are whole; the others, with an
 * underscore, are what
 * Python's functions of NumPy's names compute by: those check and complete what they were given. */
#include "functions/samples.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "documents.h"
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

/* _extent(array): the least and the largest value, as Python's numbers. */
static PyObject *extent(PyObject *self, PyObject *object) {
    (void)self;
    tn_array *array = ext_only_array(object);
    tn_scalar ends[2];
    tn_status status;
    if (!array) return NULL;
    EXT_LONG_CALL(status, tn_array_size(array), tn_array_extent(&ends[0], &ends[1], array, NULL));
    EXT_TRY(status);
    return Py_BuildValue("(NN)", ext_element_object(ends[0].value.bytes, ends[0].dtype),
                         ext_element_object(ends[1].value.bytes, ends[1].dtype));
}

/* _histogram(array, edges, even, weights): even is None or (first, scale). */
static PyObject *histogram(PyObject *self, PyObject *arguments) {
    (void)self;
    several s;
    PyObject *bins;
    tn_even_bins even;
    if (!PyArg_ParseTuple(arguments, "OOOO", &s.objects[0], &s.objects[1], &bins, &s.objects[2]) ||
        (bins != Py_None && !PyArg_ParseTuple(bins, "dd", &even.first, &even.scale)) ||
        !ext_only_array(s.objects[0]) || !ext_only_array(s.objects[1]) || several_read(&s))
        return NULL;
    tn_array *made = NULL;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(s.arrays[0]),
                  tn_array_histogram(&made, s.arrays[0], s.arrays[1],
                                     bins == Py_None ? NULL : &even, s.arrays[2], NULL));
    PyObject *result = ext_result(status, NULL, made, s.objects[0]);
    several_release(&s);
    return result;
}

/* "valid", "same", "full", or their numbers 0, 1, 2. */
static int read_correlate_mode(PyObject *object, tn_correlate_mode absent,
                               tn_correlate_mode *mode) {
    static const struct {
        const char *name;
        tn_correlate_mode mode;
    } modes[] = {
        {"valid", TN_CORRELATE_VALID}, {"same", TN_CORRELATE_SAME}, {"full", TN_CORRELATE_FULL}};
    int64_t number = -1;
    *mode = absent;
    if (!object) return 0;
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

static tn_status correlate_rows(tn_array **made, const tn_array *array, const tn_array *window,
                                tn_correlate_mode mode) {
    tn_status status;
    const int64_t sizes[2] = {tn_array_size(array), tn_array_size(window)};
    EXT_LONG_CALL(status, sizes[0] > 4096 || sizes[1] > 4096 ? INT64_MAX : sizes[0] * sizes[1],
                  tn_array_correlate(made, array, window, mode, NULL));
    return status;
}

/* The window of a correlation is conjugate. */
static tn_status correlate_conjugate(tn_array **made, const tn_array *array, const tn_array *window,
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
    tn_array *rows[2] = {NULL, NULL}, *turned = NULL;
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
    if (!status) status = tn_array_slice(&turned, rows[window_at], 1, &reversed);
    if (!status) status = correlate_rows(made, rows[!window_at], turned, mode);
    tn_array_release(turned);
    tn_array_release(rows[1]);
    tn_array_release(rows[0]);
    return status;
}

static PyObject *correlate_any(ARGUMENTS, bool is_convolution) {
    static const char *const names[] = {"a", "v", "mode", NULL};
    PyObject *values[3];
    tn_correlate_mode mode;
    tn_array *made = NULL;
    if (ext_parse(is_convolution ? "convolve" : "correlate", arguments, count, keywords, names, 2,
                  values) ||
        read_correlate_mode(values[2], is_convolution ? TN_CORRELATE_FULL : TN_CORRELATE_VALID,
                            &mode))
        return NULL;
    several s = {.objects = {values[0], values[1]}};
    for (int k = 0; k < 2; k++)
        if (values[k] == Py_None) return ext_refuse_argument(Py_None), NULL;
    if (several_read(&s)) return NULL;
    tn_status status = is_convolution ? convolve_rows(&made, s.arrays[0], s.arrays[1], mode)
                                      : correlate_conjugate(&made, s.arrays[0], s.arrays[1], mode);
    PyObject *result = ext_result(status, NULL, made, s.objects[0]);
    several_release(&s);
    return result;
}

/* _correlate(a, v, mode) and _convolve(a, v, mode) */
static PyObject *correlate(ARGUMENTS) {
    return correlate_any(self, arguments, count, keywords, false);
}

static PyObject *convolve(ARGUMENTS) {
    return correlate_any(self, arguments, count, keywords, true);
}

/* A number, or None: 1, 0, or -1 with an exception. */
static int read_end(PyObject *object, tn_scalar *scalar) {
    if (object == Py_None) return 0;
    int found = ext_scalar(object, scalar);
    if (found == 0) {
        PyErr_Format(PyExc_TypeError, "the value beyond the points must be a number, not %R",
                     Py_TYPE(object));
        return -1;
    }
    return found;
}

/* _interp(x, xp, fp, left, right): left and right are numbers or None. */
static PyObject *interpolate(PyObject *self, PyObject *arguments) {
    (void)self;
    several s;
    PyObject *ends[2];
    tn_scalar scalars[2];
    int given[2] = {0, 0};
    if (!PyArg_ParseTuple(arguments, "OOOOO", &s.objects[0], &s.objects[1], &s.objects[2], &ends[0],
                          &ends[1]))
        return NULL;
    for (int k = 0; k < 2; k++)
        if ((given[k] = read_end(ends[k], &scalars[k])) < 0) return NULL;
    for (int k = 0; k < ARRAYS; k++)
        if (!ext_only_array(s.objects[k])) return NULL;
    if (several_read(&s)) return NULL;
    tn_array *made = NULL;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(s.arrays[0]),
                  tn_array_interpolate(&made, s.arrays[0], s.arrays[1], s.arrays[2],
                                       given[0] ? &scalars[0] : NULL, given[1] ? &scalars[1] : NULL,
                                       NULL));
    PyObject *result = ext_result(status, NULL, made, s.objects[0]);
    several_release(&s);
    return result;
}

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

PyMethodDef ext_samples_functions[] = {
    {"bincount", FAST(bincount), DOC_bincount},
    {"packbits", FAST(packbits), DOC_packbits},
    {"unpackbits", FAST(unpackbits), DOC_unpackbits},
    {"_extent", extent, METH_O, NULL},
    {"_histogram", histogram, METH_VARARGS, NULL},
    {"_correlate", FAST(correlate), NULL},
    {"_convolve", FAST(convolve), NULL},
    {"_interp", interpolate, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
