/* Maps: the operations that make what a reduction reads, and their description for a backend. */
#include "core/reduce/map.h"

#include "core/array/layout.h"
#include "core/array/view.h"
#include "core/elementwise/submit.h"
#include "core/rules/op.h"

#include <string.h>

void tni_map_init(tni_map *map, int count, const tn_array *const *inputs) {
    map->input_count = count;
    map->step_count = 0;
    map->asked = NULL;
    map->order = NULL;
    memcpy(map->inputs, inputs, sizeof *inputs * (size_t)count);
    for (int k = 0; k < count; k++)
        map->dtypes[k] = (int8_t)inputs[k]->dtype;
}

static int add_step(tni_map *map, tn_op op, tn_dtype dtype, tn_dtype result, int count, int a,
                    int b) {
    const int value = map->input_count + map->step_count;
    map->steps[map->step_count++] = (tni_expression_step){.op = (int16_t)op,
                                                          .dtype = (int8_t)dtype,
                                                          .count = (int8_t)count,
                                                          .made = 1,
                                                          .from = {(tni_value)a, (tni_value)b}};
    map->dtypes[value] = (int8_t)result;
    return value;
}

static int convert(tni_map *map, int value, tn_dtype dtype) {
    tn_dtype own = (tn_dtype)map->dtypes[value];
    return own == dtype ? value : add_step(map, TNI_OP_COPY, own, dtype, 1, value, 0);
}

int tni_map_add(tni_map *map, tn_op op, tn_dtype dtype, int a, int b) {
    tni_loop_choice choice;
    const int count = tn_op_inputs(op);
    tni_op_choose_exact(&choice, op, dtype);
    const int left = convert(map, a, dtype);
    const int right = count < 2 ? 0 : b == a ? left : convert(map, b, dtype);
    return add_step(map, choice.op, dtype, choice.arguments[count], count, left, right);
}

/* Axes slowest first, as the array that is never made has them. */
static void order_axes(int64_t *to, const int *order, int ndim) {
    int64_t from[TN_MAX_NDIM];
    memcpy(from, to, sizeof *from * (size_t)ndim);
    for (int k = 0; k < ndim; k++)
        to[k] = from[order[k]];
}

/* One axis where all walk several as one. */
static void collapse(tni_body *body, const tn_array *never_made) {
    int64_t own[TN_MAX_NDIM], *strides[TNI_BODY_INPUTS + 1] = {own};
    int order[TN_MAX_NDIM], ndim = never_made->ndim, count = body->input_count + 1;
    memcpy(body->shape, tni_shape(never_made), sizeof *own * (size_t)ndim);
    memcpy(own, tni_strides(never_made), sizeof *own * (size_t)ndim);
    for (int k = 1; k < count; k++)
        strides[k] = body->strides[k - 1];
    if (!(never_made->flags & TNI_C_CONTIGUOUS)) {
        tni_layout_order_like(order, ndim, own);
        order_axes(body->shape, order, ndim);
        for (int k = 0; k < count; k++)
            order_axes(strides[k], order, ndim);
    }
    body->ndim = tni_layout_collapse(ndim, body->shape, count, strides, NULL, false);
}

tn_status tni_map_open(tni_body *body, const tni_map *map, const tn_array *never_made,
                       tni_operands *operands) {
    const int ndim = never_made->ndim;
    body->input_count = map->input_count;
    body->step_count = map->step_count;
    memcpy(body->steps, map->steps, sizeof *map->steps * (size_t)map->step_count);
    memcpy(body->dtypes, map->dtypes, (size_t)(map->input_count + map->step_count));
    for (int k = 0; k < map->input_count; k++) {
        const tn_array *input = map->inputs[k];
        void *address;
        if (!input) {
            body->inputs[k] = NULL;
            memcpy(body->values[k], map->scalars[k].value.bytes, sizeof body->values[k]);
            memset(body->strides[k], 0, sizeof(int64_t) * (size_t)ndim);
            continue;
        }
        TNI_TRY(tni_operand_open(&address, &input, TNI_READ, operands));
        body->inputs[k] = address;
        tni_strides_broadcast(body->strides[k], input, ndim);
    }
    collapse(body, never_made);
    body->is_unaligned = operands->is_unaligned;
    body->asked = map->asked;
    return TN_OK;
}

void *tni_map_base(const tni_body *body) {
    int k = 0;
    while (!body->inputs[k])
        k++;
    return (void *)(uintptr_t)body->inputs[k];
}
