/* The driver of splines: knots, coefficients and x as packed doubles, and how coefficients lie. */
#include "forms/spline.h"
#include "backend/backend.h"
#include "core/array/array.h"
#include "core/move/astype.h"

#include <string.h>

/* What a call needs beside its description. */
typedef struct evaluation {
    tni_spline call;
    tn_array *knots[TNI_SPLINE_AXES], *coefficients, *x;
    int trailing; /* axes of the coefficients before those that the result has */
} evaluation;

static bool has_intervals(tn_spline_basis basis) {
    return basis == TN_SPLINE_POWERS || basis == TN_SPLINE_BERNSTEIN;
}

static bool has_values(tn_spline_basis basis) {
    return basis == TN_SPLINE_LINEAR || basis == TN_SPLINE_NEAREST;
}

static tn_status check_real(const tn_array *array, const char *name) {
    TNI_TRY(tni_array_check_numbers(array));
    if (tn_dtype_kind(array->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "%s of a spline must be real, not %s", name,
                 tn_dtype_name(array->dtype));
    return TN_OK;
}

/* The intervals and terms of an axis. */
static tn_status read_axis(tni_spline_axis *to, const tn_spline *spline, int axis) {
    const tn_spline_axis *from = &spline->axes[axis];
    TNI_TRY(check_real(from->knots, "knots"));
    if (from->knots->ndim != 1) TNI_FAIL(TN_ERROR_VALUE, "knots must have one dimension");
    to->terms = from->terms;
    to->derivative = from->derivative;
    to->intervals = from->knots->size - 1;
    if (has_values(spline->basis)) {
        to->derivative = 0;
        to->terms = to->intervals > 0 && spline->basis == TN_SPLINE_LINEAR ? 2 : 1;
    }
    if (to->terms < 1 || to->terms > INT32_MAX || to->derivative < 0)
        TNI_FAIL(TN_ERROR_VALUE, "terms must be positive, and derivatives not negative");
    if (spline->basis == TN_SPLINE_KNOTS) to->intervals -= 2 * (to->terms - 1);
    if (to->intervals < (has_values(spline->basis) ? 0 : 1))
        TNI_FAIL(TN_ERROR_VALUE, "a spline of %lld terms needs more than %lld knots",
                 (long long)to->terms, (long long)from->knots->size);
    if (has_intervals(spline->basis) && to->derivative > 0) {
        to->terms -= to->derivative;
        if (to->terms < 0) to->terms = 0;
    }
    if (to->terms > TNI_SPLINE_TERMS)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "splines of %lld terms: %d at most",
                 (long long)to->terms, TNI_SPLINE_TERMS);
    return TN_OK;
}

/* How many coefficients an axis has, at least. */
static int64_t coefficients_of(const tni_spline_axis *axis, tn_spline_basis basis) {
    if (has_intervals(basis)) return axis->intervals;
    return axis->intervals + (basis == TN_SPLINE_KNOTS ? axis->terms - 1 : 1);
}

/* The steps between coefficients, in doubles. */
static tn_status read_coefficients(evaluation *e, const tn_spline *spline) {
    const tn_array *given = spline->coefficients;
    tni_spline *call = &e->call;
    const int n = spline->ndim;
    TNI_TRY(tni_array_check_numbers(given));
    call->parts = tn_dtype_kind(given->dtype) == TN_KIND_COMPLEX ? 2 : 1;
    e->trailing = has_intervals(spline->basis) ? 2 * n : n;
    if (given->ndim < e->trailing) TNI_FAIL(TN_ERROR_VALUE, "coefficients have too few dimensions");
    int64_t step = call->parts;
    for (int k = given->ndim - 1; k >= e->trailing; k--)
        step *= tni_shape(given)[k];
    call->width = step;
    for (int k = e->trailing - 1; k >= 0; k--) {
        const bool is_term = has_intervals(spline->basis) && k < n;
        tni_spline_axis *axis = &call->axes[k % n];
        const int64_t size = tni_shape(given)[k];
        if (is_term ? size != spline->axes[k].terms : size < coefficients_of(axis, spline->basis))
            TNI_FAIL(TN_ERROR_VALUE, "knots and coefficients do not fit in dimension %d", k % n);
        if (!is_term) axis->step = step;
        if (is_term || !has_intervals(spline->basis)) axis->tap = step;
        step *= size;
    }
    return TN_OK;
}

static tn_status read_spline(evaluation *e, const tn_spline *spline, const tn_array *x) {
    tni_spline *call = &e->call;
    int64_t terms = 0;
    TNI_TRY(check_real(x, "x"));
    if (spline->ndim < 1 || spline->ndim > TNI_SPLINE_AXES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "splines of %d variables: %d at most", spline->ndim,
                 TNI_SPLINE_AXES);
    if ((unsigned)spline->basis > TN_SPLINE_NEAREST || (unsigned)spline->outside > TN_SPLINE_CLAMP)
        TNI_FAIL(TN_ERROR_VALUE, "no basis of splines, or nothing beyond them, has this number");
    if (spline->ndim > 1 && (x->ndim < 1 || tni_shape(x)[x->ndim - 1] != spline->ndim))
        TNI_FAIL(TN_ERROR_VALUE, "the last axis of x must hold %d variables", spline->ndim);
    call->basis = spline->basis;
    call->outside = spline->outside;
    call->ndim = spline->ndim;
    call->parts = 1;
    call->fill[0] = spline->fill[0];
    call->fill[1] = spline->fill[1];
    for (int k = 0; k < spline->ndim; k++) {
        TNI_TRY(read_axis(&call->axes[k], spline, k));
        terms += call->axes[k].terms;
    }
    if (terms > TNI_SPLINE_TERMS)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "splines of %lld terms: %d at most", (long long)terms,
                 TNI_SPLINE_TERMS);
    call->width = terms;
    call->count = spline->ndim == 1 ? x->size : x->size / spline->ndim;
    return spline->coefficients ? read_coefficients(e, spline) : TN_OK;
}

