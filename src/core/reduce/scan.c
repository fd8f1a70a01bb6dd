/* The driver of running folds: cumsum and its kin, op.accumulate, and diff.
 *
 * One axis is walked in order; the others are collapsed. A result that may share memory with the
 * input is computed apart and copied. */
#include "backend/backend.h"
#include "core/array/line.h"
#include "core/elementwise/elementwise.h"
#include "core/elementwise/operands.h"
#include "core/reduce/exponents.h"
#include "core/reduce/reduce.h"
#include "core/reduce/reductions.h"

#include <string.h>

/* output has the shape of array; no overlap. */
static tn_status run(const tn_array *output, tn_op op, int flags, tn_dtype loop,
                     const tn_array *array, int axis, tn_stream *stream) {
    if (array->size == 0) return TN_OK;
    tni_scan call;
    tni_operands operands;
    void *to, *from;
    tn_status status;
    call.op = op;
    call.flags = array->dtype < TN_F16 ? 0 : flags;
    call.input_dtype = array->dtype;
    call.accumulator = tni_accumulator(op, loop);
    call.output_dtype = output->dtype;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&to, &output, TNI_WRITE, &operands));
    TNI_TRY_OWNING(tni_operand_open(&from, &array, TNI_READ, &operands));
    tni_line_describe(&call.line, output, to, array, from, axis);
    status = tni_queue_scan(&call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* array[..., start:stop] along the axis. */
static tn_status slice_axis(tn_array **result, const tn_array *array, int axis, int64_t start,
                            bool has_start, int64_t stop, bool has_stop) {
    tn_index items[TN_MAX_NDIM];
    for (int k = 0; k < axis; k++)
        items[k] = (tn_index){.kind = TN_INDEX_SLICE, .step = 1};
    items[axis] = (tn_index){.kind = TN_INDEX_SLICE, .start = start, .stop = stop, .step = 1};
    items[axis].has_start = has_start;
    items[axis].has_stop = has_stop;
    return tn_array_slice(result, array, axis + 1, items);
}

static tn_status write_identity(tn_array *output, tn_op op, int axis, tn_stream *stream) {
    tn_array *first = NULL;
    tn_scalar identity;
    if (!tn_op_identity(op, &identity))
        TNI_FAIL(TN_ERROR_VALUE, "%s has no identity to begin with", tn_op_name(op));
    TNI_TRY(slice_axis(&first, output, axis, 0, false, 1, true));
    tn_status status = tn_array_fill(first, identity, stream);
    tn_array_release(first);
    return status;
}

typedef struct scan_request {
    tn_op op;
    int flags, axis;
    tn_dtype dtype;
    bool include_initial;
    const char *method; /* for messages */
} scan_request;

static tn_status check_output(const tn_array *output, const tn_array *array, const int64_t *shape,
                              bool is_accumulate) {
    char text[TNI_SHAPE_TEXT], other[TNI_SHAPE_TEXT];
    if (!(output->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (output->ndim == array->ndim &&
        !memcmp(tni_shape(output), shape, sizeof *shape * array->ndim))
        return TN_OK;
    if (!is_accumulate)
        TNI_FAIL(TN_ERROR_VALUE, "provided out is the wrong size for the accumulation.");
    return tni_fail(TN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                    tni_shape_text(text, output->ndim, tni_shape(output)),
                    tni_shape_text(other, array->ndim, shape));
}

static tn_status scan(tn_array **result, const scan_request *request, const tn_array *array,
                      tn_stream *stream) {
    bool is_accumulate = request->method[0] == 'a';
    int64_t shape[TN_MAX_NDIM];
    const tn_array *arrays[2] = {array, *result};
    tn_device device;
    tn_dtype loop;
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(tni_reduce_dtype(&loop, request->op, array->dtype, request->dtype,
                             *result ? (tn_dtype)(*result)->dtype : TN_DTYPE_NONE,
                             request->method));
    if (request->flags & TNI_SKIPS_NAN && array->dtype >= TN_F16 && loop < TN_F16) {
        tn_array *clean;
        scan_request plain = *request;
        plain.flags = 0;
        TNI_TRY(tni_without_nan(&clean, array, request->op, stream));
        tn_status status = scan(result, &plain, clean, stream);
        tn_array_release(clean);
        return status;
    }
    TNI_TRY(tni_exponents_check_fold(request->op, loop, array, request->axis, false, stream));
    memcpy(shape, tni_shape(array), sizeof *shape * array->ndim);
    shape[request->axis] += request->include_initial;
    if (*result) TNI_TRY(check_output(*result, array, shape, is_accumulate));

    tn_status status = TN_OK;
    tn_array *fresh = NULL, *rest = NULL, *output = *result;
    bool shares = output && tn_array_may_overlap(output, array);
    if (!output || shares) {
        tn_dtype dtype = output ? (tn_dtype)output->dtype : loop;
        TNI_TRY_OWNING(tn_array_new(&fresh, dtype, array->ndim, shape, TN_ORDER_C, stream));
        output = fresh;
    }
    if (request->include_initial) {
        TNI_TRY_OWNING(write_identity(output, request->op, request->axis, stream));
        TNI_TRY_OWNING(slice_axis(&rest, output, request->axis, 1, true, 0, false));
    } else {
        rest = tn_array_retain(output);
    }
    TNI_TRY_OWNING(run(rest, request->op, request->flags, loop, array, request->axis, stream));
    if (shares) TNI_TRY_OWNING(tn_array_assign(*result, fresh, TN_CASTING_NO, stream));
    if (!*result) {
        *result = fresh;
        fresh = NULL;
    }
cleanup:
    tn_array_release(rest);
    tn_array_release(fresh);
    return status;
}

tn_status tn_op_accumulate(tn_array **result, tn_op op, const tn_array *array, int axis,
                           tn_dtype dtype, tn_stream *stream) {
    scan_request request = {.op = op, .axis = axis, .dtype = dtype, .method = "accumulate"};
    TNI_TRY(tni_array_check_numbers(array));
    if (tn_op_inputs(op) == 2 && array->ndim == 0)
        TNI_FAIL(TN_ERROR_TYPE, "cannot accumulate on a scalar");
    if (array->ndim > 0) TNI_TRY(tn_axis_check(&request.axis, array->ndim));
    return scan(result, &request, array, stream);
}

tn_status tn_scan(tn_array **result, tn_scan_kind kind, const tn_array *array, const int *axis,
                  tn_dtype dtype, bool include_initial, tn_stream *stream) {
    const tni_reduction_fact *fact = tni_scan_get(kind);
    TNI_TRY(tni_array_check_numbers(array));
    if (fact->op == TN_OP_NONE) TNI_FAIL(TN_ERROR_VALUE, "unknown scan %d", (int)kind);
    scan_request request = {.op = fact->op,
                            .flags = fact->flags,
                            .axis = axis ? *axis : 0,
                            .dtype = dtype,
                            .include_initial = include_initial,
                            .method = fact->name};
    const int64_t all = -1;
    tn_array *flat = NULL;
    TNI_TRY(tn_axis_check(&request.axis, axis && array->ndim ? array->ndim : 1));
    if (!axis || array->ndim == 0) {
        TNI_TRY(tn_array_reshape(&flat, array, 1, &all, TN_ORDER_C, TN_COPY_IF_NEEDED, stream));
        array = flat;
    }
    tn_status status = scan(result, &request, array, stream);
    tn_array_release(flat);
    return status;
}

/* --- diff --- */

/* `part` as it is joined to `array`: 0-d ones become one element along the axis. */
static tn_status joinable(tn_array **result, const tn_array *part, const tn_array *array,
                          int axis) {
    if (part->ndim > 0) {
        *result = tn_array_retain((tn_array *)(uintptr_t)part);
        return TN_OK;
    }
    int64_t shape[TN_MAX_NDIM];
    memcpy(shape, tni_shape(array), sizeof *shape * array->ndim);
    shape[axis] = 1;
    return tn_array_broadcast_to(result, part, array->ndim, shape);
}

/* array with prepend and append joined along the axis, in their common dtype. */
static tn_status join(tn_array **result, const tn_array *array, int axis, const tn_array *prepend,
                      const tn_array *append, tn_stream *stream) {
    const tn_array *given[3] = {prepend, array, append};
    tn_array *parts[3] = {NULL, NULL, NULL}, *made = NULL, *place = NULL;
    int64_t shape[TN_MAX_NDIM], at = 0;
    tn_dtype dtype = array->dtype;
    tn_status status = TN_OK;
    memcpy(shape, tni_shape(array), sizeof *shape * array->ndim);
    shape[axis] = 0;
    for (int k = 0; k < 3; k++) {
        if (!given[k]) continue;
        TNI_TRY_OWNING(joinable(&parts[k], given[k], array, axis));
        dtype = tn_dtype_promote(dtype, parts[k]->dtype);
        bool fits = parts[k]->ndim == array->ndim;
        for (int d = 0; fits && d < array->ndim; d++)
            fits = d == axis || tni_shape(parts[k])[d] == shape[d];
        if (!fits) {
            char text[TNI_SHAPE_TEXT], other[TNI_SHAPE_TEXT];
            status =
                tni_fail(TN_ERROR_VALUE, "arrays of shapes %s and %s can't be joined along axis %d",
                         tni_shape_text(text, parts[k]->ndim, tni_shape(parts[k])),
                         tni_shape_text(other, array->ndim, tni_shape(array)), axis);
            goto cleanup;
        }
        shape[axis] += tni_shape(parts[k])[axis];
    }
    TNI_TRY_OWNING(tn_array_new(&made, dtype, array->ndim, shape, TN_ORDER_C, stream));
    for (int k = 0; k < 3; k++) {
        if (!parts[k]) continue;
        int64_t end = at + tni_shape(parts[k])[axis];
        TNI_TRY_OWNING(slice_axis(&place, made, axis, at, true, end, true));
        TNI_TRY_OWNING(tn_array_assign(place, parts[k], TN_CASTING_SAFE, stream));
        tn_array_release(place);
        place = NULL;
        at = end;
    }
    *result = made;
    made = NULL;
cleanup:
    for (int k = 0; k < 3; k++)
        tn_array_release(parts[k]);
    tn_array_release(place);
    tn_array_release(made);
    return status;
}

static tn_status difference(tn_array **result, const tn_array *array, int axis, tn_stream *stream) {
    tn_array *ahead = NULL, *after = NULL;
    tn_op op = array->dtype == TN_B8 ? TN_OP_NOT_EQUAL : TN_OP_SUBTRACT;
    tn_status status;
    TNI_TRY_OWNING(slice_axis(&ahead, array, axis, 1, true, 0, false));
    TNI_TRY_OWNING(slice_axis(&after, array, axis, 0, false, -1, true));
    status = tni_binary(result, op, ahead, after, stream);
cleanup:
    tn_array_release(ahead);
    tn_array_release(after);
    return status;
}

tn_status tn_diff(tn_array **result, const tn_array *array, int64_t order, int axis,
                  const tn_array *prepend, const tn_array *append, tn_stream *stream) {
    TNI_TRY(tni_array_check_numbers(array));
    if (order < 0)
        TNI_FAIL(TN_ERROR_VALUE, "order must be non-negative but got %lld", (long long)order);
    if (order > 0 && array->ndim == 0)
        TNI_FAIL(TN_ERROR_VALUE, "diff requires input that is at least one dimensional");
    const tn_array *arrays[3] = {array, prepend, append};
    tn_device device;
    TNI_TRY(tni_device_common(&device, 3, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    tn_array *now;
    if (order == 0) {
        now = tn_array_retain((tn_array *)(uintptr_t)array);
        return tni_reduce_deliver(result, now, stream);
    }
    TNI_TRY(tn_axis_check(&axis, array->ndim));
    if (prepend || append)
        TNI_TRY(join(&now, array, axis, prepend, append, stream));
    else
        now = tn_array_retain((tn_array *)(uintptr_t)array);
    for (; order > 0; order--) {
        tn_array *next = NULL;
        tn_status status = difference(&next, now, axis, stream);
        tn_array_release(now);
        TNI_TRY(status);
        now = next;
        if (tni_shape(now)[axis] == 0) break; /* it stays empty */
    }
    return tni_reduce_deliver(result, now, stream);
}
