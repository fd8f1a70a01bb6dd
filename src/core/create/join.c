/* Joining arrays along an axis, old (concatenate) or new (stack).
 *
 * Both are one walk: part k of the result is a view of it, from a running position along the axis
 * and with the shape of array k, and takes a converting copy of it. Parts that are one run of bytes
 * are copied as such while they are small, where the description of a copy would cost more than the
 * copy. Where nothing is converted and all is in order C, every row of the result (all axes before
 * the joined one) is a run of each array after the other: one call, if the backend has it. */
#include "forms/join.h"
#include "core/array/array.h"
#include "core/base/waiting.h"
#include "core/elementwise/elementwise.h"

#include "backend/backend.h"

#include <string.h>
#include <tenorite/join.h>

enum { SMALL_BYTES = 16384 };

typedef struct joining {
    int64_t count;
    const tn_array *const *arrays;
    bool is_new_axis;
    int axis, ndim; /* of the result */
    int64_t shape[TN_MAX_NDIM];
    tn_dtype dtype;
    tn_casting casting;
} joining;

static tn_status fail_ndim(const joining *join, int64_t k) {
    return tni_fail(TN_ERROR_VALUE,
                    "all the input arrays must have same number of dimensions, but the array at "
                    "index 0 has %d dimension(s) and the array at index %lld has %d dimension(s)",
                    join->arrays[0]->ndim, (long long)k, join->arrays[k]->ndim);
}

static tn_status concatenated_shape(joining *join) {
    const tn_array *first = join->arrays[0];
    if (first->ndim == 0)
        TNI_FAIL(TN_ERROR_VALUE, "zero-dimensional arrays cannot be concatenated");
    join->ndim = first->ndim;
    TNI_TRY(tn_axis_check(&join->axis, join->ndim));
    memcpy(join->shape, tni_shape(first), (size_t)join->ndim * sizeof *join->shape);
    for (int64_t k = 1; k < join->count; k++) {
        const tn_array *array = join->arrays[k];
        if (array->ndim != join->ndim) return fail_ndim(join, k);
        for (int axis = 0; axis < join->ndim; axis++) {
            int64_t size = tni_shape(array)[axis];
            if (axis == join->axis) {
                if (__builtin_add_overflow(join->shape[axis], size, &join->shape[axis]))
                    TNI_FAIL(TN_ERROR_VALUE, "total size of new array too large");
            } else if (size != join->shape[axis]) {
                TNI_FAIL(TN_ERROR_VALUE,
                         "all the input array dimensions except for the concatenation axis must "
                         "match exactly, but along dimension %d, the array at index 0 has size "
                         "%lld and the array at index %lld has size %lld",
                         axis, (long long)join->shape[axis], (long long)k, (long long)size);
            }
        }
    }
    return TN_OK;
}

static tn_status stacked_shape(joining *join) {
    const tn_array *first = join->arrays[0];
    join->ndim = first->ndim + 1;
    if (join->ndim > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE,
                 "number of dimensions must be within [0, %d], stacking would give %d", TN_MAX_NDIM,
                 join->ndim);
    TNI_TRY(tn_axis_check(&join->axis, join->ndim));
    for (int64_t k = 1; k < join->count; k++) {
        const tn_array *array = join->arrays[k];
        if (array->ndim != first->ndim ||
            memcmp(tni_shape(array), tni_shape(first), (size_t)first->ndim * sizeof(int64_t)) != 0)
            TNI_FAIL(TN_ERROR_VALUE, "all input arrays must have the same shape");
    }
    for (int axis = 0, from = 0; axis < join->ndim; axis++)
        join->shape[axis] = axis == join->axis ? join->count : tni_shape(first)[from++];
    return TN_OK;
}

