/* Algorithm: backwards, a node whose readers are all in one later group moves there, so that its
 * operands are read instead of its value; a node without a reader left is in no group. Then the
 * groups of large arrays are parted into what is connected by values and inputs that they share.
 * The order is depth first, from those that no other reads, in the order of the graph: so parts
 * that share nothing run one after the other, and what is between two passes is in memory for a
 * short time. */
#include "kernel/expression/regroup.h"

#include "kernel/expression/shapes.h"

#include <string.h>

enum { NONE = -1, SEVERAL = -2 };

static int source_of(const tni_schedule *s, int n, int k) {
    return tni_place_source(s, s->expression->nodes[n].from[k]);
}

/* The group that makes what a node is; -1: none does. */
static int group_of(const tni_schedule *s, int n) {
    return s->places[tni_place_maker(s, n)].group;
}

/* Of computed nodes: the group that alone reads it. What views show stays where it is. */
static void note_reader(tni_schedule *s, int n, int group) {
    tni_place *place = &s->places[tni_place_maker(s, n)];
    if (s->expression->nodes[n].kind == TNI_NODE_VIEW) group = SEVERAL;
    place->reader = (int16_t)(place->reader == NONE || place->reader == group ? group : SEVERAL);
}

/* What enters a reduction is read by it only where it is in memory. */
static void note_folded(tni_schedule *s, int g) {
    const tni_group *group = &s->groups[g];
    for (int k = 0; k < group->count; k++)
        s->places[s->members[group->first + k]].inside = (int16_t)(g + 1);
    for (int k = 0; k < group->count; k++) {
        int n = s->members[group->first + k];
        for (int j = 0; j < s->expression->nodes[n].count; j++)
            if (s->places[source_of(s, n, j)].inside != g + 1)
                note_reader(s, source_of(s, n, j), g);
    }
}

static void note_stored(tni_schedule *s) {
    for (int k = 0; k < s->expression->operand_count; k++)
        if (s->last_store[k] >= 0) note_reader(s, tni_place_source(s, s->last_store[k]), SEVERAL);
}

/* --- Moving --- */

/* Whether a node is better computed in the later group that alone reads it. Of what it reads, one
 * value at most then has to be in memory instead of it. */
static bool is_movable(tni_schedule *s, int n) {
    const tn_expression *e = s->expression;
    const tni_place *place = &s->places[n];
    if (place->reader < 0 || place->is_output || e->nodes[n].kind == TNI_NODE_SECOND ||
        (e->nodes[n].kind == TNI_NODE_OPERATION && tn_op_outputs((tn_op)e->nodes[n].op) > 1))
        return false;
    const tni_group *from = &s->groups[place->group], *to = &s->groups[place->reader];
    if (to->alone >= 0 || to->shape != from->shape || to->floor != from->floor || s->cuts ||
        !tni_place_has_room(s, n, place->reader))
        return false;
    int kept = 0;
    for (int k = 0; k < e->nodes[n].count; k++) {
        const tni_place *operand = &s->places[source_of(s, n, k)];
        kept += operand->group == place->group && operand->reader != NONE &&
                operand->reader != place->reader;
    }
    return kept < 2;
}

static bool has_second(const tni_schedule *s, int n) {
    return n + 1 < s->expression->count && s->expression->nodes[n + 1].kind == TNI_NODE_SECOND &&
           s->places[n + 1].group >= 0;
}

/* Backwards, so that a node's readers are where they stay. */
static void move_nodes(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int n = 0; n < e->count; n++) {
        s->places[n].reader = NONE;
        s->places[n].inside = s->places[n].entered = 0;
    }
    note_stored(s);
    for (int n = e->count - 1; n >= 0; n--) {
        tni_place *place = &s->places[n];
        if (place->group < 0) continue;
        if (tni_node_is_computed(&e->nodes[n])) {
            if (place->reader == NONE && !place->is_output && !has_second(s, n)) {
                s->groups[place->group].steps--;
                place->group = NONE;
                continue;
            }
            if (place->reader != place->group && is_movable(s, n)) {
                s->groups[place->group].steps--;
                tni_place_join(s, n, place->reader);
            }
        } else if (s->groups[place->group].count) {
            note_folded(s, place->group);
            continue;
        }
        for (int k = 0; k < e->nodes[n].count; k++)
            note_reader(s, source_of(s, n, k), place->group);
    }
}

