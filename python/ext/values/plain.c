/* Lists of Python's own numbers, nested evenly, in one pass: the common case, without NumPy.
 *
 * Decides: what is read here. Everything else (other types, lists of uneven lengths, ints beyond
 * int64, values that a given dtype cannot hold) is NumPy's to convert or refuse.
 * Algorithm: the first items of the lists tell the shape; then each number is stored as an int64,
 * or from the first float on as a double. */
#include "values/plain.h"

#include "base/types.h"
#include "values/numpy.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_ITEMS = 64 };
enum { SEES_BOOL = 1, SEES_INT = 2, SEES_FLOAT = 4 };

typedef union number {
    int64_t integer;
    double real;
} number;

typedef struct reading {
    number *values;
    int64_t count, least, largest; /* of ints */
    double size;                   /* the largest finite one of floats */
    int seen, ndim;
    Py_ssize_t shape[TN_MAX_NDIM];
} reading;

static PyObject *numpy_float; /* a subclass of Python's */

static bool is_float(PyObject *object) {
    return PyFloat_CheckExact(object) || (PyObject *)Py_TYPE(object) == numpy_float;
}

static bool is_list(PyObject *object) {
    return PyList_CheckExact(object) || PyTuple_CheckExact(object);
}

static Py_ssize_t size_of(PyObject *list) {
    return PyList_CheckExact(list) ? PyList_Size(list) : PyTuple_Size(list);
}

static PyObject *item_of(PyObject *list, Py_ssize_t k) {
    return PyList_CheckExact(list) ? PyList_GetItem(list, k) : PyTuple_GetItem(list, k);
}

static bool read_shape(reading *r, int64_t *size, PyObject *object) {
    *size = 1;
    for (r->ndim = 0; is_list(object); object = item_of(object, 0)) {
        const Py_ssize_t length = size_of(object);
        if (r->ndim == TN_MAX_NDIM || length == 0 || *size > INT32_MAX / length) return false;
        r->shape[r->ndim++] = length;
        *size *= length;
    }
    return is_float(object) || PyLong_CheckExact(object) || PyBool_Check(object);
}

static void make_real(reading *r) {
    for (int64_t k = 0; k < r->count; k++)
        r->values[k].real = (double)r->values[k].integer;
    r->seen |= SEES_FLOAT;
}

static void add_float(reading *r, double value) {
    const double size = fabs(value);
    if (!(r->seen & SEES_FLOAT)) make_real(r);
    if (size > r->size && !isinf(size)) r->size = size;
    r->values[r->count++].real = value;
}

/* False: beyond int64, with an exception. */
static bool add_int(reading *r, PyObject *item) {
    const int64_t value = PyLong_AsLongLong(item);
    if (value == -1 && PyErr_Occurred()) return false;
    r->seen |= PyBool_Check(item) ? SEES_BOOL : SEES_INT;
    if (value < r->least) r->least = value;
    if (value > r->largest) r->largest = value;
    if (r->seen & SEES_FLOAT)
        r->values[r->count++].real = (double)value;
    else
        r->values[r->count++].integer = value;
    return true;
}

static bool read_items(reading *r, PyObject *list, int axis) {
    const Py_ssize_t size = r->shape[axis];
    if (!is_list(list) || size_of(list) != size) return false;
    for (Py_ssize_t k = 0; k < size; k++) {
        PyObject *item = item_of(list, k);
        if (axis + 1 < r->ndim) {
            if (!read_items(r, item, axis + 1)) return false;
        } else if (is_float(item)) {
            add_float(r, PyFloat_AsDouble(item));
        } else if (!(PyLong_CheckExact(item) || PyBool_Check(item)) || !add_int(r, item)) {
            return false;
        }
    }
    return true;
}

static bool fits_integer(const reading *r, tn_dtype dtype) {
    const int bits = 8 * (int)tn_dtype_size(dtype);
    if (r->seen & SEES_FLOAT) return false;
    if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED)
        return r->least >= 0 && (bits == 64 || r->largest < INT64_C(1) << bits);
    const int64_t limit = INT64_MAX >> (64 - bits);
    return r->least >= -limit - 1 && r->largest <= limit;
}

/* Whether the values become a dtype as NumPy would have them, by a cast and without a warning. */
static bool fits(const reading *r, tn_dtype dtype) {
    const int64_t exact = INT64_C(1) << DBL_MANT_DIG;
    const tn_kind kind = tn_dtype_kind(dtype);
    if (dtype == TN_DTYPE_NONE || dtype == TN_F64) return true;
    if (dtype == TN_F32) return r->size <= FLT_MAX && r->least >= -exact && r->largest <= exact;
    return (kind == TN_KIND_SIGNED || kind == TN_KIND_UNSIGNED) && fits_integer(r, dtype);
}

static tn_array *make(const reading *r, int64_t size, tn_dtype dtype) {
    tn_dtype own = r->seen & SEES_FLOAT ? TN_F64 : r->seen & SEES_INT ? TN_I64 : TN_B8;
    const Py_ssize_t bytes = own == TN_B8 ? 1 : 8;
    Py_ssize_t strides[TN_MAX_NDIM], stride = bytes;
    for (int axis = r->ndim - 1; axis >= 0; axis--) {
        strides[axis] = stride;
        stride *= r->shape[axis];
    }
    for (int64_t k = 0; own == TN_B8 && k < size; k++)
        ((bool *)r->values)[k] = r->values[k].integer != 0;
    Py_buffer memory = {.buf = r->values,
                        .len = (Py_ssize_t)size * bytes,
                        .itemsize = bytes,
                        .ndim = r->ndim,
                        .shape = (Py_ssize_t *)(uintptr_t)r->shape,
                        .strides = strides};
    return ext_numpy_convert_dtype(ext_numpy_upload(&memory, own, TN_ORDER_C), dtype, TN_ORDER_C);
}

tn_array *ext_from_plain(PyObject *object, tn_dtype dtype) {
    number few[FEW_ITEMS];
    reading r = {.values = few};
    int64_t size;
    if (!numpy_float && !(numpy_float = ext_import("numpy", "float64"))) return NULL;
    if (!read_shape(&r, &size, object)) return NULL;
    if (size > FEW_ITEMS && !(r.values = malloc((size_t)size * sizeof *r.values))) return NULL;
    tn_array *made = NULL;
    if (read_items(&r, object, 0)) {
        if (fits(&r, dtype)) made = make(&r, size, dtype);
    } else {
        PyErr_Clear();
    }
    if (r.values != few) free(r.values);
    return made;
}
