/* The driver of Fourier transforms: checks, dtypes and shapes; one call of the form for each
 * transform, two where the real side is the result of several axes. */
#include "backend/backend.h"
#include "core/array/shape.h"
#include "core/elementwise/operands.h"
#include "forms/fft.h"

#include <tenorite/fft.h>

#include <math.h>
#include <string.h>

/* A transform that is checked. Of kind HERMITIAN the input has lengths[last] / 2 + 1 elements. */
typedef struct transform {
    tn_fft_kind kind;
    bool is_backward;
    int axis_count, axes[TN_MAX_NDIM];
    int64_t lengths[TN_MAX_NDIM], shape[TN_MAX_NDIM]; /* shape: of the result */
    tn_dtype working;                                 /* c64 or c128 */
    double scale;
} transform;

static bool is_half(tn_dtype dtype) {
    return dtype == TN_F16 || dtype == TN_BF16;
}

static tn_dtype working_of(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_C64 || is_half(dtype) ? TN_C64 : TN_C128;
}

static bool is_complex(tn_dtype dtype) {
    return dtype == TN_C64 || dtype == TN_C128;
}

static double scale_of(const transform *t, tn_fft_norm norm) {
    double product = 1;
    if (norm == (t->is_backward ? TN_FFT_FORWARD : TN_FFT_BACKWARD)) return 1;
    for (int k = 0; k < t->axis_count; k++)
        product *= (double)t->lengths[k];
    return 1 / (norm == TN_FFT_ORTHO ? sqrt(product) : product);
}

static tn_status check(transform *t, const tn_array *array, const int *axes, const int64_t *lengths,
                       tn_fft_norm norm) {
    const int last = t->axis_count - 1;
    uint64_t set;
    TNI_TRY(tni_axes_check(&set, t->axis_count, axes, array->ndim));
    if (t->kind == TN_FFT_REAL && is_complex(array->dtype))
        TNI_FAIL(TN_ERROR_TYPE, "a real transform takes real numbers, and the array is of dtype %s",
                 tn_dtype_name(array->dtype));
    if (t->kind != TN_FFT_COMPLEX && last < 0)
        TNI_FAIL(TN_ERROR_AXIS, "at least 1 axis must be transformed");
    for (int k = 0; k < array->ndim; k++)
        t->shape[k] = tni_shape(array)[k];
    for (int k = last; k >= 0; k--) {
        const int axis = axes[k] < 0 ? axes[k] + array->ndim : axes[k];
        const bool is_halved = k == last && t->kind != TN_FFT_COMPLEX;
        int64_t n = lengths ? lengths[k] : -1;
        if (n == -1) {
            n = tni_shape(array)[axis];
            if (t->kind == TN_FFT_HERMITIAN && is_halved) n = 2 * (n - 1);
        }
        if (n < 1)
            TNI_FAIL(TN_ERROR_VALUE, "Invalid number of FFT data points (%lld) specified.",
                     (long long)n);
        t->axes[k] = axis;
        t->lengths[k] = n;
        t->shape[axis] = is_halved && t->kind == TN_FFT_REAL ? n / 2 + 1 : n;
    }
    t->working = working_of(array->dtype);
    t->scale = scale_of(t, norm);
    return TN_OK;
}

/* The elements of `array` that count along an axis. */
static int64_t given_of(const transform *t, const tn_array *array, int k) {
    const int64_t extent = tni_shape(array)[t->axes[k]], n = t->lengths[k];
    const bool is_halved = k == t->axis_count - 1 && t->kind == TN_FFT_HERMITIAN;
    const int64_t needed = is_halved ? n / 2 + 1 : n;
    return extent < needed ? extent : needed;
}

static void describe(tni_fft *call, const transform *t, const tn_array *from, const tn_array *to) {
    uint64_t transformed = 0;
    call->ndim = 0;
    for (int k = 0; k < t->axis_count; k++)
        transformed |= UINT64_C(1) << t->axes[k];
    for (int axis = 0; axis < from->ndim; axis++)
        if (!(transformed >> axis & 1))
            call->dims[call->ndim++] =
                (tni_fft_axis){tni_shape(from)[axis], tni_shape(from)[axis],
                               tni_strides(from)[axis], tni_strides(to)[axis]};
    call->batch_count = call->ndim;
    for (int k = 0; k < t->axis_count; k++)
        call->dims[call->ndim++] =
            (tni_fft_axis){t->lengths[k], given_of(t, from, k), tni_strides(from)[t->axes[k]],
                           tni_strides(to)[t->axes[k]]};
    call->dtype = t->working;
    call->is_backward = t->is_backward;
    call->scale = t->scale;
    call->type = 0;
    call->is_weighed = false;
    call->kind = t->kind == TN_FFT_REAL        ? TNI_FFT_REAL
                 : t->kind == TN_FFT_HERMITIAN ? TNI_FFT_HERMITIAN
                 : is_complex(from->dtype)     ? TNI_FFT_COMPLEX
                                               : TNI_FFT_WHOLE;
}

/* `to` is of the working dtype (or its real one) and of t->shape; it may be `from`, which may be
 * written if is_free. */
