/* Algorithm: of the group that makes what a reduction reads, those nodes enter the reduction that
 * its value needs, backwards to values that are in memory anyway. They are a map
 * (core/reduce/map.h) if the backend takes one so long, of inputs that lie so. Nodes that others
 * read too are computed again, where that moves fewer bytes than to store them; the others have no
 * readers left, and no group computes them (regroup.c). The map's array has the bits that the group
 * would make, so that the result has those of two passes. */
#include "kernel/expression/fold.h"

#include "backend/backend.h"
#include "core/array/view.h"
#include "core/reduce/mapped.h"
#include "core/reduce/reductions.h"
#include "core/rules/op.h"
#include "kernel/expression/cuts.h"
#include "kernel/expression/notes.h"
#include "kernel/expression/shapes.h"

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

static tn_status decide(tni_reduce_request *request, bool *is_single, const tni_schedule *s, int n,
                        const tn_reduce_options *options) {
    const tni_node *node = &s->expression->nodes[n];
    return tni_reduction_decide(request, is_single, (tn_reduction)node->op,
                                (tn_dtype)s->expression->nodes[node->from[0]].dtype, options, NULL);
}

/* --- Which nodes --- */

/* A reduction whose chain is looked for: what it reads, and the group that would make that. */
typedef struct chain {
    tni_schedule *s;
    int reduction, group;
    int steps, inputs; /* of the map: nodes, and arrays and scalars */
    int arrays;        /* of the inputs, those as large as the value */
    bool is_shared;    /* others read some of the nodes, too */
    bool is_cheap;     /* these cost the host less to compute again than to store */
    int later;         /* a group that reads some later; -1: none does */
} chain;

static void count_readers(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int k = 0; k < e->output_count; k++)
        s->places[tni_place_source(s, e->outputs[k])].readers++;
    for (int n = 0; n < e->count; n++)
        for (int k = 0; k < e->nodes[n].count && s->places[n].is_needed; k++)
            s->places[tni_place_source(s, e->nodes[n].from[k])].readers++;
}

static void enter(tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    for (int k = 0; k < node->count; k++)
        s->places[tni_place_source(s, node->from[k])].inside++;
}

/* Whether a node can be a step: it makes one value. */
static bool is_step(const tni_node *node) {
    return node->kind == TNI_NODE_CAST ||
           (node->kind == TNI_NODE_OPERATION && tn_op_outputs((tn_op)node->op) == 1);
}

/* Whether a node converts an array that lies as the value to a dtype that is no smaller: to read
 * that array moves no more bytes than to read what the node makes. */
static bool is_free(const chain *c, int n) {
    const tni_schedule *s = c->s;
    const tni_node *nodes = s->expression->nodes, *node = &nodes[n];
    if (node->kind != TNI_NODE_CAST) return false;
    const int from = tni_place_source(s, node->from[0]);
    return nodes[from].kind == TNI_NODE_INPUT && s->places[from].shape == s->places[n].shape &&
           tn_dtype_size((tn_dtype)nodes[from].dtype) <= tn_dtype_size((tn_dtype)node->dtype) &&
           tni_shapes_lies_as(s, n, tni_place_array(s, from));
}

/* A place is `inside` as often as the nodes that enter read it. One that is an output is in memory
 * anyway. A free node may be one of another group. */
static bool is_taken(const chain *c, int n) {
    const tni_schedule *s = c->s;
    const tni_place *place = &s->places[n];
    if (place->inside == 0 || place->is_output || place->group < 0) return false;
    if (place->group == c->group) return true;
    const tni_group *group = &s->groups[place->group], *own = &s->groups[c->group];
    return group->shape == own->shape && group->floor == own->floor && is_free(c, n);
}

bool tni_fold_is_cheap(const tni_node *node) {
    static const tn_op ops[] = {TN_OP_ADD,      TN_OP_SUBTRACT, TN_OP_MULTIPLY, TN_OP_NEGATIVE,
                                TN_OP_ABSOLUTE, TN_OP_MAXIMUM,  TN_OP_MINIMUM,  TN_OP_SQUARE};
    bool is_found = node->kind == TNI_NODE_CAST;
    for (size_t k = 0; k < sizeof ops / sizeof *ops && !is_found; k++)
        is_found = node->kind == TNI_NODE_OPERATION && node->op == (int)ops[k];
    return is_found;
}

