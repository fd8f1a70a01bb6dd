/* Reductions by name and by operation, and those that are several reductions: ptp, moments of
 * complex numbers.
 *
 * A complex moment is that of real numbers with one more axis of size 2, kept: the parts' means are
 * the parts of the mean, the parts' variances add up. NaN in either part drops the element, so both
 * parts of such an element become NaN first. Everything is computed into new arrays; a given
 * output is written last. */
#include "core/reduce/reductions.h"

#include "core/elementwise/elementwise.h"
#include "core/reduce/exponents.h"
#include "core/reduce/reduce.h"
#include "core/rules/op.h"

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

/* The array with `value` where it was NaN. */
static tn_status replace_nan(tn_array **result, const tn_array *array, tn_scalar value,
                             tn_stream *stream) {
    tn_array *mask = NULL;
    TNI_TRY(tni_unary(&mask, TN_OP_ISNAN, array, stream));
    tn_operand inputs[3] = {tn_operand_array(mask), tn_operand_scalar(value),
                            tn_operand_array(array)};
    *result = NULL;
    tn_status status = tni_elementwise_run(result, TN_OP_WHERE, inputs, NULL, NULL, stream);
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
    tn_array *high = NULL, *low = NULL, *range;
    tn_status status;
    TNI_TRY_OWNING(tn_op_reduce(&high, TN_OP_MAXIMUM, request->array, request->options, stream));
    TNI_TRY_OWNING(tn_op_reduce(&low, TN_OP_MINIMUM, request->array, request->options, stream));
    TNI_TRY_OWNING(tni_binary(&range, TN_OP_SUBTRACT, high, low, stream));
    status = tni_reduce_deliver(result, range, stream);
cleanup:
    tn_array_release(high);
    tn_array_release(low);
    return status;
}

/* --- Complex moments --- */

