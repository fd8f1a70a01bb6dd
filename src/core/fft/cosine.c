/* The driver of cosine and sine transforms: one call of the form for each axis. */
#include "backend/backend.h"
#include "core/array/shape.h"
#include "core/elementwise/operands.h"
#include "forms/fft.h"

#include <tenorite/fft.h>

#include <math.h>

/* A transform along one axis of length n; shape: of the result. */
typedef struct cosine {
    bool is_sine, is_inverse, is_weighed;
    int type, axis;
    int64_t n, shape[TN_MAX_NDIM];
    tn_fft_norm norm;
} cosine;

static tn_status check(cosine *t, const tn_array *array, int axis, int64_t length) {
    uint64_t set;
    TNI_TRY(tni_axes_check(&set, 1, &axis, array->ndim));
    if (t->type < 1 || t->type > 4)
        TNI_FAIL(TN_ERROR_VALUE, "unknown %s type %d: 1, 2, 3 or 4", t->is_sine ? "DST" : "DCT",
                 t->type);
    t->axis = axis < 0 ? axis + array->ndim : axis;
    t->n = length == -1 ? tni_shape(array)[t->axis] : length;
    if (t->n < 1)
        TNI_FAIL(TN_ERROR_VALUE, "Invalid number of data points (%lld) specified.",
                 (long long)t->n);
    if (t->n < 2 && t->type == 1 && !t->is_sine)
        TNI_FAIL(TN_ERROR_VALUE, "DCT-I is not defined for size < 2");
    for (int k = 0; k < array->ndim; k++)
        t->shape[k] = k == t->axis ? t->n : tni_shape(array)[k];
    return TN_OK;
}

static double scale_of(const cosine *t) {
    const double whole = 2.0 * (double)(t->n + (t->type != 1 ? 0 : t->is_sine ? 1 : -1));
    if (t->norm == TN_FFT_ORTHO) return 1 / sqrt(whole);
    return (t->norm == TN_FFT_BACKWARD) == t->is_inverse ? 1 / whole : 1;
}

/* Both parts of complex numbers are an axis more. */
static void describe(tni_fft *call, const cosine *t, const tn_array *from, const tn_array *to) {
    const int64_t n = t->n, extent = tni_shape(from)[t->axis];
    const int inverse_of[] = {0, 1, 3, 2, 4};
    const bool is_complex = tn_dtype_real(from->dtype) != from->dtype;
    const int64_t part = tn_dtype_size(tn_dtype_real(from->dtype));
    call->ndim = 0;
    for (int axis = 0; axis < from->ndim; axis++)
        if (axis != t->axis)
            call->dims[call->ndim++] =
                (tni_fft_axis){tni_shape(from)[axis], tni_shape(from)[axis],
                               tni_strides(from)[axis], tni_strides(to)[axis]};
    if (is_complex) call->dims[call->ndim++] = (tni_fft_axis){2, 2, part, part};
    call->batch_count = call->ndim;
    call->dims[call->ndim++] = (tni_fft_axis){n, extent < n ? extent : n,
                                              tni_strides(from)[t->axis], tni_strides(to)[t->axis]};
    call->dtype = part == 4 ? TN_C64 : TN_C128;
    call->kind = t->is_sine ? TNI_FFT_SINE : TNI_FFT_COSINE;
    call->type = t->is_inverse ? inverse_of[t->type] : t->type;
    call->is_weighed = t->is_weighed;
    call->is_backward = call->is_input_free = false;
    call->scale = scale_of(t);
}

/* `to` may be `from`. */
static tn_status run(const tn_array *to, const cosine *t, const tn_array *from, tn_stream *stream) {
    tni_operands operands;
    tni_fft call;
    void *address;
    tn_status status;
    if (to->size == 0) return TN_OK;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&address, &to, TNI_WRITE, &operands));
    call.output = address;
    TNI_TRY_OWNING(tni_operand_open(&address, &from, TNI_READ, &operands));
    call.input = address;
    describe(&call, t, from, to);
    status = tni_queue_fft(&call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

static tn_dtype working_of(tn_dtype dtype) {
    switch (dtype) {
    case TN_F16:
    case TN_BF16: return TN_F32;
    case TN_F32:
    case TN_C64:
    case TN_C128: return dtype;
    default: return TN_F64;
    }
}

tn_status tn_fft_cosine(tn_array **result, const tn_array *array, const tn_fft_cosines *options,
                        int axis_count, const int *axes, const int64_t *lengths,
                        tn_stream *stream) {
    cosine t = {.is_sine = options->is_sine,
                .is_inverse = options->is_inverse,
                .is_weighed = options->is_weighed,
                .type = options->type,
                .norm = options->norm};
    const tn_array *const arrays[1] = {array};
    tn_array *from = NULL, *made = NULL;
    tn_device device;
    tn_status status;
    TNI_TRY(tni_array_check_numbers(array));
    TNI_TRY(tni_device_common(&device, 1, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    status = tn_array_astype(&from, array, working_of(array->dtype), TN_ORDER_K, TN_CASTING_UNSAFE,
                             axis_count == 0 ? TN_COPY_ALWAYS : TN_COPY_IF_NEEDED, stream);
    for (int k = 0; k < axis_count && status == TN_OK; k++) {
        TNI_TRY_OWNING(check(&t, from, axes[k], lengths ? lengths[k] : -1));
        if (k > 0 && t.n == tni_shape(from)[t.axis]) { /* an array of this function's own */
            TNI_TRY_OWNING(run(from, &t, from, stream));
            continue;
        }
        TNI_TRY_OWNING(
            tn_array_new_like(&made, from, from->dtype, from->ndim, t.shape, TN_ORDER_K, stream));
        TNI_TRY_OWNING(run(made, &t, from, stream));
        tn_array_release(from);
        from = made;
        made = NULL;
    }
    if (status == TN_OK) {
        *result = from;
        from = NULL;
    }
cleanup:
    tn_array_release(made);
    tn_array_release(from);
    return status;
}
