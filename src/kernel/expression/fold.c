/* Algorithm: of the group that makes what a reduction reads, those nodes are taken out, backwards
 * from that value, whose readers are all taken out already. Where none of them reads a node that
 * stays after they are a group of their own, and a map (core/reduce/map.h) if a body can be so
 * long. The map's array has the bits that the group would make, so that the result has those of two
 * passes. */
#include "kernel/expression/fold.h"

#include "core/array/layout.h"
#include "core/reduce/mapped.h"
#include "core/reduce/reductions.h"
#include "core/rules/op.h"

void tni_fold_set_options(tni_fold_options *options, const tni_node *node) {
    const tni_node_reduction *r = &node->of.reduction;
    options->options = (tn_reduce_options)TN_REDUCE_DEFAULTS;
    for (int k = 0; k < r->axis_count; k++)
        options->axes[k] = r->axes[k];
    options->options.axis_count = r->axis_count;
    options->options.axes = options->axes;
    options->options.keepdims = r->keepdims;
    options->options.dtype = (tn_dtype)r->dtype;
    options->options.correction = r->correction;
}

/* --- Which nodes --- */

static bool is_in(const tni_schedule *s, int node, int group) {
    return s->places[node].group == group;
}

static void count_readers(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int k = 0; k < e->output_count; k++)
        s->places[tni_schedule_source(s, e->outputs[k])].readers++;
    for (int n = 0; n < e->count; n++)
        for (int k = 0; k < e->nodes[n].count && s->places[n].is_needed; k++)
            s->places[tni_schedule_source(s, e->nodes[n].from[k])].readers++;
}

static void enter(tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    for (int k = 0; k < node->count; k++)
        s->places[tni_schedule_source(s, node->from[k])].inside++;
}

/* A place is `inside` as often as the taken nodes read it. */
static void clear(tni_schedule *s, int reduction) {
    for (int n = 0; n <= reduction; n++)
        s->places[n].inside = 0;
}

static bool is_taken(const tni_schedule *s, int n, int group) {
    const tni_place *place = &s->places[n];
    return is_in(s, n, group) && place->inside > 0 && place->inside == place->readers;
}

/* Counts the nodes that a reduction's value needs alone; 0: others need some of them, too. */
static int find_chain(tni_schedule *s, int reduction, int group) {
    int count = 0;
    clear(s, reduction);
    enter(s, reduction);
    for (int n = reduction - 1; n >= 0; n--) {
        if (!is_taken(s, n, group)) continue;
        if (s->expression->nodes[n].kind == TNI_NODE_SECOND) return 0;
        enter(s, n);
        count++;
    }
    for (int n = 0; n < reduction; n++)
        if (is_in(s, n, group) && s->places[n].inside > 0 && !is_taken(s, n, group)) return 0;
    return count;
}

/* Returns the group of its own that they are then. */
static int take_out(tni_schedule *s, int reduction, int group, int count) {
    int made = s->group_count++;
    s->groups[made] = (tni_group){.shape = s->groups[group].shape, .steps = (int16_t)count};
    s->groups[group].steps = (int16_t)(s->groups[group].steps - count);
    for (int n = 0; n < reduction; n++)
        if (is_taken(s, n, group)) s->places[n].group = (int16_t)made;
    return made;
}

/* On the host a pass over what the caches hold costs less than what describes a map. */
static bool is_worth(const tni_schedule *s, int group) {
    enum { FEW = 8192 };
    const tni_shape_entry *shape = &s->shapes[s->groups[group].shape];
    int64_t size = 1;
    for (int axis = 0; axis < shape->ndim; axis++)
        size *= shape->shape[axis];
    return size >= FEW || tn_stream_device(s->stream).backend != TN_BACKEND_HOST;
}

void tni_fold_choose(tni_schedule *s) {
    const tn_expression *e = s->expression;
    bool has_counted = false;
    for (int n = 0; n < e->count; n++) {
        if (e->nodes[n].kind != TNI_NODE_REDUCTION || !s->places[n].is_needed) continue;
        int group = s->places[tni_schedule_source(s, e->nodes[n].from[0])].group;
        if (group < 0 || !is_worth(s, group)) continue;
        if (!has_counted) count_readers(s);
        has_counted = true;
        int count = find_chain(s, n, group);
        if (count == 0) continue;
        if (count < s->groups[group].steps) group = take_out(s, n, group, count);
        s->groups[group].is_folded = true;
        s->groups[group].level = s->places[n].level;
    }
}

/* --- The map --- */

typedef struct builder {
    tni_schedule *s;
    int group;
    tni_map map;
} builder;

