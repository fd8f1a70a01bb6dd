/* NumPy's dtype objects and scalars. The dtype objects are NumPy's own singletons, fetched once,
 * so that most look-ups compare one pointer; whatever else means a dtype goes through
 * numpy.dtype(). */
#include "base/dtypes.h"

#include "base/errors.h"
#include "base/ext.h"
#include "base/object.h"
#include "base/stored.h"
#include "base/types.h"

#include <math.h>
#include <string.h>

static PyObject *dtype_objects[TN_DTYPE_COUNT]; /* bfloat16: NULL until ml_dtypes is imported */
static PyObject *scalar_types[TN_DTYPE_COUNT];
static PyObject *numpy_dtype, *numpy_generic;

static int load_numpy(void) {
    if (numpy_generic) return 0;
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!numpy) return -1;
    numpy_dtype = PyObject_GetAttrString(numpy, "dtype");
    for (int k = 0; numpy_dtype && k < TN_DTYPE_COUNT; k++) {
        if (k == TN_BF16) continue;
        dtype_objects[k] = PyObject_CallFunction(numpy_dtype, "s", tn_dtype_name(k));
        if (dtype_objects[k]) scalar_types[k] = PyObject_GetAttrString(dtype_objects[k], "type");
        if (!scalar_types[k]) break;
    }
    if (scalar_types[TN_C128]) numpy_generic = PyObject_GetAttrString(numpy, "generic");
    Py_DECREF(numpy);
    return numpy_generic ? 0 : -1;
}

/* bfloat16 belongs to ml_dtypes, which is optional; `import` says whether to bring it in. */
static int load_bfloat16(int import) {
    if (dtype_objects[TN_BF16]) return 0;
    PyObject *module = NULL;
    if (import) {
        module = PyImport_ImportModule("ml_dtypes");
    } else {
        PyObject *modules = PyImport_GetModuleDict();
        module = PyDict_GetItemString(modules, "ml_dtypes");
        Py_XINCREF(module);
    }
    if (!module) return -1;
    PyObject *type = PyObject_GetAttrString(module, "bfloat16");
    Py_DECREF(module);
    if (!type) return -1;
    PyObject *dtype = PyObject_CallFunctionObjArgs(numpy_dtype, type, NULL);
    if (!dtype) {
        Py_DECREF(type);
        return -1;
    }
    scalar_types[TN_BF16] = type;
    dtype_objects[TN_BF16] = dtype;
    return 0;
}

PyObject *ext_dtype_object(tn_dtype dtype) {
    if (tn_dtype_is_stored(dtype)) return ext_stored_object(dtype);
    if (load_numpy()) return NULL;
    if (dtype == TN_BF16 && load_bfloat16(1)) return NULL;
    return dtype_objects[dtype];
}

PyObject *ext_bufferable(PyObject *host, tn_dtype dtype) {
    if (dtype == TN_BF16) return PyObject_CallMethod(host, "view", "s", "u2");
    if (!tn_dtype_is_stored(dtype)) return Py_NewRef(host);
    char text[32];
    PyOS_snprintf(text, sizeof text, "V%lld", (long long)tn_dtype_size(dtype));
    return PyObject_CallMethod(host, "view", "s", text);
}

/* One of the known singletons, or TN_DTYPE_NONE. */
static tn_dtype find_pointer(PyObject *const *table, PyObject *object) {
    for (int k = 0; k < TN_DTYPE_COUNT; k++)
        if (table[k] == object) return k;
    return TN_DTYPE_NONE;
}

/* Native dtypes that are no singleton of ours (long long), by kind and size. */
static tn_dtype find_equivalent(PyObject *dtype) {
    PyObject *name = PyObject_GetAttrString(dtype, "name");
    if (!name) {
        PyErr_Clear();
        return TN_DTYPE_NONE;
    }
    tn_dtype found = TN_DTYPE_NONE;
    for (int k = 0; k < TN_DTYPE_COUNT && found == TN_DTYPE_NONE; k++)
        if (!PyUnicode_CompareWithASCIIString(name, tn_dtype_name(k))) found = k;
    Py_DECREF(name);
    if (found == TN_BF16 && load_bfloat16(0)) PyErr_Clear();
    return found;
}

/* What was asked for lately, at a place that its address decides. The object is kept, so that the
 * address means nothing else meanwhile; only what never changes its meaning is remembered. */
enum { RECENT = 64 };
static struct {
    PyObject *object;
    tn_dtype dtype;
} recent[RECENT];

