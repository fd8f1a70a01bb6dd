/* Algorithm: backwards, mark what outputs and stores need; forwards, find shapes and levels. Where
 * a group then has more inputs and outputs than a call has arguments, all is done again with groups
 * of fewer inputs, so that a long chain is cut into few. A node has the level of the latest of its
 * operands, and one more where an operand is of another shape or a reduction, which must be in
 * memory before. Nodes of one level and one shape are a group. */
#include "kernel/expression/schedule.h"

#include "core/array/shape.h"

#include <string.h>

enum { MOST_STEPS = TNI_EXPRESSION_STEPS - TNI_EXPRESSION_ARGUMENTS }; /* stores may add some */

static bool is_computed(const tni_node *node) {
    return node->kind == TNI_NODE_OPERATION || node->kind == TNI_NODE_SECOND ||
           node->kind == TNI_NODE_CAST;
}

int tni_schedule_source(const tni_schedule *s, int node) {
    const tni_node *nodes = s->expression->nodes;
    while (!s->is_in_order && nodes[node].kind == TNI_NODE_STORE)
        node = nodes[node].from[0];
    return node;
}

const tn_array *tni_schedule_array(const tni_schedule *s, int node) {
    const tni_node *n = &s->expression->nodes[node];
    if (!s->places[node].array && (n->kind == TNI_NODE_INPUT || n->kind == TNI_NODE_STORE))
        return s->operands[n->place].array;
    return s->places[node].array;
}

tn_status tni_schedule_scalar(unsigned char value[16], const tni_schedule *s,
                              const tni_node *node) {
    const tni_node *from = &s->expression->nodes[node->from[0]];
    if (from->kind != TNI_NODE_CONSTANT)
        return tni_node_convert(value, s->operands[from->place].scalar, node);
    memcpy(value, node->of.scalar.value.bytes, sizeof node->of.scalar.value.bytes);
    return TN_OK;
}

tn_status tni_schedule_fill(tn_array *to, const tni_schedule *s, const tni_node *node) {
    tn_scalar scalar = {(tn_dtype)node->dtype, false, false, {0}};
    TNI_TRY(tni_schedule_scalar(scalar.value.bytes, s, node));
    return tn_array_fill(to, scalar, s->stream);
}

tn_status tni_schedule_need_array(const tn_array **array, tni_schedule *s, int node) {
    const tni_node *n = &s->expression->nodes[node];
    tni_place *place = &s->places[node];
    if (n->kind == TNI_NODE_SCALAR && !place->array) {
        TNI_TRY(tn_array_new(&place->array, (tn_dtype)n->dtype, 0, NULL, TN_ORDER_C, s->stream));
        place->is_owned = true;
        TNI_TRY(tni_schedule_fill(place->array, s, n));
    }
    *array = tni_schedule_array(s, node);
    return TN_OK;
}

/* --- What is needed --- */

/* A store is needed if it is the last to its array, or if each node runs by itself. */
static void mark_needed(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int k = 0; k < e->operand_count; k++)
        s->last_store[k] = -1;
    for (int k = 0; k < e->output_count; k++)
        s->places[e->outputs[k]].is_needed = s->places[e->outputs[k]].is_kept = true;
    for (int n = e->count - 1; n >= 0; n--) {
        const tni_node *node = &e->nodes[n];
        tni_place *place = &s->places[n];
        if (node->kind == TNI_NODE_STORE) {
            bool is_last = s->last_store[node->place] < 0;
            if (is_last) s->last_store[node->place] = (int16_t)n;
            place->is_needed |= is_last || s->is_in_order;
        }
        place->is_needed |= node->kind == TNI_NODE_MATCH || node->kind == TNI_NODE_REDUCTION;
        if (!place->is_needed) continue;
        for (int k = 0; k < node->count; k++)
            s->places[node->from[k]].is_needed = true;
        if (node->kind == TNI_NODE_SCALAR) s->places[node->from[0]].is_needed = true;
    }
}

/* --- Shapes --- */

static tn_status find_shape(int8_t *result, tni_schedule *s, int ndim, const int64_t *shape) {
    size_t bytes = (size_t)ndim * sizeof *shape;
    for (int k = 0; k < s->shape_count; k++)
        if (s->shapes[k].ndim == ndim && !memcmp(s->shapes[k].shape, shape, bytes)) {
            *result = (int8_t)k;
            return TN_OK;
        }
    if (s->shape_count == TNI_SHAPES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "an expression over more than %d shapes", TNI_SHAPES);
    s->shapes[s->shape_count].ndim = ndim;
    memcpy(s->shapes[s->shape_count].shape, shape, bytes);
    *result = (int8_t)s->shape_count++;
    return TN_OK;
}

