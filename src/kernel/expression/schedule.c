/* Algorithm: forwards, find shapes; backwards, mark what outputs and stores need. Then, forwards,
 * levels: a node has the level of the latest of its operands, and one more where an operand is of
 * another shape or a reduction, which must be in memory before. Nodes of one level and one shape
 * are a group. Chains enter reductions (fold.c); regroup.c moves nodes to where they are read,
 * parts groups and orders them. Where a group then has more inputs and outputs than a call has
 * arguments, all is done again, and what was in that group is in groups of fewer inputs, so that a
 * long chain is cut into few.
 *
 * A store to an array that overlaps another operand is a group and a level of its own: what comes
 * before it in the graph runs before, what comes after it runs after. */
#include "kernel/expression/schedule.h"

#include "core/reduce/reductions.h"
#include "kernel/expression/cuts.h"
#include "kernel/expression/fold.h"
#include "kernel/expression/regroup.h"
#include "kernel/expression/shapes.h"

#include <string.h>

/* --- What is needed --- */

/* A store is needed if it is the last to its array, or if others see what it writes. */
static void mark_needed(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int k = 0; k < e->operand_count; k++)
        s->last_store[k] = -1;
    for (int k = 0; k < e->output_count; k++)
        s->places[e->outputs[k]].is_needed = s->places[e->outputs[k]].is_output = true;
    for (int n = e->count - 1; n >= 0; n--) {
        const tni_node *node = &e->nodes[n];
        tni_place *place = &s->places[n];
        if (node->kind == TNI_NODE_STORE) {
            bool is_last = s->last_store[node->place] < 0;
            if (is_last) s->last_store[node->place] = (int16_t)n;
            place->is_needed |= is_last || s->overlapping >> node->place & 1;
        }
        if (node->kind == TNI_NODE_REDUCTION && tni_place_size(s, node->from[0]) == 0)
            place->is_needed = true; /* it may fail, as it does by itself */
        if (!place->is_needed) continue;
        if (node->kind == TNI_NODE_VIEW) s->places[node->from[0]].is_output |= place->is_output;
        for (int k = 0; k < node->count; k++)
            s->places[node->from[k]].is_needed = true;
        if (node->kind == TNI_NODE_SCALAR) s->places[node->from[0]].is_needed = true;
    }
}

/* What reductions refuse they refuse before anything is written, also those that nothing needs. */
static tn_status check_reductions(tni_schedule *s) {
    const tn_expression *e = s->expression;
    s->may_store_early = true;
    for (int n = 0; n < e->count && e->has_reductions; n++) {
        const tni_node *node = &e->nodes[n];
        tni_fold_options options;
        tni_reduce_request request;
        bool is_single;
        if (node->kind != TNI_NODE_REDUCTION) continue;
        s->may_store_early &= tni_place_size(s, node->from[0]) > 0;
        if (s->places[n].is_needed && !e->store_count) continue; /* when it is computed */
        tni_fold_set_options(&options, node);
        TNI_TRY(tni_reduction_decide(&request, &is_single, (tn_reduction)node->op,
                                     (tn_dtype)e->nodes[node->from[0]].dtype, &options.options,
                                     NULL));
    }
    return TN_OK;
}

tn_status tni_schedule_look(tni_schedule *s) {
    s->shape_count = s->lies_count = 0;
    for (int n = 0; n < s->expression->count; n++) {
        s->places[n].stamp = -1;
        TNI_TRY(tni_shapes_find(s, n)); /* also of what nothing needs: it may fail */
    }
    mark_needed(s);
    return check_reductions(s);
}

/* --- Levels and groups --- */

static int level_of(const tni_schedule *s, int n) {
    const tni_node *nodes = s->expression->nodes, *node = &nodes[n];
    int level = s->floor;
    for (int k = 0; k < node->count; k++) {
        int from = tni_place_source(s, node->from[k]);
        const tni_place *place = &s->places[from];
        int least = 0;
        if (nodes[from].kind == TNI_NODE_REDUCTION || node->kind == TNI_NODE_VIEW)
            least = place->level + 1;
        else if (nodes[from].kind == TNI_NODE_VIEW)
            least = place->level; /* that of what reads what is shown */
        else if (tni_node_is_computed(&nodes[from]))
            least = place->level +
                    (node->kind == TNI_NODE_REDUCTION || place->shape != s->places[n].shape);
        if (least > level) level = least;
    }
    return level + (node->kind != TNI_NODE_SECOND && tni_cuts(s->cuts, TNI_CUT_NODE, n));
}

