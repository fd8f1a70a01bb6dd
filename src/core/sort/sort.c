/* The driver of sorting: elements or positions along one axis, all ranks or some.
 *
 * An axis whose elements lie apart in memory, beside a faster one, is sorted in a copy in which it
 * is the fastest. A result that overlaps the input other than element by element, or itself, is
 * made apart and copied. */
#include <tenorite/sort.h>

#include "backend/backend.h"
#include "core/array/line.h"
#include "core/array/shape.h"
#include "core/elementwise/operands.h"
#include "core/memory/buffer.h"
#include "forms/sort.h"

#include <string.h>

typedef struct request {
    bool gives_positions;
    const char *name; /* for messages */
    const tn_sort_options *options;
    int axis;
} request;

/* --- The form --- */

/* One range more, ascending and apart from those before; where there is no room left the last one
 * grows. */
static void add_range(tni_sort *call, int64_t first, int64_t end) {
    int at = call->range_count;
    while (at > 0 && call->ranges[at - 1].first > first)
        at--;
    if (at > 0 && (call->ranges[at - 1].end >= first || call->range_count == TNI_SORT_RANGES))
        at--; /* joins that one */
    else if (call->range_count == TNI_SORT_RANGES)
        at = 0;
    else {
        memmove(call->ranges + at + 1, call->ranges + at,
                (size_t)(call->range_count++ - at) * sizeof *call->ranges);
        call->ranges[at] = (tni_ranks){first, end};
    }
    tni_ranks *joined = &call->ranges[at];
    if (first < joined->first) joined->first = first;
    if (end > joined->end) joined->end = end;
    int next = at + 1;
    while (next < call->range_count && call->ranges[next].first <= joined->end) {
        if (call->ranges[next].end > joined->end) joined->end = call->ranges[next].end;
        next++;
    }
    memmove(joined + 1, call->ranges + next,
            (size_t)(call->range_count - next) * sizeof *call->ranges);
    call->range_count -= next - at - 1;
}

static void describe_ranges(tni_sort *call, const tn_sort_options *options) {
    call->range_count = 0;
    if (!options->ranges) add_range(call, 0, call->length);
    for (int64_t k = 0; options->ranges && k < options->range_count; k++)
        if (options->ranges[k].first < options->ranges[k].end)
            add_range(call, options->ranges[k].first, options->ranges[k].end);
}

static tn_status queue(tni_sort *call, tn_stream *stream) {
    const int64_t bytes =
        tni_backend_of(stream)->sort->sorts_in_workspace ? tni_sort_workspace(call) : 0;
    tn_buffer *workspace = NULL;
    void *address = NULL;
    tn_status status = TN_OK;
    if (bytes > 0) {
        TNI_TRY(tn_buffer_new(&workspace, bytes, stream));
        TNI_TRY_OWNING(tni_buffer_access(&address, workspace, TNI_WRITE, stream));
    }
    call->workspace = address;
    status = tni_queue_sort(call, stream);
cleanup:
    tn_buffer_release(workspace);
    return status;
}