/* --- Parting --- */

/* The first node of the part that a node is in. */
static int find_part(tni_schedule *s, int n) {
    while (s->places[n].last != n)
        n = s->places[n].last = s->places[s->places[n].last].last;
    return n;
}

static void join_parts(tni_schedule *s, int a, int b) {
    a = find_part(s, a);
    b = find_part(s, b);
    s->places[a > b ? a : b].last = (int16_t)(a > b ? b : a);
}

/* Small arrays cost calls, not memory. */
static bool is_small(const tni_schedule *s, int n) {
    enum { SMALL_ON_HOST = 1 << 14, SMALL_ELSEWHERE = 1 << 18 };
    bool is_host = tn_stream_device(s->stream).backend == TN_BACKEND_HOST;
    return tni_place_size(s, n) <= (is_host ? SMALL_ON_HOST : SMALL_ELSEWHERE);
}

/* Nodes of a group that share a value or an array. `entered` of what they read from outside is the
 * last that read it, and one; `reader` the group. */
static void find_parts(tni_schedule *s, int group) {
    const tn_expression *e = s->expression;
    const int16_t *members = &s->members[s->groups[group].first];
    for (int m = 0; m < s->groups[group].count; m++)
        for (int k = 0; k < e->nodes[members[m]].count; k++) {
            int n = members[m], from = source_of(s, n, k);
            tni_place *place = &s->places[from];
            if (place->group == group) {
                join_parts(s, n, from);
            } else if (e->nodes[from].kind != TNI_NODE_SCALAR) {
                if (place->reader == group) join_parts(s, n, place->entered - 1);
                place->reader = (int16_t)group;
                place->entered = (int16_t)(n + 1);
            }
        }
}

static void part_groups(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int n = 0; n < e->count; n++) {
        s->places[n].last = (int16_t)n;
        s->places[n].reader = NONE;
    }
    for (int g = s->group_count - 1; g >= 0; g--) {
        s->groups[g].at = NONE; /* the part that stays in it */
        if (s->groups[g].alone < 0) find_parts(s, g);
    }
    for (int n = 0; n < e->count; n++) {
        tni_place *place = &s->places[n];
        if (place->group < 0 || !tni_node_is_computed(&e->nodes[n])) continue;
        int part = find_part(s, n);
        tni_group *group = &s->groups[place->group];
        if (part != n) {
            place->group = s->places[part].group;
        } else if (group->at == NONE) {
            group->at = (int16_t)n;
        } else if (!is_small(s, n)) {
            s->groups[s->group_count] = *group;
            place->group = (int16_t)s->group_count++;
        }
    }
}

/* --- Order --- */

/* The nodes of each group, in the order of the graph, after those that enter reductions. */
static void list_members(tni_schedule *s) {
    const tn_expression *e = s->expression;
    int at = s->member_count;
    for (int g = 0; g < s->group_count; g++)
        if (s->groups[g].alone < 0) s->groups[g].count = 0;
    for (int n = 0; n < e->count; n++)
        if (s->places[n].group >= 0 && tni_node_is_computed(&e->nodes[n]))
            s->groups[s->places[n].group].count++;
    for (int g = 0; g < s->group_count; g++) {
        tni_group *group = &s->groups[g];
        group->at = NONE;
        if (group->alone >= 0) continue;
        group->first = (int16_t)at;
        at += group->count;
        group->count = 0;
    }
    for (int n = 0; n < e->count; n++)
        if (s->places[n].group >= 0 && tni_node_is_computed(&e->nodes[n])) {
            tni_group *group = &s->groups[s->places[n].group];
            s->members[group->first + group->count++] = (int16_t)n;
        }
}

/* The values that a group reads, itself and through what enters it. */
typedef struct reading {
    const tni_schedule *s;
    int group, member, operand;
} reading;

/* The next one; -1: there is none. */
static int next_read(reading *r) {
    const tni_schedule *s = r->s;
    const tni_group *group = &s->groups[r->group];
    const bool is_alone = group->alone >= 0 && !group->count;
    while (r->member < (is_alone ? 1 : group->count)) {
        int n = is_alone ? group->alone : s->members[group->first + r->member];
        if (r->operand < s->expression->nodes[n].count) return source_of(s, n, r->operand++);
        r->operand = 0;
        r->member++;
    }
    return -1;
}

