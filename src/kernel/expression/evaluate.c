/* Evaluating graphs: operands checked, groups described as calls of the form "expression", arrays
 * made for what others read, reductions by their own driver, stores last.
 *
 * Stores go straight to their arrays where one call is the whole evaluation; else what is stored is
 * made first and assigned at the end, so that no group reads what another has overwritten. Where a
 * stored array overlaps another operand each node runs by itself, in the order of the graph.
 * Invariant: what a call of the form needs is there before it is queued. */
#include "kernel/expression/fold.h"
#include "kernel/expression/rows.h"

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/array/view.h"
#include "core/elementwise/operands.h"
#include "core/elementwise/submit.h"

#include <string.h>

enum { SMALL_NODES = 48 }; /* of graphs whose places lie on the stack */

/* One call of the form on its way: what its arguments are beside the description. */
typedef struct request {
    tni_expression call;
    const tn_array *arrays[TNI_EXPRESSION_ARGUMENTS]; /* NULL: a scalar */
    int stamp;
} request;

/* --- Operands --- */

static tn_status check_operand(const tni_node *node, const tn_operand *operand, int k) {
    bool is_array = node->kind == TNI_NODE_INPUT;
    if (is_array != (operand->array != NULL))
        TNI_FAIL(TN_ERROR_TYPE, "operand %d of the expression must be %s", k,
                 is_array ? "an array" : "a scalar");
    tn_dtype dtype = is_array ? (tn_dtype)operand->array->dtype : operand->scalar.dtype;
    bool is_weak = !is_array && operand->scalar.weak;
    if (dtype == (tn_dtype)node->dtype && is_weak == node->is_weak &&
        (is_array || !operand->scalar.huge))
        return TN_OK;
    return tni_fail(TN_ERROR_TYPE, "operand %d of the expression must be %s%s, not %s%s", k,
                    node->is_weak ? "a weak " : "", tn_dtype_name((tn_dtype)node->dtype),
                    is_weak ? "a weak " : "", tn_dtype_name(dtype));
}

static tn_status check_operands(tni_schedule *s, tn_stream *stream) {
    const tn_expression *e = s->expression;
    const tn_array *arrays[TN_EXPRESSION_OPERANDS];
    tn_device device;
    for (int k = 0; k < e->operand_count; k++) {
        TNI_TRY(check_operand(&e->nodes[e->operands[k]], &s->operands[k], k));
        arrays[k] = s->operands[k].array;
    }
    TNI_TRY(tni_device_common(&device, e->operand_count, arrays));
    return tni_stream_resolve(&s->stream, stream, device);
}

/* Whether no two elements of an array lie at one place, as far as its strides tell. */
static bool is_spread(const tn_array *array) {
    if (array->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS)) return true;
    const int64_t *shape = tni_shape(array), *strides = tni_strides(array);
    for (int axis = 0; axis < array->ndim; axis++) {
        int64_t stride = strides[axis] < 0 ? -strides[axis] : strides[axis];
        int64_t inside = tni_dtype_size(array->dtype); /* what the faster axes cover */
        for (int other = 0; other < array->ndim; other++) {
            int64_t step = strides[other] < 0 ? -strides[other] : strides[other];
            if (step < stride || (step == stride && other > axis))
                inside += (shape[other] - 1) * step;
        }
        if (shape[axis] > 1 && stride < inside) return false;
    }
    return true;
}

/* Whether what is stored to may be read by another name meanwhile. */
static tn_status check_stores(tni_schedule *s) {
    const tn_expression *e = s->expression;
    uint64_t seen = 0;
    s->is_in_order = false;
    for (int n = 0, left = e->store_count; left > 0; n++) {
        if (e->nodes[n].kind != TNI_NODE_STORE) continue;
        left--;
        int place = e->nodes[n].place;
        if (seen >> place & 1) continue;
        seen |= UINT64_C(1) << place;
        const tn_array *to = s->operands[place].array;
        TNI_TRY(tni_array_check_writeable(to));
        s->is_in_order |= !is_spread(to);
        for (int k = 0; k < e->operand_count; k++)
            if (k != place && s->operands[k].array)
                s->is_in_order |= tn_array_may_overlap(to, s->operands[k].array);
    }
    return TN_OK;
}