/* Notes why there is no chain, which is not: false. */
static bool refuse(const chain *c, const char *why) {
    tni_note_why_fold(c->s->explanation, c->reduction, why);
    return false;
}

/* Whether all that read a taken node from outside are of its group, of one later group of its
 * shape, or reductions; false: it is better stored. */
static bool look_at_readers(chain *c, int n) {
    tni_schedule *s = c->s;
    const tn_expression *e = s->expression;
    for (int reader = n + 1; reader < e->count; reader++)
        for (int k = 0; k < e->nodes[reader].count && s->places[reader].is_needed; k++) {
            if (tni_place_source(s, e->nodes[reader].from[k]) != n) continue;
            int kind = e->nodes[reader].kind, group = s->places[reader].group;
            if (kind == TNI_NODE_REDUCTION || group == c->group) continue;
            if (kind >= TNI_NODE_STORE || s->places[reader].shape != s->places[n].shape ||
                s->groups[group].floor != s->groups[c->group].floor ||
                (c->later >= 0 && c->later != group))
                return false;
            c->later = group;
        }
    return true;
}

static void add_input(chain *c, int n) {
    tni_schedule *s = c->s;
    tni_place *place = &s->places[n];
    if (place->entered == -1 - c->reduction) return;
    place->entered = (int16_t)(-1 - c->reduction);
    c->inputs++;
    c->arrays +=
        tni_place_size(s, n) > 1 &&
        place->shape ==
            s->places[tni_place_source(s, s->expression->nodes[c->reduction].from[0])].shape;
}

static bool take(chain *c, int n) {
    tni_schedule *s = c->s;
    const tni_node *node = &s->expression->nodes[n];
    if (!is_step(node)) return refuse(c, "one of them is no step of a fold");
    if (s->places[n].inside < s->places[n].readers && !is_free(c, n)) {
        c->is_shared = true;
        c->is_cheap &= tni_fold_is_cheap(node);
        if (!look_at_readers(c, n)) return refuse(c, "others read what they make, too");
    }
    c->steps++;
    enter(s, n);
    return c->steps <= TNI_BODY_STEPS || refuse(c, "they are more steps than a fold takes");
}

/* Whether a backend that wants inputs to lie as the value gets them so. */
static bool lies_well(const chain *c, int input, int value) {
    const tni_schedule *s = c->s;
    const tni_node *node = &s->expression->nodes[input];
    if (node->kind == TNI_NODE_SCALAR) return true;
    if (s->places[input].shape != s->places[value].shape) return false;
    const tn_array *array = tni_place_array(s, input);
    if (!array) return s->places[input].lies == s->places[value].lies;
    return tni_shapes_lies_as(s, value, array);
}

/* Whether a value has the shape of the array that it was read from after a store, and the order of
 * all others here. */
static bool lies_as_read(const tni_schedule *s, int read, int from) {
    if (read == from) return true;
    const tn_array *array = tni_place_array(s, read);
    return s->places[read].shape == s->places[from].shape && tni_shapes_lies_as(s, from, array);
}

static bool add_inputs(chain *c, int value) {
    tni_schedule *s = c->s;
    const tn_expression *e = s->expression;
    const bool may_lie = tni_backend_of(s->stream)->reduce->takes_strided_bodies;
    for (int n = 0; n <= value; n++) {
        if (!is_taken(c, n)) continue;
        for (int k = 0; k < e->nodes[n].count; k++) {
            int read = e->nodes[n].from[k], from = tni_place_source(s, read);
            if (s->places[read].shape != s->places[from].shape)
                return refuse(c, "a stored value is smaller than its array");
            if (!is_taken(c, from)) add_input(c, from);
            if (!is_taken(c, from) && !may_lie && !lies_well(c, from, value))
                return refuse(c, "an array that they read lies otherwise than what is folded");
        }
    }
    return c->inputs <= TNI_BODY_INPUTS ||
           refuse(c, "they read more arrays and scalars than a fold takes");
}

