/* Averages: means, weighted or not, and the sums of the weights. */
#include "core/array/array.h"
#include "core/elementwise/elementwise.h"
#include "core/reduce/mapped.h"
#include "core/reduce/reductions.h"

#include <string.h>
#include <tenorite/statistics.h>

/* Weights in the array's shape: as they are, or along the reduced axes in the order named. */
static tn_status spread_weights(tn_array **result, const tn_array *array, const tn_array *weights,
                                const tn_reduce_options *options) {
    bool same = weights->ndim == array->ndim &&
                !memcmp(tni_shape(weights), tni_shape(array), sizeof(int64_t) * array->ndim);
    if (same) {
        *result = tn_array_retain((tn_array *)(uintptr_t)weights);
        return TN_OK;
    }
    if (options->axis_count == TN_AXES_ALL)
        TNI_FAIL(TN_ERROR_TYPE, "Axis must be specified when shapes of a and weights differ.");
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    bool fits = weights->ndim == options->axis_count;
    for (int axis = 0; axis < array->ndim; axis++) {
        shape[axis] = 1;
        strides[axis] = 0;
    }
    for (int k = 0; fits && k < options->axis_count; k++) {
        int axis = options->axes[k] + (options->axes[k] < 0 ? array->ndim : 0);
        fits = tni_shape(weights)[k] == tni_shape(array)[axis];
        shape[axis] = tni_shape(weights)[k];
        strides[axis] = tni_strides(weights)[k];
    }
    if (!fits)
        TNI_FAIL(TN_ERROR_VALUE,
                 "Shape of weights must be consistent with shape of a along specified axis.");
    return tni_array_make(result, weights->buffer, weights->offset, weights->dtype, array->ndim,
                          shape, strides, false);
}

static tn_status check_weight_sum(const tn_array *sum, tn_stream *stream) {
    tn_array *all = NULL;
    tn_scalar value;
    tn_status status = tn_reduce(&all, TN_REDUCE_ALL, sum, NULL, stream);
    if (status == TN_OK) status = tn_array_item(&value, all, stream);
    tn_array_release(all);
    TNI_TRY(status);
    if (!value.value.bytes[0])
        TNI_FAIL(TN_ERROR_RUNTIME, "Weights sum to zero, can't be normalized");
    return TN_OK;
}

/* The sums of the products with the weights, in one pass. */
static tn_status sum_products(tn_array **result, const tn_array *array, const tn_array *weights,
                              const tn_reduce_options *options, tn_stream *stream) {
    const tn_array *inputs[2] = {array, weights};
    tni_reduce_request request = {.op = TN_OP_ADD, .options = options};
    tni_map map;
    request.loop = request.output = options->dtype;
    request.accumulator = tni_accumulator(TN_OP_ADD, request.loop);
    tni_map_init(&map, 2, inputs);
    tni_map_add(&map, TN_OP_MULTIPLY, request.loop, 0, 1);
    *result = NULL;
    return tni_reduce_mapped(result, &request, &map, NULL, stream);
}

static tn_status weighted(tn_array **result, tn_array **weight_sum, const tn_array *array,
                          const tn_array *weights, const tn_reduce_options *options,
                          tn_stream *stream) {
    tn_array *spread = NULL, *sum = NULL, *made = NULL, *quotient;
    tn_status status;
    tn_reduce_options plain = *options;
    tn_operand operands[2] = {tn_operand_array(array), tn_operand_array(weights)};
    TNI_TRY(tn_result_type(&plain.dtype, 2, operands));
    if (array->dtype < TN_F16) plain.dtype = tn_dtype_promote(plain.dtype, TN_F64);
    TNI_TRY_OWNING(spread_weights(&spread, array, weights, options));
    /* The sum of the weights over every element they weigh: spread out, not once. */
    tn_array *broadcast = NULL;
    TNI_TRY_OWNING(tn_array_broadcast_to(&broadcast, spread, array->ndim, tni_shape(array)));
    tn_array_release(spread);
    spread = broadcast;
    TNI_TRY_OWNING(tn_op_reduce(&sum, TN_OP_ADD, spread, &plain, stream));
    TNI_TRY_OWNING(check_weight_sum(sum, stream));
    TNI_TRY_OWNING(sum_products(&made, array, spread, &plain, stream));
    TNI_TRY_OWNING(tni_binary(&quotient, TN_OP_DIVIDE, made, sum, stream));
    status = tni_reduce_deliver(result, quotient, stream);
    if (status == TN_OK && weight_sum) {
        *weight_sum = sum;
        sum = NULL;
    }
cleanup:
    tn_array_release(spread);
    tn_array_release(sum);
    tn_array_release(made);
    return status;
}

/* Without weights: the mean, and the count of elements in each. */
static tn_status unweighted(tn_array **result, tn_array **weight_sum, const tn_array *array,
                            const tn_reduce_options *options, tn_stream *stream) {
    tn_array *mean = NULL, *count = NULL;
    TNI_TRY(tn_reduce(&mean, TN_REDUCE_MEAN, array, options, stream));
    tn_status status = TN_OK;
    if (weight_sum) {
        double each = mean->size ? (double)array->size / (double)mean->size : 0;
        TNI_TRY_OWNING(tn_array_new_like(&count, mean, mean->dtype, 0, NULL, TN_ORDER_C, stream));
        TNI_TRY_OWNING(tn_array_fill(count, tn_scalar_weak_float(each), stream));
    }
    status = tni_reduce_deliver(result, mean, stream);
    mean = NULL;
    if (status == TN_OK && weight_sum) {
        *weight_sum = count;
        count = NULL;
    }
cleanup:
    tn_array_release(mean);
    tn_array_release(count);
    return status;
}

tn_status tn_average(tn_array **result, tn_array **weight_sum, const tn_array *array,
                     const tn_array *weights, const tn_reduce_options *options, tn_stream *stream) {
    tn_reduce_options plain = TN_REDUCE_DEFAULTS;
    uint64_t reduced;
    TNI_TRY(tni_array_check_numbers(array));
    if (options) {
        plain.axis_count = options->axis_count;
        plain.axes = options->axes;
        plain.keepdims = options->keepdims;
    }
    TNI_TRY(tni_reduce_axes(&reduced, array, &plain, false));
    if (!weights) return unweighted(result, weight_sum, array, &plain, stream);
    return weighted(result, weight_sum, array, weights, &plain, stream);
}