tn_status tni_parts_of(tn_array **result, const tn_array *array) {
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

static int list_bits(int *axes, uint64_t reduced) {
    int count = 0;
    for (; reduced; reduced &= reduced - 1)
        axes[count++] = __builtin_ctzll(reduced);
    return count;
}

tn_status tni_reduce_list_axes(int *axes, int *count, const tn_array *array,
                               const tn_reduce_options *options) {
    uint64_t reduced;
    TNI_TRY(tni_reduce_axes(&reduced, array, options, true));
    *count = list_bits(axes, reduced);
    return TN_OK;
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
        TNI_TRY_OWNING(tni_unary(&squeezed, TN_OP_SQRT, joined, stream));
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

/* The moment in the floating-point or complex dtype that the caller asks for. */
static tn_status convert_moment(tn_array **made, tn_dtype dtype, tn_stream *stream) {
    tn_array *converted = NULL;
    if (dtype == TN_DTYPE_NONE || dtype == (*made)->dtype || tn_dtype_kind(dtype) < TN_KIND_FLOAT)
        return TN_OK;
    TNI_TRY(tn_array_astype(&converted, *made, dtype, TN_ORDER_K, TN_CASTING_UNSAFE, TN_COPY_ALWAYS,
                            stream));
    tn_array_release(*made);
    *made = converted;
    return TN_OK;
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
    options.axis_count = list_bits(axes, reduced);
    options.axes = axes;
    options.dtype = request->accumulator;
    if (options.where) {
        TNI_TRY(tni_mask_check(options.where));
        TNI_TRY_OWNING(tn_array_expand_dims(&mask, options.where, 1, &last));
        options.where = mask;
    }
    if (skips_nan) TNI_TRY_OWNING(replace_nan(&clean, request->array, nan, stream));
    TNI_TRY_OWNING(tni_parts_of(&parts, clean ? clean : request->array));
    bool is_mean = request->statistic == TNI_STATISTIC_MEAN;
    tn_reduction each = is_mean     ? skips_nan ? TN_REDUCE_NANMEAN : TN_REDUCE_MEAN
                        : skips_nan ? TN_REDUCE_NANVAR
                                    : TN_REDUCE_VAR;
    TNI_TRY_OWNING(tn_reduce(&of_parts, each, parts, &options, stream));
    TNI_TRY_OWNING(join_parts(&made, request, of_parts, stream));
    if (!is_mean) TNI_TRY_OWNING(convert_moment(&made, request->options->dtype, stream));
    status = tni_reduce_deliver(result, made, stream);
    made = NULL;
cleanup:
    tn_array_release(made);
    tn_array_release(clean);
    tn_array_release(parts);
    tn_array_release(mask);
    tn_array_release(of_parts);
    return status;
}

static tn_status reduce_composed(tn_array **result, const tni_reduce_request *request,
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

/* --- Reductions by name and by operation --- */

static const tn_reduce_options defaults = TN_REDUCE_DEFAULTS;

/* NumPy looks at exponents one by one; here all are looked at before anything is written. */
static tn_status check_power(const tni_reduce_request *request, tn_stream *stream) {
    if (!(tni_op_flags(request->op) & TNI_OP_CHECK_NEGATIVE_POWER)) return TN_OK;
    uint64_t reduced;
    TNI_TRY(tni_reduce_axes(&reduced, request->array, request->options, true));
    TNI_TRY(tni_reduce_check_order(request, reduced));
    return tni_exponents_check_fold(request->op, request->loop, request->array,
                                    reduced ? __builtin_ctzll(reduced) : 0,
                                    request->options->initial != NULL, stream);
}

tn_status tn_op_reduce(tn_array **result, tn_op op, const tn_array *array,
                       const tn_reduce_options *options, tn_stream *stream) {
    tni_reduce_request request = {
        .op = op, .array = array, .options = options ? options : &defaults};
    TNI_TRY(tni_array_check_numbers(array));
    TNI_TRY(tni_reduce_dtype(&request.loop, op, array->dtype, request.options->dtype,
                             *result ? (tn_dtype)(*result)->dtype : TN_DTYPE_NONE, "reduce"));
    TNI_TRY(check_power(&request, stream));
    request.accumulator = tni_accumulator(op, request.loop);
    request.output = request.loop;
    request.is_ordered = tni_op_is_ordered(op);
    return tni_reduce_run(result, &request, stream);
}

/* NumPy's nan-functions refuse to round floats to integers. */
static tn_status check_inexact(const tni_reduce_request *request, const tn_array *output) {
    tn_dtype wanted = request->options->dtype;
    if (!(request->flags & TNI_SKIPS_NAN)) return TN_OK;
    if (wanted != TN_DTYPE_NONE && wanted < TN_F16)
        TNI_FAIL(TN_ERROR_TYPE, "If a is inexact, then dtype must be inexact");
    if (output && (tn_dtype)output->dtype < TN_F16)
        TNI_FAIL(TN_ERROR_TYPE, "If a is inexact, then out must be inexact");
    return TN_OK;
}

/* Means and moments compute in floats: integers in f64, unless the caller says otherwise. */
static void choose_statistic_dtype(tni_reduce_request *request, tn_dtype input,
                                   const tn_array *output) {
    tn_dtype wanted = request->options->dtype;
    tn_dtype loop = wanted != TN_DTYPE_NONE ? wanted : input < TN_F16 ? TN_F64 : input;
    bool is_moment = request->statistic != TNI_STATISTIC_MEAN;
    bool is_half = loop == TN_F16 || loop == TN_BF16;
    if (output && wanted == TN_DTYPE_NONE && input >= TN_F16)
        loop = tn_dtype_promote(loop, output->dtype);
    request->loop = loop;
    request->accumulator = is_half ? TN_F32 : loop;
    request->output = loop;
    if (!is_moment && !request->options->where && !request->flags) return;
    if (input >= TN_C64) request->output = tn_dtype_real(loop);
    request->accumulator = is_half || loop == TN_F32 || loop == TN_C64 ? TN_F32 : TN_F64;
    if (!is_moment) request->output = loop;
}

tn_status tni_reduction_decide(tni_reduce_request *request, bool *is_single, tn_reduction reduction,
                               tn_dtype input, const tn_reduce_options *options,
                               const tn_array *output) {
    const tni_reduction_fact *fact = tni_reduction_get(reduction);
    *request = (tni_reduce_request){.op = fact->op,
                                    .statistic = fact->statistic,
                                    .flags = fact->flags,
                                    .options = options ? options : &defaults};
    *is_single = fact->statistic != TNI_STATISTIC_PTP;
    if (fact->op == TN_OP_NONE) TNI_FAIL(TN_ERROR_VALUE, "unknown reduction %d", (int)reduction);
    if (request->flags & TNI_SKIPS_NAN && input < TN_F16) request->flags &= ~TNI_SKIPS_NAN;
    if (!*is_single) return TN_OK;
    if (fact->flags & TNI_COUNTS) {
        request->loop = request->accumulator = request->output = TN_I64;
        return TN_OK;
    }
    if (fact->statistic == TNI_STATISTIC_FOLD) {
        TNI_TRY(tni_reduce_dtype(&request->loop, fact->op, input, request->options->dtype,
                                 output ? (tn_dtype)output->dtype : TN_DTYPE_NONE, fact->name));
        request->accumulator = tni_accumulator(fact->op, request->loop);
        request->output = request->loop;
        *is_single = !request->flags || request->loop >= TN_F16;
        return TN_OK;
    }
    TNI_TRY(check_inexact(request, output));
    choose_statistic_dtype(request, input, output);
    bool is_plain_mean =
        fact->statistic == TNI_STATISTIC_MEAN && !request->options->where && !request->flags;
    *is_single = input < TN_C64 || is_plain_mean;
    return TN_OK;
}

tn_status tn_reduce(tn_array **result, tn_reduction reduction, const tn_array *array,
                    const tn_reduce_options *options, tn_stream *stream) {
    const tni_reduction_fact *fact = tni_reduction_get(reduction);
    TNI_TRY(tni_array_check_numbers(array));
    if (fact->op != TN_OP_NONE && fact->statistic == TNI_STATISTIC_FOLD && !fact->flags)
        return tn_op_reduce(result, fact->op, array, options, stream);
    tni_reduce_request request;
    bool is_single;
    TNI_TRY(tni_reduction_decide(&request, &is_single, reduction, array->dtype, options, *result));
    request.array = array;
    if (is_single) return tni_reduce_run(result, &request, stream);
    if (fact->statistic != TNI_STATISTIC_FOLD) return reduce_composed(result, &request, stream);
    tn_array *clean;
    TNI_TRY(tni_without_nan(&clean, array, fact->op, stream));
    request.array = clean;
    request.flags = 0;
    tn_status status = tni_reduce_run(result, &request, stream);
    tn_array_release(clean);
    return status;
}