/* To store a value and read it again are two passes over it. */
static bool is_worth_again(const chain *c) {
    enum { MOST_STEPS = 8 };
    bool is_host = tn_stream_device(c->s->stream).backend == TN_BACKEND_HOST;
    if (!c->is_shared) return true;
    return c->steps <= MOST_STEPS && (c->is_cheap || !is_host) &&
           c->arrays <= (c->later >= 0 ? 1 : 2);
}

static bool find_chain(chain *c) {
    tni_schedule *s = c->s;
    const int read = s->expression->nodes[c->reduction].from[0];
    const int value = tni_place_source(s, read);
    for (int n = 0; n <= value; n++)
        s->places[n].inside = 0;
    s->places[value].inside = 1;
    if (!is_taken(c, value)) return refuse(c, "others read what they make, too");
    if (!lies_as_read(s, read, value)) return refuse(c, "a stored value lies as its array does");
    for (int n = value; n >= 0; n--)
        if (is_taken(c, n) && !take(c, n)) return false;
    return add_inputs(c, value) &&
           (is_worth_again(c) || refuse(c, "others read what they make, too"));
}

/* On the host a pass over what the caches hold costs less than what describes a map. */
static bool is_large(const tni_schedule *s, int value) {
    enum { FEW = 8192 };
    return tn_stream_device(s->stream).backend != TN_BACKEND_HOST ||
           tni_place_size(s, value) >= FEW;
}

static tn_status choose(tni_schedule *s, int n, bool *has_counted) {
    const int value = tni_place_source(s, s->expression->nodes[n].from[0]);
    tni_group *group = &s->groups[s->places[n].group];
    chain c = {
        .s = s, .reduction = n, .group = s->places[value].group, .is_cheap = true, .later = -1};
    tni_fold_options options;
    tni_reduce_request request;
    bool is_single;
    if (s->expression->nodes[value].kind == TNI_NODE_VIEW)
        return refuse(&c, "it reads a view of what they make"), TN_OK;
    if (c.group < 0 || s->groups[c.group].alone >= 0 || !is_large(s, value) ||
        tni_cuts(s->cuts, TNI_CUT_CHAINS, n))
        return refuse(&c, "so few elements cost less in two calls"), TN_OK;
    if (group->floor != s->groups[c.group].floor) /* what they read is overwritten */
        return refuse(&c, "a store to an array that overlaps another one stands between"), TN_OK;
    tni_fold_set_options(&options, &s->expression->nodes[n]);
    TNI_TRY(decide(&request, &is_single, s, n, &options.options));
    if (!is_single || tni_op_is_ordered(request.op))
        return refuse(&c, "this reduction takes arrays alone"), TN_OK;
    if (!*has_counted) count_readers(s);
    *has_counted = true;
    if (!find_chain(&c) || s->member_count + c.steps > s->expression->count) return TN_OK;
    group->first = (int16_t)s->member_count;
    for (int k = 0; k <= value; k++)
        if (is_taken(&c, k)) s->members[s->member_count++] = (int16_t)k;
    group->count = (int16_t)(s->member_count - group->first);
    return TN_OK;
}

tn_status tni_fold_choose(tni_schedule *s) {
    const tn_expression *e = s->expression;
    bool has_counted = false;
    for (int n = 0; n < e->count; n++)
        if (e->nodes[n].kind == TNI_NODE_REDUCTION && s->places[n].is_needed)
            TNI_TRY(choose(s, n, &has_counted));
    return TN_OK;
}

/* --- The map --- */