static size_t place_of(const PyObject *object) {
    uintptr_t address = (uintptr_t)object / 16;
    return (address ^ address / RECENT) % RECENT;
}

static void remember(PyObject *object, tn_dtype dtype) {
    size_t place = place_of(object);
    PyObject *before = recent[place].object;
    Py_INCREF(object);
    recent[place].object = object;
    recent[place].dtype = dtype;
    Py_XDECREF(before);
}

/* Strings and the types of the language. Another class may change what it means (`dtype`). */
static bool is_constant(PyObject *object) {
    return PyUnicode_CheckExact(object) || object == (PyObject *)&PyFloat_Type ||
           object == (PyObject *)&PyLong_Type || object == (PyObject *)&PyBool_Type ||
           object == (PyObject *)&PyComplex_Type;
}

/* NumPy's dtype object of anything that numpy.dtype() takes. New reference. */
static PyObject *make_dtype(PyObject *object) {
    if (PyUnicode_Check(object) && !PyUnicode_CompareWithASCIIString(object, "bfloat16")) {
        if (load_bfloat16(1)) return NULL;
        Py_INCREF(dtype_objects[TN_BF16]);
        return dtype_objects[TN_BF16];
    }
    if (!ext_is_array(object)) return PyObject_CallFunctionObjArgs(numpy_dtype, object, NULL);
    PyErr_SetString(PyExc_TypeError, "Cannot construct a dtype from an array; give its .dtype");
    return NULL;
}

/* Whether a dtype of the same kind and size has the machine's order of bytes; -1: an exception. */
static int is_native(PyObject *dtype) {
    PyObject *native = PyObject_GetAttrString(dtype, "isnative");
    int answer = native ? PyObject_IsTrue(native) : -1;
    Py_XDECREF(native);
    return answer;
}

/* TypeError and ValueError in one; -1 always. */
static int refuse(PyObject *text) {
    PyObject *kind = text ? ext_import("tenorite.exceptions", "UnsupportedDtypeError") : NULL;
    if (kind) PyErr_SetObject(kind, text);
    Py_XDECREF(kind);
    Py_XDECREF(text);
    return -1;
}

/* A dtype object's meaning, and whether its bytes are in the other order. */
static int read_made(PyObject *made, tn_dtype *dtype, bool *is_swapped) {
    *is_swapped = false;
    *dtype = find_pointer(dtype_objects, made);
    if (*dtype != TN_DTYPE_NONE) return 0;
    *dtype = find_equivalent(made);
    int native = *dtype == TN_DTYPE_NONE ? 1 : is_native(made);
    *is_swapped = native == 0;
    if (native < 0) return -1;
    if (*dtype != TN_DTYPE_NONE) return 0;
    int stored = ext_stored_dtype(made, dtype);
    if (stored > 0) *is_swapped = !is_native(made);
    if (stored) return stored < 0 ? -1 : 0;
    return refuse(PyUnicode_FromFormat(
        "Unsupported dtype %S: elements are bools, integers and floats of up to 64 bits, complex "
        "numbers of these, dates, durations, or structures of such; see errors/dtype-refused in "
        "the documentation",
        made));
}

int ext_dtype_any_order(PyObject *object, tn_dtype *dtype, bool *is_swapped) {
    *dtype = TN_DTYPE_NONE;
    *is_swapped = false;
    if (!object || object == Py_None) return 0;
    if (load_numpy()) return -1;
    PyObject *made = make_dtype(object);
    int failed = made ? read_made(made, dtype, is_swapped) : -1;
    Py_XDECREF(made);
    return failed;
}

/* Anything that numpy.dtype() takes. */
static int read_dtype(PyObject *object, tn_dtype *dtype) {
    bool is_swapped;
    if (ext_dtype_any_order(object, dtype, &is_swapped)) return -1;
    if (!is_swapped || tn_dtype_is_stored(*dtype)) return 0;
    return refuse(PyUnicode_FromFormat(
        "Unsupported dtype %R: arrays keep the machine's byte-order; ask for '%s' "
        "(asarray() and frombuffer() turn what comes in, byteswap() turns an array)",
        object, tn_dtype_name(*dtype)));
}