static tn_status resolve_dtype(joining *join, const tn_array *output) {
    if (output) {
        join->dtype = output->dtype;
    } else if (join->dtype == TN_DTYPE_NONE) {
        /* Complex first: int8, uint8 and float16 give float16, as in NumPy. */
        for (int kind = TN_KIND_STORED; kind >= TN_KIND_BOOL; kind--)
            for (int64_t k = 0; k < join->count; k++) {
                tn_dtype is = join->arrays[k]->dtype;
                if ((int)tn_dtype_kind(is) != kind) continue;
                const tn_dtype before = join->dtype;
                join->dtype = before == TN_DTYPE_NONE ? is : tn_dtype_promote(before, is);
                if (join->dtype == TN_DTYPE_NONE)
                    TNI_FAIL(TN_ERROR_TYPE, "dtypes %s and %s have no common one",
                             tn_dtype_name(before), tn_dtype_name(is));
            }
    }
    for (int64_t k = 0; k < join->count; k++)
        if (!tn_dtype_can_cast(join->arrays[k]->dtype, join->dtype, join->casting))
            TNI_FAIL(TN_ERROR_TYPE,
                     "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule "
                     "'%s'",
                     tn_dtype_name(join->arrays[k]->dtype), tn_dtype_name(join->dtype),
                     tn_casting_name(join->casting));
    return TN_OK;
}

static tn_status check_output(const joining *join, const tn_array *output) {
    if (output->ndim != join->ndim)
        TNI_FAIL(TN_ERROR_VALUE, "Output array has wrong dimensionality");
    if (memcmp(tni_shape(output), join->shape, (size_t)join->ndim * sizeof *join->shape) != 0)
        TNI_FAIL(TN_ERROR_VALUE, "Output array is the wrong shape");
    if (!tn_array_is_writeable(output)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    return TN_OK;
}

/* Columns stay columns: order F if every array is in order F and not in order C. */
static tn_order result_order(const joining *join) {
    for (int64_t k = 0; k < join->count; k++)
        if ((join->arrays[k]->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS)) != TNI_F_CONTIGUOUS)
            return TN_ORDER_C;
    return TN_ORDER_F;
}

/* Whether part k is one run of bytes in both, and short. */
static bool is_small_run(const joining *join, const tn_array *to, const tn_array *from) {
    if (from->dtype != to->dtype || !(from->flags & TNI_C_CONTIGUOUS) ||
        !(to->flags & TNI_C_CONTIGUOUS) || tn_array_bytes(from) > SMALL_BYTES)
        return false;
    for (int axis = 0; axis < join->axis; axis++)
        if (join->shape[axis] != 1) return false;
    return true;
}

static tn_status copy_run(const tn_array *to, int64_t offset, const tn_array *from,
                          tn_stream *stream) {
    void *target, *source;
    TNI_TRY(tni_array_access(&target, to, TNI_WRITE, stream));
    TNI_TRY(tni_array_access(&source, from, TNI_READ, stream));
    return tni_queue_copy((char *)target + offset, source, tn_array_bytes(from),
                          TNI_DEVICE_TO_DEVICE, stream);
}

static tn_status copy_part(const joining *join, tn_array *to, int64_t offset, const tn_array *from,
                           tn_stream *stream) {
    int64_t strides[TN_MAX_NDIM];
    for (int axis = 0, source = 0; axis < join->ndim; axis++)
        if (!join->is_new_axis || axis != join->axis) strides[source++] = tni_strides(to)[axis];
    tn_array *part;
    TNI_TRY(tni_array_make(&part, to->buffer, to->offset + offset, to->dtype, from->ndim,
                           tni_shape(from), strides, true));
    tn_status status = tni_copy_elements(part, from, stream);
    tn_array_release(part);
    return status;
}

static bool is_rows_of_runs(const joining *join, const tn_array *to) {
    if (!(to->flags & TNI_C_CONTIGUOUS) || to->size == 0) return false;
    for (int64_t k = 0; k < join->count; k++)
        if (join->arrays[k]->dtype != to->dtype || !(join->arrays[k]->flags & TNI_C_CONTIGUOUS))
            return false;
    return true;
}

