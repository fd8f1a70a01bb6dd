/* Algorithm: calls are added to a graph as long as it has room, in their order. What a call reads
 * is what an earlier call of the segment made of the same array, else an input. What is written is
 * stored at the end, unless no one can look at it any more. An array that shows a part of what was
 * written, or shows it under another shape, is a view of that value. Where it shows more than that,
 * or is written itself, it ends the segment: all must be in memory before.
 *
 * A result that lies as its operation makes it is a value of the graph until the end, for so a fold
 * of it follows the same tree as in memory; any other is read as the array that it is stored to. */
#include "kernel/backlog/segment.h"

#include "core/array/view.h"
#include "core/memory/pool_take.h"
#include "kernel/backlog/entries.h"
#include "kernel/backlog/figures.h"
#include "kernel/backlog/seen.h"
#include "kernel/expression/cuts.h"
#include "kernel/expression/evaluate.h"
#include "kernel/expression/graph.h"
#include "kernel/expression/views.h"

#include <string.h>

enum { NONE = -1, MOST_SHAPES = 12, MOST_WRITTEN = 2 * TNI_WAITING_CALLS, ROOM = 6 };

typedef struct segment {
    tni_backlog *b;
    tn_expression *e;
    tn_operand operands[TN_EXPRESSION_OPERANDS];
    int16_t nodes[TN_EXPRESSION_OPERANDS]; /* of the operands */
    int operand_count, scalar_count;
    tni_slot *written[MOST_WRITTEN];
    int written_count;
    const tn_array *shapes[MOST_SHAPES]; /* one array of each shape */
    int shape_count;
    int calls;       /* that are needed */
    bool overwrites; /* an array that is stored to is read, too */
    bool lacks_room; /* what it makes between passes is more than the pool has */
} segment;

static bool is_in(const segment *s, const tni_slot *slot) {
    return slot->segment == s->b->segment;
}

/* --- Which calls --- */

/* Whether all of an array's elements are such of another, dense one. */
static bool is_within(const tn_array *array, const tn_array *base) {
    const int64_t size = tni_dtype_size(array->dtype);
    int64_t first = array->offset - base->offset, last = first;
    bool fits = array->dtype == base->dtype && array->size > 0;
    if (!(base->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS))) return false;
    for (int axis = 0; axis < array->ndim; axis++) {
        const int64_t stride = tni_strides(array)[axis];
        *(stride < 0 ? &first : &last) += stride * (tni_shape(array)[axis] - 1);
        fits &= stride % size == 0;
    }
    return fits && first >= 0 && first % size == 0 && last <= (base->size - 1) * size;
}

/* Whether a value that was written may be read under another name. */
static bool shows(tni_slot *slot, tni_slot *written) {
    return !written->is_filled && !written->is_stored &&
           is_within(tni_slot_array(slot), tni_slot_array(written));
}

/* The slot that was written, and of which this one shows a part; NULL: there is none. */
static tni_slot *find_shown(const segment *s, tni_slot *slot) {
    for (tni_slot *other = slot->entry->slots; other; other = other->next)
        if (other != slot && is_in(s, other) && other->is_written &&
            tn_array_may_overlap(tni_slot_array(other), tni_slot_array(slot)))
            return other;
    return NULL;
}

/* What is written is seen under this name alone, but for views of the value, as long as the segment
 * runs. */
static bool is_alone(const segment *s, tni_slot *slot, bool writes) {
    int shown = 0;
    for (tni_slot *other = slot->entry->slots; other; other = other->next) {
        if (other == slot || !is_in(s, other) || !(writes || other->is_written) ||
            !tn_array_may_overlap(tni_slot_array(other), tni_slot_array(slot)))
            continue;
        const bool is_older = is_in(s, slot) && !slot->is_view; /* it was read from memory */
        if (writes ? !other->is_view : is_older || shown++ || !shows(slot, other)) return false;
    }
    return true;
}

static bool has_shape(const tn_array *a, const tn_array *b) {
    return a->ndim == b->ndim &&
           !memcmp(tni_shape(a), tni_shape(b), sizeof(int64_t) * (size_t)a->ndim);
}