int ext_dtype(PyObject *object, tn_dtype *dtype) {
    *dtype = TN_DTYPE_NONE;
    if (!object || object == Py_None) return 0;
    size_t place = place_of(object);
    if (recent[place].object == object) {
        *dtype = recent[place].dtype;
        return 0;
    }
    if (load_numpy()) return -1;
    *dtype = find_pointer(dtype_objects, object);
    if (*dtype == TN_DTYPE_NONE) *dtype = find_pointer(scalar_types, object);
    bool is_known = *dtype != TN_DTYPE_NONE;
    if (!is_known && read_dtype(object, dtype)) return -1;
    if (is_known || is_constant(object)) remember(object, *dtype);
    return 0;
}

int ext_dtype_with_shape(PyObject *object, tn_dtype *dtype, int *ndim, int64_t *shape) {
    *ndim = 0;
    if (load_numpy()) return -1;
    PyObject *made = make_dtype(object);
    PyObject *base = made ? PyObject_GetAttrString(made, "base") : NULL;
    PyObject *sizes = base ? PyObject_GetAttrString(made, "shape") : NULL;
    int failed = sizes ? ext_dtype(base, dtype) : -1;
    for (Py_ssize_t k = 0; !failed && k < PyTuple_Size(sizes); k++) {
        shape[k] = PyLong_AsLongLong(PyTuple_GetItem(sizes, k));
        ++*ndim;
    }
    Py_XDECREF(sizes);
    Py_XDECREF(base);
    Py_XDECREF(made);
    return failed;
}

/* --- Scalars --- */

/* As tn_scalar_weak_int() and tn_scalar_weak_float() make it, field by field: whoever reads it next
 * would wait for the copy of a struct. */
static void set_weak(tn_scalar *scalar, tn_dtype dtype) {
    scalar->dtype = dtype;
    scalar->weak = true;
    scalar->huge = false;
}

static int read_float(PyObject *object, tn_scalar *scalar) {
    set_weak(scalar, TN_F64);
    scalar->value.f64 = PyFloat_AsDouble(object);
    return 1;
}

static int read_int(PyObject *object, tn_scalar *scalar) {
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (value == -1 && PyErr_Occurred()) return -1;
    set_weak(scalar, TN_I64);
    scalar->value.i64 = value;
    if (!overflow) return 1;
    if (overflow > 0) {
        scalar->dtype = TN_U64;
        scalar->value.u64 = PyLong_AsUnsignedLongLong(object);
        if (scalar->value.u64 != UINT64_MAX || !PyErr_Occurred()) return 1;
        PyErr_Clear();
    }
    double nearest = PyLong_AsDouble(object);
    if (nearest == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        nearest = overflow > 0 ? INFINITY : -INFINITY;
    }
    *scalar = tn_scalar_weak_huge(nearest);
    return 1;
}

/* A NumPy scalar's bytes, through the buffer protocol (bfloat16: through float). */
static int read_numpy(PyObject *object, tn_dtype dtype, tn_scalar *scalar) {
    memset(scalar, 0, sizeof *scalar);
    scalar->dtype = dtype;
    if (dtype == TN_BF16) {
        double value = PyFloat_AsDouble(object);
        if (value == -1 && PyErr_Occurred()) return -1;
        if (tn_scalar_convert(scalar->value.bytes, tn_scalar_weak_float(value), TN_BF16))
            return ext_raise(TN_ERROR_VALUE), -1;
        return 1;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE)) return -1;
    if (view.len == tn_dtype_size(dtype)) memcpy(scalar->value.bytes, view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    return 1;
}

