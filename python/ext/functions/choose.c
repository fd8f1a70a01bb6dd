/* Choosing among few arrays and scalars by numbers: what the package's choose() does with them.
 * Each choice is laid over those before it, where its number stands. And values that are written
 * where a mask is true: place() and putmask(). */
#include "functions/choose.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/hold.h"
#include "base/object.h"

#include <string.h>

/* So few choices need no table of all. */
enum { MOST_CHOICES = 8 };

typedef struct choices {
    int count;
    tn_dtype dtype;
    tn_operand operands[MOST_CHOICES];
    tn_array *held[MOST_CHOICES]; /* the arrays among them, or NULL */
} choices;

static void release_choices(choices *c) {
    for (int k = 0; k < c->count; k++)
        tn_array_release(c->held[k]);
}

/* One choice, which is held: 1, 0 for what is no array and no scalar, -1 for an exception. */
static int read_choice(choices *c, PyObject *one) {
    tn_operand *operand = &c->operands[c->count];
    tn_array **held = &c->held[c->count++];
    operand->array = *held = NULL;
    if (Py_TYPE(one) == ext_ndarray_type) {
        operand->array = *held = tn_array_retain(ext_array(one));
        return 1;
    }
    return ext_is_array(one) ? 0 : ext_scalar(one, &operand->scalar);
}

/* 1: these are few arrays and scalars, which are held; 0: they are not; -1: an exception. */
static int read_choices(choices *c, PyObject *object) {
    c->count = 0;
    if (!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) return 0;
    const Py_ssize_t size = PySequence_Size(object);
    if (size < 2 || size > MOST_CHOICES) return 0;
    int found = 1;
    for (Py_ssize_t k = 0; found > 0 && k < size; k++) {
        PyObject *one = PySequence_GetItem(object, k); /* a list may have become shorter */
        found = one ? read_choice(c, one) : -1;
        Py_XDECREF(one);
    }
    tn_status status = found > 0 ? tn_result_type(&c->dtype, c->count, c->operands) : TN_OK;
    if (status) found = (ext_raise(status), -1);
    if (found <= 0) release_choices(c);
    return found;
}

static tn_status lay_over(tn_array **result, tn_operand below, const tn_array *numbers, int number,
                          const tn_operand *choice, tn_dtype dtype) {
    tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    tn_operand compared[2] = {tn_operand_array(numbers), {.scalar = tn_scalar_weak_int(number)}};
    tn_array *mask = NULL;
    tn_status status = tn_elementwise(&mask, TN_OP_EQUAL, compared, &options, NULL);
    if (status) return status;
    tn_operand inputs[3] = {tn_operand_array(mask), *choice, below};
    options.dtype = dtype;
    *result = NULL;
    status = tn_elementwise(result, TN_OP_WHERE, inputs, &options, NULL);
    tn_array_release(mask);
    return status;
}

static tn_status pick(tn_array **result, const tn_array *numbers, const choices *c) {
    tn_array *made = NULL;
    tn_operand below = c->operands[0];
    for (int k = 1; k < c->count; k++) {
        tn_array *next;
        tn_status status = lay_over(&next, below, numbers, k, &c->operands[k], c->dtype);
        tn_array_release(made);
        if (status) return status;
        made = next;
        below = tn_operand_array(made);
    }
    *result = made;
    return TN_OK;
}

/* Whether the array holds integers, some of them, on the current device. */
static bool is_numbers(PyObject *object) {
    if (Py_TYPE(object) != ext_ndarray_type) return false;
    const tn_array *array = ext_array(object);
    const tn_kind kind = tn_dtype_kind(tn_array_dtype(array));
    return (kind == TN_KIND_SIGNED || kind == TN_KIND_UNSIGNED) && tn_array_size(array) > 0 &&
           tn_device_is_equal(tn_array_device(array), tn_device_get_current());
}

/* 0, or -1 and ValueError where a number is none of a choice. */
static int check_numbers(const tn_array *numbers, int count) {
    static const int64_t all = -1;
    tn_scalar ends[2];
    tn_array *row = NULL;
    int64_t least, largest;
    tn_status status =
        tn_array_reshape(&row, numbers, 1, &all, TN_ORDER_C, TN_COPY_IF_NEEDED, NULL);
    if (!status) status = tn_array_extent(&ends[0], &ends[1], row, NULL);
    tn_array_release(row);
    if (!status) status = tn_scalar_convert(&least, ends[0], TN_I64);
    if (!status) status = tn_scalar_convert(&largest, ends[1], TN_I64);
    if (status) return ext_raise(status), -1;
    if (least >= 0 && largest >= 0 && largest < count) return 0;
    PyErr_SetString(PyExc_ValueError, "invalid entry in choice array");
    return -1;
}

