/* The drivers of op.reduceat and op.at. (op.reduce is in reduce.c, op.accumulate in scan.c.) */
#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/array/line.h"
#include "core/array/view.h"
#include "core/base/alloc.h"
#include "core/elementwise/operands.h"
#include "core/index/gather.h"
#include "core/index/index.h"
#include "core/reduce/exponents.h"
#include "core/reduce/reduce.h"
#include "core/reduce/reductions.h"
#include "core/rules/op.h"

#include <string.h>

/* --- Indices where there is nothing to compute --- */

/* The first index outside of [low, high), else *found is false. Waits. */
static tn_status find_outside(bool *found, int64_t *outside, const tn_array *indices, int64_t low,
                              int64_t high, tn_stream *stream) {
    *found = false;
    int64_t *values = tni_malloc((size_t)indices->size * sizeof *values + 1);
    if (!values) return tni_fail_no_memory(indices->size * (int64_t)sizeof *values);
    tn_status status;
    TNI_TRY_OWNING(tn_array_read(values, NULL, indices, stream));
    TNI_TRY_OWNING(tn_stream_synchronize(stream, -1));
    for (int64_t k = 0; k < indices->size && !*found; k++) {
        *found = values[k] < low || values[k] >= high;
        *outside = values[k];
    }
cleanup:
    tni_free(values);
    return status;
}

/* --- reduceat --- */

static tn_status check_segments(tn_op op, const tn_array *array, const tn_array *indices, int axis,
                                tn_stream *stream) {
    int64_t outside, size = tni_shape(array)[axis];
    bool found;
    TNI_TRY(find_outside(&found, &outside, indices, 0, size, stream));
    if (!found) return TN_OK;
    return tni_fail(TN_ERROR_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                    (long long)outside, tn_op_name(op), (long long)size);
}

