/* The driver of filters of Fourier transforms. */
#include "backend/backend.h"
#include "core/array/array.h"
#include "core/move/astype.h"
#include "forms/image_map.h"

static tn_status check(const tn_array *array, tn_fourier_filter filter, tn_dtype dtype, int *axis,
                       const tn_array *output) {
    const tn_kind kind = tn_dtype_kind(dtype);
    TNI_TRY(tni_array_check_numbers(array));
    if ((unsigned)filter >= TN_FOURIER_FILTERS)
        TNI_FAIL(TN_ERROR_VALUE, "filter %d of a Fourier transform is none", (int)filter);
    if (dtype != TN_F32 && dtype != TN_F64 && kind != TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_VALUE, "output type not supported");
    if (filter == TN_FOURIER_SHIFT && kind != TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_VALUE, "output type not supported");
    if (filter == TN_FOURIER_ELLIPSOID && array->ndim > 3)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "Only 1d, 2d and 3d inputs are supported");
    if (array->ndim > TNI_MAP_AXES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "Fourier filters of more than %d axes", TNI_MAP_AXES);
    TNI_TRY(tn_axis_check(axis, array->ndim));
    if (!output) return TN_OK;
    TNI_TRY(tni_array_check_writeable(output));
    bool fits = output->ndim == array->ndim;
    for (int k = 0; fits && k < array->ndim; k++)
        fits = tni_shape(output)[k] == tni_shape(array)[k];
    if (!fits) TNI_FAIL(TN_ERROR_VALUE, "output shape not correct");
    return TN_OK;
}

static tn_status run(const tn_array *made, const tn_array *packed, tni_image_fourier *call,
                     tn_stream *stream) {
    void *address;
    if (made->size == 0) return TN_OK;
    TNI_TRY(tni_array_access(&address, made, TNI_WRITE, stream));
    call->output = address;
    TNI_TRY(tni_array_access(&address, packed, TNI_READ, stream));
    call->input = address;
    call->count = made->size;
    return tni_queue_image_fourier(call, stream);
}

tn_status tn_array_fourier_filter(tn_array **result, const tn_array *array,
                                  tn_fourier_filter filter, const double *sizes, int64_t n,
                                  int axis, tn_dtype dtype, tn_array *output, tn_stream *stream) {
    const tn_array *arrays[2] = {array, output};
    tn_array *packed = NULL, *made = NULL;
    tn_device device;
    tn_status status;
    tni_image_fourier call = {.filter = filter, .dtype = dtype, .axes = array->ndim};
    TNI_TRY(check(array, filter, dtype, &axis, output));
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    for (int k = 0; k < array->ndim; k++) {
        call.shape[k] = tni_shape(array)[k];
        call.is_half[k] = k == axis && n >= 0;
        call.n[k] = (double)(call.is_half[k] ? n : call.shape[k]);
        call.sizes[k] = sizes[k];
    }
    TNI_TRY_OWNING(tni_array_packed(&packed, array, dtype, stream));
    const bool is_own = packed->buffer != array->buffer;
    const int needed = TNI_C_CONTIGUOUS | TNI_ALIGNED;
    if (output && output->dtype == (int16_t)dtype && (output->flags & needed) == needed &&
        tni_array_overlap(output, packed) != TNI_OVERLAP_PARTIAL)
        made = tn_array_retain(output);
    else if (is_own)
        made = tn_array_retain(packed);
    else
        TNI_TRY_OWNING(
            tn_array_new(&made, dtype, array->ndim, tni_shape(array), TN_ORDER_C, stream));
    TNI_TRY_OWNING(run(made, packed, &call, stream));
    if (output && made != output)
        TNI_TRY_OWNING(tn_array_assign(output, made, TN_CASTING_UNSAFE, stream));
    *result = tn_array_retain(output ? output : made);
cleanup:
    tn_array_release(made);
    tn_array_release(packed);
    return status;
}