static bool note_shape(segment *s, const tn_array *array) {
    for (int k = 0; k < s->shape_count; k++)
        if (has_shape(s->shapes[k], array)) return true;
    if (s->shape_count == MOST_SHAPES) return false;
    s->shapes[s->shape_count++] = array;
    return true;
}

/* Whether a filled array may be read as the scalar that fills it: the call then has another array
 * of its shape, and all of them lie in order C. */
static bool reads_fill_well(const segment *s, const tni_waiting_call *call, int at) {
    const tni_waiting_argument *filled = &call->arguments[at];
    const tn_array *output = tni_slot_array(call->arguments[call->input_count].slot);
    bool has_other = false;
    if (call->is_reduction || call->op == TNI_OP_COPY || filled->dtype != filled->loop_dtype)
        return false;
    for (int k = 0; k < call->input_count; k++) {
        tni_slot *slot = call->arguments[k].slot;
        if (!slot) continue;
        if (!(tni_slot_array(slot)->flags & TNI_C_CONTIGUOUS)) return false;
        has_other |=
            !(is_in(s, slot) && slot->is_filled) && has_shape(tni_slot_array(slot), output);
    }
    return has_other;
}

static bool is_computable(const tni_waiting_call *call) {
    bool has_array = call->op == TNI_OP_COPY;
    if (call->is_reduction) return call->of.reduction >= 0;
    if (call->input_count > TNI_EXPRESSION_FROM || call->output_count > 2) return false;
    for (int k = 0; k < call->input_count; k++)
        has_array |= call->arguments[k].slot != NULL;
    return has_array;
}

/* Whether something may look at what the calls before `end` write to a slot. */
static bool is_seen(tni_slot *slot, uint64_t end) {
    const tni_entry *entry = slot->entry;
    return slot->is_stored || !tni_entry_is_dead(entry) || entry->last_read > end ||
           entry->last_write > end;
}

/* Whether there are operands for one more call, which ends before `end`, and for all stores. */
static bool has_operands(const segment *s, uint64_t end) {
    int stores = s->written_count;
    if (s->operand_count + stores + ROOM <= TN_EXPRESSION_OPERANDS) return true;
    for (int k = 0; k < s->written_count; k++)
        stores -= s->written[k]->operand != NONE || !is_seen(s->written[k], end);
    return s->operand_count + stores + ROOM <= TN_EXPRESSION_OPERANDS;
}

static bool fits(segment *s, const tni_waiting_call *call, uint64_t end) {
    const int inputs = call->input_count, count = inputs + call->output_count;
    if (!is_computable(call) || s->written_count + call->output_count > MOST_WRITTEN ||
        s->scalar_count + inputs > TNI_EXPRESSION_SCALARS || !has_operands(s, end))
        return false;
    for (int k = 0; k < count; k++) {
        tni_slot *slot = call->arguments[k].slot;
        if (!slot) continue;
        if (slot->entry->lost || !is_alone(s, slot, k >= inputs) ||
            !note_shape(s, tni_slot_array(slot)))
            return false;
        if (k < inputs && is_in(s, slot) && slot->is_filled && !reads_fill_well(s, call, k))
            return false;
    }
    for (int k = inputs; k < count; k++) /* one after the other, in one call */
        for (int j = inputs; j < k; j++)
            if (call->arguments[k].slot->entry == call->arguments[j].slot->entry) return false;
    return true;
}

/* --- Values --- */

static void enter(segment *s, tni_slot *slot) {
    if (is_in(s, slot)) return;
    slot->segment = s->b->segment;
    slot->operand = slot->input = slot->value = NONE;
    slot->is_written = slot->is_filled = slot->is_stored = slot->is_view = false;
}

