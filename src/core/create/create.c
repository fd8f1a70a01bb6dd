/* New arrays from a rule: a scalar, zeros, full, range, linspace, eye.
 *
 * A range is a start and a step in the arithmetic of its dtype, so all of them, and evenly spaced
 * values, are one form of the backend. Scalars are brought to one wide type first: i64 if all are
 * integers, else f64 or c128. */
#include "backend/backend.h"
#include "core/array/array.h"
#include "core/array/scalar.h"
#include "forms/arange.h"

#include <math.h>
#include <string.h>

static tn_status queue_arange(tn_array **result, tni_arange *call, tn_stream *stream) {
    TNI_TRY(tni_stream_resolve(&stream, stream, stream ? stream->device : tn_device_get_current()));
    tn_array *made;
    TNI_TRY(tn_array_new(&made, call->dtype, 1, &call->count, TN_ORDER_C, stream));
    tn_status status = TN_OK;
    if (call->count > 0) {
        void *address = NULL;
        status = tni_array_access(&address, made, TNI_WRITE, stream);
        call->to = address;
        if (status == TN_OK) status = tni_queue_arange(call, stream);
    }
    return tni_array_deliver(result, made, status);
}

/* The dtype's representation of a scalar, widened within its kind. */
static tn_status widen(tni_wide *wide, tn_scalar scalar, tn_dtype dtype) {
    static const tn_dtype widest[] = {[TN_KIND_BOOL] = TN_U64,
                                      [TN_KIND_SIGNED] = TN_I64,
                                      [TN_KIND_UNSIGNED] = TN_U64,
                                      [TN_KIND_FLOAT] = TN_F64,
                                      [TN_KIND_COMPLEX] = TN_C128};
    tn_scalar narrow = {.dtype = dtype, .weak = false};
    TNI_TRY(tn_scalar_convert(narrow.value.bytes, scalar, dtype));
    return tn_scalar_convert(wide, narrow, widest[tn_dtype_kind(dtype)]);
}

static tni_wide subtract(tni_wide a, tni_wide b, tn_dtype dtype) {
    tni_wide difference = {0};
    switch (tn_dtype_kind(dtype)) {
    case TN_KIND_FLOAT:
        difference.f = dtype == TN_F64 ? a.f - b.f : (double)((float)a.f - (float)b.f);
        break;
    case TN_KIND_COMPLEX:
        for (int part = 0; part < 2; part++)
            difference.c[part] = dtype == TN_C128 ? a.c[part] - b.c[part]
                                                  : (double)((float)a.c[part] - (float)b.c[part]);
        break;
    default: difference.u = a.u - b.u; /* wraps, and then fits the dtype again */
    }
    return difference;
}

tn_status tn_array_new_ramp(tn_array **result, tn_scalar first, tn_scalar second, int64_t count,
                            tn_dtype dtype, tn_stream *stream) {
    if (count < 0) TNI_FAIL(TN_ERROR_VALUE, "negative dimensions are not allowed");
    if (dtype == TN_B8 && count > 2)
        TNI_FAIL(TN_ERROR_TYPE, "arange() is only supported for booleans when the result has at "
                                "most length 2.");
    tni_arange call = {.dtype = dtype, .count = count};
    tni_wide next;
    if (count > 0) TNI_TRY(widen(&call.start, first, dtype));
    if (count > 1) {
        TNI_TRY(widen(&next, second, dtype));
        call.step = subtract(next, call.start, dtype);
    }
    return queue_arange(result, &call, stream);
}

/* --- The length of a range, and its second element --- */

static tn_status too_large(void) {
    return tni_fail(TN_ERROR_VALUE, "Maximum allowed size exceeded");
}

static bool is_integer(const tn_scalar *scalar) {
    return tn_dtype_kind(scalar->dtype) < TN_KIND_FLOAT && !scalar->huge;
}

/* Integers may be above INT64_MAX, and their differences wider than 64 bits. */
__extension__ typedef __int128 wide_int;

static wide_int integer_value(tn_scalar scalar) {
    if (scalar.dtype == TN_U64) return scalar.value.u64;
    int64_t value = 0;
    tn_scalar_convert(&value, scalar, TN_I64); /* can't fail: it fits */
    return value;
}

