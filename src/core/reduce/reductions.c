/* Statistics that are several reductions: ptp, moments of complex numbers, weighted averages.
 *
 * A complex moment is that of real numbers with one more axis of size 2, kept: the parts' means are
 * the parts of the mean, the parts' variances add up. NaN in either part drops the element, so both
 * parts of such an element become NaN first. Everything is computed into new arrays; a given
 * output is written last. */
#include "core/reduce/reductions.h"

#include "core/elementwise/elementwise.h"
#include "core/reduce/reduce.h"
#include "core/reduce/reduce_internal.h"

#include <math.h>
#include <string.h>

tn_status tni_reduce_deliver(tn_array **result, tn_array *made, tn_stream *stream) {
    if (!*result) {
        *result = made;
        return TN_OK;
    }
    tn_status status = tn_array_assign(*result, made, TN_CASTING_UNSAFE, stream);
    tn_array_release(made);
    return status;
}

static tn_status binary(tn_array **result, tn_op op, const tn_array *a, const tn_array *b,
                        tn_stream *stream) {
    tn_array *made = NULL;
    TNI_TRY(tn_binary(&made, op, a, b, stream));
    tn_array_release(*result);
    *result = made;
    return TN_OK;
}

/* The array with `value` where it was NaN. */
static tn_status replace_nan(tn_array **result, const tn_array *array, tn_scalar value,
                             tn_stream *stream) {
    tn_array *mask = NULL;
    TNI_TRY(tn_unary(&mask, TN_OP_ISNAN, array, stream));
    tn_operand inputs[3] = {tn_operand_array(mask), tn_operand_scalar(value),
                            tn_operand_array(array)};
    *result = NULL;
    tn_status status = tn_elementwise(result, TN_OP_WHERE, inputs, NULL, stream);
    tn_array_release(mask);
    return status;
}

tn_status tni_without_nan(tn_array **result, const tn_array *array, tn_op op, tn_stream *stream) {
    tn_scalar identity;
    if (!tn_op_identity(op, &identity))
        TNI_FAIL(TN_ERROR_VALUE, "%s has no identity to stand for NaN", tn_op_name(op));
    return replace_nan(result, array, identity, stream);
}

static tn_status peak_to_peak(tn_array **result, const tni_reduce_request *request,
                              tn_stream *stream) {
    tn_array *high = NULL, *low = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_op_reduce(&high, TN_OP_MAXIMUM, request->array, request->options, stream));
    TNI_TRY_OWNING(tn_op_reduce(&low, TN_OP_MINIMUM, request->array, request->options, stream));
    TNI_TRY_OWNING(binary(&high, TN_OP_SUBTRACT, high, low, stream));
    status = tni_reduce_deliver(result, high, stream);
    high = NULL;
cleanup:
    tn_array_release(high);
    tn_array_release(low);
    return status;
}

/* --- Complex moments --- */

/* The parts as a last axis of size 2. */
static tn_status parts_of(tn_array **result, const tn_array *array) {
    int ndim = array->ndim;
    int64_t shape[TN_MAX_NDIM + 1], strides[TN_MAX_NDIM + 1];
    tn_dtype real = tn_dtype_real(array->dtype);
    if (ndim == TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "moments of complex arrays of %d dimensions", ndim);
    memcpy(shape, tni_shape(array), sizeof *shape * (size_t)ndim);
    memcpy(strides, tni_strides(array), sizeof *strides * (size_t)ndim);
    shape[ndim] = 2;
    strides[ndim] = tn_dtype_size(real);
    return tni_array_make(result, array->buffer, array->offset, real, ndim + 1, shape, strides,
                          false);
}

/* The reduced axes by number: the parts' axis comes behind them. */
static int list_axes(int *axes, uint64_t reduced) {
    int count = 0;
    for (; reduced; reduced &= reduced - 1)
        axes[count++] = __builtin_ctzll(reduced);
    return count;
}

/* `of_parts` (mean or variance of the parts, parts last) becomes the result. */
static tn_status join_parts(tn_array **made, const tni_reduce_request *request, tn_array *of_parts,
                            tn_stream *stream) {
    tn_array *joined = NULL, *squeezed = NULL;
    tn_status status;
    const int last = -1;
    if (request->statistic == TNI_STATISTIC_MEAN) {
        tn_dtype complex = of_parts->dtype == TN_F32 ? TN_C64 : TN_C128;
        TNI_TRY_OWNING(tn_array_view_as(&joined, of_parts, complex));
        TNI_TRY_OWNING(tn_array_squeeze(&squeezed, joined, 1, &last));
        status = tn_array_astype(made, squeezed, request->output, TN_ORDER_C, TN_CASTING_UNSAFE,
                                 TN_COPY_IF_NEEDED, stream);
        goto cleanup;
    }
    tn_reduce_options over_parts = TN_REDUCE_DEFAULTS;
    over_parts.axis_count = 1;
    over_parts.axes = &last;
    TNI_TRY_OWNING(tn_op_reduce(&joined, TN_OP_ADD, of_parts, &over_parts, stream));
    if (request->statistic == TNI_STATISTIC_STD) {
        TNI_TRY_OWNING(tn_unary(&squeezed, TN_OP_SQRT, joined, stream));
        *made = squeezed;
        squeezed = NULL;
    } else {
        *made = joined;
        joined = NULL;
    }
cleanup:
    tn_array_release(joined);
    tn_array_release(squeezed);
    return status;
}