/* It has its memory when the graph runs. */
static tn_status need_input(segment *s, tni_slot *slot) {
    int node;
    if (slot->operand != NONE) return TN_OK;
    TNI_TRY(tn_expression_input(&node, s->e, (tn_dtype)tni_slot_array(slot)->dtype));
    slot->operand = (int16_t)s->operand_count;
    slot->input = (int16_t)node;
    s->nodes[s->operand_count] = (int16_t)node;
    s->operands[s->operand_count++] = tn_operand_array(tni_slot_array(slot));
    return TN_OK;
}

static tn_status read_slot(int *node, segment *s, tni_slot *slot) {
    enter(s, slot);
    if (slot->value == NONE) {
        tni_slot *shown = find_shown(s, slot);
        int value;
        if (shown) {
            TNI_TRY(tni_view_lying(&value, s->e, shown->value, tni_slot_array(shown),
                                   tni_slot_array(slot)));
            slot->is_view = true;
            slot->value = (int16_t)value;
        } else {
            TNI_TRY(need_input(s, slot));
            slot->value = slot->input;
        }
    }
    *node = slot->value;
    return TN_OK;
}

/* A scalar of some value is one operand, however often it is used. */
static tn_status read_scalar(int *node, segment *s, const unsigned char value[16], tn_dtype dtype) {
    tn_scalar scalar = {dtype, false, false, {0}};
    memcpy(scalar.value.bytes, value, (size_t)tn_dtype_size(dtype));
    for (int k = 0; k < s->operand_count; k++) {
        const tn_operand *known = &s->operands[k];
        if (known->array || known->scalar.dtype != dtype ||
            memcmp(known->scalar.value.bytes, scalar.value.bytes, sizeof scalar.value.bytes) != 0)
            continue;
        *node = s->nodes[k];
        return TN_OK;
    }
    TNI_TRY(tn_expression_parameter(node, s->e, dtype, false));
    s->nodes[s->operand_count] = (int16_t)*node;
    s->operands[s->operand_count++] = tn_operand_scalar(scalar);
    s->scalar_count++;
    return TN_OK;
}

static tn_status read_argument(int *node, segment *s, const tni_waiting_argument *argument) {
    if (argument->slot) return read_slot(node, s, argument->slot);
    return read_scalar(node, s, argument->value, (tn_dtype)argument->loop_dtype);
}

/* What showed the value that the slot had shows another one when it is read next. */
static void forget_views(segment *s, tni_slot *slot) {
    for (tni_slot *other = slot->entry->slots; other; other = other->next)
        if (is_in(s, other) && other->is_view) other->segment = 0;
}

/* The slot holds the value from here on. */
static tn_status write_slot(segment *s, tni_slot *slot, int node, bool lies_so) {
    enter(s, slot);
    forget_views(s, slot);
    if (!slot->is_written) s->written[s->written_count++] = slot;
    slot->is_written = true;
    slot->is_filled = tni_node_is_scalar(&s->e->nodes[node]);
    slot->is_stored = false;
    slot->value = (int16_t)node;
    if (lies_so || slot->is_filled) return TN_OK;
    TNI_TRY(need_input(s, slot));
    TNI_TRY(tn_expression_store(&node, s->e, slot->input, node, TN_CASTING_UNSAFE));
    slot->value = (int16_t)node;
    slot->is_stored = true;
    return TN_OK;
}

/* --- Calls --- */

static tn_status add_copy(segment *s, const tni_waiting_call *call) {
    const tni_waiting_argument *from = &call->arguments[0], *to = &call->arguments[1];
    int node;
    TNI_TRY(read_argument(&node, s, from));
    if (from->slot)
        TNI_TRY(tni_expression_convert(&node, s->e, node, (tn_dtype)to->dtype, TN_CASTING_UNSAFE));
    return write_slot(s, to->slot, node, call->made);
}

