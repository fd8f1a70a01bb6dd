/* Joining: concatenate, stack, vstack and hstack. */
#include "functions/join.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/ext.h"
#include "base/object.h"
#include "base/stored.h"
#include "base/trace.h"
#include "documents.h"
#include "values/operands.h"
#include "values/take_over.h"

#include <stdlib.h>

enum { FEW = 16 };

/* The arrays of a sequence. `held` keeps the objects; arrays[] borrows from them, or (`owned`) from
 * shaped ones. */
typedef struct operands {
    Py_ssize_t count;
    PyObject *held;
    const tn_array **arrays;
    const tn_array *few[FEW];
    bool owned, is_pythons; /* elements that are no numbers, of several dtypes or with gaps */
} operands;

static void operands_deinit(operands *o) {
    for (Py_ssize_t k = 0; o->owned && k < o->count; k++)
        tn_array_release((tn_array *)o->arrays[k]);
    if (o->arrays != o->few) free(o->arrays);
    Py_XDECREF(o->held);
}

/* Lists, tuples, and whatever else is a sequence of arrays; an array is one of its rows. */
static int operands_init(operands *o, const char *function, PyObject *sequence) {
    *o = (operands){.arrays = o->few};
    if (!PySequence_Check(sequence)) {
        PyErr_Format(PyExc_TypeError,
                     "%s(): arrays to stack must be passed as a \"sequence\" type such as list or "
                     "tuple, not %R",
                     function, Py_TYPE(sequence));
        return -1;
    }
    o->held =
        PyTuple_CheckExact(sequence) ? (Py_INCREF(sequence), sequence) : PySequence_Tuple(sequence);
    if (!o->held) return -1;
    Py_ssize_t size = PyTuple_Size(o->held);
    if (size > FEW && !(o->arrays = malloc((size_t)size * sizeof *o->arrays))) {
        PyErr_NoMemory();
        return -1;
    }
    for (; o->count < size; o->count++) {
        PyObject *item = PyTuple_GetItem(o->held, o->count);
        const int names = ext_is_array(item) ? 0 : ext_names_stored(item);
        o->is_pythons = names > 0;
        if (names || !(o->arrays[o->count] = ext_only_array(item))) return -1;
    }
    return 0;
}

/* What is done to the arrays before they are joined. */
typedef enum shaping { AS_THEY_ARE, FLAT, AT_LEAST_1D, AT_LEAST_2D } shaping;

