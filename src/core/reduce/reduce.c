/* The driver of reductions: from an array and options to one call of a backend.
 *
 * Steps: split the axes into kept and reduced (the dtypes are chosen in reductions.c), make or
 * check the output, fill it where nothing is reduced, describe both groups of axes and collapse
 * each, pass the door, hand over. A reduction over all axes of a contiguous array is described as
 * one dimension without looking at strides.
 *
 * Invariant: nothing is written before everything that can fail has been checked, but for the
 * backend's own failure. An output that may share memory with an input is written through a
 * copy. */
#include "core/reduce/reduce.h"

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/array/shape.h"
#include "core/array/view.h"
#include "core/base/waiting.h"
#include "core/elementwise/elementwise.h"
#include "core/elementwise/operands.h"
#include "core/reduce/map.h"
#include "core/rules/op.h"
#include "core/rules/reduce_table.h"

#include <string.h>

/* --- Axes and shapes --- */

tn_status tni_reduce_axes(uint64_t *reduced, const tn_array *array,
                          const tn_reduce_options *options, bool scalar_axis) {
    if (options->axis_count == TN_AXES_ALL) {
        *reduced = array->ndim == 64 ? ~UINT64_C(0) : (UINT64_C(1) << array->ndim) - 1;
        return TN_OK;
    }
    /* NumPy lets one axis of a 0-d array pass. */
    if (scalar_axis && array->ndim == 0 && options->axis_count == 1 &&
        (options->axes[0] == 0 || options->axes[0] == -1)) {
        *reduced = 0;
        return TN_OK;
    }
    return tni_axes_check(reduced, options->axis_count, options->axes, array->ndim);
}

int tni_reduce_shape(int64_t *shape, const tn_array *array, uint64_t reduced, bool keepdims) {
    int ndim = 0;
    for (int axis = 0; axis < array->ndim; axis++) {
        bool is_reduced = reduced >> axis & 1;
        if (!is_reduced)
            shape[ndim++] = tni_shape(array)[axis];
        else if (keepdims)
            shape[ndim++] = 1;
    }
    return ndim;
}

