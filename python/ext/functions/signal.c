/* What tenorite.scipy.signal computes by. Its functions check and complete what they were given. */
#include "functions/signal.h"

#include "base/dtypes.h"
#include "base/object.h"
#include "values/kinds.h"
#include "values/operands.h"

#include <tenorite/signal.h>

/* The states after the last element, or None where they are not wanted. */
EXT_CALL(recursion, EXT_SIZED, (array, coefficients), (array, array), (number, axis),
         (truth, is_reversed), (optional_array, initial), (truth, wants_final), (made, made),
         (made_or_none, final)) {
    const tn_recursion_options options = {call->axis, call->is_reversed, call->initial};
    return tn_array_recursion(&call->made, call->wants_final ? &call->final : NULL,
                              call->coefficients, call->array, &options, NULL);
}

EXT_CALL(upfirdn, EXT_SIZED, (array, taps), (array, array), (number, axis), (int64, up),
         (int64, down), (int64, first), (int64, count), (made, made)) {
    const tn_upfirdn_options options = {call->axis, call->up, call->down, call->first, call->count};
    return tn_array_upfirdn(&call->made, call->taps, call->array, &options, NULL);
}

/* A number, or None. */
typedef struct ext_given_fill {
    bool is_given;
    tn_scalar scalar;
} ext_given_fill;

static int read_fill(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_fill *fill = to;
    (void)which;
    fill->is_given = object != Py_None;
    int found = fill->is_given ? ext_scalar(object, &fill->scalar) : 1;
    if (found == 0)
        PyErr_Format(PyExc_TypeError, "fillvalue must be a number, not %R", Py_TYPE(object));
    return found > 0 ? 0 : -1;
}
static const ext_kind ext_kind_fill = {.read = read_fill};

EXT_CALL(windowed, EXT_SIZED, (array, array), (array, window), (shape, before), (shape, after),
         (fill, fill), (made, made)) {
    const int ndim = tn_array_ndim(call->array);
    if (call->before.count != ndim || call->after.count != ndim) {
        tn_error_set("there must be a margin before and after each axis");
        return TN_ERROR_VALUE;
    }
    return tn_array_windowed(&call->made, call->array, call->window, call->before.at,
                             call->after.at, call->fill.is_given ? &call->fill.scalar : NULL, NULL);
}

PyMethodDef ext_signal_functions[] = {
    EXT_ENTRY(recursion),
    EXT_ENTRY(upfirdn),
    EXT_ENTRY(windowed),
    {NULL, NULL, 0, NULL},
};