static tn_status shape_one(tn_array **result, const tn_array *array, shaping shaping) {
    const int64_t minus_one = -1;
    static const int first[2] = {0, 1};
    int missing = (shaping == AT_LEAST_1D ? 1 : 2) - tn_array_ndim(array);
    if (shaping == FLAT)
        return tn_array_reshape(result, array, 1, &minus_one, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    return tn_array_expand_dims(result, array, missing > 0 ? missing : 0, first);
}

/* Before what may run Python. */
static void own_all(operands *o) {
    for (Py_ssize_t k = 0; !o->owned && k < o->count; k++)
        tn_array_retain((tn_array *)(uintptr_t)o->arrays[k]);
    o->owned = true;
}

static int shape_all(operands *o, shaping shaping) {
    Py_ssize_t size = o->count;
    if (shaping == AS_THEY_ARE) return 0;
    own_all(o); /* a copy may run Python */
    for (Py_ssize_t k = 0; k < size; k++) {
        tn_array *shaped;
        tn_status status = shape_one(&shaped, o->arrays[k], shaping);
        if (status) {
            ext_raise(status);
            return -1;
        }
        tn_array_release((tn_array *)(uintptr_t)o->arrays[k]);
        o->arrays[k] = shaped;
    }
    return 0;
}

static int64_t total_size(const operands *o) {
    int64_t total = 0;
    for (Py_ssize_t k = 0; k < o->count; k++)
        total += tn_array_size(o->arrays[k]);
    return total;
}

/* What NumPy says of complex arrays that are joined to real ones. */
static int warn_complex(operands *o, tn_dtype dtype, tn_casting casting) {
    for (Py_ssize_t k = 0; dtype != TN_DTYPE_NONE && k < o->count; k++) {
        tn_dtype from = tn_array_dtype(o->arrays[k]);
        if (tn_dtype_kind(from) != TN_KIND_COMPLEX || !tn_dtype_can_cast(from, dtype, casting))
            continue;
        own_all(o);
        return ext_warn_complex(from, dtype);
    }
    return 0;
}

typedef tn_status (*joiner)(tn_array **result, int64_t count, const tn_array *const *arrays,
                            int axis, tn_dtype dtype, tn_casting casting, tn_stream *stream);

/* Whether what arrays become has stored elements that do not move as they are. */
static bool are_pythons(const operands *o, tn_dtype dtype) {
    bool any = tn_dtype_is_stored(dtype), are_one = true;
    for (Py_ssize_t k = 0; k < o->count; k++) {
        const tn_dtype own = tn_array_dtype(o->arrays[k]);
        any |= tn_dtype_is_stored(own);
        are_one &= own == (dtype == TN_DTYPE_NONE ? tn_array_dtype(o->arrays[0]) : dtype);
        if (tn_dtype_is_stored(own)) are_one = are_one && !ext_stored_has_gaps(own);
    }
    return any && !are_one;
}

static PyObject *join_in_python(const char *function, PyObject *const *values) {
    static const char *const names[] = {"axis", "out", "dtype", "casting"};
    PyObject *none = PyTuple_New(0), *named = none ? PyDict_New() : NULL, *result = NULL;
    bool is_good = named;
    for (int k = 0; is_good && k < 4; k++)
        is_good = !values[k + 1] || !PyDict_SetItemString(named, names[k], values[k + 1]);
    if (is_good) result = ext_take_over_call(function, values[0], none, named);
    Py_XDECREF(named);
    Py_XDECREF(none);
    return result;
}

/* values: arrays, axis, out, dtype, casting. */
static PyObject *join(const char *function, joiner joiner, PyObject *const *values,
                      shaping shaping) {
    tn_dtype dtype;
    tn_casting casting;
    tn_array *made;
    int axis = 0;
    operands o;
    if (ext_dtype(values[3], &dtype) || ext_casting(values[4], &casting, TN_CASTING_SAME_KIND) ||
        (values[1] && values[1] != Py_None && ext_axis(values[1], &axis)))
        return NULL;
    if (values[2] && values[2] != Py_None && dtype != TN_DTYPE_NONE)
        return PyErr_Format(PyExc_TypeError,
                            "%s() only takes `out` or `dtype` as an argument, but both were "
                            "provided.",
                            function);
    tn_status status = TN_OK;
    PyObject *result = NULL;
    const int failed = operands_init(&o, function, values[0]);
    if (o.is_pythons || (!failed && are_pythons(&o, dtype))) {
        result = join_in_python(function, values);
        goto cleanup;
    }
    if (failed || shape_all(&o, shaping) || ext_optional_array(values[2], &made, "out"))
        goto cleanup;
    bool has_output = made != NULL;
    if (warn_complex(&o, has_output ? tn_array_dtype(made) : dtype, casting)) goto cleanup;
    if (has_output) made = ext_array(values[2]); /* a warning runs Python */
    if (shaping == AT_LEAST_1D && o.count > 0) axis = tn_array_ndim(o.arrays[0]) > 1; /* hstack */
    EXT_LONG_CALL(status, total_size(&o),
                  joiner(&made, o.count, o.arrays, axis, dtype, casting, NULL));
    if (status)
        ext_raise(status);
    else if (has_output)
        Py_INCREF(result = values[2]);
    else
        result = ext_wrap(made);
cleanup:
    operands_deinit(&o);
    return result;
}

static const char *const axis_names[] = {"arrays|tup", "axis", "out", "*dtype", "*casting", NULL};

static PyObject *concatenate(ARGUMENTS) {
    PyObject *values[5];
    if (ext_parse("concatenate", arguments, count, keywords, axis_names, 1, values)) return NULL;
    return join("concatenate", tn_array_concatenate, values,
                values[1] == Py_None ? FLAT : AS_THEY_ARE);
}

static PyObject *stack(ARGUMENTS) {
    PyObject *values[5];
    if (ext_parse("stack", arguments, count, keywords, axis_names, 1, values)) return NULL;
    if (values[1] == Py_None)
        return PyErr_Format(PyExc_TypeError, "stack() needs an int as axis, not None");
    return join("stack", tn_array_stack, values, AS_THEY_ARE);
}

static PyObject *stack_along(const char *function, shaping shaping, ARGUMENTS) {
    static const char *const names[] = {"tup", "*dtype", "*casting", NULL};
    PyObject *given[3], *values[5] = {NULL};
    if (ext_parse(function, arguments, count, keywords, names, 1, given)) return NULL;
    values[0] = given[0];
    values[3] = given[1];
    values[4] = given[2];
    return join(function, tn_array_concatenate, values, shaping);
}

static PyObject *vstack(ARGUMENTS) {
    return stack_along("vstack", AT_LEAST_2D, self, arguments, count, keywords);
}

static PyObject *hstack(ARGUMENTS) {
    return stack_along("hstack", AT_LEAST_1D, self, arguments, count, keywords);
}

/* clang-format off */
EXT_TRACED(concatenate, "concatenate")
EXT_TRACED(stack, "stack")
EXT_TRACED(vstack, "vstack")
EXT_TRACED(hstack, "hstack")
/* clang-format on */

PyMethodDef ext_join_functions[] = {
    {"concatenate", FAST(concatenate_traced), DOC_concatenate},
    {"concat", FAST(concatenate_traced), DOC_concat},
    {"stack", FAST(stack_traced), DOC_stack},
    {"vstack", FAST(vstack_traced), DOC_vstack},
    {"hstack", FAST(hstack_traced), DOC_hstack},
    {NULL, NULL, 0, NULL},
};