/* Whether a value that a group reads comes from another one. */
static bool is_from_outside(const tni_schedule *s, int n, int group) {
    const tni_group *of = &s->groups[group];
    if (s->places[n].group == group) return false;
    for (int k = 0; k < of->count && of->alone >= 0; k++)
        if (s->members[of->first + k] == n) return false;
    return true;
}

/* A group that has to run before this one and has no place yet; -1: none. */
static int find_before(const tni_schedule *s, int group) {
    reading r = {s, group, 0, 0};
    for (int n; (n = next_read(&r)) >= 0;) {
        int from = group_of(s, n);
        if (from >= 0 && s->groups[from].at == NONE && is_from_outside(s, n, group)) return from;
    }
    return -1;
}

/* The groups that a group needs, then itself. `order` holds the way to it, from the end. */
static void place_group(tni_schedule *s, int group, int room) {
    int top = room;
    s->order[--top] = (int16_t)group;
    while (top < room) {
        int now = s->order[top], before = find_before(s, now);
        if (before >= 0) {
            s->order[--top] = (int16_t)before;
            continue;
        }
        top++;
        s->groups[now].at = (int16_t)s->order_count;
        s->order[s->order_count++] = (int16_t)now;
    }
}

/* Marks groups that others of the same floor read: `outputs` of them is 1. */
static void mark_read(tni_schedule *s) {
    for (int g = 0; g < s->group_count; g++)
        s->groups[g].outputs = 0;
    for (int g = 0; g < s->group_count; g++) {
        reading r = {s, g, 0, 0};
        for (int n; (n = next_read(&r)) >= 0;) {
            int from = group_of(s, n);
            if (from >= 0 && from != g && s->groups[from].floor == s->groups[g].floor &&
                is_from_outside(s, n, g))
                s->groups[from].outputs = 1;
        }
    }
}

static bool is_last(const tni_schedule *s, int n) {
    const tni_group *group = &s->groups[s->places[n].group];
    return group->alone >= 0 || s->members[group->first + group->count - 1] == n;
}

static void order_groups(tni_schedule *s) {
    const tn_expression *e = s->expression;
    const int room = 2 * e->count;
    int floor = -1;
    mark_read(s);
    s->order_count = 0;
    for (;;) {
        int next = INT16_MAX;
        for (int n = 0; n < e->count; n++) {
            int group = s->places[n].group;
            if (group < 0) continue;
            int own = s->groups[group].floor;
            if (own > floor && own < next) next = own;
            if (own == floor && s->groups[group].at == NONE && !s->groups[group].outputs &&
                is_last(s, n))
                place_group(s, group, room);
        }
        if (next == INT16_MAX) return;
        floor = next;
    }
}

/* --- Stores that others see --- */

/* Whether what a group reads may be overwritten while it runs: element for element, or not at
 * all. */
static bool may_write(const tni_schedule *s, int group, const tn_array *to) {
    reading r = {s, group, 0, 0};
    for (int n; (n = next_read(&r)) >= 0;) {
        if (!is_from_outside(s, n, group) || s->places[n].shape < 0) continue;
        const tni_node *node = &s->expression->nodes[n];
        const bool is_memory = node->kind == TNI_NODE_INPUT || node->kind == TNI_NODE_STORE;
        if (is_memory &&
            tni_array_overlap(to, s->operands[node->place].array) == TNI_OVERLAP_PARTIAL)
            return false;
    }
    return true;
}

/* A store that is a group of its own is written by the group right before it, if that makes the
 * value and reads nothing that the store would overwrite under it. */