/* --- Arrays of values --- */

static void keep(tni_place *place, tn_array *array) {
    if (place->is_owned) tn_array_release(place->array);
    place->array = array;
    place->is_owned = true;
}

/* The arrays that a value is computed of. What was stored is found where it was stored to. */
static int find_sources(const tn_array *arrays[TNI_EXPRESSION_ARGUMENTS], tni_schedule *s,
                        int node) {
    const tni_node *nodes = s->expression->nodes;
    int count = 0;
    s->places[node].reached = (int16_t)(node + 1);
    for (int n = node; n >= 0; n--)
        for (int k = 0; k < nodes[n].count && s->places[n].reached == node + 1; k++) {
            int from = nodes[n].from[k];
            const tn_array *array = tni_schedule_array(s, from);
            if (nodes[from].kind != TNI_NODE_STORE && s->places[from].group == s->places[n].group)
                s->places[from].reached = (int16_t)(node + 1);
            else if (array && array->ndim && count < TNI_EXPRESSION_ARGUMENTS)
                arrays[count++] = array;
        }
    return count;
}

/* C or F where all full-sized sources are so, else by their strides: order K. */
static tn_status make_output(tn_array **result, tni_schedule *s, int node) {
    const tni_shape_entry *shape = &s->shapes[s->places[node].shape];
    tn_dtype dtype = (tn_dtype)s->expression->nodes[node].dtype;
    uint8_t common = TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS;
    const tn_array *sources[TNI_EXPRESSION_ARGUMENTS];
    int64_t strides[TNI_EXPRESSION_ARGUMENTS][TN_MAX_NDIM];
    const int64_t *known[TNI_EXPRESSION_ARGUMENTS];
    int count = shape->ndim < 2 ? 0 : find_sources(sources, s, node), axes[TN_MAX_NDIM];
    for (int k = 0; k < count; k++)
        common &= sources[k]->ndim == shape->ndim ? sources[k]->flags : TNI_C_CONTIGUOUS;
    if (common)
        return tn_array_new(result, dtype, shape->ndim, shape->shape,
                            common == TNI_F_CONTIGUOUS ? TN_ORDER_F : TN_ORDER_C, s->stream);
    for (int k = 0; k < count; k++) {
        tni_strides_broadcast(strides[k], sources[k], shape->ndim);
        known[k] = strides[k];
    }
    tni_layout_order(axes, shape->ndim, count, known);
    return tni_array_new_ordered(result, dtype, shape->ndim, shape->shape, axes, s->stream);
}

/* --- Describing a group --- */

/* The number of a value that the group does not make: an input of the call. */
static tn_status add_input(request *r, tni_schedule *s, int node) {
    const tni_node *n = &s->expression->nodes[node];
    tni_place *place = &s->places[node];
    if (place->stamp == r->stamp) return TN_OK;
    int at = r->call.input_count;
    if (at == TNI_EXPRESSION_ARGUMENTS)
        return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "too many operands of one fused call");
    tni_argument *argument = &r->call.arguments[at];
    r->arrays[at] = NULL;
    if (n->kind == TNI_NODE_SCALAR) {
        TNI_TRY(tni_schedule_scalar(argument->value, s, n));
    } else {
        r->arrays[at] = tni_schedule_array(s, node);
    }
    argument->dtype = argument->loop_dtype = (tn_dtype)n->dtype;
    r->call.dtypes[at] = n->dtype;
    place->stamp = (int16_t)r->stamp;
    place->value = (tni_value)at;
    r->call.input_count++;
    return TN_OK;
}

static bool is_of_group(const tni_schedule *s, int node, int group) {
    return s->places[node].group == group;
}

static tn_status add_inputs(request *r, tni_schedule *s, int group) {
    const tni_node *nodes = s->expression->nodes;
    for (int n = 0; n < s->expression->count; n++) {
        if (!is_of_group(s, n, group) || nodes[n].kind == TNI_NODE_SECOND) continue;
        for (int k = 0; k < nodes[n].count; k++) {
            int from = tni_schedule_source(s, nodes[n].from[k]);
            if (!is_of_group(s, from, group)) TNI_TRY(add_input(r, s, from));
        }
    }
    return TN_OK;
}