static tn_status add_operation(segment *s, const tni_waiting_call *call) {
    int from[TN_MAX_OPERANDS], values[2];
    tni_loop_choice choice = {.op = call->op, .dtype = call->dtype};
    for (int k = 0; k < call->input_count + call->output_count; k++)
        choice.arguments[k] = call->arguments[k].loop_dtype;
    for (int k = 0; k < call->input_count; k++)
        TNI_TRY(read_argument(&from[k], s, &call->arguments[k]));
    TNI_TRY(tni_expression_add(values, s->e, call->op, &choice, from));
    for (int k = 0; k < call->output_count; k++) {
        const tni_waiting_argument *to = &call->arguments[call->input_count + k];
        if (to->dtype != to->loop_dtype)
            TNI_TRY(tni_expression_convert(&values[k], s->e, values[k], (tn_dtype)to->dtype,
                                           TN_CASTING_UNSAFE));
        TNI_TRY(write_slot(s, to->slot, values[k], call->made));
    }
    return TN_OK;
}

static tn_status add_reduction(segment *s, const tni_waiting_call *call) {
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    int node;
    options.axis_count = call->of.axis_count;
    options.axes = call->of.axes;
    options.keepdims = call->of.keepdims;
    options.dtype = call->of.dtype;
    options.correction = call->of.correction;
    TNI_TRY(read_argument(&node, s, &call->arguments[0]));
    TNI_TRY(tn_expression_reduce(&node, s->e, (tn_reduction)call->of.reduction, node, &options));
    return write_slot(s, call->arguments[1].slot, node, true);
}

static tn_status add_call(segment *s, const tni_waiting_call *call) {
    s->calls++;
    if (call->is_reduction) return add_reduction(s, call);
    return call->op == TNI_OP_COPY ? add_copy(s, call) : add_operation(s, call);
}

/* --- The end --- */

/* Stores what something may still look at, from the calls before `end` on. */
static tn_status add_stores(segment *s, uint64_t end) {
    for (int k = 0; k < s->written_count; k++) {
        tni_slot *slot = s->written[k];
        int node;
        if (!is_seen(slot, end)) continue;
        s->overwrites |= slot->input != NONE;
        if (slot->is_stored) continue;
        TNI_TRY(need_input(s, slot));
        TNI_TRY(tn_expression_store(&node, s->e, slot->input, slot->value, TN_CASTING_UNSAFE));
    }
    return TN_OK;
}

/* Arrays that a failing evaluation may have overwritten while calls that read them had not run. */
static void lose_overwritten(segment *s, tn_status status) {
    for (int k = 0; k < s->written_count; k++)
        tni_entry_lose(s->written[k]->entry, status, tni_slot_array(s->written[k]),
                       "calls that ran together");
}

/* Memory for what is stored, where the pool has it or the segment can't be shorter. `room` receives
 * what the pool has left. */
static tn_status take_memory(int64_t *room, segment *s) {
    enum { SLACK = 1 << 20, SHORT = 3 };
    int64_t needed = 0;
    for (int k = 0; k < s->written_count; k++)
        if (s->written[k]->operand != NONE && !s->written[k]->entry->has_memory)
            needed += s->written[k]->entry->buffer->bytes;
    *room = tni_pool_spare_bytes(s->b->stream->device) + SLACK - needed;
    if (tni_cuts_at(TNI_CUT_ROOM, s->b->first + (uint64_t)s->calls)) *room = -1;
    s->lacks_room = *room < 0 && s->calls > SHORT;
    for (int k = 0; k < s->written_count && !s->lacks_room; k++)
        if (s->written[k]->operand != NONE) TNI_TRY(tni_entry_need_memory(s->written[k]->entry));
    return TN_OK;
}

/* The most memory that the calls one by one have to take for what no one can look at later. */
static int64_t count_singles(const tni_backlog *b, int from, int to) {
    bool is_there[TNI_WAITING_ENTRIES] = {false};
    int64_t bytes = 0, most = 0;
    for (int c = from; c < to; c++) {
        const tni_waiting_call *call = &b->calls[c];
        for (int k = call->input_count + call->output_count; k-- > 0;) {
            const tni_slot *slot = call->arguments[k].slot;
            if (!slot || slot->entry->has_memory) continue;
            bool *is_in = &is_there[slot->entry - b->entries];
            const bool is_last = slot->entry->last_read == tni_backlog_after(b, c);
            if (*is_in == is_last) bytes += (*is_in ? -1 : 1) * slot->entry->buffer->bytes;
            if (bytes > most) most = bytes;
            *is_in = !is_last;
        }
    }
    return most;
}