/* As many parts a call as it takes. */
static tn_status copy_runs(const joining *join, tn_array *to, tn_stream *stream) {
    tni_join call = {.rows = 1};
    void *target, *source;
    for (int axis = 0; axis < join->axis; axis++)
        call.rows *= join->shape[axis];
    call.row_bytes = tn_array_bytes(to) / call.rows;
    TNI_TRY(tni_array_access(&target, to, TNI_WRITE, stream));
    call.to = target;
    for (int64_t k = 0; k < join->count; k++) {
        int64_t bytes = tn_array_bytes(join->arrays[k]) / call.rows;
        if (bytes > 0) {
            TNI_TRY(tni_array_access(&source, join->arrays[k], TNI_READ, stream));
            call.parts[call.count].from = source;
            call.parts[call.count++].run_bytes = bytes;
        }
        if (call.count < TNI_JOIN_PARTS && k + 1 < join->count) continue;
        if (call.count > 0) TNI_TRY(tni_queue_join(&call, stream));
        for (; call.count > 0; call.count--)
            call.to += call.parts[call.count - 1].run_bytes;
    }
    return TN_OK;
}

static bool is_awaited(const tn_array *array) {
    return tni_may_wait() && tni_waiting_get()->is_awaited(array);
}

/* Whether few parts are, so that copies of each join what waits for them. */
static bool are_awaited(const joining *join) {
    enum { FEW = 4 };
    bool is_found = false;
    for (int64_t k = 0; k < join->count && join->count <= FEW; k++)
        is_found |= is_awaited(join->arrays[k]);
    return is_found;
}

static tn_status copy_parts(const joining *join, tn_array *to, tn_stream *stream) {
    if (stream->backend->create->join && is_rows_of_runs(join, to) && !are_awaited(join))
        return copy_runs(join, to, stream);
    int64_t offset = 0, stride = tni_strides(to)[join->axis];
    for (int64_t k = 0; k < join->count; k++) {
        const tn_array *from = join->arrays[k];
        if (from->size > 0)
            TNI_TRY(is_small_run(join, to, from) && !is_awaited(from) && !is_awaited(to)
                        ? copy_run(to, offset, from, stream)
                        : copy_part(join, to, offset, from, stream));
        offset += stride * (join->is_new_axis ? 1 : tni_shape(from)[join->axis]);
    }
    return TN_OK;
}

static bool overlaps(const joining *join, const tn_array *output) {
    for (int64_t k = 0; k < join->count; k++)
        if (tni_array_overlap(output, join->arrays[k]) != TNI_OVERLAP_NONE) return true;
    return false;
}

static tn_status run(tn_array **result, joining *join, tn_stream *stream) {
    tn_device device;
    if (join->count < 1)
        TNI_FAIL(TN_ERROR_VALUE, "need at least one array to %s",
                 join->is_new_axis ? "stack" : "concatenate");
    const tn_array *pair[2] = {*result, join->arrays[0]};
    TNI_TRY(tni_device_common(&device, 2, pair));
    pair[0] = join->arrays[0];
    for (int64_t k = 1; k < join->count; k++) {
        pair[1] = join->arrays[k];
        TNI_TRY(tni_device_common(&device, 2, pair));
    }
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(join->is_new_axis ? stacked_shape(join) : concatenated_shape(join));
    if (*result) TNI_TRY(check_output(join, *result));
    TNI_TRY(resolve_dtype(join, *result));
    if (*result && !overlaps(join, *result)) return copy_parts(join, *result, stream);

    tn_array *made;
    TNI_TRY(tn_array_new(&made, join->dtype, join->ndim, join->shape, result_order(join), stream));
    tn_status status = copy_parts(join, made, stream);
    if (status == TN_OK && *result) status = tn_array_assign(*result, made, TN_CASTING_NO, stream);
    if (status == TN_OK && !*result)
        *result = made;
    else
        tn_array_release(made);
    return status;
}

tn_status tn_array_concatenate(tn_array **result, int64_t count, const tn_array *const *arrays,
                               int axis, tn_dtype dtype, tn_casting casting, tn_stream *stream) {
    joining join = {count, arrays, .axis = axis, .dtype = dtype, .casting = casting};
    return run(result, &join, stream);
}

tn_status tn_array_stack(tn_array **result, int64_t count, const tn_array *const *arrays, int axis,
                         tn_dtype dtype, tn_casting casting, tn_stream *stream) {
    joining join = {count,        arrays,         .is_new_axis = true,
                    .axis = axis, .dtype = dtype, .casting = casting};
    return run(result, &join, stream);
}