static tn_status complex_moment(tn_array **result, const tni_reduce_request *request,
                                tn_stream *stream) {
    uint64_t reduced;
    int axes[TN_MAX_NDIM];
    const int last = -1;
    const tn_scalar nan = tn_scalar_weak_complex(NAN, NAN);
    const bool skips_nan = request->flags & TNI_SKIPS_NAN;
    tn_array *clean = NULL, *parts = NULL, *mask = NULL, *of_parts = NULL, *made = NULL;
    tn_reduce_options options = *request->options;
    tn_status status;
    TNI_TRY(tni_reduce_axes(&reduced, request->array, request->options,
                            tni_takes_scalar_axis(request)));
    options.axis_count = list_axes(axes, reduced);
    options.axes = axes;
    options.dtype = request->accumulator;
    if (options.where) {
        TNI_TRY(tni_mask_check(options.where));
        TNI_TRY_OWNING(tn_array_expand_dims(&mask, options.where, 1, &last));
        options.where = mask;
    }
    if (skips_nan) TNI_TRY_OWNING(replace_nan(&clean, request->array, nan, stream));
    TNI_TRY_OWNING(parts_of(&parts, clean ? clean : request->array));
    bool is_mean = request->statistic == TNI_STATISTIC_MEAN;
    tn_reduction each = is_mean     ? skips_nan ? TN_REDUCE_NANMEAN : TN_REDUCE_MEAN
                        : skips_nan ? TN_REDUCE_NANVAR
                                    : TN_REDUCE_VAR;
    TNI_TRY_OWNING(tn_reduce(&of_parts, each, parts, &options, stream));
    TNI_TRY_OWNING(join_parts(&made, request, of_parts, stream));
    status = tni_reduce_deliver(result, made, stream);
cleanup:
    tn_array_release(clean);
    tn_array_release(parts);
    tn_array_release(mask);
    tn_array_release(of_parts);
    return status;
}

tn_status tni_reduce_composed(tn_array **result, const tni_reduce_request *request,
                              tn_stream *stream) {
    if (*result) {
        uint64_t reduced;
        int64_t shape[TN_MAX_NDIM];
        bool keepdims = request->options->keepdims;
        TNI_TRY(tni_reduce_axes(&reduced, request->array, request->options,
                                tni_takes_scalar_axis(request)));
        int ndim = tni_reduce_shape(shape, request->array, reduced, keepdims);
        TNI_TRY(tni_reduce_check_output(*result, ndim, shape, tn_op_name(request->op), keepdims));
    }
    if (request->statistic == TNI_STATISTIC_PTP) return peak_to_peak(result, request, stream);
    return complex_moment(result, request, stream);
}

/* --- Average --- */

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

static tn_status weighted(tn_array **result, tn_array **weight_sum, const tn_array *array,
                          const tn_array *weights, const tn_reduce_options *options,
                          tn_stream *stream) {
    tn_array *spread = NULL, *sum = NULL, *product = NULL, *made = NULL;
    tn_status status;
    tn_reduce_options plain = *options;
    tn_operand operands[2] = {tn_operand_array(array), tn_operand_array(weights)};
    TNI_TRY(tn_result_type(&plain.dtype, 2, operands));
    if (array->dtype < TN_F16) plain.dtype = tn_dtype_promote(plain.dtype, TN_F64);
    TNI_TRY_OWNING(spread_weights(&spread, array, weights, options));
    operands[1] = tn_operand_array(spread);
    tn_elementwise_options in_float = TN_ELEMENTWISE_DEFAULTS;
    in_float.dtype = plain.dtype;
    TNI_TRY_OWNING(tn_elementwise(&product, TN_OP_MULTIPLY, operands, &in_float, stream));
    /* The sum of the weights over every element they weigh: spread out, not once. */
    tn_array *broadcast = NULL;
    TNI_TRY_OWNING(tn_array_broadcast_to(&broadcast, spread, array->ndim, tni_shape(array)));
    tn_array_release(spread);
    spread = broadcast;
    TNI_TRY_OWNING(tn_op_reduce(&sum, TN_OP_ADD, spread, &plain, stream));
    TNI_TRY_OWNING(check_weight_sum(sum, stream));
    TNI_TRY_OWNING(tn_op_reduce(&made, TN_OP_ADD, product, &plain, stream));
    TNI_TRY_OWNING(binary(&made, TN_OP_DIVIDE, made, sum, stream));
    status = tni_reduce_deliver(result, made, stream);
    made = NULL;
    if (status == TN_OK && weight_sum) {
        *weight_sum = sum;
        sum = NULL;
    }
cleanup:
    tn_array_release(spread);
    tn_array_release(product);
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
    if (options) {
        plain.axis_count = options->axis_count;
        plain.axes = options->axes;
        plain.keepdims = options->keepdims;
    }
    TNI_TRY(tni_reduce_axes(&reduced, array, &plain, false));
    if (!weights) return unweighted(result, weight_sum, array, &plain, stream);
    return weighted(result, weight_sum, array, weights, &plain, stream);
}