static tn_status add_map_input(tni_map *map, tni_schedule *s, int n, int stamp) {
    const tni_node *node = &s->expression->nodes[n];
    tni_place *place = &s->places[n];
    if (place->stamp == stamp) return TN_OK;
    const int at = map->input_count++;
    map->inputs[at] = NULL;
    if (node->kind == TNI_NODE_SCALAR) {
        map->scalars[at] = (tn_scalar){(tn_dtype)node->dtype, false, false, {0}};
        TNI_TRY(tni_place_scalar(map->scalars[at].value.bytes, s, node));
    } else {
        map->inputs[at] = tni_place_array(s, n);
    }
    map->dtypes[at] = node->dtype;
    place->stamp = (int16_t)stamp;
    place->value = (tni_value)at;
    return TN_OK;
}

static tn_status make_map(tni_map *map, int *axes, tni_schedule *s, const tni_group *group) {
    const tn_expression *e = s->expression;
    const int16_t *members = &s->members[group->first];
    const int stamp = -2 - (int)(group - s->groups); /* the group's own is for calls of it */
    map->input_count = map->step_count = 0;
    map->asked = s->asked;
    tni_shapes_axes(axes, s, members[group->count - 1]);
    map->order = axes;
    for (int k = 0; k < group->count; k++)
        s->places[members[k]].stamp = (int16_t)stamp;
    for (int k = 0; k < group->count; k++)
        for (int j = 0; j < e->nodes[members[k]].count; j++)
            TNI_TRY(
                add_map_input(map, s, tni_place_source(s, e->nodes[members[k]].from[j]), stamp));
    for (int k = 0; k < group->count; k++) {
        const int value = map->input_count + map->step_count;
        tni_place_step(&map->steps[map->step_count++], s, members[k]);
        map->dtypes[value] = e->nodes[members[k]].dtype;
        s->places[members[k]].value = (tni_value)value;
    }
    return TN_OK;
}

/* How many elements, from the fastest axis on, follow each other at one stride in each input. */
static int64_t find_line(const tni_shape_entry *shape, const tni_map *map) {
    int64_t strides[TNI_BODY_INPUTS][TN_MAX_NDIM], next[TNI_BODY_INPUTS], line = 1;
    for (int k = 0; k < map->input_count; k++)
        if (map->inputs[k]) tni_strides_broadcast(strides[k], map->inputs[k], shape->ndim);
    for (int at = shape->ndim - 1; at >= 0; at--) {
        const int axis = map->order[at];
        if (shape->shape[axis] == 1) continue;
        for (int k = 0; k < map->input_count; k++) {
            if (!map->inputs[k]) continue;
            if (line > 1 && strides[k][axis] != next[k]) return line;
            next[k] = strides[k][axis] * shape->shape[axis];
        }
        line *= shape->shape[axis];
    }
    return line;
}

/* On the host each line has its own beginning, which is worth a pass over short ones. */
static bool has_long_lines(const tni_schedule *s, int n, const tni_map *map) {
    enum { LEAST = 256 };
    const int value = tni_place_source(s, s->expression->nodes[n].from[0]);
    const tni_shape_entry *shape = &s->shapes[s->places[value].shape];
    if (tn_stream_device(s->stream).backend != TN_BACKEND_HOST) return true;
    const int64_t line = find_line(shape, map);
    return line >= LEAST || line == tni_place_size(s, value);
}

tn_status tni_fold_reduce(tn_array **result, bool *is_done, tni_schedule *s, int group,
                          const tn_reduce_options *options) {
    tni_map map;
    tni_reduce_request request;
    bool is_single;
    int axes[TN_MAX_NDIM];
    TNI_TRY(decide(&request, &is_single, s, s->groups[group].alone, options));
    TNI_TRY(make_map(&map, axes, s, &s->groups[group]));
    const int n = s->groups[group].alone;
    TNI_TRY(tni_note_fold(s, n, true, NULL, &map));
    *is_done = false;
    if (!tni_cuts(s->cuts, TNI_CUT_PROGRAM, n) && has_long_lines(s, n, &map))
        TNI_TRY(tni_reduce_mapped(result, &request, &map, is_done, s->stream));
    if (*is_done) return TN_OK;
    tni_note_undo(s);
    tni_note_why_fold(s->explanation, n,
                      "a fold takes no arrays of these dtypes and strides, or of so short lines, "
                      "or no program of both could be made");
    return TN_OK;
}