static void add_steps(request *r, tni_schedule *s, int group) {
    const tni_node *nodes = s->expression->nodes;
    tni_expression *call = &r->call;
    call->value_count = call->input_count;
    for (int n = 0; n < s->expression->count; n++) {
        const tni_node *node = &nodes[n];
        tni_place *place = &s->places[n];
        if (!is_of_group(s, n, group)) continue;
        place->stamp = (int16_t)r->stamp;
        if (node->kind == TNI_NODE_SECOND) {
            place->value = (tni_value)(s->places[node->from[0]].value + 1);
            continue;
        }
        tni_expression_step *step = &call->steps[call->step_count++];
        bool is_cast = node->kind == TNI_NODE_CAST;
        step->op = (int16_t)(is_cast ? (int)TNI_OP_COPY : node->op);
        step->dtype = node->loop;
        step->count = node->count;
        step->made = (int8_t)(is_cast ? 1 : tn_op_outputs((tn_op)node->op));
        for (int k = 0; k < node->count; k++)
            step->from[k] = s->places[tni_schedule_source(s, node->from[k])].value;
        place->value = (tni_value)call->value_count;
        call->dtypes[call->value_count++] = node->dtype;
        if (step->made == 2) call->dtypes[call->value_count++] = nodes[n + 1].dtype;
    }
}

/* One more output, of a value of the call. */
static tn_status add_output(request *r, int value, tn_array *array) {
    tni_expression *call = &r->call;
    int at = call->input_count + call->output_count;
    if (at >= TNI_EXPRESSION_ARGUMENTS)
        return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "too many operands of one fused call");
    r->arrays[at] = array;
    call->arguments[at].dtype = call->arguments[at].loop_dtype = (tn_dtype)array->dtype;
    call->outputs[call->output_count++] = (tni_value)value;
    return TN_OK;
}

static tn_status add_made(request *r, tni_schedule *s, int group) {
    for (int n = 0; n < s->expression->count; n++) {
        tni_place *place = &s->places[n];
        if (!is_of_group(s, n, group) || !place->is_kept) continue;
        tn_array *made;
        TNI_TRY(make_output(&made, s, n));
        keep(place, made);
        TNI_TRY(add_output(r, place->value, made));
    }
    return TN_OK;
}

/* Shape and strides: one dimension where all lie contiguous alike. */
static void describe(request *r, const tni_shape_entry *shape) {
    tni_expression *call = &r->call;
    int count = call->input_count + call->output_count;
    if (tni_is_flat(count, r->arrays, shape->ndim, shape->shape)) {
        call->ndim = call->size == 1 ? 0 : 1;
        call->shape[0] = call->size;
        for (int k = 0; k < count; k++)
            call->arguments[k].strides[0] = r->arrays[k] ? tni_dtype_size(r->arrays[k]->dtype) : 0;
        return;
    }
    int64_t *strides[TNI_EXPRESSION_ARGUMENTS], offsets[TNI_EXPRESSION_ARGUMENTS] = {0};
    for (int k = 0; k < count; k++) { /* outputs first: their order is that of the walk */
        int at = (k + call->input_count) % count;
        strides[k] = call->arguments[at].strides;
        if (r->arrays[at])
            tni_strides_broadcast(strides[k], r->arrays[at], shape->ndim);
        else
            memset(strides[k], 0, sizeof(int64_t) * (size_t)shape->ndim);
    }
    memcpy(call->shape, shape->shape, sizeof(int64_t) * (size_t)shape->ndim);
    call->ndim = tni_layout_collapse(shape->ndim, call->shape, count, strides, offsets, true);
    for (int k = 0; k < count; k++) {
        int at = (k + call->input_count) % count;
        if (r->arrays[at]) call->arguments[at].data += offsets[k];
    }
}

