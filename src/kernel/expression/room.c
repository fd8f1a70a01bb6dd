#include "kernel/expression/room.h"

#include "kernel/expression/shapes.h"

/* Whether a value is found in the array that it is stored to. */
static bool is_stored(const tni_schedule *s, int n) {
    const bool is_fold = s->expression->nodes[n].kind == TNI_NODE_REDUCTION;
    for (int k = 0; k < s->expression->operand_count; k++)
        if (s->last_store[k] >= 0 && s->stored_by[k] == s->places[n].group &&
            tni_place_source(s, s->last_store[k]) == n &&
            (is_fold || (tni_shapes_lies_as(s, n, s->operands[k].array) &&
                         tni_shapes_begins_as_made(s, s->operands[k].array))))
            return true;
    return false;
}

/* The bytes of a value that has memory of its own. */
static int64_t bytes_of(const tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    const tni_place *place = &s->places[n];
    if (!place->is_kept || place->group < 0 || place->shape < 0 ||
        !(tni_node_is_computed(node) || node->kind == TNI_NODE_REDUCTION) || is_stored(s, n))
        return 0;
    return tni_place_size(s, n) * tni_dtype_size(node->dtype);
}

static int64_t sum(const tni_schedule *s, int at) {
    int64_t bytes = 0;
    for (int n = 0; n < s->expression->count; n++) {
        const int group = s->places[n].group;
        if (at < 0 || (group >= 0 && s->groups[group].at <= at && s->places[n].last >= at))
            bytes += bytes_of(s, n);
    }
    return bytes;
}

bool tni_room_is_enough(const tni_schedule *s, int64_t bytes) {
    if (sum(s, -1) <= bytes) return true;
    for (int at = 0; at < s->order_count; at++)
        if (sum(s, at) > bytes) return false;
    return true;
}