tn_status tni_reduce_check_output(const tn_array *output, int ndim, const int64_t *shape,
                                  const char *name, bool keepdims) {
    char text[TNI_SHAPE_TEXT], other[TNI_SHAPE_TEXT];
    if (!(output->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (output->ndim != ndim)
        TNI_FAIL(TN_ERROR_VALUE,
                 "output parameter for reduction operation %s has the wrong number of dimensions: "
                 "Found %d but expected %d%s",
                 name, output->ndim, ndim,
                 keepdims ? " (must match the operand's when keepdims=True)" : "");
    if (!memcmp(tni_shape(output), shape, sizeof *shape * (size_t)ndim)) return TN_OK;
    return tni_fail(TN_ERROR_VALUE,
                    "output parameter for reduction operation %s has the wrong shape: Found %s but "
                    "expected %s",
                    name, tni_shape_text(text, ndim, tni_shape(output)),
                    tni_shape_text(other, ndim, shape));
}

/* The strides of the mask along the array's axes; it must broadcast to the array's shape. */
static tn_status mask_strides(int64_t *strides, const tn_array *mask, const tn_array *array) {
    char text[TNI_SHAPE_TEXT], other[TNI_SHAPE_TEXT];
    TNI_TRY(tni_mask_check(mask));
    if (mask->ndim > array->ndim)
        TNI_FAIL(TN_ERROR_VALUE,
                 "input operand has more dimensions than allowed by the axis remapping");
    if (!tni_array_is_broadcastable(mask, array->ndim, tni_shape(array)))
        TNI_FAIL(TN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                 tni_shape_text(text, array->ndim, tni_shape(array)),
                 tni_shape_text(other, mask->ndim, tni_shape(mask)));
    tni_strides_broadcast(strides, mask, array->ndim);
    return TN_OK;
}

/* --- The initial value --- */

/* The caller's initial value, converted as NumPy does: to the loop's dtype, never from complex. */
static tn_status convert_initial(unsigned char *value, const tn_scalar *initial, tn_dtype loop,
                                 tn_dtype accumulator) {
    if (initial->dtype >= TN_C64 && loop < TN_C64 && loop != TN_B8)
        TNI_FAIL(TN_ERROR_TYPE, "%s argument must be a string%s or a real number, not 'complex'",
                 loop < TN_F16 ? "int()" : "float()", loop < TN_F16 ? ", a bytes-like object" : "");
    tn_scalar as_loop = {loop, false, false, {0}};
    TNI_TRY(tn_scalar_convert(as_loop.value.bytes, *initial, loop));
    return tn_scalar_convert(value, as_loop, accumulator);
}

static tn_status prepare_initial(tni_reduce *call, const tni_reduce_request *request) {
    const tn_reduce_options *options = request->options;
    call->has_initial = false;
    if (call->statistic == TNI_STATISTIC_VAR || call->statistic == TNI_STATISTIC_STD) return TN_OK;
    if (options->initial) {
        call->has_initial = true;
        return convert_initial(call->initial, options->initial, request->loop, call->accumulator);
    }
    if (!options->without_identity)
        call->has_initial = tni_op_identity_value(call->initial, call->op, call->accumulator);
    if (options->where && !call->has_initial)
        TNI_FAIL(
            TN_ERROR_VALUE,
            "reduction operation '%s' does not have an identity, so to use a where mask one has "
            "to specify 'initial'",
            tn_op_name(call->op));
    return TN_OK;
}

/* NumPy refuses a reduction of nothing even where there are no outputs. */
static tn_status check_empty(const tni_reduce *call, const tn_array *array, uint64_t reduced) {
    if (array->size > 0 || call->has_initial || call->statistic != TNI_STATISTIC_FOLD) return TN_OK;
    for (int axis = 0; axis < array->ndim; axis++)
        if (reduced >> axis & 1 && tni_shape(array)[axis] == 0)
            TNI_FAIL(TN_ERROR_VALUE,
                     "zero-size array to reduction operation %s which has no identity",
                     tn_op_name(call->op));
    return TN_OK;
}

/* Where there is nothing to reduce: the initial value, or NaN for a mean of nothing. */
static tn_status fill_empty(tn_array *output, const tni_reduce *call, tn_stream *stream) {
    if (output->size == 0) return TN_OK;
    if (call->statistic != TNI_STATISTIC_FOLD)
        return tn_array_fill(output, tn_scalar_weak_float(__builtin_nan("")), stream);
    tn_scalar value = {call->accumulator, false, false, {0}};
    memcpy(value.value.bytes, call->initial, sizeof call->initial);
    return tn_array_fill(output, value, stream);
}

/* --- The call --- */

/* Each axis goes to the kept or to the reduced group. */
static void split_axes(tni_reduce *call, const tn_array *array, const tn_array *output,
                       uint64_t reduced, bool keepdims, const int64_t *mask) {
    const int64_t *shape = tni_shape(array), *strides = tni_strides(array);
    int kept = 0, folded = 0, out_axis = 0;
    for (int axis = 0; axis < array->ndim; axis++) {
        if (reduced >> axis & 1) {
            call->reduced_shape[folded] = shape[axis];
            call->reduced_input[folded] = strides[axis];
            call->reduced_mask[folded++] = mask ? mask[axis] : 0;
            out_axis += keepdims;
        } else {
            call->kept_shape[kept] = shape[axis];
            call->kept_input[kept] = strides[axis];
            call->kept_mask[kept] = mask ? mask[axis] : 0;
            call->kept_output[kept++] = tni_strides(output)[out_axis++];
        }
    }
    call->kept_ndim = kept;
    call->reduced_ndim = folded;
}

static void describe(tni_reduce *call, const tn_array *array, const tn_array *output,
                     uint64_t reduced, bool keepdims, const int64_t *mask) {
    call->kept_size = output->size;
    call->reduced_size = output->size ? array->size / output->size : 0;
    if (output->size == 1 && array->flags & TNI_C_CONTIGUOUS && !mask) {
        call->kept_ndim = 0;
        call->reduced_ndim = 1;
        call->reduced_shape[0] = array->size;
        call->reduced_input[0] = tni_dtype_size(array->dtype);
        return;
    }
    split_axes(call, array, output, reduced, keepdims, mask);
    int64_t offsets[3] = {0, 0, 0};
    int64_t *kept[3] = {call->kept_input, call->kept_output, call->kept_mask};
    int64_t *folded[2] = {call->reduced_input, call->reduced_mask};
    int count = mask ? 3 : 2;
    call->kept_ndim =
        tni_layout_collapse(call->kept_ndim, call->kept_shape, count, kept, offsets, true);
    call->input += offsets[0];
    call->output += offsets[1];
    int64_t more[2] = {0, 0};
    call->reduced_ndim = tni_layout_collapse(call->reduced_ndim, call->reduced_shape, count - 1,
                                             folded, more, !call->is_ordered);
    call->input += more[0];
    if (mask) call->mask += offsets[2] + more[1];
}

static tn_status run(tni_reduce *call, tn_array *result, const tni_reduce_request *request,
                     uint64_t reduced, const int64_t *mask, tn_stream *stream) {
    const tn_reduce_options *options = request->options;
    const tn_array *array = request->array, *output = result;
    tni_operands operands;
    void *to, *from, *chosen = NULL;
    tn_status status;
    if (array->size == 0) return fill_empty(result, call, stream);
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&to, &output, TNI_WRITE, &operands));
    operands.reports_unaligned = true;
    if (request->map) {
        TNI_TRY_OWNING(tni_map_open(request->body, request->map, array, &operands));
        call->body = request->body;
        from = tni_map_base(request->body);
    } else {
        TNI_TRY_OWNING(tni_operand_open(&from, &array, TNI_READ, &operands));
    }
    if (mask) TNI_TRY_OWNING(tni_array_access(&chosen, options->where, TNI_READ, stream));
    call->is_unaligned = operands.is_unaligned;
    call->output = to;
    call->input = from;
    call->mask = chosen;
    describe(call, array, output, reduced, options->keepdims, mask);
    status = tni_queue_reduce(call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

tn_status tni_reduce_check_order(const tni_reduce_request *request, uint64_t reduced) {
    if (tni_op_flags(request->op) & TNI_OP_REORDERABLE || (reduced & (reduced - 1)) == 0)
        return TN_OK;
    return tni_fail(
        TN_ERROR_VALUE,
        "reduction operation '%s' is not reorderable, so at most one axis may be specified",
        tn_op_name(request->op));
}

/* All arrays of the request but the output, the mask (NULL: none) last. */
static int list_arrays(const tn_array **arrays, const tni_reduce_request *request) {
    int count = 0;
    if (!request->map) arrays[count++] = request->array;
    for (int k = 0; request->map && k < request->map->input_count; k++)
        arrays[count++] = request->map->inputs[k];
    arrays[count++] = request->options->where;
    return count;
}

/* Whether writing the output may change one of the arrays. */
static bool shares_memory(const tn_array *output, const tn_array *const *arrays, int count) {
    for (int k = 0; k < count; k++)
        if (arrays[k] && tn_array_may_overlap(output, arrays[k])) return true;
    return false;
}

tn_status tni_reduce_run(tn_array **result, const tni_reduce_request *request, tn_stream *stream) {
    const tn_reduce_options *options = request->options;
    const tn_array *array = request->array;
    tni_reduce call;
    uint64_t reduced;
    int64_t shape[TN_MAX_NDIM], mask[TN_MAX_NDIM];
    TNI_TRY(tni_reduce_axes(&reduced, array, options, tni_takes_scalar_axis(request)));
    TNI_TRY(tni_reduce_check_order(request, reduced));
    const tn_array *arrays[TNI_BODY_INPUTS + 2];
    int count = list_arrays(arrays, request);
    tn_device device;
    arrays[count] = *result;
    TNI_TRY(tni_device_common(&device, count + 1, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    int ndim = tni_reduce_shape(shape, array, reduced, options->keepdims);
    if (*result)
        TNI_TRY(tni_reduce_check_output(*result, ndim, shape, tn_op_name(request->op),
                                        options->keepdims));
    if (options->where) TNI_TRY(mask_strides(mask, options->where, array));
    call.op = request->op;
    call.statistic = request->statistic;
    call.flags = request->flags;
    call.is_ordered = request->is_ordered;
    call.input_dtype = array->dtype;
    call.accumulator = request->accumulator;
    call.correction = options->correction;
    call.body = NULL;
    TNI_TRY(prepare_initial(&call, request));
    TNI_TRY(check_empty(&call, array, reduced));

    tn_status status = TN_OK;
    tn_array *fresh = NULL, *output = *result;
    bool shares = output && shares_memory(output, arrays, count);
    if (!output || shares) {
        tn_dtype dtype = output ? (tn_dtype)output->dtype : request->output;
        TNI_TRY_OWNING(tn_array_new(&fresh, dtype, ndim, shape, TN_ORDER_C, stream));
        output = fresh;
    }
    call.output_dtype = output->dtype;
    bool waits = tni_may_wait() && !options->where && !request->map && array->size > 0 &&
                 tni_waiting_get()->join_reduce(request, output, stream);
    if (!waits)
        TNI_TRY_OWNING(run(&call, output, request, reduced, options->where ? mask : NULL, stream));
    if (shares) TNI_TRY_OWNING(tn_array_assign(*result, fresh, TN_CASTING_NO, stream));
    if (!*result) {
        *result = fresh;
        fresh = NULL;
    }
cleanup:
    tn_array_release(fresh);
    return status;
}