static tn_status integer_range(tn_scalar *second, int64_t *count, const tn_scalar bounds[3]) {
    wide_int start = integer_value(bounds[0]), stop = integer_value(bounds[1]);
    wide_int step = integer_value(bounds[2]), span = stop - start;
    if (step == 0) TNI_FAIL(TN_ERROR_VALUE, "Maximum allowed size exceeded");
    wide_int length = span == 0 || (span < 0) != (step < 0) ? 0
                      : step > 0                            ? (span + step - 1) / step
                                                            : (span + step + 1) / step;
    if (length > INT64_MAX) return too_large();
    *count = (int64_t)length;
    wide_int next = start + step;
    *second = tn_scalar_weak_int((int64_t)next);
    if (next > INT64_MAX) {
        second->dtype = TN_U64;
        second->value.u64 = (uint64_t)next;
    }
    return TN_OK;
}

static tn_status length_of(int64_t *count, double span, double step) {
    double steps = span / step;
    /* A step beyond the stop, of which the quotient is nothing, leaves the start. */
    double length = steps == 0 && span != 0 && !signbit(steps) ? 1 : ceil(steps);
    if (!(length < 9.2e18)) return too_large(); /* NaN too */
    *count = length > 0 ? (int64_t)length : 0;
    return TN_OK;
}

static tn_status complex_range(tn_scalar *second, int64_t *count, const tn_scalar bounds[3]) {
    double start[2], stop[2], step[2];
    TNI_TRY(tn_scalar_convert(start, bounds[0], TN_C128));
    TNI_TRY(tn_scalar_convert(stop, bounds[1], TN_C128));
    TNI_TRY(tn_scalar_convert(step, bounds[2], TN_C128));
    *second = tn_scalar_weak_complex(start[0] + step[0], start[1] + step[1]);
    double span[2] = {stop[0] - start[0], stop[1] - start[1]};
    double norm = step[0] * step[0] + step[1] * step[1];
    int64_t counts[2] = {0, 0};
    TNI_TRY(length_of(&counts[0], span[0] * step[0] + span[1] * step[1], norm));
    TNI_TRY(length_of(&counts[1], span[1] * step[0] - span[0] * step[1], norm));
    *count = counts[0] < counts[1] ? counts[0] : counts[1];
    return TN_OK;
}

static tn_status real_range(tn_scalar *second, int64_t *count, const tn_scalar bounds[3]) {
    double start, stop, step;
    TNI_TRY(tn_scalar_convert(&start, bounds[0], TN_F64));
    TNI_TRY(tn_scalar_convert(&stop, bounds[1], TN_F64));
    TNI_TRY(tn_scalar_convert(&step, bounds[2], TN_F64));
    *second = tn_scalar_weak_float(start + step);
    return length_of(count, stop - start, step);
}

tn_status tn_array_new_range(tn_array **result, tn_scalar start, tn_scalar stop, tn_scalar step,
                             tn_dtype dtype, tn_stream *stream) {
    const tn_scalar bounds[3] = {start, stop, step};
    bool integer = true, complex = false;
    tn_dtype own = TN_I64;
    for (int k = 0; k < 3; k++) {
        integer &= is_integer(&bounds[k]);
        complex |= tn_dtype_kind(bounds[k].dtype) == TN_KIND_COMPLEX;
        own = tn_dtype_promote(own, bounds[k].dtype);
    }
    tn_scalar second = {TN_DTYPE_NONE, false, false, {0}};
    int64_t count = 0;
    TNI_TRY(integer   ? integer_range(&second, &count, bounds)
            : complex ? complex_range(&second, &count, bounds)
                      : real_range(&second, &count, bounds));
    if (dtype == TN_DTYPE_NONE) dtype = own;
    return tn_array_new_ramp(result, start, second, count, dtype, stream);
}

/* --- Evenly spaced values --- */