/* Whether the graph of the calls from `from` on, before `to`, runs as one, now. */
static bool is_better(tni_timed *timed, const segment *s, int from, int to, tni_evaluation *how) {
    const tni_backlog *b = s->b;
    if (!b->stream->is_immediate)
        return tni_seen_is_ready(s->e, s->operands, b->stream, b->runs[0].look == TNI_LOOK_IDLE,
                                 how);
    *timed = tni_faster_begin(tni_seen_hash(s->e, s->operands, b->stream->device));
    if (timed->is_single && timed->graph && count_singles(b, from, to) > *how->room)
        *timed = (tni_timed){0, false, 0};
    return !timed->is_single;
}

static tn_status evaluate(bool *done, tni_timed *timed, segment *s, int from, int to) {
    tn_explained_cost cost = {0, 0, 0}, *of = &s->b->runs[0].cost;
    int64_t room;
    TNI_TRY(add_stores(s, s->b->first + (uint64_t)to));
    TNI_TRY(take_memory(&room, s));
    tni_evaluation how = {NULL, &cost, false, NULL, &room, false};
    if (s->lacks_room || !is_better(timed, s, from, to, &how)) {
        s->lacks_room |= how.lacks_room;
        return TN_OK;
    }
    tn_status status = TN_OK;
    if (s->e->store_count > 0)
        status = tni_expression_run(NULL, s->e, s->operands, s->b->stream, &how);
    s->lacks_room = how.lacks_room;
    if (s->lacks_room) timed->graph = 0;
    if (status == TN_OK) {
        tni_backlog_add(&tni_backlog_counted.graphs, 1);
        of->launches += cost.launches;
        of->bytes_read += cost.bytes_read;
        of->bytes_written += cost.bytes_written;
        *done = true;
    } else if (how.has_begun && s->overwrites) {
        lose_overwritten(s, status);
    }
    return status;
}

static bool is_last(const bool *needed, int at, int end) {
    while (++at < end)
        if (needed[at]) return false;
    return true;
}

static void begin(segment *s, tni_backlog *b) {
    s->b = b;
    s->e = NULL;
    s->operand_count = s->scalar_count = s->written_count = s->shape_count = s->calls = 0;
    s->overwrites = s->lacks_room = false;
    b->segment++;
}

/* A segment of `most` needed calls at most. */
static tn_status run(segment *s, int *count, bool *done, tni_timed *timed, tni_backlog *b,
                     const bool *needed, int from, int end, int most) {
    begin(s, b);
    tn_status status = tn_expression_new(&s->e);
    int at = from;
    for (; at < end && status == TN_OK; at++) {
        if (!needed[at]) continue;
        if (s->calls == most) break;
        if (s->calls > 0 && tni_cuts_at(TNI_CUT_SEGMENT, b->first + (uint64_t)at)) break;
        if (!fits(s, &b->calls[at], tni_backlog_after(b, at))) break;
        status = add_call(s, &b->calls[at]);
    }
    if (tni_cuts_at(TNI_CUT_READY, b->first + (uint64_t)from)) s->calls = 0;
    if (status == TN_OK && s->calls > 1) status = evaluate(done, timed, s, from, at);
    *count = at > from ? at - from : 1;
    tn_expression_release(s->e);
    return status;
}

bool tni_segment_run(int *count, bool *done, tni_timed *timed, tni_backlog *b, const bool *needed,
                     int from, int end) {
    segment s;
    tn_status status;
    int most = TNI_WAITING_CALLS;
    *done = false;
    *count = end - from;
    if (is_last(needed, from, end)) return true; /* alone, no graph is worth it */
    do {
        status = run(&s, count, done, timed, b, needed, from, end, most);
        most = s.calls / 2;
    } while (s.lacks_room && most > 1);
    return status != TN_ERROR_CALLBACK || !tni_self.run_may_stop;
}
