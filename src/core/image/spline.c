/* The driver of coefficients: one filter an axis, each from an array to a new one. */
#include "core/image/spline.h"

#include "backend/backend.h"
#include "core/move/astype.h"

tn_dtype tn_spline_dtype(tn_dtype dtype) {
    switch (dtype) {
    case TN_C64:
    case TN_C128: return dtype;
    case TN_I32:
    case TN_U32:
    case TN_I64:
    case TN_U64:
    case TN_F64: return TN_F64;
    default: return TN_F32;
    }
}

tn_status tni_spline_check(int order, int least, tn_spline_border border) {
    if (order < least || order > TN_SPLINE_ORDER)
        TNI_FAIL(TN_ERROR_VALUE, "splines have an order from %d to %d, not %d", least,
                 TN_SPLINE_ORDER, order);
    if ((unsigned)border >= TN_BORDER_COUNT)
        TNI_FAIL(TN_ERROR_VALUE, "border %d of a spline is none", (int)border);
    return TN_OK;
}

static tn_status filter_axis(tn_array **result, const tn_array *array, int axis,
                             const tni_spline_work *work, tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM];
    const tn_dtype dtype = (tn_dtype)array->dtype;
    const bool is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
    tn_array *made = NULL;
    void *address;
    tn_status status;
    tni_image_spline call = {.dtype = is_complex ? tn_dtype_real(dtype) : dtype,
                             .order = work->order,
                             .fold = tni_spline_fold_of(work->border),
                             .outer = 1,
                             .length = tni_shape(array)[axis],
                             .inner = is_complex ? 2 : 1,
                             .pad = work->pad,
                             .is_constant = work->border == TN_BORDER_GRID_CONSTANT,
                             .parts = is_complex ? 2 : 1,
                             .outside = {work->outside[0], work->outside[1]}};
    for (int k = 0; k < array->ndim; k++) {
        shape[k] = tni_shape(array)[k];
        call.outer *= k < axis ? shape[k] : 1;
        call.inner *= k > axis ? shape[k] : 1;
    }
    shape[axis] += 2 * work->pad;
    TNI_TRY(tn_array_new(&made, dtype, array->ndim, shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_array_access(&address, made, TNI_WRITE, stream));
    call.output = address;
    TNI_TRY_OWNING(tni_array_access(&address, array, TNI_READ, stream));
    call.input = address;
    status = tni_queue_image_spline(&call, stream);
cleanup:
    return tni_array_deliver(result, made, status);
}

tn_status tni_spline_filter(tn_array **result, const tn_array *packed, const tni_spline_work *work,
                            int count, const int *axes, tn_stream *stream) {
    tn_array *now = tn_array_retain((tn_array *)(uintptr_t)packed);
    for (int k = 0; k < count; k++) {
        tn_array *next;
        if (now->size == 0) break;
        if (tni_shape(now)[axes[k]] == 1 && work->pad == 0) continue;
        tn_status status = filter_axis(&next, now, axes[k], work, stream);
        tn_array_release(now);
        if (status) return status;
        now = next;
    }
    *result = now;
    return TN_OK;
}

tn_status tn_array_spline(tn_array **result, const tn_array *array, int order,
                          tn_spline_border border, int count, const int *axes, tn_dtype dtype,
                          tn_stream *stream) {
    int places[TN_MAX_NDIM];
    tn_array *packed = NULL, *made = NULL;
    tn_status status;
    const tni_spline_work work = {.order = order, .border = border};
    TNI_TRY(tni_array_check_numbers(array));
    TNI_TRY(tni_spline_check(order, 2, border));
    if (count < 0 || count > TN_MAX_NDIM || tn_spline_dtype(dtype) != dtype)
        TNI_FAIL(TN_ERROR_VALUE, "splines have no coefficients of dtype %s along %d axes",
                 tn_dtype_name(dtype), count);
    for (int k = 0; k < count; k++) {
        places[k] = axes[k];
        TNI_TRY(tn_axis_check(&places[k], array->ndim));
    }
    TNI_TRY(tni_stream_resolve(&stream, stream, tn_array_device(array)));
    TNI_TRY_OWNING(tni_array_packed(&packed, array, dtype, stream));
    TNI_TRY_OWNING(tni_spline_filter(&made, packed, &work, count, places, stream));
    if (made->buffer == array->buffer)
        status = tn_array_astype(result, made, dtype, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_ALWAYS,
                                 stream);
    else
        *result = tn_array_retain(made);
cleanup:
    tn_array_release(made);
    tn_array_release(packed);
    return status;
}
