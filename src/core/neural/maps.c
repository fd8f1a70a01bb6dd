#include "core/neural/maps.h"

#include "core/move/astype.h"

#include <string.h>
#include <tenorite/elementwise.h>

static bool is_taken(tn_dtype dtype) {
    return dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F32 || dtype == TN_F64;
}

tn_status tni_maps_check(tni_maps_call *call, const char *const names[3]) {
    const tn_array *arrays[3] = {call->inputs[0], call->inputs[1], call->result};
    tn_device device;
    for (int k = 0; k < 3; k++) {
        const tn_array *array = arrays[k];
        if (!array) continue;
        TNI_TRY(tni_array_check_numbers(array));
        if (!is_taken(array->dtype))
            TNI_FAIL(TN_ERROR_TYPE, "%s: %s must be float16, bfloat16, float32 or float64, not %s",
                     call->function, names[k], tn_dtype_name(array->dtype));
        if (array->dtype != arrays[0]->dtype)
            TNI_FAIL(TN_ERROR_TYPE, "%s: %s is %s, but %s is %s", call->function, names[k],
                     tn_dtype_name(array->dtype), names[0], tn_dtype_name(arrays[0]->dtype));
        if (array->ndim < 3 || array->ndim > TN_SPATIAL_MAX + 2)
            TNI_FAIL(TN_ERROR_VALUE,
                     "%s: %s must have 1 to %d spatial axes after 2 others, not %d "
                     "axes in all",
                     call->function, names[k], TN_SPATIAL_MAX, array->ndim);
        if (array->ndim != arrays[0]->ndim)
            TNI_FAIL(TN_ERROR_VALUE, "%s: %s has %d axes, but %s has %d", call->function, names[k],
                     array->ndim, names[0], arrays[0]->ndim);
    }
    if (!(call->result->flags & TNI_WRITEABLE))
        TNI_FAIL(TN_ERROR_VALUE, "%s: %s is read-only", call->function, names[2]);
    TNI_TRY(tni_device_common(&device, 3, arrays));
    return tni_stream_resolve(&call->stream, call->stream, device);
}

tn_status tni_maps_check_list(const char *function, const char *name, int ndim,
                              const int64_t *numbers, int64_t least) {
    for (int k = 0; k < ndim; k++)
        if (numbers[k] < least || numbers[k] > INT32_MAX)
            TNI_FAIL(TN_ERROR_VALUE, "%s: %s must be at least %lld and below 2**31, not %lld",
                     function, name, (long long)least, (long long)numbers[k]);
    return TN_OK;
}

tn_status tni_maps_fail_shape(const char *function, const char *name, const tn_array *array,
                              const int64_t *wanted) {
    char given[TNI_SHAPE_TEXT], needed[TNI_SHAPE_TEXT];
    return tni_fail(TN_ERROR_VALUE, "%s: %s has shape %s and must have %s", function, name,
                    tni_shape_text(given, array->ndim, tni_shape(array)),
                    tni_shape_text(needed, array->ndim, wanted));
}

tn_status tni_maps_scale(const tni_maps_call *call) {
    if (call->beta == 1 || call->result->size == 0) return TN_OK;
    if (call->beta == 0) return tn_array_fill(call->result, tn_scalar_bool(false), call->stream);
    const tn_operand inputs[2] = {tn_operand_array(call->result),
                                  tn_operand_scalar(tn_scalar_weak_float(call->beta))};
    tn_array *output = call->result;
    return tn_elementwise(&output, TN_OP_MULTIPLY, inputs, NULL, call->stream);
}

tn_status tni_maps_hold(tni_maps_call *call) {
    bool is_apart = call->result->flags & TNI_ALIGNED;
    for (int k = 0; k < 2; k++) {
        const tn_array *input = call->inputs[k];
        if (!input) continue;
        if (input->flags & TNI_ALIGNED)
            call->held[k] = tn_array_retain((tn_array *)(uintptr_t)input);
        else
            TNI_TRY(tn_array_astype(&call->held[k], input, input->dtype, TN_ORDER_K,
                                    TN_CASTING_UNSAFE, TN_COPY_ALWAYS, call->stream));
        is_apart &= tni_array_overlap(call->result, call->held[k]) == TNI_OVERLAP_NONE;
    }
    if (is_apart) {
        call->held[2] = tn_array_retain(call->result);
        return TN_OK;
    }
    TNI_TRY(tn_array_new(&call->held[2], call->result->dtype, call->result->ndim,
                         tni_shape(call->result), TN_ORDER_C, call->stream));
    if (call->beta == 0) return TN_OK;
    return tn_array_assign(call->held[2], call->result, TN_CASTING_SAFE, call->stream);
}

tn_status tni_maps_finish(tni_maps_call *call, tn_status status) {
    if (!status && call->held[2] != call->result)
        status = tn_array_assign(call->result, call->held[2], TN_CASTING_SAFE, call->stream);
    for (int k = 0; k < 3; k++)
        tn_array_release(call->held[k]);
    return status;
}

tn_status tni_maps_open(tni_maps *maps, const tni_maps_call *call, int which) {
    const tn_array *array = call->held[which];
    const tni_access writes = call->beta == 0 ? TNI_WRITE : TNI_READ_WRITE;
    void *address;
    TNI_TRY(tni_array_access(&address, array, which == 2 ? writes : TNI_READ, call->stream));
    const int64_t *strides = tni_strides(array);
    *maps = (tni_maps){.data = address, .batch_stride = strides[0], .channel_stride = strides[1]};
    memcpy(maps->strides, strides + 2, sizeof *strides * (size_t)(array->ndim - 2));
    return TN_OK;
}