/* `output` coincides with the array or lies apart from it. */
static tn_status run(const tn_array *output, const tn_array *array, const request *request,
                     int axis, tn_stream *stream) {
    if (array->size == 0) return TN_OK;
    tni_sort call;
    tni_operands operands;
    void *to, *from;
    tn_status status;
    call.dtype = array->dtype;
    call.gives_positions = request->gives_positions;
    call.is_descending = request->options->is_descending;
    call.is_stable = request->options->is_stable;
    tni_operands_init(&operands, stream);
    bool is_in_place = output == array;
    TNI_TRY_OWNING(
        tni_operand_open(&to, &output, is_in_place ? TNI_READ_WRITE : TNI_WRITE, &operands));
    from = to;
    if (is_in_place)
        array = output;
    else
        TNI_TRY_OWNING(tni_operand_open(&from, &array, TNI_READ, &operands));
    tni_line_describe(&call.line, output, to, array, from, axis);
    describe_ranges(&call, request->options);
    status = queue(&call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* --- An axis that is not the fastest --- */

/* The view in which the axis is the last one. */
static tn_status with_axis_last(tn_array **result, const tn_array *array, int axis) {
    int axes[TN_MAX_NDIM], count = 0;
    for (int k = 0; k < array->ndim; k++)
        if (k != axis) axes[count++] = k;
    axes[count++] = axis;
    return tn_array_transpose(result, array, count, axes);
}

static bool is_across(const tn_array *array, int axis) {
    enum { FEW = 256 };
    int64_t stride = tni_strides(array)[axis];
    if (array->size < FEW || stride == 0) return false;
    for (int k = 0; k < array->ndim; k++) {
        int64_t other = tni_strides(array)[k];
        if (tni_shape(array)[k] > 1 && other * other < stride * stride) return true;
    }
    return false;
}

static tn_status run_across(tn_array *output, const tn_array *array, const request *request,
                            tn_stream *stream) {
    tn_array *view = NULL, *packed = NULL, *places = NULL, *target = NULL;
    const int last = array->ndim - 1;
    tn_status status;
    TNI_TRY_OWNING(with_axis_last(&view, array, request->axis));
    TNI_TRY_OWNING(with_axis_last(&target, output, request->axis));
    TNI_TRY_OWNING(tn_array_astype(&packed, view, array->dtype, TN_ORDER_C, TN_CASTING_NO,
                                   TN_COPY_ALWAYS, stream));
    if (request->gives_positions)
        TNI_TRY_OWNING(
            tn_array_new(&places, TN_I64, packed->ndim, tni_shape(packed), TN_ORDER_C, stream));
    tn_array *sorted = places ? places : packed;
    TNI_TRY_OWNING(run(sorted, packed, request, last, stream));
    status = tn_array_assign(target, sorted, TN_CASTING_NO, stream);
cleanup:
    tn_array_release(target);
    tn_array_release(places);
    tn_array_release(packed);
    tn_array_release(view);
    return status;
}

/* --- The call --- */

static tn_status check_output(const tn_array *output, const tn_array *array, tn_dtype dtype,
                              const request *request) {
    char text[TNI_SHAPE_TEXT], other[TNI_SHAPE_TEXT];
    if (!(output->flags & TNI_WRITEABLE))
        TNI_FAIL(TN_ERROR_VALUE, "%s array is read-only", request->name);
    if (output->ndim != array->ndim ||
        memcmp(tni_shape(output), tni_shape(array), sizeof(int64_t) * array->ndim))
        return tni_fail(TN_ERROR_VALUE, "%s: the result has shape %s, the array %s", request->name,
                        tni_shape_text(text, output->ndim, tni_shape(output)),
                        tni_shape_text(other, array->ndim, tni_shape(array)));
    if (output->dtype != dtype)
        TNI_FAIL(TN_ERROR_TYPE, "%s: the result has dtype %s, not %s", request->name,
                 tn_dtype_name(output->dtype), tn_dtype_name(dtype));
    return TN_OK;
}

static tn_status check_ranges(const tn_sort_options *options, int64_t length) {
    for (int64_t k = 0; options->ranges && k < options->range_count; k++) {
        tn_rank_range range = options->ranges[k];
        if (range.first < 0 || range.first > range.end || range.end > length)
            TNI_FAIL(TN_ERROR_VALUE,
                     "ranks %lld to %lld are out of bounds for an axis of size %lld",
                     (long long)range.first, (long long)range.end, (long long)length);
    }
    return TN_OK;
}

static tn_status sort(tn_array **result, const tn_array *array, request *request,
                      tn_stream *stream) {
    const tn_array *arrays[2] = {array, *result};
    const tn_dtype dtype = request->gives_positions ? TN_I64 : (tn_dtype)array->dtype;
    tn_device device;
    tn_array *made = NULL, *output = *result;
    tn_status status;
    request->axis = request->options->axis;
    TNI_TRY(tni_device_common(&device, 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(tn_axis_check(&request->axis, array->ndim));
    TNI_TRY(check_ranges(request->options, tni_shape(array)[request->axis]));
    if (output) TNI_TRY(check_output(output, array, dtype, request));
    tni_overlap overlap = output ? tni_array_overlap(output, array) : TNI_OVERLAP_NONE;
    bool is_apart = output && (overlap == TNI_OVERLAP_PARTIAL || tni_array_may_repeat(output) ||
                               (overlap == TNI_OVERLAP_EXACT && request->gives_positions));
    if (!output || is_apart) {
        TNI_TRY(tn_array_new_like(&made, array, dtype, 0, NULL, TN_ORDER_K, stream));
        output = made;
    } else if (overlap == TNI_OVERLAP_EXACT) {
        array = output;
    }
    if (is_across(array, request->axis))
        TNI_TRY_OWNING(run_across(output, array, request, stream));
    else
        TNI_TRY_OWNING(run(output, array, request, request->axis, stream));
    if (is_apart) {
        TNI_TRY_OWNING(tn_array_assign(*result, made, TN_CASTING_NO, stream));
    } else if (made) {
        *result = made;
        made = NULL;
    }
cleanup:
    tn_array_release(made);
    return status;
}

static const tn_sort_options defaults = TN_SORT_DEFAULTS;

tn_status tn_array_sort(tn_array **result, const tn_array *array, const tn_sort_options *options,
                        tn_stream *stream) {
    request request = {false, "sort", options ? options : &defaults, 0};
    return sort(result, array, &request, stream);
}

tn_status tn_array_argsort(tn_array **result, const tn_array *array, const tn_sort_options *options,
                           tn_stream *stream) {
    request request = {true, "argsort", options ? options : &defaults, 0};
    return sort(result, array, &request, stream);
}