static tn_status queue(request *r, tni_schedule *s, const tni_shape_entry *shape) {
    tni_expression *call = &r->call;
    tni_operands operands;
    tn_status status;
    call->size = 1;
    for (int axis = 0; axis < shape->ndim; axis++)
        call->size *= shape->shape[axis];
    if (call->size == 0 || call->output_count == 0) return TN_OK;
    tni_operands_init(&operands, s->stream);
    for (int k = 0; k < call->input_count + call->output_count; k++) {
        void *data = NULL;
        tni_access access = k < call->input_count ? TNI_READ : TNI_WRITE;
        if (r->arrays[k]) TNI_TRY_OWNING(tni_operand_open(&data, &r->arrays[k], access, &operands));
        call->arguments[k].data = data;
    }
    describe(r, shape);
    status = tni_queue_expression(call, s->stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* --- Stores --- */

static bool is_only_group(const tni_schedule *s) {
    return s->group_count == 1 && !s->expression->has_reductions && !s->is_in_order;
}

/* Whether stores are outputs of the only call. */
static bool stores_directly(const tni_schedule *s) {
    const tn_expression *e = s->expression;
    if (!is_only_group(s)) return false;
    for (int k = 0; k < e->operand_count; k++) {
        if (s->last_store[k] < 0) continue;
        int n = s->last_store[k], from = tni_schedule_source(s, n);
        int shape = s->places[from].shape;
        if (s->places[n].shape != s->groups[0].shape) return false;
        if (shape >= 0 && shape != s->groups[0].shape) return false;
        if (!(s->operands[k].array->flags & TNI_ALIGNED)) return false;
    }
    return true;
}

/* What is stored as it was given goes through a step, which reads it before anything is written. */
static void add_store_inputs_step(request *r, int *value) {
    tni_expression *call = &r->call;
    if (*value >= call->input_count) return;
    tni_expression_step *step = &call->steps[call->step_count++];
    *step = (tni_expression_step){TNI_OP_COPY, call->dtypes[*value], 1, 1, {(tni_value)*value}};
    call->dtypes[call->value_count] = call->dtypes[*value];
    *value = call->value_count++;
}

static tn_status add_store_inputs(request *r, tni_schedule *s) {
    for (int k = 0; k < s->expression->operand_count; k++) {
        if (s->last_store[k] < 0) continue;
        int from = tni_schedule_source(s, s->last_store[k]);
        if (!is_of_group(s, from, 0)) TNI_TRY(add_input(r, s, from));
    }
    return TN_OK;
}

static tn_status add_stores(request *r, tni_schedule *s) {
    for (int k = 0; k < s->expression->operand_count; k++) {
        if (s->last_store[k] < 0) continue;
        int value = s->places[tni_schedule_source(s, s->last_store[k])].value;
        add_store_inputs_step(r, &value);
        TNI_TRY(add_output(r, value, (tn_array *)(uintptr_t)s->operands[k].array));
    }
    return TN_OK;
}

/* The value that an input had stays for later readers. */
static tn_status save_input(tni_schedule *s, int place, int before) {
    const tn_expression *e = s->expression;
    int input = e->operands[place];
    if (s->places[input].array) return TN_OK;
    for (int n = before; n < e->count; n++)
        for (int k = 0; k < e->nodes[n].count && s->places[n].is_needed; k++) {
            if (e->nodes[n].from[k] != input) continue;
            tn_array *copy;
            TNI_TRY(tn_array_astype(&copy, s->operands[place].array,
                                    (tn_dtype)e->nodes[input].dtype, TN_ORDER_K, TN_CASTING_NO,
                                    TN_COPY_ALWAYS, s->stream));
            keep(&s->places[input], copy);
            return TN_OK;
        }
    return TN_OK;
}

static tn_status store(tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    tn_array *to = (tn_array *)(uintptr_t)s->operands[node->place].array;
    int from = tni_schedule_source(s, node->from[0]);
    TNI_TRY(save_input(s, node->place, n + 1));
    if (s->expression->nodes[from].kind == TNI_NODE_SCALAR)
        return tni_schedule_fill(to, s, &s->expression->nodes[from]);
    return tn_array_assign(to, tni_schedule_array(s, from), TN_CASTING_UNSAFE, s->stream);
}

/* --- Running --- */

static tn_status run_group(tni_schedule *s, int group, bool with_stores) {
    request r;
    r.stamp = group;
    r.call.input_count = r.call.output_count = r.call.step_count = 0;
    TNI_TRY(add_inputs(&r, s, group));
    if (with_stores) TNI_TRY(add_store_inputs(&r, s));
    add_steps(&r, s, group);
    TNI_TRY(add_made(&r, s, group));
    if (with_stores) TNI_TRY(add_stores(&r, s));
    return queue(&r, s, &s->shapes[s->groups[group].shape]);
}

/* Whether an array has the shape and the order of axes of another. */
static bool lies_as(const tn_array *array, const tn_array *other) {
    int orders[2][TN_MAX_NDIM];
    size_t ndim = (size_t)array->ndim;
    if (array->ndim != other->ndim ||
        memcmp(tni_shape(array), tni_shape(other), ndim * sizeof(int64_t)) != 0)
        return false;
    tni_layout_order_like(orders[0], array->ndim, tni_strides(array));
    tni_layout_order_like(orders[1], array->ndim, tni_strides(other));
    return !memcmp(orders[0], orders[1], ndim * sizeof(int));
}

/* What a reduction reads, as it lies when each node runs by itself, for that decides the order of
 * a sum: a stored value has the shape and the layout of the array that it is stored to. */
static tn_status find_whole(tn_array **whole, tni_schedule *s, int read) {
    const tn_array *array, *to = tni_schedule_array(s, read);
    TNI_TRY(tni_schedule_need_array(&array, s, tni_schedule_source(s, read)));
    if (s->expression->nodes[read].kind != TNI_NODE_STORE || lies_as(array, to)) {
        *whole = tn_array_retain((tn_array *)(uintptr_t)array);
        return TN_OK;
    }
    TNI_TRY(tn_array_new_like(whole, to, (tn_dtype)array->dtype, 0, NULL, TN_ORDER_K, s->stream));
    return tn_array_assign(*whole, array, TN_CASTING_NO, s->stream);
}

/* A chain that nothing but a reduction reads enters it where that is one pass. */
static tn_status run_reduction(tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    int from = tni_schedule_source(s, node->from[0]), group = s->places[from].group;
    tni_fold_options options;
    tn_array *made = NULL, *whole = NULL;
    bool is_done = false;
    tn_status status;
    tni_fold_set_options(&options, node);
    if (group >= 0 && s->groups[group].is_folded) {
        TNI_TRY(tni_fold_reduce(&made, &is_done, s, n, &options.options));
        if (!is_done) TNI_TRY(run_group(s, group, false));
    }
    if (!is_done) {
        TNI_TRY_OWNING(find_whole(&whole, s, node->from[0]));
        TNI_TRY_OWNING(
            tn_reduce(&made, (tn_reduction)node->op, whole, &options.options, s->stream));
    }
    keep(&s->places[n], made);
    status = made->dtype == node->dtype ? TN_OK
                                        : tni_fail(TN_ERROR_TYPE, "%s gives %s, not %s",
                                                   tn_reduction_name((tn_reduction)node->op),
                                                   tn_dtype_name((tn_dtype)made->dtype),
                                                   tn_dtype_name((tn_dtype)node->dtype));
cleanup:
    tn_array_release(whole);
    return status;
}

/* Each node by itself, in the order of the graph: a group is one node then, and a level too. */
static tn_status run_in_order(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int n = 0; n < e->count; n++) {
        if (!s->places[n].is_needed) continue;
        int kind = e->nodes[n].kind;
        if (kind == TNI_NODE_OPERATION || kind == TNI_NODE_CAST)
            TNI_TRY(run_group(s, s->places[n].group, false));
        if (kind == TNI_NODE_REDUCTION) TNI_TRY(run_reduction(s, n));
        if (kind == TNI_NODE_STORE) TNI_TRY(store(s, n));
    }
    return TN_OK;
}

/* At which level each value is read last; of outputs and what is stored at the end, never. */
static void find_last_readers(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int n = 0; n < e->count; n++) {
        const tni_place *place = &s->places[n];
        int16_t level = place->group < 0 ? place->level : s->groups[place->group].level;
        if (e->nodes[n].kind == TNI_NODE_STORE) level = INT16_MAX;
        for (int k = 0; k < e->nodes[n].count && place->is_needed; k++) {
            tni_place *from = &s->places[tni_schedule_source(s, e->nodes[n].from[k])];
            if (from->last < level) from->last = level;
        }
    }
    for (int k = 0; k < e->output_count; k++)
        s->places[e->outputs[k]].last = INT16_MAX;
}

