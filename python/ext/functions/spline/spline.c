/* Splines, for the classes of tenorite.scipy.interpolate, which check and complete what they were
 * given. */
#include "functions/spline/spline.h"

#include "values/kinds.h"

enum { AXES = 8 };

/* The variables of a spline: a tuple of (knots, terms, derivative) each. */
typedef struct ext_given_spline_axes {
    int count;
    tn_spline_axis at[AXES];
} ext_given_spline_axes;

static int read_spline_axes(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_spline_axes *axes = to;
    if (!PyTuple_Check(object)) return ext_refuse_kind(which, "a tuple", object);
    const Py_ssize_t count = PyTuple_Size(object);
    if (count > AXES) {
        PyErr_Format(PyExc_NotImplementedError, "splines of %zd variables: %d at most", count,
                     AXES);
        return -1;
    }
    axes->count = (int)count;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *knots;
        long long terms, derivative;
        if (!PyArg_ParseTuple(PyTuple_GetItem(object, k), "OLL", &knots, &terms, &derivative))
            return -1;
        if (!ext_is_array(knots)) return ext_refuse_array(which, knots);
        axes->at[k] = (tn_spline_axis){.terms = terms, .derivative = derivative};
    }
    return 0;
}

static void lend_spline_axes(void *to, PyObject *object) {
    ext_given_spline_axes *axes = to;
    for (int k = 0; k < axes->count; k++)
        axes->at[k].knots = ext_array(PyTuple_GetItem(PyTuple_GetItem(object, k), 0));
}

static const ext_kind ext_kind_spline_axes = {.read = read_spline_axes, .lend = lend_spline_axes};

/* The values of x, and whether an x is beyond the knots of each variable, or None. */
EXT_CALL(spline_evaluate, EXT_SIZED, (array, x), (spline_axes, axes), (array, coefficients),
         (number, basis), (number, outside), (real, fill), (real, imaginary_fill), (truth, reports),
         (made, values), (made_or_none, is_outside)) {
    const tn_spline spline = {.basis = (tn_spline_basis)call->basis,
                              .outside = (tn_spline_outside)call->outside,
                              .fill = {call->fill, call->imaginary_fill},
                              .ndim = call->axes.count,
                              .axes = call->axes.at,
                              .coefficients = call->coefficients};
    return tn_spline_evaluate(&call->values, call->reports ? &call->is_outside : NULL, &spline,
                              call->x, NULL);
}

/* The factors of the terms of x, and the numbers of the first ones. */
EXT_CALL(spline_weights, EXT_SIZED, (array, x), (spline_axes, axes), (number, basis),
         (number, outside), (made, weights), (made, places)) {
    const tn_spline spline = {.basis = (tn_spline_basis)call->basis,
                              .outside = (tn_spline_outside)call->outside,
                              .ndim = call->axes.count,
                              .axes = call->axes.at};
    return tn_spline_weights(&call->weights, &call->places, &spline, call->x, NULL);
}

EXT_FORWARD(spline_solve_banded,
            tn_spline_solve_banded(&call->solution, call->rows, call->lower, call->upper, call->b,
                                   "Colocation matrix is singular.", NULL),
            EXT_SIZED, (array, rows), (int64, lower), (int64, upper), (array, b), (made, solution))

PyMethodDef ext_spline_functions[] = {EXT_ENTRY(spline_evaluate),
                                      EXT_ENTRY(spline_weights),
                                      EXT_ENTRY(spline_solve_banded),
                                      {NULL, NULL, 0, NULL}};