static bool is_shape_of(const tn_array *one, const tn_array *other) {
    const int ndim = tn_array_ndim(one);
    return ndim == tn_array_ndim(other) &&
           !memcmp(tn_array_shape(one), tn_array_shape(other), sizeof(int64_t) * (size_t)ndim);
}

static bool are_of_shape(const choices *c, const tn_array *numbers) {
    for (int k = 0; k < c->count; k++)
        if (c->held[k] && !is_shape_of(c->held[k], numbers)) return false;
    return true;
}

/* _choose_few(numbers, choices, is_checked): None where the arguments are others. `is_checked`:
 * every number is one of a choice, and the shapes broadcast; else arrays have the shape of
 * `numbers`. */
static PyObject *choose_few(PyObject *self, PyObject *arguments) {
    PyObject *numbers, *object;
    int is_checked;
    choices c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOp", &numbers, &object, &is_checked)) return NULL;
    const int found = is_numbers(numbers) ? read_choices(&c, object) : 0;
    if (found < 0) return NULL;
    if (!found) Py_RETURN_NONE;
    tn_array *held = tn_array_retain(ext_array(numbers)), *made = NULL;
    PyObject *result = NULL;
    if (!is_checked && !are_of_shape(&c, held)) {
        result = Py_NewRef(Py_None);
    } else if (is_checked || !check_numbers(held, c.count)) {
        tn_status status;
        EXT_LONG_CALL(status, tn_array_size(held), pick(&made, held, &c));
        result = ext_wrap_status(status, made);
    }
    tn_array_release(held);
    release_choices(&c);
    return result;
}

/* --- Where a mask is true --- */

/* A scalar or an array that the elements of `to` take without a conversion: 1; 0: it is another;
 * -1: an exception. Arrays are borrowed. */
static int read_values(tn_operand *values, PyObject *object, const tn_array *to) {
    tn_dtype dtype;
    values->array = NULL;
    if (Py_TYPE(object) == ext_ndarray_type) {
        values->array = ext_array(object);
        return tn_array_dtype(values->array) == tn_array_dtype(to);
    }
    if (!PyFloat_CheckExact(object) && !PyLong_CheckExact(object)) return 0;
    const int found = ext_scalar(object, &values->scalar);
    if (found <= 0) return found;
    tn_operand both[2] = {tn_operand_array(to), *values};
    if (tn_result_type(&dtype, 2, both) == TN_OK && dtype == tn_array_dtype(to)) return 1;
    return 0;
}

static tn_status put_one_after_the_other(tn_array *to, const tn_array *mask,
                                         const tn_operand *values) {
    tn_array *places;
    tn_status status = tn_array_flatnonzero(&places, mask, NULL);
    if (status) return status;
    status = tn_array_put_flat(to, places, values, TN_INDEX_RAISE, NULL);
    tn_array_release(places);
    return status;
}

static tn_status put_each(tn_array *to, const tn_array *mask, const tn_operand *values) {
    tn_elementwise_options options = TN_ELEMENTWISE_DEFAULTS;
    tn_operand inputs[3] = {tn_operand_array(mask), *values, tn_operand_array(to)};
    options.dtype = tn_array_dtype(to);
    return tn_elementwise(&to, TN_OP_WHERE, inputs, &options, NULL);
}

static bool is_mask_of(PyObject *object, const tn_array *to) {
    return Py_TYPE(object) == ext_ndarray_type && tn_array_dtype(ext_array(object)) == TN_B8 &&
           is_shape_of(ext_array(object), to) &&
           tn_device_is_equal(tn_array_device(ext_array(object)), tn_array_device(to));
}

/* _put_masked(to, mask, values, is_each): where the mask is true the values of the same places
 * (is_each), or the next one of the values, are written. False where the arguments need a look:
 * other dtypes and shapes. */
static PyObject *put_masked(PyObject *self, PyObject *arguments) {
    PyObject *object, *mask, *given;
    int is_each;
    tn_operand values;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOOp", &object, &mask, &given, &is_each)) return NULL;
    if (Py_TYPE(object) != ext_ndarray_type || !is_mask_of(mask, ext_array(object)))
        Py_RETURN_FALSE;
    const int found = read_values(&values, given, ext_array(object));
    if (found < 0) return NULL;
    tn_array *to = ext_array(object);
    const tn_array *from = values.array;
    if (!found || (from && (is_each ? !is_shape_of(from, to) : tn_array_size(from) == 0)))
        Py_RETURN_FALSE;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(to),
                  (is_each ? put_each : put_one_after_the_other)(to, ext_array(mask), &values));
    EXT_TRY(status);
    Py_RETURN_TRUE;
}

PyMethodDef ext_choose_functions[] = {
    {"_put_masked", put_masked, METH_VARARGS, NULL},
    {"_choose_few", choose_few, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
