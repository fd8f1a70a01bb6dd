/* Describing groups as calls of the form "expression".
 *
 * Invariant: what a call of the form needs is there before it is queued. */
#include "kernel/expression/call.h"

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/array/view.h"
#include "core/elementwise/operands.h"
#include "core/elementwise/submit.h"
#include "kernel/expression/cuts.h"
#include "kernel/expression/notes.h"
#include "kernel/expression/shapes.h"
#include "kernel/expression/single.h"

#include <stdio.h>
#include <string.h>

/* One call of the form on its way: what its arguments are beside the description. */
typedef struct request {
    tni_schedule *s;
    const int16_t *members;
    int count, stamp;
    const tn_array *arrays[TNI_EXPRESSION_ARGUMENTS]; /* NULL: a scalar */
    tni_expression call;
} request;

static const tni_node *node_of(const request *r, int n) {
    return &r->s->expression->nodes[n];
}

/* --- Values --- */

/* The number of a value that the group does not make: an input of the call. */
static tn_status add_input(request *r, int node) {
    const tni_node *n = node_of(r, node);
    tni_place *place = &r->s->places[node];
    if (place->stamp == r->stamp) return TN_OK;
    int at = r->call.input_count;
    if (at == TNI_EXPRESSION_ARGUMENTS)
        return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "too many operands of one fused call");
    tni_argument *argument = &r->call.arguments[at];
    r->arrays[at] = NULL;
    if (n->kind == TNI_NODE_SCALAR) {
        TNI_TRY(tni_place_scalar(argument->value, r->s, n));
        r->call.constants |= (uint64_t)tni_place_is_constant(r->s, n) << at;
    } else {
        r->arrays[at] = tni_place_array(r->s, node);
    }
    argument->dtype = argument->loop_dtype = (tn_dtype)n->dtype;
    r->call.dtypes[at] = n->dtype;
    place->stamp = (int16_t)r->stamp;
    place->value = (tni_value)at;
    r->call.input_count++;
    return TN_OK;
}

/* The group's own nodes are stamped first, and are no inputs then. */
static tn_status add_inputs(request *r) {
    r->call.input_count = r->call.output_count = r->call.step_count = 0;
    r->call.constants = 0;
    for (int m = 0; m < r->count; m++)
        r->s->places[r->members[m]].stamp = (int16_t)r->stamp;
    for (int m = 0; m < r->count; m++) {
        const tni_node *node = node_of(r, r->members[m]);
        for (int k = 0; k < node->count; k++)
            TNI_TRY(add_input(r, tni_place_source(r->s, node->from[k])));
    }
    return TN_OK;
}

static void add_step(request *r, int n) {
    const tni_node *node = node_of(r, n);
    tni_place *places = r->s->places;
    tni_expression *call = &r->call;
    if (node->kind == TNI_NODE_SECOND) {
        places[n].value = (tni_value)(places[node->from[0]].value + 1);
        return;
    }
    tni_expression_step *step = &call->steps[call->step_count++];
    tni_place_step(step, r->s, n);
    places[n].value = (tni_value)call->value_count;
    call->dtypes[call->value_count++] = node->dtype;
    if (step->made == 2) call->dtypes[call->value_count++] = node_of(r, n + 1)->dtype;
}

static void add_steps(request *r) {
    r->call.value_count = r->call.input_count;
    for (int m = 0; m < r->count; m++)
        add_step(r, r->members[m]);
}

/* --- Outputs --- */

/* One more output, of a value of the call. */
static tn_status add_output(request *r, int value, const tn_array *array) {
    tni_expression *call = &r->call;
    int at = call->input_count + call->output_count;
    if (at >= TNI_EXPRESSION_ARGUMENTS)
        return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "too many operands of one fused call");
    r->arrays[at] = array;
    call->arguments[at].dtype = call->arguments[at].loop_dtype = (tn_dtype)array->dtype;
    call->outputs[call->output_count++] = (tni_value)value;
    return TN_OK;
}

/* Values that others read are found where they are stored, if an array made for them would lie as
 * that does. */
static tn_status add_stores(request *r, int group) {
    tni_schedule *s = r->s;
    const int stored = s->groups[group].stores; /* others may overwrite it later */
    if (stored >= 0) {
        const tni_node *node = &s->expression->nodes[stored];
        TNI_TRY(add_output(r, s->places[tni_place_source(s, node->from[0])].value,
                           s->operands[node->place].array));
    }
    for (int k = 0; k < s->expression->operand_count; k++) {
        if (s->stored_by[k] != group) continue;
        const tn_array *to = s->operands[k].array;
        const int n = tni_place_source(s, s->last_store[k]);
        tni_place *place = &s->places[n];
        TNI_TRY(add_output(r, place->value, to));
        if (!place->is_output && tni_shapes_lies_as(s, n, to) && tni_shapes_begins_as_made(s, to))
            place->array = (tn_array *)(uintptr_t)to;
    }
    return TN_OK;
}

static tn_status add_made(request *r) {
    for (int m = 0; m < r->count; m++) {
        tni_place *place = &r->s->places[r->members[m]];
        if (!place->is_kept || place->array) continue;
        TNI_TRY(tni_shapes_new_array(&place->array, r->s, r->members[m]));
        place->is_owned = true;
        TNI_TRY(add_output(r, place->value, place->array));
    }
    return TN_OK;
}

/* --- The call --- */