/* The group of a level and a shape; NULL: there is none yet. */
static tni_group *find_group(tni_schedule *s, int level, int shape) {
    for (int g = s->group_count - 1; g >= 0; g--)
        if (s->groups[g].level == level && s->groups[g].shape == shape && s->groups[g].alone < 0)
            return &s->groups[g];
    return NULL;
}

static tni_group *add_group(tni_schedule *s, int level, int shape, int alone) {
    tni_group *group = &s->groups[s->group_count++];
    *group = (tni_group){.level = (int16_t)level,
                         .floor = (int16_t)s->floor,
                         .shape = (int16_t)shape,
                         .alone = (int16_t)alone,
                         .stores = -1};
    return group;
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
    tni_group *group;
    while ((group = find_group(s, place->level, place->shape)) &&
           !tni_place_has_room(s, n, (int)(group - s->groups)))
        place->level++;
    if (!group) group = add_group(s, place->level, place->shape, -1);
    tni_place_join(s, n, (int)(group - s->groups));
}

/* A store that others see ends what came before it. */
static bool ends_level(const tni_schedule *s, const tni_node *node) {
    return node->kind == TNI_NODE_STORE && s->overlapping >> node->place & 1;
}

static void find_groups(tni_schedule *s) {
    const tn_expression *e = s->expression;
    int levels = 0;
    s->group_count = s->member_count = s->floor = 0;
    for (int n = 0; n < e->count; n++) {
        tni_place *place = &s->places[n];
        place->group = place->stamp = -1;
        place->entered = place->readers = place->inside = 0;
        place->is_kept = false;
        if (!place->is_needed) continue;
        if (ends_level(s, &e->nodes[n])) s->floor = levels;
        place->level = (int16_t)level_of(s, n);
        if (tni_node_is_computed(&e->nodes[n])) {
            join_group(s, n);
        } else if (e->nodes[n].kind == TNI_NODE_REDUCTION || ends_level(s, &e->nodes[n])) {
            place->group = (int16_t)s->group_count;
            add_group(s, place->level, place->shape, n);
        }
        if (place->level >= levels) levels = place->level + 1;
        if (ends_level(s, &e->nodes[n])) s->floor = levels;
    }
}

/* --- All of it --- */

/* Counts what each group's call has; stores may be among inputs and outputs. */
static void count_arguments(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int g = 0; g < s->group_count; g++)
        s->groups[g].inputs = s->groups[g].outputs = s->groups[g].scalars = 0;
    for (int n = 0; n < e->count; n++)
        s->places[n].entered = 0;
    for (int g = 0; g < s->group_count; g++) {
        tni_group *group = &s->groups[g];
        for (int k = 0; k < group->count && group->alone < 0; k++) {
            int n = s->members[group->first + k];
            tni_input_counts added = tni_place_add_inputs(s, n, g, true);
            group->inputs = (int16_t)(group->inputs + added.arrays);
            group->scalars = (int16_t)(group->scalars + added.scalars);
            group->outputs += s->places[n].is_kept;
        }
        group->outputs += group->stores >= 0;
    }
    for (int k = 0; k < e->operand_count; k++)
        if (s->stored_by[k] >= 0) s->groups[s->stored_by[k]].outputs++;
}

/* Halves the room of what is in groups that have too much for a call; false: none has. */
static bool halve_full(tni_schedule *s) {
    const tn_expression *e = s->expression;
    bool is_halved = false;
    if (s->group_count == 1 &&
        s->groups[0].inputs + e->output_count + e->store_count <= TNI_EXPRESSION_ARRAYS)
        return false;
    count_arguments(s);
    for (int g = 0; g < s->group_count; g++) {
        const tni_group *group = &s->groups[g];
        if (group->alone >= 0 || group->halvings == TNI_HALVINGS ||
            (group->inputs + group->outputs <= TNI_EXPRESSION_ARRAYS &&
             group->scalars <= TNI_EXPRESSION_SCALARS))
            continue;
        for (int k = 0; k < group->count; k++)
            s->places[s->members[group->first + k]].halvings = (int8_t)(group->halvings + 1);
        is_halved = true;
    }
    return is_halved;
}

tn_status tni_schedule_make(tni_schedule *s) {
    do {
        find_groups(s);
        if (s->expression->has_reductions) TNI_TRY(tni_fold_choose(s));
        tni_regroup(s);
    } while (halve_full(s));
    return TN_OK;
}
