/* Where a compiler is missing or fails a group runs as calls of one operation each, which have
 * programs of their own, such as those that a wheel carries. Every value of the group is made in
 * memory then, and given back after its last reader; what is stored is copied at the end, so that
 * no operation reads what another has overwritten. */
#include "kernel/expression/single.h"

#include "backend/backend.h"
#include "core/elementwise/elementwise.h"
#include "core/elementwise/operands.h"
#include "core/elementwise/submit.h"
#include "kernel/expression/notes.h"
#include "kernel/expression/shapes.h"

#include <string.h>

typedef struct singles {
    tni_schedule *s;
    const tni_expression *call;
    const tn_array *const *arrays;
    tn_array *made[TNI_EXPRESSION_VALUES]; /* by the numbers of values; NULL: not there */
    int16_t last[TNI_EXPRESSION_VALUES];   /* the last step that reads it */
    const char *why;
} singles;

static const tn_array *array_of(const singles *r, int value) {
    return value < r->call->input_count ? r->arrays[value] : r->made[value];
}

/* One operation; `values` are those that it reads, then those that it makes. */
static tn_status queue(const singles *r, const tni_expression_step *step, const int *values,
                       const tni_shape_entry *shape) {
    const tn_array *arrays[TNI_ARGUMENTS];
    const int count = step->count + step->made;
    tni_elementwise call = {.op = (tn_op)step->op,
                            .dtype = (tn_dtype)step->dtype,
                            .input_count = step->count,
                            .output_count = step->made,
                            .size = 1};
    tni_operands operands;
    tn_status status;
    for (int axis = 0; axis < shape->ndim; axis++)
        call.size *= shape->shape[axis];
    tni_operands_init(&operands, r->s->stream);
    for (int k = 0; k < count; k++) {
        tni_argument *argument = &call.arguments[k];
        void *data = NULL;
        arrays[k] = array_of(r, values[k]);
        argument->dtype = argument->loop_dtype = (tn_dtype)r->call->dtypes[values[k]];
        if (arrays[k])
            TNI_TRY_OWNING(tni_operand_open(&data, &arrays[k],
                                            k < step->count ? TNI_READ : TNI_WRITE, &operands));
        else
            memcpy(argument->value, r->call->arguments[values[k]].value, sizeof argument->value);
        argument->data = data;
    }
    tni_submit_describe(&call, count, arrays, shape->ndim, shape->shape);
    status = tni_queue_elementwise(&call, r->s->stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* Step number k, which is node n and makes the values from `value` on. */
static tn_status run_step(singles *r, int k, int n, int value) {
    const tni_expression_step *step = &r->call->steps[k];
    const tn_array *arrays[TNI_ARGUMENTS];
    int values[TNI_ARGUMENTS];
    for (int j = 0; j < step->count; j++)
        values[j] = step->from[j];
    for (int j = 0; j < step->made; j++) {
        values[step->count + j] = value + j;
        if (!r->made[value + j]) TNI_TRY(tni_shapes_new_array(&r->made[value + j], r->s, n + j));
    }
    for (int j = 0; j < step->count + step->made; j++)
        arrays[j] = array_of(r, values[j]);
    const tni_shape_entry *shape = &r->s->shapes[r->s->places[n].shape];
    if (r->why)
        TNI_TRY(tni_note_single(r->s, step, (tn_dtype)r->call->dtypes[value], arrays, shape->ndim,
                                shape->shape, r->why));
    TNI_TRY(queue(r, step, values, shape));
    for (int j = 0; j < step->count; j++) {
        if (r->last[values[j]] != k || values[j] < r->call->input_count) continue;
        tn_array_release(r->made[values[j]]);
        r->made[values[j]] = NULL;
    }
    return TN_OK;
}

/* Outputs are read after the last step. */
static void find_last(singles *r) {
    for (int value = 0; value < r->call->value_count; value++) {
        r->made[value] = NULL;
        r->last[value] = -1;
    }
    for (int k = 0; k < r->call->step_count; k++)
        for (int j = 0; j < r->call->steps[k].count; j++)
            r->last[r->call->steps[k].from[j]] = (int16_t)k;
    for (int k = 0; k < r->call->output_count; k++)
        r->last[r->call->outputs[k]] = INT16_MAX;
}

/* Values that are made where they belong: in outputs that lie in no input's memory. */
static void place_outputs(singles *r) {
    const tni_expression *call = r->call;
    for (int k = 0; k < call->output_count; k++) {
        const tn_array *to = r->arrays[call->input_count + k];
        bool is_apart = call->outputs[k] >= call->input_count && !r->made[call->outputs[k]];
        for (int j = 0; j < call->input_count && is_apart; j++)
            is_apart = !r->arrays[j] || !tn_array_may_overlap(to, r->arrays[j]);
        if (is_apart) r->made[call->outputs[k]] = tn_array_retain((tn_array *)(uintptr_t)to);
    }
}

tn_status tni_single_run(tni_schedule *s, const tni_expression *call, const tn_array *const *arrays,
                         const int16_t *members, int count, const char *why) {
    singles r = {.s = s, .call = call, .arrays = arrays, .why = why};
    int value = call->input_count, at = 0;
    tn_status status = TN_OK;
    find_last(&r);
    place_outputs(&r);
    for (int m = 0; m < count; m++) {
        if (s->expression->nodes[members[m]].kind == TNI_NODE_SECOND) continue;
        TNI_TRY_OWNING(run_step(&r, at, members[m], value));
        value += call->steps[at++].made;
    }
    for (int k = 0; k < call->output_count; k++) {
        tn_array *to = (tn_array *)(uintptr_t)arrays[call->input_count + k];
        const tn_array *from = array_of(&r, call->outputs[k]);
        if (from == to) continue;
        TNI_TRY_OWNING(tni_note_copy(s, to, from, "Single calls have made it"));
        TNI_TRY_OWNING(tni_copy_elements(to, from, s->stream));
    }
cleanup:
    for (value = call->input_count; value < call->value_count; value++)
        tn_array_release(r.made[value]);
    return status;
}
