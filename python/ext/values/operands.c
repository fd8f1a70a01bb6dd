/* What a function takes beside options: operands, optional arrays, out=, where= and initial=;
 * and what it gives back. */
#include "values/operands.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "exchange/foreign.h"
#include "values/refusal.h"

/* 1: an operand, 0: it is none (no exception), -1: an exception. */
static int read_operand(PyObject *object, tn_operand *operand) {
    if (object && ext_is_array(object)) {
        operand->array = ext_array(object);
        return 1;
    }
    operand->array = NULL;
    return object ? ext_scalar(object, &operand->scalar) : 0;
}

int ext_operand_of(PyObject *object, tn_operand *operand, const char *function,
                   const char *argument) {
    int found = read_operand(object, operand);
    if (found == 0) ext_refuse_type(object, function, argument);
    return found == 1 ? 0 : -1;
}

int ext_operand(PyObject *object, tn_operand *operand) {
    return ext_operand_of(object, operand, NULL, NULL);
}

tn_array *ext_only_array(PyObject *object) {
    if (ext_is_array(object)) return ext_array(object);
    ext_refuse_argument(object);
    return NULL;
}

int ext_own(PyObject *object, PyObject *beside, tn_array **owned) {
    tn_operand operand;
    *owned = NULL;
    if (object && ext_is_array(object)) return 0;
    int found = read_operand(object, &operand);
    if (found == 0) ext_refuse_argument(object);
    if (found <= 0) {
        PyObject *stand_in = object ? ext_stand_in(object, false) : NULL;
        if (!stand_in) return -1;
        *owned = tn_array_retain(ext_array(stand_in));
        Py_DECREF(stand_in);
        return 0;
    }
    tn_stream *stream = beside ? tn_stream_get_current(tn_array_device(ext_array(beside))) : NULL;
    tn_status status = tn_array_new_scalar(owned, operand.scalar, TN_DTYPE_NONE, stream);
    return status ? (ext_raise(status), -1) : 0;
}

tn_array *ext_lend(PyObject *object, tn_array *owned) {
    return owned ? owned : ext_array(object);
}

void ext_lend_operands(int count, PyObject *const *objects, tn_operand *operands) {
    for (int k = 0; k < count; k++)
        if (operands[k].array) operands[k].array = ext_array(objects[k]);
}

int ext_optional_array(PyObject *object, tn_array **array, const char *name) {
    *array = NULL;
    if (!object || object == Py_None) return 0;
    if (!ext_is_array(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a tenorite.ndarray, not %R", name,
                     (PyObject *)Py_TYPE(object));
        return -1;
    }
    *array = ext_array(object);
    return 0;
}

int ext_out(PyObject **object, tn_array **array) {
    if (*object && PyTuple_Check(*object)) {
        if (PyTuple_Size(*object) != 1) {
            PyErr_SetString(PyExc_ValueError,
                            "The 'out' tuple must have exactly one entry per ufunc output");
            return -1;
        }
        *object = PyTuple_GetItem(*object, 0);
    }
    if (*object == Py_None) *object = NULL;
    return ext_optional_array(*object, array, "out");
}

PyObject *ext_result(tn_status status, PyObject *out, tn_array *made, PyObject *like) {
    if (status) return ext_raise(status);
    if (!out || out == Py_None) return ext_wrap_like(made, like);
    Py_INCREF(out);
    return out;
}

int ext_warn_made(tn_dtype from, PyObject *dtype, PyObject *out) {
    tn_dtype to;
    if (tn_dtype_kind(from) != TN_KIND_COMPLEX) return 0;
    if (ext_dtype(dtype, &to)) return -1;
    if (out && PyTuple_Check(out)) out = PyTuple_Size(out) == 1 ? PyTuple_GetItem(out, 0) : NULL;
    if (to == TN_DTYPE_NONE && out && ext_is_array(out)) to = tn_array_dtype(ext_array(out));
    return to == TN_DTYPE_NONE ? 0 : ext_warn_complex(from, to);
}

/* --- where= and initial= --- */

int ext_where(PyObject *object, tn_array **mask, tn_array **owned) {
    *mask = *owned = NULL;
    if (!object || object == Py_True) return 0;
    tn_scalar scalar;
    int is_scalar = ext_is_array(object) ? 0 : object == Py_None ? 1 : ext_scalar(object, &scalar);
    if (is_scalar < 0) return -1;
    if (is_scalar) { /* a truth, and None is none */
        int truth = PyObject_IsTrue(object);
        if (truth) return truth < 0 ? -1 : 0;
        tn_status status = tn_array_new_scalar(owned, tn_scalar_bool(false), TN_B8, NULL);
        if (status) return ext_raise(status), -1;
        *mask = *owned;
        return 0;
    }
    return ext_optional_array(object, mask, "where");
}

int ext_initial(PyObject *object, tn_reduce_options *options, tn_scalar *initial) {
    tn_operand operand;
    if (!object) return 0;
    if (object == Py_None) {
        options->without_identity = true;
        return 0;
    }
    if (ext_operand(object, &operand)) return -1;
    if (operand.array) {
        tn_status status = tn_array_item(&operand.scalar, operand.array, NULL);
        if (status) return ext_raise(status), -1;
    }
    *initial = operand.scalar;
    options->initial = initial;
    return 0;
}

/* Everything that a call says. `options.where` and `out` are borrowed. */
