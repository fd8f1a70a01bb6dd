/* Choosing among few arrays and scalars by numbers: what the package's choose() does with them.
 * Each choice is laid over those before it, where its number stands. And values that are written
 * where a mask is true: place() and putmask(). */
#include "functions/choose.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/hold.h"
#include "base/object.h"
#include "values/kinds.h"

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
    if (found > 0 && !status && tn_dtype_is_stored(c->dtype)) found = 0; /* no operation has it */
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

/* None where the arguments are others. `is_checked`: every number is one of a choice, and the
 * shapes broadcast; else arrays have the shape of `numbers`. */
EXT_CALL(choose_few, EXT_SHORT, (object, numbers), (object, choices), (truth, is_checked),
         (made_or_none, made)) {
    choices c;
    const int found = is_numbers(call->numbers) ? read_choices(&c, call->choices) : 0;
    if (found <= 0) return found < 0 ? TN_ERROR_CALLBACK : TN_OK;
    tn_array *held = tn_array_retain(ext_array(call->numbers));
    tn_status status = TN_OK;
    const bool fits = call->is_checked || are_of_shape(&c, held);
    if (fits && !call->is_checked && check_numbers(held, c.count)) status = TN_ERROR_CALLBACK;
    if (fits && !status) EXT_LONG_CALL(status, tn_array_size(held), pick(&call->made, held, &c));
    tn_array_release(held);
    release_choices(&c);
    return status;
}

/* --- Where a mask is true --- */

/* A scalar or an array that the elements of `to` take without a conversion: 1; 0: it is another;
 * -1: an exception. Arrays are borrowed. */
static int read_values(tn_operand *values, PyObject *object, const tn_array *to) {
    tn_dtype dtype;
    values->array = NULL;
    if (Py_TYPE(object) == ext_ndarray_type) {
        values->array = ext_array(object);
        return tn_array_dtype(values->array) == tn_array_dtype(to) &&
               !tn_dtype_is_stored(tn_array_dtype(to));
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

/* Where the mask is true the values of the same places (is_each), or the next one of the values,
 * are written. False where the arguments need a look: other dtypes and shapes. */
EXT_CALL(put_masked, EXT_SHORT, (object, to), (object, mask), (object, values), (truth, is_each),
         (made_truth, is_done)) {
    tn_operand values;
    call->is_done = false;
    if (Py_TYPE(call->to) != ext_ndarray_type || !is_mask_of(call->mask, ext_array(call->to)))
        return TN_OK;
    const int found = read_values(&values, call->values, ext_array(call->to));
    if (found < 0) return TN_ERROR_CALLBACK;
    tn_array *to = ext_array(call->to);
    const tn_array *from = values.array;
    if (!found || (from && (call->is_each ? !is_shape_of(from, to) : tn_array_size(from) == 0)))
        return TN_OK;
    tn_status status;
    EXT_LONG_CALL(
        status, tn_array_size(to),
        (call->is_each ? put_each : put_one_after_the_other)(to, ext_array(call->mask), &values));
    call->is_done = true;
    return status;
}

PyMethodDef ext_choose_functions[] = {
    EXT_ENTRY(put_masked), EXT_ENTRY(choose_few), {NULL, NULL, 0, NULL}};