/* Gives back the memory of what no later level reads. */
static void drop_read(tni_schedule *s, int level) {
    for (int n = 0; n < s->expression->count; n++) {
        tni_place *place = &s->places[n];
        if (!place->is_owned || place->last > level) continue;
        tn_array_release(place->array);
        place->array = NULL;
        place->is_owned = false;
    }
}

static tn_status run_levels(tni_schedule *s) {
    const tn_expression *e = s->expression;
    if (s->levels > 1) find_last_readers(s);
    for (int level = 0; level < s->levels; level++) {
        if (level > 1) drop_read(s, level - 1);
        for (int g = 0; g < s->group_count; g++)
            if (s->groups[g].level == level && !s->groups[g].is_folded)
                TNI_TRY(run_group(s, g, false));
        for (int n = 0; n < e->count && e->has_reductions; n++)
            if (e->nodes[n].kind == TNI_NODE_REDUCTION && s->places[n].is_needed &&
                s->places[n].level == level)
                TNI_TRY(run_reduction(s, n));
    }
    for (int n = 0; n < e->count && e->store_count; n++)
        if (e->nodes[n].kind == TNI_NODE_STORE && s->last_store[e->nodes[n].place] == n)
            TNI_TRY(store(s, n));
    return TN_OK;
}

/* What is stored after all groups is made in memory first. */
static void keep_stored(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int k = 0; k < e->operand_count; k++) {
        if (s->last_store[k] < 0) continue;
        int from = tni_schedule_source(s, s->last_store[k]);
        if (s->places[from].group >= 0) s->places[from].is_kept = true;
    }
}