static tn_status run_segments(const tn_array *output, tn_op op, tn_dtype loop,
                              const tn_array *array, const tn_array *indices, int axis,
                              tn_stream *stream) {
    if (output->size == 0) return check_segments(op, array, indices, axis, stream);
    tni_reduceat call;
    tni_operands operands;
    void *to, *from, *places;
    tn_status status;
    call.op = op;
    call.is_ordered = tni_op_is_ordered(op);
    call.input_dtype = array->dtype;
    call.accumulator = tni_accumulator(op, loop);
    call.output_dtype = output->dtype;
    call.index_count = indices->size;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&to, &output, TNI_WRITE, &operands));
    TNI_TRY_OWNING(tni_operand_open(&from, &array, TNI_READ, &operands));
    TNI_TRY_OWNING(tni_operand_open(&places, &indices, TNI_READ, &operands));
    call.indices = places;
    tni_line_describe(&call.line, output, to, array, from, axis);
    status = tni_queue_reduceat(&call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

static tn_status check_segments_output(const tn_array *output, const tn_array *array,
                                       const int64_t *shape) {
    char text[TNI_SHAPE_TEXT], other[TNI_SHAPE_TEXT];
    if (!(output->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (output->ndim == array->ndim &&
        !memcmp(tni_shape(output), shape, sizeof *shape * array->ndim))
        return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                    tni_shape_text(text, output->ndim, tni_shape(output)),
                    tni_shape_text(other, array->ndim, shape));
}

/* Integer indices as contiguous i64; floats that NumPy would truncate are refused. */
static tn_status as_indices(tn_array **result, const tn_array *indices, tn_stream *stream) {
    tn_dtype dtype = indices->dtype;
    if (dtype == TN_B8 || dtype >= TN_F16)
        TNI_FAIL(TN_ERROR_INDEX, "arrays used as indices must be of integer (or boolean) type");
    return tn_array_astype(result, indices, TN_I64, TN_ORDER_C, TN_CASTING_UNSAFE,
                           TN_COPY_IF_NEEDED, stream);
}

tn_status tn_op_reduceat(tn_array **result, tn_op op, const tn_array *array,
                         const tn_array *indices, int axis, tn_dtype dtype, tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM];
    const tn_array *arrays[3] = {array, indices, *result};
    tn_device device;
    tn_dtype loop;
    TNI_TRY(tni_reduce_dtype(&loop, op, array->dtype, dtype,
                             *result ? (tn_dtype)(*result)->dtype : TN_DTYPE_NONE, "reduceat"));
    if (array->ndim == 0) TNI_FAIL(TN_ERROR_TYPE, "cannot reduceat on a scalar");
    if (indices->ndim != 1)
        TNI_FAIL(TN_ERROR_VALUE,
                 "object of too small depth for desired array: the indices of %s.reduceat "
                 "must have one dimension, not %d",
                 tn_op_name(op), indices->ndim);
    TNI_TRY(tn_axis_check(&axis, array->ndim));
    TNI_TRY(tni_device_common(&device, 3, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    if (indices->size > 0) TNI_TRY(tni_exponents_check_fold(op, loop, array, axis, false, stream));
    memcpy(shape, tni_shape(array), sizeof *shape * array->ndim);
    shape[axis] = indices->size;
    if (*result) TNI_TRY(check_segments_output(*result, array, shape));

    tn_status status;
    tn_array *made = NULL, *places = NULL;
    TNI_TRY_OWNING(as_indices(&places, indices, stream));
    tn_dtype made_dtype = *result ? (tn_dtype)(*result)->dtype : loop;
    TNI_TRY_OWNING(tn_array_new(&made, made_dtype, array->ndim, shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(run_segments(made, op, loop, array, places, axis, stream));
    status = tni_reduce_deliver(result, made, stream);
    made = NULL;
cleanup:
    tn_array_release(places);
    tn_array_release(made);
    return status;
}

/* --- at --- */

/* Where the axes of the broadcast indices lie among the result's: in the first indexed axis's place
 * if the indexed axes are neighbours, else in front, as NumPy's advanced indexing has it. */
typedef struct at_plan {
    int index_ndim, front; /* axes of the broadcast indices; kept axes before them */
    int64_t index_shape[TN_MAX_NDIM];
    uint64_t indexed; /* axes of the array */
    int kept_count, kept[TN_MAX_NDIM];
    int ndim;
    int64_t shape[TN_MAX_NDIM];
} at_plan;

static tn_status plan_axes(at_plan *plan, const tn_array *array, int count, const int *axes) {
    plan->indexed = 0;
    plan->kept_count = plan->front = 0;
    if (count < 1 || count > TNI_AT_INDICES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "ufunc.at with %d index arrays, which must be 1 to %d",
                 count, TNI_AT_INDICES);
    if (count > array->ndim)
        TNI_FAIL(TN_ERROR_INDEX,
                 "too many indices for array: array is %d-dimensional, but %d were indexed",
                 array->ndim, count);
    for (int k = 0; k < count; k++) {
        int axis = axes ? axes[k] : k;
        if (axis < 0 || axis >= array->ndim || plan->indexed >> axis)
            TNI_FAIL(TN_ERROR_VALUE, "axes of indices must be ascending and below %d", array->ndim);
        plan->indexed |= UINT64_C(1) << axis;
    }
    uint64_t low = plan->indexed >> __builtin_ctzll(plan->indexed);
    bool neighbours = (low & (low + 1)) == 0;
    for (int axis = 0; axis < array->ndim; axis++) {
        if (plan->indexed >> axis & 1) continue;
        if (neighbours && axis < __builtin_ctzll(plan->indexed)) plan->front++;
        plan->kept[plan->kept_count++] = axis;
    }
    return TN_OK;
}

/* The place of kept axis number k among the result's axes. */
static int place_kept(const at_plan *plan, int k) {
    return k < plan->front ? k : k + plan->index_ndim;
}

/* Shape of array[indices]. */
static tn_status plan_shape(at_plan *plan, const tn_array *array) {
    plan->ndim = plan->index_ndim + plan->kept_count;
    if (plan->ndim > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE,
                 "maximum supported dimension for an ndarray is currently %d, found %d",
                 TN_MAX_NDIM, plan->ndim);
    for (int k = 0; k < plan->index_ndim; k++)
        plan->shape[plan->front + k] = plan->index_shape[k];
    for (int k = 0; k < plan->kept_count; k++)
        plan->shape[place_kept(plan, k)] = tni_shape(array)[plan->kept[k]];
    return TN_OK;
}

/* Strides of the array along the axes of array[indices]; 0 along those of the indices. */
static void spread_kept(int64_t *strides, const at_plan *plan, const tn_array *array) {
    memset(strides, 0, sizeof *strides * (size_t)plan->ndim);
    for (int k = 0; k < plan->kept_count; k++)
        strides[place_kept(plan, k)] = tni_strides(array)[plan->kept[k]];
}

static tn_status check_operand(const at_plan *plan, const tn_array *operand) {
    if (operand->ndim <= plan->ndim && tni_array_is_broadcastable(operand, plan->ndim, plan->shape))
        return TN_OK;
    TNI_FAIL(TN_ERROR_VALUE, "array is not broadcastable to correct shape");
}

/* The loop: NumPy resolves it as for an ordinary call, and writes back by an unsafe cast. */
static tn_status choose(tni_ufunc_at *call, tn_op op, const tn_array *array,
                        const tn_array *operand) {
    tni_loop_choice choice;
    tn_operand operands[2] = {tn_operand_array(array), tn_operand_array(operand)};
    TNI_TRY(tni_op_choose(&choice, op, operands, TN_DTYPE_NONE, TN_CASTING_UNSAFE));
    call->op = choice.op;
    call->dtype = choice.dtype;
    call->is_binary = operand != NULL;
    call->arguments[0] = choice.arguments[0];
    call->arguments[1] = operand ? choice.arguments[1] : TN_DTYPE_NONE;
    call->arguments[2] = choice.arguments[operand ? 2 : 1];
    call->array_dtype = array->dtype;
    call->operand_dtype = operand ? (tn_dtype)operand->dtype : TN_DTYPE_NONE;
    return TN_OK;
}

static tn_status check_call(tn_op op, const tn_array *array, const tn_array *operand) {
    int inputs = tn_op_inputs(op);
    if (!(array->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "array is read-only");
    if (inputs > 2 || !tni_op_has_methods(op))
        TNI_FAIL(TN_ERROR_VALUE, "Only unary and binary ufuncs supported at this time");
    if (tn_op_outputs(op) != 1)
        TNI_FAIL(TN_ERROR_VALUE, "Only single output ufuncs supported at this time");
    if (inputs == 1 && operand)
        TNI_FAIL(TN_ERROR_VALUE, "second operand provided when ufunc is unary");
    if (inputs == 2 && !operand) TNI_FAIL(TN_ERROR_VALUE, "second operand needed for ufunc");
    return TN_OK;
}

static tn_status run_at(tni_ufunc_at *call, const at_plan *plan, const tn_array *array, int count,
                        const int *axes, const int *shown, tn_array *const *indices,
                        const tn_array *operand, tn_stream *stream) {
    _Static_assert(TNI_AT_INDICES + 2 <= TNI_MAX_STAND_INS, "one for each operand");
    tni_operands operands;
    void *address;
    int64_t *strides[TNI_AT_INDICES + 2];
    tn_status status;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&address, &array, TNI_READ_WRITE, &operands));
    call->array = address;
    spread_kept(call->array_strides, plan, array);
    call->operand = NULL;
    if (operand) {
        TNI_TRY_OWNING(tni_operand_open(&address, &operand, TNI_READ, &operands));
        call->operand = address;
        tni_strides_broadcast(call->operand_strides, operand, plan->ndim);
    } else {
        memset(call->operand_strides, 0, sizeof *call->operand_strides * (size_t)plan->ndim);
    }
    call->index_count = count;
    for (int k = 0; k < count; k++) {
        const tn_array *places = indices[k];
        TNI_TRY_OWNING(tni_operand_open(&address, &places, TNI_READ, &operands));
        int axis = axes ? axes[k] : k;
        call->indices[k].data = address;
        call->indices[k].axis = shown ? shown[k] : axis;
        call->indices[k].size = tni_shape(array)[axis];
        call->indices[k].stride = tni_strides(array)[axis];
        strides[k] = call->indices[k].strides;
        memset(strides[k], 0, sizeof *strides[k] * (size_t)plan->ndim);
        tni_strides_broadcast(strides[k] + plan->front, places, plan->index_ndim);
    }
    strides[count] = call->array_strides;
    strides[count + 1] = call->operand_strides;
    memcpy(call->shape, plan->shape, sizeof *plan->shape * (size_t)plan->ndim);
    /* In the order of positions: which of two values comes first matters. */
    call->ndim = tni_layout_collapse(plan->ndim, call->shape, count + 2, strides, NULL, false);
    status = tni_queue_ufunc_at(call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* Copies of arguments that share memory with the array, which the call writes while it reads
 * them. */
static tn_status copy_overlapping(tn_array **owned, const tn_array *operand, const tn_array *array,
                                  tn_stream *stream) {
    *owned = NULL;
    if (!operand || !tn_array_may_overlap(array, operand)) return TN_OK;
    return tn_array_astype(owned, operand, operand->dtype, TN_ORDER_K, TN_CASTING_NO,
                           TN_COPY_ALWAYS, stream);
}

static tn_status check_places(const tn_array *array, int count, const int *axes, const int *shown,
                              const tn_array *const *indices, tn_stream *stream) {
    for (int k = 0; k < count; k++) {
        int axis = axes ? axes[k] : k;
        int64_t outside = 0, size = tni_shape(array)[axis];
        bool found = false;
        tn_array *places;
        TNI_TRY(as_indices(&places, indices[k], stream));
        tn_status status = find_outside(&found, &outside, places, -size, size, stream);
        tn_array_release(places);
        TNI_TRY(status);
        if (found)
            TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                     (long long)outside, shown ? shown[k] : axis, (long long)size);
    }
    return TN_OK;
}

tn_status tn_op_at(tn_array *array, tn_op op, int count, const int *axes, const int *shown,
                   const tn_array *const *indices, const tn_array *operand, tn_stream *stream) {
    tni_ufunc_at call;
    at_plan plan;
    tn_array *owned[TNI_AT_INDICES] = {NULL}, *apart = NULL;
    const tn_array *arrays[TNI_AT_INDICES + 2] = {array, operand};
    tn_device device;
    if (operand) TNI_TRY(tni_array_check_numbers(operand));
    TNI_TRY(tni_array_check_numbers(array));
    TNI_TRY(check_call(op, array, operand));
    TNI_TRY(plan_axes(&plan, array, count, axes));
    for (int k = 0; k < count; k++)
        arrays[k + 2] = indices[k];
    TNI_TRY(tni_device_common(&device, count + 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(tni_index_together(&plan.index_ndim, plan.index_shape, count, indices));
    TNI_TRY(plan_shape(&plan, array));
    if (operand) TNI_TRY(check_operand(&plan, operand));
    TNI_TRY(choose(&call, op, array, operand));
    if (operand && tni_op_flags(op) & TNI_OP_CHECK_NEGATIVE_POWER)
        TNI_TRY(tni_exponents_check_fold(op, call.dtype, operand, 0, true, stream));
    call.size = 1;
    for (int axis = 0; axis < plan.ndim; axis++)
        call.size *= plan.shape[axis];
    if (call.size == 0) return check_places(array, count, axes, shown, indices, stream);

    tn_status status;
    for (int k = 0; k < count; k++) {
        TNI_TRY_OWNING(as_indices(&owned[k], indices[k], stream));
        if (tn_array_may_overlap(array, owned[k])) {
            tn_array *copy;
            TNI_TRY_OWNING(copy_overlapping(&copy, owned[k], array, stream));
            tn_array_release(owned[k]);
            owned[k] = copy;
        }
    }
    TNI_TRY_OWNING(copy_overlapping(&apart, operand, array, stream));
    status =
        run_at(&call, &plan, array, count, axes, shown, owned, apart ? apart : operand, stream);
cleanup:
    for (int k = 0; k < count; k++)
        tn_array_release(owned[k]);
    tn_array_release(apart);
    return status;
}
