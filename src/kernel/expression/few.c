/* Algorithm: each node is the call that a program would make for it, by the driver of its kind, in
 * the graph's order. A pass over so few elements costs less than a schedule of them does; a graph
 * of one node is that call, of however many elements. */
#include "kernel/expression/few.h"

#include "core/reduce/reductions.h"
#include "kernel/expression/fold.h"

/* Operations, at most; elements of an operand, the more the fewer operations there are. */
enum { STEPS = 16, ELEMENTS = 2048, OF_FEWER = 5000, OF_ALL_STEPS = 16384 };

/* Whether all arrays have so few elements, and as many as each other, or one. */
static bool are_small(const tni_schedule *s, int steps) {
    int64_t most = 1, limit = OF_ALL_STEPS / (steps > 0 ? steps : 1);
    if (limit > OF_FEWER) limit = OF_FEWER;
    if (limit < ELEMENTS) limit = ELEMENTS;
    for (int k = 0; k < s->expression->operand_count; k++) {
        const tn_array *array = s->operands[k].array;
        const int64_t size = array ? tn_array_size(array) : 1;
        if (size == 1) continue;
        if (size > limit || (most > 1 && size != most)) return false;
        most = size;
    }
    return true;
}

/* Whether a conversion that a call makes as it reads gives an array that lies as what it reads. */
static bool is_packed(const tni_schedule *s, const tni_node *from) {
    return from->kind != TNI_NODE_INPUT ||
           s->operands[from->place].array->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS);
}

/* Whether a node reads arrays, or scalars beside one. */
static bool is_simple(const tni_schedule *s, const tni_node *node) {
    const tn_expression *e = s->expression;
    bool has_array = false;
    if (node->kind < TNI_NODE_OPERATION) return true;
    if (node->kind > TNI_NODE_REDUCTION) return false;
    if (node->kind == TNI_NODE_OPERATION && tn_op_outputs((tn_op)node->op) > 1) return false;
    for (int k = 0; k < node->count; k++)
        has_array |= e->nodes[node->from[k]].kind != TNI_NODE_SCALAR;
    if (tni_node_is_computed(node) && node->of.computed.like) return false;
    if (node->kind == TNI_NODE_CAST && !node->of.computed.is_copy)
        return is_packed(s, &e->nodes[node->from[0]]);
    return has_array && node->kind != TNI_NODE_SECOND;
}

bool tni_few_is(const tni_schedule *s) {
    const tn_expression *e = s->expression;
    int steps = 0;
    if (e->store_count || e->has_views || e->operand_count > e->given_count || s->cuts ||
        s->explanation || s->cost || s->asked ||
        tn_stream_device(s->stream).backend != TN_BACKEND_HOST)
        return false;
    for (int n = 0; n < e->count; n++) {
        if (!is_simple(s, &e->nodes[n])) return false;
        steps += e->nodes[n].kind >= TNI_NODE_OPERATION;
    }
    return steps == 1 || (steps <= STEPS && are_small(s, steps));
}

static tn_status compute(tn_array **made, tni_schedule *s, const tni_node *node) {
    tn_operand inputs[TNI_EXPRESSION_FROM];
    tni_fold_options options;
    for (int k = 0; k < node->count; k++) {
        const tni_node *from = &s->expression->nodes[node->from[k]];
        inputs[k].array = NULL;
        inputs[k].scalar = (tn_scalar){(tn_dtype)from->dtype, false, false, {0}};
        if (from->kind == TNI_NODE_SCALAR)
            TNI_TRY(tni_place_scalar(inputs[k].scalar.value.bytes, s, from));
        else
            inputs[k].array = tni_place_array(s, node->from[k]);
    }
    if (node->kind == TNI_NODE_REDUCTION) {
        tni_fold_set_options(&options, node);
        return tn_reduce(made, (tn_reduction)node->op, inputs[0].array, &options.options,
                         s->stream);
    }
    if (node->kind == TNI_NODE_CAST)
        return tn_array_astype(made, inputs[0].array, (tn_dtype)node->dtype, TN_ORDER_K,
                               TN_CASTING_UNSAFE, TN_COPY_ALWAYS, s->stream);
    return tn_elementwise(made, (tn_op)node->op, inputs, NULL, s->stream);
}

tn_status tni_few_evaluate(tn_array **outputs, tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int n = 0; n < e->count; n++) {
        const tni_node *node = &e->nodes[n];
        if (node->kind < TNI_NODE_OPERATION) continue;
        TNI_TRY(compute(&s->places[n].array, s, node));
        s->places[n].is_owned = true;
        if (s->places[n].array->dtype != node->dtype)
            TNI_FAIL(TN_ERROR_TYPE, "a step gives %s, not %s",
                     tn_dtype_name((tn_dtype)s->places[n].array->dtype),
                     tn_dtype_name((tn_dtype)node->dtype));
    }
    for (int k = 0; k < e->output_count; k++)
        outputs[k] = tn_array_retain((tn_array *)(uintptr_t)tni_place_array(s, e->outputs[k]));
    return TN_OK;
}