/* Packed arrays, and the knots where intervals begin. */
static tn_status open_arrays(evaluation *e, const tn_spline *spline, const tn_array *x,
                             tn_stream *stream) {
    void *address;
    for (int k = 0; k < spline->ndim; k++) {
        tni_spline_axis *axis = &e->call.axes[k];
        TNI_TRY(tni_array_packed(&e->knots[k], spline->axes[k].knots, TN_F64, stream));
        TNI_TRY(tni_array_access(&address, e->knots[k], TNI_READ, stream));
        axis->knots = address;
        if (spline->basis == TN_SPLINE_KNOTS) axis->knots += axis->terms - 1;
    }
    TNI_TRY(tni_array_packed(&e->x, x, TN_F64, stream));
    TNI_TRY(tni_array_access(&address, e->x, TNI_READ, stream));
    e->call.x = address;
    if (!spline->coefficients) return TN_OK;
    TNI_TRY(tni_array_packed(&e->coefficients, spline->coefficients,
                             e->call.parts == 2 ? TN_C128 : TN_F64, stream));
    TNI_TRY(tni_array_access(&address, e->coefficients, TNI_READ, stream));
    e->call.coefficients = address;
    return TN_OK;
}

static void release(evaluation *e) {
    for (int k = 0; k < TNI_SPLINE_AXES; k++)
        tn_array_release(e->knots[k]);
    tn_array_release(e->coefficients);
    tn_array_release(e->x);
}

static tn_status begin(evaluation *e, tn_stream **stream, const tn_spline *spline,
                       const tn_array *x) {
    const tn_array *arrays[TNI_SPLINE_AXES + 2] = {x, spline->coefficients};
    tn_device device;
    memset(e, 0, sizeof *e);
    TNI_TRY(read_spline(e, spline, x));
    for (int k = 0; k < spline->ndim; k++)
        arrays[2 + k] = spline->axes[k].knots;
    TNI_TRY(tni_device_common(&device, 2 + spline->ndim, arrays));
    return tni_stream_resolve(stream, *stream, device);
}

/* A new array of the shape of x without its variables, then these axes. */
static tn_status new_beside(tn_array **result, void *address, const evaluation *e, tn_dtype dtype,
                            const tn_array *x, int ndim, const int64_t *shape, tn_stream *stream) {
    int64_t sizes[2 * TN_MAX_NDIM];
    const int before = e->call.ndim == 1 ? x->ndim : x->ndim - 1;
    if (before + ndim > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE, "a result of %d dimensions: %d at most", before + ndim,
                 TN_MAX_NDIM);
    memcpy(sizes, tni_shape(x), (size_t)before * sizeof *sizes);
    memcpy(sizes + before, shape, (size_t)ndim * sizeof *sizes);
    TNI_TRY(tn_array_new(result, dtype, before + ndim, sizes, TN_ORDER_C, stream));
    return tni_array_access(address, *result, TNI_WRITE, stream);
}

tn_status tn_spline_evaluate(tn_array **result, tn_array **is_outside, const tn_spline *spline,
                             const tn_array *x, tn_stream *stream) {
    evaluation e;
    tn_array *made = NULL, *flags = NULL;
    void *address;
    tn_status status;
    TNI_TRY(begin(&e, &stream, spline, x));
    const tn_array *from = spline->coefficients;
    TNI_TRY_OWNING(new_beside(&made, &address, &e, e.call.parts == 2 ? TN_C128 : TN_F64, x,
                              from->ndim - e.trailing, tni_shape(from) + e.trailing, stream));
    e.call.output = address;
    if (is_outside) {
        const int64_t shape = spline->ndim;
        TNI_TRY_OWNING(tn_array_new_zeros(&flags, TN_B8, 1, &shape, TN_ORDER_C, stream));
        TNI_TRY_OWNING(tni_array_access(&address, flags, TNI_WRITE, stream));
        e.call.is_outside = address;
    }
    if (e.call.count > 0 && e.call.width > 0) {
        TNI_TRY_OWNING(open_arrays(&e, spline, x, stream));
        TNI_TRY_OWNING(tni_queue_spline(&e.call, stream));
    }
    if (is_outside) *is_outside = tn_array_retain(flags);
    *result = tn_array_retain(made);
cleanup:
    release(&e);
    tn_array_release(flags);
    tn_array_release(made);
    return status;
}

tn_status tn_spline_weights(tn_array **weights, tn_array **places, const tn_spline *spline,
                            const tn_array *x, tn_stream *stream) {
    evaluation e;
    tn_spline bare = *spline;
    tn_array *made = NULL, *intervals = NULL;
    void *address;
    tn_status status;
    bare.coefficients = NULL;
    TNI_TRY(begin(&e, &stream, &bare, x));
    TNI_TRY_OWNING(new_beside(&made, &address, &e, TN_F64, x, 1, &e.call.width, stream));
    e.call.output = address;
    TNI_TRY_OWNING(tn_array_new(&intervals, TN_I64, x->ndim, tni_shape(x), TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_array_access(&address, intervals, TNI_WRITE, stream));
    e.call.places = address;
    if (e.call.count > 0) {
        TNI_TRY_OWNING(open_arrays(&e, &bare, x, stream));
        TNI_TRY_OWNING(tni_queue_spline(&e.call, stream));
    }
    *weights = tn_array_retain(made);
    *places = tn_array_retain(intervals);
cleanup:
    release(&e);
    tn_array_release(intervals);
    tn_array_release(made);
    return status;
}