/* Whether a node can be a step: every operand has the loop's T. */
static bool is_step(const tn_expression *e, const tni_node *node) {
    if (node->kind == TNI_NODE_CAST)
        return tni_op_has_loop(TN_OP_POSITIVE, (tn_dtype)node->dtype) &&
               (tn_dtype_kind((tn_dtype)node->dtype) == TN_KIND_COMPLEX ||
                tn_dtype_kind((tn_dtype)node->loop) != TN_KIND_COMPLEX);
    if (node->kind != TNI_NODE_OPERATION || node->count > TNI_BODY_OPERANDS ||
        tn_op_outputs((tn_op)node->op) != 1 ||
        tni_op_flags((tn_op)node->op) & TNI_OP_CHECK_NEGATIVE_POWER)
        return false;
    for (int k = 0; k < node->count; k++)
        if (e->nodes[node->from[k]].dtype != node->loop) return false;
    return true;
}

/* An array that the map reads: an input, what another group made, or a scalar. */
static tn_status add_input(builder *b, bool *fits, int n) {
    const tni_node *node = &b->s->expression->nodes[n];
    tni_place *place = &b->s->places[n];
    if (place->stamp == b->group) return TN_OK;
    int at = b->map.input_count;
    *fits = at < TNI_BODY_INPUTS;
    if (!*fits) return TN_OK;
    if (node->kind == TNI_NODE_SCALAR) {
        b->map.scalars[at] = (tn_scalar){(tn_dtype)node->dtype, false, false, {0}};
        TNI_TRY(tni_schedule_scalar(b->map.scalars[at].value.bytes, b->s, node));
    } else { /* the groups' arrays and this one's have one order then, whatever else broadcasts */
        b->map.inputs[at] = tni_schedule_array(b->s, n);
        *fits = (b->map.inputs[at]->flags & TNI_C_CONTIGUOUS) != 0;
    }
    place->stamp = (int16_t)b->group;
    place->value = (tni_value)at;
    b->map.input_count++;
    return TN_OK;
}

/* Whether a value has the shape of the array that it was read from after a store, and the order of
 * all others here. */
static bool lies_as_read(const tni_schedule *s, int read, int from) {
    if (read == from) return true;
    return s->places[read].shape == s->places[from].shape &&
           tni_schedule_array(s, read)->flags & TNI_C_CONTIGUOUS;
}

static tn_status add_inputs(builder *b, bool *fits, int reduction) {
    const tn_expression *e = b->s->expression;
    for (int n = 0; n < reduction && *fits; n++) {
        if (!is_in(b->s, n, b->group)) continue;
        *fits = is_step(e, &e->nodes[n]);
        for (int k = 0; k < e->nodes[n].count && *fits; k++) {
            int read = e->nodes[n].from[k], from = tni_schedule_source(b->s, read);
            *fits = lies_as_read(b->s, read, from);
            if (*fits && !is_in(b->s, from, b->group)) TNI_TRY(add_input(b, fits, from));
        }
    }
    return TN_OK;
}

static void add_steps(builder *b, int reduction) {
    const tn_expression *e = b->s->expression;
    for (int n = 0; n < reduction; n++) {
        const tni_node *node = &e->nodes[n];
        if (!is_in(b->s, n, b->group)) continue;
        tni_body_step *step = &b->map.steps[b->map.step_count];
        bool is_cast = node->kind == TNI_NODE_CAST;
        *step = (tni_body_step){is_cast ? TN_OP_POSITIVE : (tn_op)node->op,
                                (tn_dtype)(is_cast ? node->dtype : node->loop),
                                (tn_dtype)node->dtype,
                                node->count,
                                {0}};
        for (int k = 0; k < node->count; k++)
            step->from[k] = (int8_t)b->s->places[tni_schedule_source(b->s, node->from[k])].value;
        b->s->places[n].value = (tni_value)(b->map.input_count + b->map.step_count++);
    }
}

static tn_status reduce(tn_array **result, bool *is_done, builder *b, int n,
                        const tn_reduce_options *options) {
    const tni_node *node = &b->s->expression->nodes[n];
    tni_reduce_request request;
    bool is_single, fits = true;
    TNI_TRY(tni_reduction_decide(&request, &is_single, (tn_reduction)node->op,
                                 (tn_dtype)b->s->expression->nodes[node->from[0]].dtype, options,
                                 NULL));
    if (!is_single || tni_op_is_ordered(request.op)) return TN_OK;
    TNI_TRY(add_inputs(b, &fits, n));
    if (!fits) return TN_OK;
    add_steps(b, n);
    TNI_TRY(tni_reduce_takes(is_done, &request, &b->map, b->s->stream));
    return *is_done ? tni_reduce_mapped(result, &request, &b->map, NULL, b->s->stream) : TN_OK;
}

tn_status tni_fold_reduce(tn_array **result, bool *is_done, tni_schedule *s, int reduction,
                          const tn_reduce_options *options) {
    builder b = {.s = s};
    int from = tni_schedule_source(s, s->expression->nodes[reduction].from[0]);
    b.group = s->places[from].group;
    *is_done = false;
    if (s->groups[b.group].steps > TNI_BODY_STEPS) return TN_OK;
    tn_status status = reduce(result, is_done, &b, reduction, options);
    if (!*is_done) /* the group runs as it is: nothing of this stays */
        for (int n = 0; n < reduction; n++)
            if (s->places[n].stamp == b.group) s->places[n].stamp = -1;
    return status;
}
