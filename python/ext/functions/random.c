/* Random numbers: one function, which fills an array for the package's random module. */
#include "functions/random.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/object.h"

#include <string.h>

/* A Python int of 64 bits, signed or not: its bits. */
static int read_bits(PyObject *object, uint64_t *bits) {
    *bits = PyLong_AsUnsignedLongLongMask(object);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_double(PyObject *object, double *value) {
    *value = PyFloat_AsDouble(object);
    return PyErr_Occurred() ? -1 : 0;
}

/* In the order of tn_generator_kind. */
static int read_kind(PyObject *name, tn_generator_kind *kind) {
    static const char *const names[] = {"Philox4x3210", "XORWOW", "MRG32k3a"};
    for (int k = 0; k < 3; k++)
        if (PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, names[k])) {
            *kind = (tn_generator_kind)k;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "there is no generator %R", name);
    return -1;
}

static PyObject *random_lanes(PyObject *module, PyObject *const *values, Py_ssize_t count) {
    (void)module;
    tn_generator_kind kind;
    uint64_t seed;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "random_lanes() takes a generator's name and a seed");
        return NULL;
    }
    if (read_kind(values[0], &kind) || read_bits(values[1], &seed)) return NULL;
    const Py_ssize_t bytes = (Py_ssize_t)sizeof(uint32_t) * TN_GENERATOR_ROWS * TN_GENERATOR_LANES;
    uint32_t *states = PyMem_Malloc((size_t)bytes);
    if (!states) return PyErr_NoMemory();
    tn_status status = tn_generator_make_lanes(states, kind, seed);
    PyObject *result = status ? ext_raise(status) : NULL;
    if (!status) result = PyBytes_FromStringAndSize((const char *)states, bytes);
    PyMem_Free(states);
    return result;
}

static int read_distribution(PyObject *name, tn_draw *draw) {
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    if (!text) return -1;
    draw->distribution = tn_distribution_find(text);
    if (draw->distribution < tn_distribution_count) return 0;
    PyErr_Format(PyExc_ValueError, "there is no distribution %R", name);
    return -1;
}

/* The parameters that are numbers; that of span is the bits of an unsigned integer. */
static int read_numbers(PyObject *parameters, tn_draw *draw) {
    const int count = tn_distribution_parameters(draw->distribution);
    if (!PyTuple_Check(parameters) || PyTuple_Size(parameters) != count) {
        PyErr_Format(PyExc_TypeError, "parameters must be a tuple of %d", count);
        return -1;
    }
    for (int k = 0; k < count; k++) {
        PyObject *object = PyTuple_GetItem(parameters, k);
        uint64_t bits;
        if (ext_is_array(object)) continue;
        if (draw->distribution != TN_RANDOM_SPAN) {
            if (read_double(object, &draw->numbers[k])) return -1;
        } else {
            if (read_bits(object, &bits)) return -1;
            memcpy(&draw->numbers[k], &bits, sizeof bits);
        }
    }
    return 0;
}

/* Once no more Python runs. */
static void lend_arrays(PyObject *parameters, tn_draw *draw) {
    for (int k = 0; k < tn_distribution_parameters(draw->distribution); k++) {
        PyObject *object = PyTuple_GetItem(parameters, k);
        if (ext_is_array(object)) draw->arrays[k] = ext_array(object);
    }
}

enum {
    RESULT,
    LANES,
    KIND,
    SEED,
    POSITION,
    DISTRIBUTION,
    PARAMETERS,
    LOCATION,
    SCALE,
    LOW,
    SPAN,
    COUNT
};

static PyObject *random_fill(PyObject *module, PyObject *const *values, Py_ssize_t count) {
    (void)module;
    tn_generator generator;
    tn_draw draw = {.scale = 1};
    uint64_t low;
    if (count != COUNT || !ext_is_array(values[RESULT])) {
        PyErr_SetString(PyExc_TypeError, "random_fill() takes an ndarray and 10 arguments");
        return NULL;
    }
    if (read_kind(values[KIND], &generator.kind) || read_bits(values[SEED], &generator.seed) ||
        read_bits(values[POSITION], &generator.position) ||
        read_distribution(values[DISTRIBUTION], &draw) || read_numbers(values[PARAMETERS], &draw) ||
        read_double(values[LOCATION], &draw.location) || read_double(values[SCALE], &draw.scale) ||
        read_bits(values[LOW], &low) || read_bits(values[SPAN], &draw.span))
        return NULL;
    draw.low = (int64_t)low;
    lend_arrays(values[PARAMETERS], &draw);
    generator.lanes = ext_is_array(values[LANES]) ? ext_array(values[LANES]) : NULL;
    tn_array *result = ext_array(values[RESULT]);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(result) * 8,
                  tn_random_fill(result, &generator, &draw, NULL));
    EXT_TRY(status);
    return PyLong_FromUnsignedLongLong(generator.position);
}

PyMethodDef ext_random_functions[] = {
    {"_random_fill", (PyCFunction)(void (*)(void))random_fill, METH_FASTCALL,
     "_random_fill(result, lanes, kind, seed, position, distribution, parameters, location, scale, "
     "low, span)\n"
     "--\n\nWrite random numbers to every element; gives the position behind them."},
    {"_random_lanes", (PyCFunction)(void (*)(void))random_lanes, METH_FASTCALL,
     "_random_lanes(kind, seed)\n--\n\nThe bytes of the first states of a generator with lanes."},
    {NULL, NULL, 0, NULL},
};