tn_status tn_array_new_linspace(tn_array **result, double step[2], tn_scalar start, tn_scalar stop,
                                int64_t count, bool endpoint, tn_dtype dtype, tn_stream *stream) {
    if (count < 0)
        TNI_FAIL(TN_ERROR_VALUE, "Number of samples, %lld, must be non-negative.",
                 (long long)count);
    bool is_complex = tn_dtype_kind(start.dtype) == TN_KIND_COMPLEX ||
                      tn_dtype_kind(stop.dtype) == TN_KIND_COMPLEX;
    tni_arange call = {.dtype = is_complex ? TN_C128 : TN_F64, .count = count, .is_linspace = true};
    TNI_TRY(tn_scalar_convert(&call.start, start, TN_C128));
    TNI_TRY(tn_scalar_convert(&call.last, stop, TN_C128));
    int64_t parts = endpoint ? count - 1 : count;
    bool vanishes = false;
    for (int part = 0; part < 2; part++) {
        double span = call.last.c[part] - call.start.c[part];
        call.step.c[part] = parts > 0 ? span / (double)parts : span;
        vanishes |= parts > 0 && span != 0 && call.step.c[part] == 0;
        if (step) step[part] = parts > 0 ? call.step.c[part] : NAN;
    }
    if (vanishes) {
        call.divisor = (double)parts;
        for (int part = 0; part < 2; part++)
            call.step.c[part] = call.last.c[part] - call.start.c[part];
    }
    call.has_last = endpoint && count > 1;
    if (dtype == TN_DTYPE_NONE) dtype = call.dtype;
    call.rounds_down =
        tn_dtype_kind(dtype) == TN_KIND_SIGNED || tn_dtype_kind(dtype) == TN_KIND_UNSIGNED;
    tn_array *made;
    TNI_TRY(queue_arange(&made, &call, stream));
    tn_status status = tn_array_astype(result, made, dtype, TN_ORDER_C, TN_CASTING_UNSAFE,
                                       TN_COPY_IF_NEEDED, stream);
    tn_array_release(made);
    return status;
}

/* --- Fills --- */

tn_status tn_array_new_full(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                            tn_scalar value, tn_order order, tn_stream *stream) {
    tn_array *made;
    TNI_TRY(tn_array_new(&made, dtype, ndim, shape, order, stream));
    return tni_array_deliver(result, made, tn_array_fill(made, value, stream));
}

tn_status tn_array_new_eye(tn_array **result, int64_t rows, int64_t columns, int64_t offset,
                           tn_dtype dtype, tn_order order, tn_stream *stream) {
    int64_t shape[2] = {rows, columns};
    tn_array *made, *diagonal = NULL;
    TNI_TRY(tn_array_new_zeros(&made, dtype, 2, shape, order, stream));
    tn_status status = TN_OK;
    int64_t row = offset < 0 ? -offset : 0, column = offset > 0 ? offset : 0;
    if (offset > -rows && offset < columns) {
        const int64_t *strides = tni_strides(made);
        int64_t count = rows - row < columns - column ? rows - row : columns - column;
        int64_t stride = strides[0] + strides[1];
        TNI_TRY_OWNING(tni_array_make(&diagonal, made->buffer,
                                      made->offset + row * strides[0] + column * strides[1], dtype,
                                      1, &count, &stride, true));
        TNI_TRY_OWNING(tn_array_fill(diagonal, tn_scalar_bool(true), stream));
    }
    *result = tn_array_retain(made);
cleanup:
    tn_array_release(diagonal);
    tn_array_release(made);
    return status;
}

tn_status tn_array_new_scalar(tn_array **result, tn_scalar value, tn_dtype dtype,
                              tn_stream *stream) {
    tn_array *made;
    if (dtype == TN_DTYPE_NONE) dtype = value.dtype;
    TNI_TRY(tn_array_new(&made, dtype, 0, NULL, TN_ORDER_C, stream));
    return tni_array_deliver(result, made, tn_array_fill(made, value, stream));
}

tn_status tn_array_new_zeros(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                             tn_order order, tn_stream *stream) {
    tn_array *made;
    void *data;
    if (!stream) stream = tn_stream_get_current(tn_device_get_current());
    TNI_TRY(tn_array_new(&made, dtype, ndim, shape, order, stream));
    tn_status status = TN_OK;
    if (made->size) {
        status = tni_array_access(&data, made, TNI_WRITE, stream);
        if (!status) status = stream->backend->fill(data, 0, tn_array_bytes(made), stream);
    }
    return tni_array_deliver(result, made, status);
}