static void merge_stores(tni_schedule *s) {
    for (int g = 0; g < s->group_count; g++)
        s->groups[g].stores = NONE;
    for (int at = 1; at < s->order_count && !s->cuts; at++) {
        tni_group *group = &s->groups[s->order[at]], *before = &s->groups[s->order[at - 1]];
        const int n = group->alone;
        if (n < 0 || s->expression->nodes[n].kind != TNI_NODE_STORE) continue;
        const tni_place *value = &s->places[source_of(s, n, 0)];
        const tn_array *to = s->operands[s->expression->nodes[n].place].array;
        if (value->group != s->order[at - 1] || before->alone >= 0 ||
            value->shape != s->places[n].shape || !(to->flags & TNI_ALIGNED) ||
            !tni_place_is_spread(to) || !may_write(s, value->group, to))
            continue;
        group->stores = before->stores = (int16_t)n;
    }
}

/* --- What is in memory --- */

/* A value that is read until then; so is what it shows. */
static void keep_until(tni_schedule *s, int n, int until) {
    for (;;) {
        s->places[n].is_kept = true;
        if (s->places[n].last < until) s->places[n].last = (int16_t)until;
        if (s->expression->nodes[n].kind != TNI_NODE_VIEW) return;
        n = s->expression->nodes[n].from[0];
    }
}

static void mark_read_until(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int n = 0; n < e->count; n++) {
        s->places[n].is_kept = s->places[n].is_output;
        s->places[n].last = s->places[n].is_output ? TNI_NEVER : -1;
    }
    for (int at = 0; at < s->order_count; at++) {
        int group = s->order[at];
        if (s->groups[group].alone >= 0 && s->groups[group].stores >= 0) continue;
        reading r = {s, group, 0, 0};
        for (int n; (n = next_read(&r)) >= 0;) {
            if (is_from_outside(s, n, group)) keep_until(s, n, at);
        }
    }
}

/* Whether a reduction may write to the array that its value is stored to, the first of several. */
static bool may_reduce_to(const tni_schedule *s, int k, int n) {
    bool is_first = s->expression->nodes[n].kind == TNI_NODE_REDUCTION;
    for (int other = 0; other < k && is_first; other++)
        is_first = s->stored_by[other] != s->places[n].group;
    return is_first && tni_shapes_lies_as(s, n, s->operands[k].array);
}

/* Whether a group may write what is stored where it belongs: nothing reads that array later, and
 * what reads the value finds it there as it would lie. */
static bool may_store(const tni_schedule *s, int k) {
    const int store = s->last_store[k], n = tni_place_source(s, store);
    const tni_place *place = &s->places[n];
    const tn_array *to = s->operands[k].array;
    if (place->group < 0 || !(to->flags & TNI_ALIGNED) || s->places[store].shape != place->shape ||
        !s->may_store_early)
        return false;
    if (s->groups[place->group].alone >= 0 && !may_reduce_to(s, k, n)) return false;
    return s->places[s->expression->operands[k]].last <= s->groups[place->group].at;
}

static void choose_stores(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int k = 0; k < e->operand_count; k++) {
        s->stored_by[k] = NONE;
        if (s->last_store[k] < 0 || s->overlapping >> k & 1) continue;
        int from = tni_place_source(s, s->last_store[k]);
        if (s->places[from].group < 0 || s->groups[s->places[from].group].alone >= 0)
            keep_until(s, from, TNI_NEVER); /* stored at the end */
    }
    for (int k = 0; k < e->operand_count; k++) {
        if (s->last_store[k] < 0 || s->overlapping >> k & 1) continue;
        tni_place *from = &s->places[tni_place_source(s, s->last_store[k])];
        if (may_store(s, k)) {
            s->stored_by[k] = from->group;
        } else if (from->group >= 0) {
            from->is_kept = true;
            from->last = TNI_NEVER;
        }
    }
}

/* One group, all that the graph computes. */
static void place_only(tni_schedule *s) {
    for (int n = 0; n < s->expression->count; n++) {
        s->places[n].is_kept = s->places[n].is_output;
        s->places[n].last = 0;
    }
    s->order[0] = s->groups[0].at = 0;
    s->order_count = 1;
}

void tni_regroup(tni_schedule *s) {
    const bool is_one = s->group_count == 1 && s->groups[0].alone < 0;
    if (!is_one) move_nodes(s);
    list_members(s);
    if (is_one && !s->expression->has_views && is_small(s, s->members[0])) {
        place_only(s);
    } else {
        part_groups(s);
        list_members(s);
        order_groups(s);
        if (s->overlapping) merge_stores(s);
        mark_read_until(s);
    }
    choose_stores(s);
}
