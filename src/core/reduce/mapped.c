/* Reductions with a body.
 *
 * The array that the steps would make is described as the element-wise driver would make it (order
 * K of the inputs), but has no memory: the reduction is described over it, and the backend computes
 * its elements where it would load them. So results are those of the two passes, bit for bit. A
 * backend that takes only dense bodies gets those whose inputs lie as that array does; for others
 * the steps are carried out one by one. */
#include "core/reduce/mapped.h"

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/array/shape.h"
#include "core/array/view.h"
#include "core/elementwise/elementwise.h"
#include "core/elementwise/submit.h"
#include "core/rules/op.h"

#include <string.h>

/* --- The array that is never made --- */

typedef union never_made {
    tn_array array;
    char room[sizeof(tn_array) + 2 * TN_MAX_NDIM * sizeof(int64_t)];
} never_made;

/* Shape and dtype, and strides of an array that lies contiguous, in order K of the inputs unless
 * the map says otherwise. */
static tn_status describe(never_made *made, const tni_map *map) {
    tn_array *array = &made->array;
    int ndims[TNI_BODY_INPUTS] = {0}, ndim, order[TN_MAX_NDIM], count = 0;
    const int64_t *shapes[TNI_BODY_INPUTS] = {NULL}, *known[TNI_BODY_INPUTS];
    int64_t strides[TNI_BODY_INPUTS][TN_MAX_NDIM], shape[TN_MAX_NDIM];
    const tn_array *inputs[TNI_BODY_INPUTS];
    for (int k = 0; k < map->input_count; k++)
        if (map->inputs[k]) inputs[count++] = map->inputs[k];
    for (int k = 0; k < count; k++) {
        ndims[k] = inputs[k]->ndim;
        shapes[k] = tni_shape(inputs[k]);
    }
    TNI_TRY(tn_shape_broadcast(&ndim, shape, count, ndims, shapes));
    for (int k = 0; k < count; k++) {
        tni_strides_broadcast(strides[k], inputs[k], ndim);
        known[k] = strides[k];
    }
    if (map->order)
        memcpy(order, map->order, sizeof *order * (size_t)ndim);
    else
        tni_layout_order(order, ndim, count, known);
    memset(array, 0, sizeof *array);
    array->dtype = (int8_t)map->dtypes[map->input_count + map->step_count - 1];
    array->ndim = (uint8_t)ndim;
    array->size = 1;
    bool is_ordered_c = true;
    memcpy(array->dims, shape, sizeof *shape * (size_t)ndim);
    int64_t stride = tni_dtype_size(array->dtype);
    for (int k = ndim - 1, before = ndim; k >= 0; k--) {
        int axis = order[k];
        array->dims[ndim + axis] = stride;
        array->size *= shape[axis];
        if (shape[axis] == 1) continue;
        stride *= shape[axis] > 0 ? shape[axis] : 1;
        is_ordered_c &= axis < before;
        before = axis;
    }
    array->flags = TNI_ALIGNED | (is_ordered_c ? TNI_C_CONTIGUOUS : 0);
    return TN_OK;
}

/* Whether every input's elements follow each other as those of the array do. */
static bool is_dense(const tni_map *map, const tn_array *array) {
    int64_t item = tni_dtype_size(array->dtype);
    for (int k = 0; k < map->input_count; k++) {
        const tn_array *input = map->inputs[k];
        if (!input) continue;
        int64_t size = tni_dtype_size(input->dtype);
        if (!(input->flags & TNI_ALIGNED) ||
            !tni_is_same_shape(input, array->ndim, tni_shape(array)))
            return false;
        for (int axis = 0; axis < array->ndim; axis++)
            if (tni_shape(array)[axis] != 1 &&
                tni_strides(input)[axis] * item != tni_strides(array)[axis] * size)
                return false;
    }
    return true;
}

/* --- The reduction --- */

static tn_status run_step(tn_array **made, const tni_map *map, int number,
                          const tn_array *const *values, tn_stream *stream) {
    const tni_expression_step *step = &map->steps[number];
    tn_operand operands[TNI_EXPRESSION_FROM];
    *made = NULL;
    if (step->op == (int)TNI_OP_COPY)
        return tn_array_astype(made, values[step->from[0]],
                               (tn_dtype)map->dtypes[map->input_count + number], TN_ORDER_K,
                               TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED, stream);
    for (int k = 0; k < step->count; k++)
        operands[k] = values[step->from[k]] ? tn_operand_array(values[step->from[k]])
                                            : tn_operand_scalar(map->scalars[step->from[k]]);
    return tni_elementwise_run(made, (tn_op)step->op, operands, NULL, NULL, stream);
}

/* The steps one after the other, then the reduction. */
static tn_status reduce_composed(tn_array **result, tni_reduce_request *request, const tni_map *map,
                                 tn_stream *stream) {
    const tn_array *values[TNI_BODY_VALUES];
    tn_array *made[TNI_BODY_STEPS];
    tn_status status;
    int count = 0;
    memcpy(values, map->inputs, sizeof *values * (size_t)map->input_count);
    while (count < map->step_count) {
        TNI_TRY_OWNING(run_step(&made[count], map, count, values, stream));
        values[map->input_count + count] = made[count];
        count++;
    }
    request->array = made[count - 1];
    status = tni_reduce_run(result, request, stream);
cleanup:
    for (int k = 0; k < count; k++)
        tn_array_release(made[k]);
    return status;
}

tn_status tni_reduce_mapped(tn_array **result, const tni_reduce_request *request,
                            const tni_map *map, bool *is_done, tn_stream *stream) {
    tni_reduce_request own = *request;
    never_made made;
    tn_device device;
    TNI_TRY(tni_device_common(&device, map->input_count, map->inputs));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(describe(&made, map));
    /* Whether the backend takes the body as its inputs lie. */
    const bool takes =
        !request->is_ordered &&
        (tni_backend_of(stream)->reduce->takes_strided_bodies || is_dense(map, &made.array));
    if (is_done) *is_done = takes;
    if (is_done && !takes) return TN_OK;
    if (!takes) return reduce_composed(result, &own, map, stream);
    tni_body body;
    own.array = &made.array;
    own.map = map;
    own.body = &body;
    body.may_refuse = is_done != NULL;
    tn_status status = tni_reduce_run(result, &own, stream);
    if (status != TN_ERROR_NOT_IMPLEMENTED) return status;
    own = *request;
    if (!is_done) return reduce_composed(result, &own, map, stream);
    *is_done = false; /* the backend does not take it after all, or has no program */
    return TN_OK;
}