static tn_status run(tni_schedule *s) {
    if (s->is_in_order) return run_in_order(s);
    if (s->expression->store_count && stores_directly(s)) return run_group(s, 0, true);
    if (s->expression->store_count) keep_stored(s);
    bool is_done = false;
    if (s->expression->has_reductions && !s->expression->store_count)
        TNI_TRY(tni_rows_evaluate(&is_done, s));
    if (is_done) return TN_OK;
    if (s->expression->has_reductions) tni_fold_choose(s);
    return run_levels(s);
}

static tn_status evaluate(tn_array **outputs, tni_schedule *s, tn_stream *stream) {
    const tn_expression *e = s->expression;
    TNI_TRY(check_operands(s, stream));
    TNI_TRY(check_stores(s));
    TNI_TRY(tni_schedule_make(s));
    TNI_TRY(run(s));
    for (int k = 0; k < e->output_count; k++)
        outputs[k] = tn_array_retain(s->places[e->outputs[k]].array);
    return TN_OK;
}

tn_status tn_expression_evaluate(tn_array **outputs, const tn_expression *expression,
                                 const tn_operand *operands, tn_stream *stream) {
    tni_schedule s;
    size_t count = (size_t)expression->count, each = sizeof(tni_place) + sizeof(tni_group);
    _Alignas(8) char small[SMALL_NODES * (sizeof(tni_place) + sizeof(tni_group))];
    char *memory = count <= SMALL_NODES ? small : tni_malloc(count * each);
    if (!memory) return tni_fail_no_memory((int64_t)(count * each));
    memset(memory, 0, count * sizeof(tni_place));
    s.expression = expression;
    s.operands = operands;
    s.places = (tni_place *)memory;
    s.groups = (tni_group *)(memory + count * sizeof(tni_place));
    tn_status status = evaluate(outputs, &s, stream);
    for (size_t n = 0; n < count; n++)
        if (s.places[n].is_owned) tn_array_release(s.places[n].array);
    if (memory != small) tni_free(memory);
    return status;
}