/* Shape and strides: one dimension where all lie contiguous alike. */
static void describe(tni_expression *call, const tn_array *const *arrays,
                     const tni_shape_entry *shape) {
    int count = call->input_count + call->output_count;
    if (tni_is_flat(count, arrays, shape->ndim, shape->shape)) {
        call->ndim = call->size == 1 ? 0 : 1;
        call->shape[0] = call->size;
        for (int k = 0; k < count; k++)
            call->arguments[k].strides[0] = arrays[k] ? tni_dtype_size(arrays[k]->dtype) : 0;
        return;
    }
    int64_t *strides[TNI_EXPRESSION_ARGUMENTS], offsets[TNI_EXPRESSION_ARGUMENTS] = {0};
    for (int k = 0; k < count; k++) { /* outputs first: their order is that of the walk */
        int at = (k + call->input_count) % count;
        strides[k] = call->arguments[at].strides;
        if (arrays[at])
            tni_strides_broadcast(strides[k], arrays[at], shape->ndim);
        else
            memset(strides[k], 0, sizeof(int64_t) * (size_t)shape->ndim);
    }
    memcpy(call->shape, shape->shape, sizeof(int64_t) * (size_t)shape->ndim);
    call->ndim = tni_layout_collapse(shape->ndim, call->shape, count, strides, offsets, true);
    for (int k = 0; k < count; k++) {
        int at = (k + call->input_count) % count;
        if (arrays[at]) call->arguments[at].data += offsets[k];
    }
}

static tn_status queue_call(request *r, tni_schedule *s, const tni_shape_entry *shape) {
    tni_expression *call = &r->call;
    const tn_array *arrays[TNI_EXPRESSION_ARGUMENTS]; /* or what stands for them */
    const int count = call->input_count + call->output_count;
    tni_operands operands;
    tn_status status;
    tni_operands_init(&operands, s->stream);
    for (int k = 0; k < count; k++) {
        void *data = NULL;
        tni_access access = k < call->input_count ? TNI_READ : TNI_WRITE;
        arrays[k] = r->arrays[k];
        if (arrays[k]) TNI_TRY_OWNING(tni_operand_open(&data, &arrays[k], access, &operands));
        call->arguments[k].data = data;
    }
    describe(call, arrays, shape);
    s->has_begun = true;
    status = tni_cuts(s->cuts, TNI_CUT_PROGRAM, r->stamp)
                 ? tni_fail(TN_ERROR_NOT_IMPLEMENTED, "TENORITE_DEBUG_CUTS refuses it")
                 : tni_queue_expression(call, s->stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* On the host a call of one operation that is not flat costs less as any other call of it. */
static bool is_single(const request *r, const tni_schedule *s, const tni_shape_entry *shape) {
    const int inputs = r->call.input_count;
    bool is_apart = r->call.step_count == 1 && r->call.output_count == 1 &&
                    tn_stream_device(s->stream).backend == TN_BACKEND_HOST;
    for (int k = 0; k < inputs && is_apart; k++)
        is_apart = !r->arrays[k] || !tn_array_may_overlap(r->arrays[inputs], r->arrays[k]);
    return is_apart && !tni_is_flat(inputs + 1, r->arrays, shape->ndim, shape->shape);
}

/* Where a program can't be made the operations of the group run one by one. */
static tn_status queue(request *r, tni_schedule *s, const tni_shape_entry *shape) {
    tni_expression *call = &r->call;
    call->asked = s->asked;
    call->size = 1;
    for (int axis = 0; axis < shape->ndim; axis++)
        call->size *= shape->shape[axis];
    if (call->size == 0 || call->output_count == 0) return TN_OK;
    if (is_single(r, s, shape)) {
        s->has_begun = true;
        TNI_TRY(tni_note_call(s, call, r->arrays, NULL, shape->ndim, shape->shape));
        return tni_single_run(s, call, r->arrays, r->members, r->count, NULL);
    }
    TNI_TRY(tni_note_call(s, call, r->arrays, NULL, shape->ndim, shape->shape));
    tn_status status = queue_call(r, s, shape);
    if (__builtin_expect(status != TN_ERROR_NOT_IMPLEMENTED, 1)) return status;
    if (s->asked) return TN_OK; /* it will run singly */
    char why[TNI_WHY_TEXT];
    snprintf(why, sizeof why, "%s", tn_error_message());
    tni_note_undo(s);
    return tni_single_run(s, call, r->arrays, r->members, r->count, why);
}

tn_status tni_call_group(tni_schedule *s, int group) {
    const tni_group *of = &s->groups[group];
    request r;
    r.s = s;
    r.members = &s->members[of->first];
    r.count = of->count;
    r.stamp = group;
    TNI_TRY(add_inputs(&r));
    add_steps(&r);
    TNI_TRY(add_stores(&r, group));
    TNI_TRY(add_made(&r));
    return queue(&r, s, &s->shapes[of->shape]);
}

tn_status tni_call_folded(tn_array **result, tni_schedule *s, int group) {
    const tni_group *of = &s->groups[group];
    const int last = s->members[of->first + of->count - 1];
    request r;
    r.s = s;
    r.members = &s->members[of->first];
    r.count = of->count;
    r.stamp = group;
    TNI_TRY(add_inputs(&r));
    add_steps(&r);
    tn_array *made;
    TNI_TRY(tni_shapes_new_array(&made, s, last));
    tn_status status = add_output(&r, s->places[last].value, made);
    if (!status) status = queue(&r, s, &s->shapes[s->places[last].shape]);
    return tni_array_deliver(result, made, status);
}
