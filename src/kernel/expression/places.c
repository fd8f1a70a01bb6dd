/* Values: where they come from, and what they are in memory. */
#include "kernel/expression/places.h"

#include <string.h>

void tni_place_forget(tni_schedule *s) {
    for (int n = 0; n < s->expression->count; n++) {
        tni_place *place = &s->places[n];
        place->stamp = -1;
        if (place->is_owned) tn_array_release(place->array);
        if (place->is_owned || tni_node_is_computed(&s->expression->nodes[n])) place->array = NULL;
        place->is_owned = false;
    }
}

const tn_array *tni_place_array(const tni_schedule *s, int node) {
    const tni_node *n = &s->expression->nodes[node];
    if (!s->places[node].array && (n->kind == TNI_NODE_INPUT || n->kind == TNI_NODE_STORE))
        return s->operands[n->place].array;
    return s->places[node].array;
}

bool tni_place_is_spread(const tn_array *array) {
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

int64_t tni_place_size(const tni_schedule *s, int node) {
    const tni_place *place = &s->places[node];
    int64_t size = 1;
    for (int axis = 0; place->shape >= 0 && axis < s->shapes[place->shape].ndim; axis++)
        size *= s->shapes[place->shape].shape[axis];
    return size;
}

tn_status tni_place_scalar(unsigned char value[16], const tni_schedule *s, const tni_node *node) {
    const tni_node *from = &s->expression->nodes[node->from[0]];
    if (from->kind != TNI_NODE_CONSTANT)
        return tni_node_convert(value, s->operands[from->place].scalar, node);
    memcpy(value, node->of.scalar.value.bytes, sizeof node->of.scalar.value.bytes);
    return TN_OK;
}

tn_status tni_place_fill(tn_array *to, const tni_schedule *s, const tni_node *node) {
    tn_scalar scalar = {(tn_dtype)node->dtype, false, false, {0}};
    TNI_TRY(tni_place_scalar(scalar.value.bytes, s, node));
    return tn_array_fill(to, scalar, s->stream);
}

tn_status tni_place_need_array(const tn_array **array, tni_schedule *s, int node) {
    const tni_node *n = &s->expression->nodes[node];
    tni_place *place = &s->places[node];
    if (n->kind == TNI_NODE_SCALAR && !place->array) {
        TNI_TRY(tn_array_new(&place->array, (tn_dtype)n->dtype, 0, NULL, TN_ORDER_C, s->stream));
        place->is_owned = true;
        TNI_TRY(tni_place_fill(place->array, s, n));
    }
    *array = tni_place_array(s, node);
    return TN_OK;
}

tni_input_counts tni_place_add_inputs(tni_schedule *s, int n, int group, bool takes) {
    const tni_node *nodes = s->expression->nodes, *node = &nodes[n];
    tni_input_counts counts = {0, 0};
    for (int k = 0; k < node->count; k++) {
        int from = tni_place_source(s, node->from[k]);
        tni_place *place = &s->places[from];
        if (place->group == group || place->entered == group + 1) continue;
        if (k > 0 && from == tni_place_source(s, node->from[0])) continue;
        *(nodes[from].kind == TNI_NODE_SCALAR ? &counts.scalars : &counts.arrays) += 1;
        if (takes) place->entered = (int16_t)(group + 1);
    }
    return counts;
}

/* What a group may hold, in which a chain that is cut leaves an input for what comes before it. */
static int most_steps(int halvings) {
    return halvings < 2 ? TNI_EXPRESSION_STEPS : TNI_EXPRESSION_STEPS >> (halvings - 1);
}

static int most_inputs(int halvings) {
    return halvings == 0 ? TNI_EXPRESSION_ARRAYS : (TNI_EXPRESSION_ARRAYS - 2) >> (halvings - 1);
}

bool tni_place_has_room(tni_schedule *s, int n, int group) {
    const tni_group *of = &s->groups[group];
    const int most = s->expression->nodes[n].count, own = s->places[n].halvings;
    const int halvings = of->halvings > own ? of->halvings : own;
    if (of->steps >= most_steps(halvings)) return false;
    if (of->inputs + most <= most_inputs(halvings) && of->scalars + most <= TNI_EXPRESSION_SCALARS)
        return true;
    const tni_input_counts added = tni_place_add_inputs(s, n, group, false);
    return of->inputs + added.arrays <= most_inputs(halvings) &&
           of->scalars + added.scalars <= TNI_EXPRESSION_SCALARS;
}

void tni_place_join(tni_schedule *s, int n, int group) {
    tni_group *of = &s->groups[group];
    const tni_input_counts added = tni_place_add_inputs(s, n, group, true);
    of->steps++;
    of->inputs = (int16_t)(of->inputs + added.arrays);
    of->scalars = (int16_t)(of->scalars + added.scalars);
    if (of->halvings < s->places[n].halvings) of->halvings = s->places[n].halvings;
    s->places[n].group = (int16_t)group;
}

void tni_place_step(tni_expression_step *step, const tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    const bool is_cast = node->kind == TNI_NODE_CAST;
    step->op = (int16_t)(is_cast ? (int)TNI_OP_COPY : node->op);
    step->dtype = node->loop;
    step->count = node->count;
    step->made = (int8_t)(is_cast ? 1 : tn_op_outputs((tn_op)node->op));
    for (int k = 0; k < node->count; k++)
        step->from[k] = s->places[tni_place_source(s, node->from[k])].value;
}
