/* The driver of interpolation between points: everything as doubles (fp may be complex), packed. */
#include "backend/backend.h"
#include "core/move/astype.h"
#include "core/samples/samples.h"
#include "forms/samples.h"

/* x, the points' places and their values, packed. */
enum { X, XP, FP, ARRAYS };

static tn_status check(const tn_array *const *arrays) {
    for (int k = X; k <= XP; k++)
        if (tn_dtype_kind(arrays[k]->dtype) == TN_KIND_COMPLEX)
            TNI_FAIL(TN_ERROR_TYPE,
                     "Cannot cast array data from dtype('%s') to dtype('float64') according to the "
                     "rule 'safe'",
                     tn_dtype_name(arrays[k]->dtype));
    TNI_TRY(tni_samples_check_row(arrays[FP]));
    TNI_TRY(tni_samples_check_row(arrays[XP]));
    if (arrays[XP]->size == 0) TNI_FAIL(TN_ERROR_VALUE, "array of sample points is empty");
    if (arrays[XP]->size != arrays[FP]->size)
        TNI_FAIL(TN_ERROR_VALUE, "fp and xp are not of the same length.");
    return TN_OK;
}

static tn_status read_end(double *to, bool *is_given, const tn_scalar *scalar) {
    *is_given = scalar != NULL;
    to[0] = to[1] = 0;
    return scalar ? tn_scalar_convert(to, *scalar, TN_C128) : TN_OK;
}

static tn_status run(tn_array **result, tni_interpolate *call, tn_array *const *packed,
                     tn_stream *stream) {
    tn_array *made = NULL;
    void *addresses[ARRAYS], *output;
    tn_status status;
    TNI_TRY(tn_array_new(&made, packed[FP]->dtype, packed[X]->ndim, tni_shape(packed[X]),
                         TN_ORDER_C, stream));
    if (made->size == 0) {
        *result = made;
        return TN_OK;
    }
    TNI_TRY_OWNING(tni_array_access(&output, made, TNI_WRITE, stream));
    for (int k = 0; k < ARRAYS; k++)
        TNI_TRY_OWNING(tni_array_access(&addresses[k], packed[k], TNI_READ, stream));
    call->x = addresses[X];
    call->xp = addresses[XP];
    call->fp = addresses[FP];
    call->output = output;
    call->count = made->size;
    call->points = packed[XP]->size;
    status = tni_queue_interpolate(call, stream);
cleanup:
    return tni_array_deliver(result, made, status);
}

tn_status tn_array_interpolate(tn_array **result, const tn_array *x, const tn_array *xp,
                               const tn_array *fp, const tn_scalar *left, const tn_scalar *right,
                               tn_stream *stream) {
    const tn_array *arrays[ARRAYS] = {x, xp, fp};
    tn_array *packed[ARRAYS] = {NULL, NULL, NULL};
    tn_device device;
    tn_status status;
    tni_interpolate call;
    for (int k = 0; k < ARRAYS; k++)
        TNI_TRY(tni_array_check_numbers(arrays[k]));
    TNI_TRY(tni_device_common(&device, ARRAYS, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(check(arrays));
    call.is_complex = tn_dtype_kind(fp->dtype) == TN_KIND_COMPLEX;
    TNI_TRY(read_end(call.left, &call.has_left, left));
    TNI_TRY(read_end(call.right, &call.has_right, right));
    for (int k = 0; k < ARRAYS; k++)
        TNI_TRY_OWNING(tni_array_packed(&packed[k], arrays[k],
                                        k == FP && call.is_complex ? TN_C128 : TN_F64, stream));
    status = run(result, &call, packed, stream);
cleanup:
    for (int k = 0; k < ARRAYS; k++)
        tn_array_release(packed[k]);
    return status;
}