static tn_status run(const tn_array *to, const transform *t, const tn_array *from, bool is_free,
                     tn_stream *stream) {
    tni_operands operands;
    tni_fft call;
    void *address;
    tn_status status;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&address, &to, TNI_WRITE, &operands));
    call.output = address;
    TNI_TRY_OWNING(tni_operand_open(&address, &from, is_free ? TNI_WRITE : TNI_READ, &operands));
    call.input = address;
    describe(&call, t, from, to);
    call.is_input_free = is_free;
    status = tni_queue_fft(&call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* A real result of several axes: complex transforms along the others, then the last. */
static tn_status run_hermitian(const tn_array *to, const transform *t, const tn_array *from,
                               tn_stream *stream) {
    transform others = *t, last = *t;
    tn_array *between = NULL;
    tn_status status;
    const int axis = t->axes[t->axis_count - 1];
    if (t->axis_count == 1) return run(to, t, from, false, stream);
    others.kind = TN_FFT_COMPLEX;
    others.axis_count--;
    others.shape[axis] = tni_shape(from)[axis];
    others.scale = 1;
    last.axis_count = 1;
    last.axes[0] = axis;
    last.lengths[0] = t->lengths[t->axis_count - 1];
    TNI_TRY_OWNING(
        tn_array_new(&between, t->working, from->ndim, others.shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(run(between, &others, from, false, stream));
    status = run(to, &last, between, true, stream);
cleanup:
    tn_array_release(between);
    return status;
}

/* The input in the working dtype, of which real numbers may stay real. */
static tn_status prepare(tn_array **result, const transform *t, const tn_array *array,
                         tn_stream *stream) {
    const bool stays_real = t->kind != TN_FFT_HERMITIAN && !is_complex(array->dtype);
    const tn_dtype dtype = stays_real ? tn_dtype_real(t->working) : t->working;
    return tn_array_astype(result, array, dtype, TN_ORDER_K, TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED,
                           stream);
}

/* Whether the result can be written where `out` is; else it is made apart and assigned. */
static bool is_direct(const tn_array *out, const tn_array *from, tn_dtype dtype) {
    if (out->dtype != dtype) return false;
    const tni_overlap overlap = tni_array_overlap(out, from);
    return overlap == TNI_OVERLAP_NONE || (overlap == TNI_OVERLAP_EXACT && dtype == from->dtype);
}

static tn_status check_out(const transform *t, const tn_array *out, int ndim) {
    TNI_TRY(tni_array_check_writeable(out));
    if (out->ndim != ndim || memcmp(tni_shape(out), t->shape, (size_t)ndim * sizeof *t->shape))
        TNI_FAIL(TN_ERROR_VALUE, "output array has wrong shape.");
    return TN_OK;
}

static tn_status compute(tn_array *to, const transform *t, const tn_array *from,
                         tn_stream *stream) {
    if (to->size == 0) return TN_OK;
    if (t->kind == TN_FFT_HERMITIAN) return run_hermitian(to, t, from, stream);
    return run(to, t, from, false, stream);
}

/* Into a new array of the dtype. */
static tn_status make(tn_array **result, const transform *t, const tn_array *from, tn_dtype dtype,
                      tn_stream *stream) {
    if (from->size == 0)
        return tn_array_new_zeros(result, dtype, from->ndim, t->shape, TN_ORDER_C, stream);
    tn_array *made = NULL;
    TNI_TRY(tn_array_new_like(&made, from, dtype, from->ndim, t->shape, TN_ORDER_K, stream));
    return tni_array_deliver(result, made, compute(made, t, from, stream));
}

/* What was made as the result, which may be a half or lie where the caller wants it. */
static tn_status deliver(tn_array **result, tn_array *made, tn_dtype wanted, tn_stream *stream) {
    if (*result) return tn_array_assign(*result, made, TN_CASTING_SAME_KIND, stream);
    return tn_array_astype(result, made, wanted, TN_ORDER_K, TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED,
                           stream);
}

tn_status tn_fft(tn_array **result, const tn_array *array, tn_fft_kind kind, bool is_backward,
                 int axis_count, const int *axes, const int64_t *lengths, tn_fft_norm norm,
                 tn_stream *stream) {
    transform t = {.kind = kind, .is_backward = is_backward, .axis_count = axis_count};
    const tn_array *const arrays[2] = {array, *result};
    tn_array *from = NULL, *made = NULL, *out = *result;
    tn_device device;
    tn_status status;
    TNI_TRY(tni_array_check_numbers(array));
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(check(&t, array, axes, lengths, norm));
    if (out) TNI_TRY(check_out(&t, out, array->ndim));
    const tn_dtype dtype = kind == TN_FFT_HERMITIAN ? tn_dtype_real(t.working) : t.working;
    const bool narrows = kind == TN_FFT_HERMITIAN && is_half(array->dtype) && axis_count == 1;
    if (axis_count == 0)
        return out ? tn_array_assign(out, array, TN_CASTING_SAME_KIND, stream)
                   : tn_array_astype(result, array, dtype, TN_ORDER_K, TN_CASTING_UNSAFE,
                                     TN_COPY_ALWAYS, stream);
    TNI_TRY_OWNING(prepare(&from, &t, array, stream));
    if (out && from->size > 0 && is_direct(out, from, dtype)) {
        status = compute(out, &t, from, stream);
        goto cleanup;
    }
    TNI_TRY_OWNING(make(&made, &t, from, dtype, stream));
    status = deliver(result, made, narrows ? array->dtype : dtype, stream);
cleanup:
    tn_array_release(made);
    tn_array_release(from);
    return status;
}