int ext_scalar(PyObject *object, tn_scalar *scalar) {
    if (PyFloat_CheckExact(object)) return read_float(object, scalar);
    if (PyLong_CheckExact(object)) return read_int(object, scalar);
    if (object == Py_True || object == Py_False) {
        *scalar = tn_scalar_bool(object == Py_True);
        return 1;
    }
    if (load_numpy()) return -1;
    tn_dtype dtype = find_pointer(scalar_types, (PyObject *)Py_TYPE(object));
    if (dtype != TN_DTYPE_NONE) return read_numpy(object, dtype, scalar);
    int generic = PyObject_IsInstance(object, numpy_generic);
    if (generic < 0) return -1;
    if (generic) { /* long long, or a kind that we do not have */
        PyObject *is = PyObject_GetAttrString(object, "dtype");
        if (!is) return -1;
        dtype = find_equivalent(is);
        Py_DECREF(is);
        return dtype == TN_DTYPE_NONE ? 0 : read_numpy(object, dtype, scalar);
    }
    if (PyLong_Check(object)) return read_int(object, scalar);
    if (PyFloat_Check(object)) return read_float(object, scalar);
    if (PyComplex_Check(object)) {
        *scalar =
            tn_scalar_weak_complex(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
        return 1;
    }
    if (!load_bfloat16(0) && (PyObject *)Py_TYPE(object) == scalar_types[TN_BF16])
        return read_numpy(object, TN_BF16, scalar);
    PyErr_Clear();
    return 0;
}

static int refuse_complex(const char *type, const char *also) {
    PyErr_Format(PyExc_TypeError, "%s() argument must be a string%s a real number, not 'complex'",
                 type, also);
    return -1;
}

/* As int(): the value without its fraction, as a Python integer. */
static int to_integer(tn_scalar *scalar) {
    double value;
    if (tn_scalar_convert(&value, *scalar, TN_F64)) return ext_raise(TN_ERROR_VALUE), -1;
    if (isnan(value)) {
        PyErr_SetString(PyExc_ValueError, "cannot convert float NaN to integer");
        return -1;
    }
    if (isinf(value)) {
        PyErr_SetString(PyExc_OverflowError, "cannot convert float infinity to integer");
        return -1;
    }
    if (value >= -0x1p63 && value < 0x1p63) {
        *scalar = tn_scalar_weak_int((int64_t)value);
        return 0;
    }
    *scalar = tn_scalar_weak_huge(value);
    if (value > 0 && value < 0x1p64) {
        scalar->huge = false;
        scalar->dtype = TN_U64;
        scalar->value.u64 = (uint64_t)value;
    }
    return 0;
}

int ext_element(tn_scalar *scalar, tn_dtype dtype) {
    tn_kind kind = tn_dtype_kind(dtype), from = tn_dtype_kind(scalar->dtype);
    bool integer = kind == TN_KIND_SIGNED || kind == TN_KIND_UNSIGNED;
    if (scalar->weak && from == TN_KIND_COMPLEX && (integer || kind == TN_KIND_FLOAT))
        return integer ? refuse_complex("int", ", a bytes-like object or")
                       : refuse_complex("float", " or");
    if (!integer || from != TN_KIND_FLOAT) return 0;
    /* NumPy casts its own floats to unsigned integers, and to signed ones it does not. */
    return scalar->weak || kind == TN_KIND_SIGNED ? to_integer(scalar) : 0;
}

#define READ(type, make)                                                                           \
    do {                                                                                           \
        type value;                                                                                \
        memcpy(&value, element, sizeof value);                                                     \
        return make(value);                                                                        \
    } while (0)

/* A float16 or bfloat16 as a Python float. */
static PyObject *half_object(const void *element, tn_dtype dtype) {
    double value;
    tn_scalar read = {.dtype = dtype};
    memcpy(read.value.bytes, element, 2);
    if (tn_scalar_convert(&value, read, TN_F64)) return ext_raise(TN_ERROR_VALUE);
    return PyFloat_FromDouble(value);
}

static PyObject *complex_object(const void *element, tn_dtype dtype) {
    float narrow[2];
    double value[2];
    if (dtype == TN_C128) {
        memcpy(value, element, sizeof value);
        return PyComplex_FromDoubles(value[0], value[1]);
    }
    memcpy(narrow, element, sizeof narrow);
    return PyComplex_FromDoubles(narrow[0], narrow[1]);
}

PyObject *ext_element_object(const void *element, tn_dtype dtype) {
    switch (dtype) {
    case TN_B8: READ(uint8_t, PyBool_FromLong);
    case TN_I8: READ(int8_t, PyLong_FromLong);
    case TN_U8: READ(uint8_t, PyLong_FromLong);
    case TN_I16: READ(int16_t, PyLong_FromLong);
    case TN_U16: READ(uint16_t, PyLong_FromLong);
    case TN_I32: READ(int32_t, PyLong_FromLong);
    case TN_U32: READ(uint32_t, PyLong_FromUnsignedLong);
    case TN_I64: READ(int64_t, PyLong_FromLongLong);
    case TN_U64: READ(uint64_t, PyLong_FromUnsignedLongLong);
    case TN_F32: READ(float, PyFloat_FromDouble);
    case TN_F64: READ(double, PyFloat_FromDouble);
    case TN_C64:
    case TN_C128: return complex_object(element, dtype);
    default: return half_object(element, dtype);
    }
}

PyObject *ext_scalar_object(const tn_scalar *scalar) {
    return ext_element_object(scalar->value.bytes, scalar->dtype);
}