static tn_status broadcast(int8_t *result, tni_schedule *s, int a, int b) {
    int ndim, ndims[2] = {s->shapes[a].ndim, s->shapes[b].ndim};
    const int64_t *shapes[2] = {s->shapes[a].shape, s->shapes[b].shape};
    int64_t shape[TN_MAX_NDIM];
    TNI_TRY(tn_shape_broadcast(&ndim, shape, 2, ndims, shapes));
    return find_shape(result, s, ndim, shape);
}

static tn_status shape_of_operation(int8_t *result, tni_schedule *s, const tni_node *node) {
    int8_t shape = -1;
    for (int k = 0; k < node->count; k++) {
        int8_t other = s->places[node->from[k]].shape;
        if (other < 0 || other == shape) continue;
        if (shape < 0)
            shape = other;
        else
            TNI_TRY(broadcast(&shape, s, shape, other));
    }
    *result = shape;
    return TN_OK;
}

static tn_status shape_of_reduction(int8_t *result, tni_schedule *s, const tni_node *node) {
    const tni_shape_entry *from = &s->shapes[s->places[node->from[0]].shape];
    const tni_node_reduction *r = &node->of.reduction;
    uint64_t reduced = ~UINT64_C(0);
    int64_t shape[TN_MAX_NDIM];
    int ndim = 0, axes[TN_EXPRESSION_AXES];
    for (int k = 0; k < r->axis_count; k++)
        axes[k] = r->axes[k];
    if (r->axis_count != TN_AXES_ALL && from->ndim > 0)
        TNI_TRY(tni_axes_check(&reduced, r->axis_count, axes, from->ndim));
    for (int axis = 0; axis < from->ndim; axis++) {
        bool is_kept = !(reduced >> axis & 1);
        if (is_kept || r->keepdims) shape[ndim++] = is_kept ? from->shape[axis] : 1;
    }
    return find_shape(result, s, ndim, shape);
}

/* What is stored has the array's shape, or broadcasts to it. */
static tn_status shape_of_store(int8_t *result, tni_schedule *s, const tni_node *node) {
    int from = s->places[node->from[0]].shape;
    const tn_array *to = s->operands[node->place].array;
    int8_t shape, both;
    TNI_TRY(find_shape(&shape, s, to->ndim, tni_shape(to)));
    *result = shape;
    if (from < 0 || from == shape) return TN_OK;
    TNI_TRY(broadcast(&both, s, from, shape));
    if (both == shape) return TN_OK;
    char a[TNI_SHAPE_TEXT], b[TNI_SHAPE_TEXT];
    return tni_fail(TN_ERROR_VALUE, "could not broadcast input array from shape %s into shape %s",
                    tni_shape_text(a, s->shapes[from].ndim, s->shapes[from].shape),
                    tni_shape_text(b, to->ndim, tni_shape(to)));
}

static tn_status check_match(const tni_schedule *s, const tni_node *node) {
    char text[2][TNI_SHAPE_TEXT];
    int shapes[2] = {s->places[node->from[0]].shape, s->places[node->from[1]].shape};
    if (shapes[0] == shapes[1]) return TN_OK;
    for (int k = 0; k < 2; k++)
        if (shapes[k] < 0)
            tni_shape_text(text[k], 0, NULL);
        else
            tni_shape_text(text[k], s->shapes[shapes[k]].ndim, s->shapes[shapes[k]].shape);
    return tni_fail(TN_ERROR_VALUE, "shapes %s and %s of an expression differ", text[0], text[1]);
}

/* Scalars are tried out, so that none fails when something is written already. */
static tn_status check_scalar(const tni_schedule *s, const tni_node *node) {
    unsigned char value[16];
    const tni_node *from = &s->expression->nodes[node->from[0]];
    if (from->kind == TNI_NODE_CONSTANT) return TN_OK;
    return tni_node_convert(value, s->operands[from->place].scalar, node);
}

static tn_status shape_of(int8_t *result, tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    const tn_array *array;
    *result = -1;
    switch (node->kind) {
    case TNI_NODE_INPUT:
        array = s->operands[node->place].array;
        return find_shape(result, s, array->ndim, tni_shape(array));
    case TNI_NODE_OPERATION:
    case TNI_NODE_SECOND:
    case TNI_NODE_CAST: return shape_of_operation(result, s, node);
    case TNI_NODE_REDUCTION: return shape_of_reduction(result, s, node);
    case TNI_NODE_STORE: return shape_of_store(result, s, node);
    case TNI_NODE_MATCH: return check_match(s, node);
    case TNI_NODE_SCALAR: return check_scalar(s, node);
    default: return TN_OK;
    }
}

/* --- Levels and groups --- */

static int level_of(const tni_schedule *s, int n) {
    const tni_node *nodes = s->expression->nodes, *node = &nodes[n];
    int level = 0;
    for (int k = 0; k < node->count; k++) {
        int from = tni_schedule_source(s, node->from[k]);
        const tni_place *place = &s->places[from];
        int least = 0;
        if (nodes[from].kind == TNI_NODE_REDUCTION)
            least = place->level + 1;
        else if (is_computed(&nodes[from]))
            least = place->level +
                    (node->kind == TNI_NODE_REDUCTION || place->shape != s->places[n].shape);
        if (least > level) level = least;
    }
    return level;
}

/* The group of a level and a shape; NULL: there is none yet. */
static tni_group *find_group(tni_schedule *s, int level, int shape) {
    for (int g = s->group_count - 1; g >= 0; g--)
        if (s->groups[g].level == level && s->groups[g].shape == shape) return &s->groups[g];
    return NULL;
}

/* How many inputs a group's call has more with a node; marks them as the group's if it takes it. */
static int add_inputs(tni_schedule *s, int n, int group, bool takes) {
    const tni_node *node = &s->expression->nodes[n];
    int count = 0;
    for (int k = 0; k < node->count; k++) {
        int from = tni_schedule_source(s, node->from[k]);
        tni_place *place = &s->places[from];
        if (place->group == group || place->entered == group + 1) continue;
        count += k == 0 || from != tni_schedule_source(s, node->from[0]);
        if (takes) place->entered = (int16_t)(group + 1);
    }
    return count;
}

/* Whether a node's group has no room for it: for a step, or for the inputs of its call. */
static bool is_full(tni_schedule *s, int n, const tni_group *group) {
    return group->steps >= s->most_steps ||
           group->inputs + add_inputs(s, n, (int)(group - s->groups), false) > s->most_inputs;
}

/* The group of a computed node. Where it is full the node comes a level later. A second output is
 * made with the first. */
static void join_group(tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    tni_place *place = &s->places[n];
    if (node->kind == TNI_NODE_SECOND) {
        place->group = s->places[node->from[0]].group;
        place->level = s->places[node->from[0]].level;
        return;
    }
    tni_group *group = NULL;
    while (!s->is_in_order && (group = find_group(s, place->level, place->shape)) &&
           is_full(s, n, group))
        place->level++;
    if (!group) {
        group = &s->groups[s->group_count++];
        *group = (tni_group){.level = place->level, .shape = place->shape};
    }
    group->steps++;
    group->inputs = (int16_t)(group->inputs + add_inputs(s, n, (int)(group - s->groups), true));
    place->group = (int16_t)(group - s->groups);
}

/* Whose value is read from memory by another node than one of its group. */
static void mark_kept(tni_schedule *s, int n) {
    const tni_node *nodes = s->expression->nodes;
    for (int k = 0; k < nodes[n].count; k++) {
        int from = tni_schedule_source(s, nodes[n].from[k]);
        if (is_computed(&nodes[from]) && s->places[from].group != s->places[n].group)
            s->places[from].is_kept = true;
    }
}

static tn_status part(tni_schedule *s) {
    const tn_expression *e = s->expression;
    s->group_count = s->shape_count = s->levels = 0;
    mark_needed(s);
    for (int n = 0; n < e->count; n++) {
        tni_place *place = &s->places[n];
        place->group = place->stamp = -1;
        TNI_TRY(shape_of(&place->shape, s, n)); /* also of what nothing needs: it may fail */
        if (!place->is_needed) continue;
        place->level = (int16_t)(s->is_in_order ? n : level_of(s, n));
        if (is_computed(&e->nodes[n])) join_group(s, n);
        if (e->nodes[n].kind < TNI_NODE_STORE || s->is_in_order) mark_kept(s, n);
        if (place->level >= s->levels) s->levels = place->level + 1;
    }
    return TN_OK;
}

/* Whether each group's call has room for its inputs and outputs; stores may be among both. */
static bool fits(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int n = 0; n < e->count; n++) {
        const tni_place *place = &s->places[n];
        if (place->group >= 0 && place->is_kept) s->groups[place->group].outputs++;
    }
    for (int k = 0; k < e->operand_count && e->store_count && s->group_count; k++) {
        if (s->last_store[k] < 0) continue;
        int group = s->places[tni_schedule_source(s, s->last_store[k])].group;
        s->groups[group < 0 ? 0 : group].outputs++;
        s->groups[0].inputs += group < 0;
    }
    for (int g = 0; g < s->group_count; g++)
        if (s->groups[g].inputs + s->groups[g].outputs > TNI_EXPRESSION_ARGUMENTS) return false;
    return true;
}

tn_status tni_schedule_make(tni_schedule *s) {
    enum { LESS_INPUTS = TNI_EXPRESSION_ARGUMENTS - 2 }; /* of chains that are cut */
    s->most_steps = MOST_STEPS;
    s->most_inputs = TNI_EXPRESSION_ARGUMENTS;
    TNI_TRY(part(s));
    for (int most = LESS_INPUTS; !s->is_in_order && s->most_steps > 1 && !fits(s); most /= 2) {
        s->most_steps = most < LESS_INPUTS ? s->most_steps / 2 : MOST_STEPS;
        s->most_inputs = most;
        memset(s->places, 0, (size_t)s->expression->count * sizeof *s->places);
        TNI_TRY(part(s));
    }
    return TN_OK;
}
