/* Joining: a call becomes an entry of the thread's backlog, or is refused and computed at once.
 *
 * A full backlog runs its first part. The place is the one in its second half over which the fewest
 * values go that nothing else would need; of equal ones the one whose next calls look like the
 * first calls of the backlog, so that a loop is cut at the same place each turn. */
#include "kernel/backlog/join.h"

#include "core/base/wait.h"
#include "core/reduce/reductions.h"
#include "core/rules/op.h"
#include "kernel/backlog/entries.h"
#include "kernel/backlog/figures.h"
#include "kernel/backlog/idle.h"
#include "kernel/backlog/run.h"
#include "kernel/expression/cuts.h"
#include "kernel/expression/places.h"

#include <string.h>

/* --- Whether a call waits --- */

static bool is_own(const tn_array *array) {
    void *known = atomic_load_explicit(&array->buffer->waiting, memory_order_acquire);
    return known && !tni_is_lost(known) && ((tni_entry *)known)->owner == tni_self.backlog;
}

bool tni_join_may_wait(int count, const tn_array *const *arrays, const tn_stream *stream,
                       int64_t least) {
    int64_t largest = 0;
    bool is_known = false;
    if (tni_stream_capture(stream) || atomic_load_explicit(&stream->has_left, memory_order_relaxed))
        return false;
    for (int k = 0; k < count; k++) {
        const tn_array *array = arrays[k];
        if (!array) continue;
        if (!(array->flags & TNI_ALIGNED) || array->ndim > TNI_WAITING_NDIM ||
            !tni_buffer_may_wait(array->buffer))
            return false;
        if (array->size > largest) largest = array->size;
        is_known |= is_own(array);
    }
    return is_known || stream->device.backend != TN_BACKEND_HOST || largest >= least;
}

/* --- Where a full backlog is cut --- */

static bool looks_like(const tni_waiting_call *a, const tni_waiting_call *b) {
    return a->op == b->op && a->dtype == b->dtype && a->is_reduction == b->is_reduction &&
           a->input_count == b->input_count;
}

static int count_alike(const tni_backlog *b, int at) {
    enum { MOST = 16 };
    int count = 0;
    while (count < MOST && at + count < TNI_WAITING_CALLS &&
           looks_like(&b->calls[count], &b->calls[at + count]))
        count++;
    return count;
}

/* How many values that only waiting calls see are made before each place and read after it: changes
 * from place to place. */
static void count_living(int *change, const tni_backlog *b) {
    for (int k = 0; k < b->used_entries; k++) {
        const tni_entry *entry = &b->entries[k];
        if (!entry->buffer || !entry->is_made || !tni_entry_is_dead(entry)) continue;
        int made = TNI_WAITING_CALLS, read = 0;
        for (int c = 0; c < TNI_WAITING_CALLS; c++)
            for (int j = 0; j < b->calls[c].input_count + b->calls[c].output_count; j++) {
                const tni_slot *slot = b->calls[c].arguments[j].slot;
                if (!slot || slot->entry != entry) continue;
                if (j >= b->calls[c].input_count && c < made) made = c;
                if (j < b->calls[c].input_count) read = c;
            }
        if (read <= made) continue;
        change[made + 1]++;
        change[read + 1]--;
    }
}

static int find_cut(const tni_backlog *b) {
    int change[TNI_WAITING_CALLS + 2] = {0}, living = 0, best = TNI_WAITING_CALLS;
    int fewest = TNI_WAITING_ENTRIES, most_alike = -1;
    count_living(change, b);
    for (int at = 0; at <= TNI_WAITING_CALLS; at++) {
        living += change[at];
        if (at < TNI_WAITING_CALLS / 2 || living > fewest) continue;
        int alike = count_alike(b, at);
        if (living == fewest && alike <= most_alike) continue;
        fewest = living;
        most_alike = alike;
        best = at;
    }
    return best;
}

/* --- Joining --- */

/* The slots of a call's arrays; false: there is no room, or another thread has one of them. */
static bool take_slots(tni_slot **slots, tni_backlog *b, int count, const tn_array *const *arrays) {
    for (int k = 0; k < count; k++) {
        slots[k] = arrays[k] ? tni_slot_take(b, arrays[k]) : NULL;
        if (arrays[k] && !slots[k]) {
            tni_entries_release_done(b, 0);
            return false;
        }
    }
    return true;
}

/* A place for the call, with the lock held; NULL: it does not join. */
static tni_waiting_call *enter(tni_slot **slots, tni_backlog *b, int count,
                               const tn_array *const *arrays, tn_stream *stream) {
    if (tni_backlog_count(b) > 0 && b->stream != stream)
        tni_backlog_run(b, tni_backlog_count(b), TNI_LOOK_OTHER_STREAM);
    if (tni_backlog_count(b) == TNI_WAITING_CALLS) tni_backlog_run(b, find_cut(b), TNI_LOOK_FULL);
    const uint64_t number = b->first + (uint64_t)tni_backlog_count(b);
    if (number > b->first && tni_cuts_at(TNI_CUT_BACKLOG, number))
        tni_backlog_run(b, 1 + (int)(number % (uint64_t)tni_backlog_count(b)), TNI_LOOK_FULL);
    if (!take_slots(slots, b, count, arrays)) {
        if (tni_backlog_count(b) == 0) return NULL;
        tni_backlog_run(b, tni_backlog_count(b), TNI_LOOK_FULL);
        if (!take_slots(slots, b, count, arrays)) return NULL;
    }
    if (tni_backlog_count(b) == 0) {
        b->stream = tn_stream_retain(stream);
        atomic_store_explicit(&b->has_device, stream->device.backend != TN_BACKEND_HOST,
                              memory_order_relaxed);
    }
    return &b->calls[tni_backlog_count(b)];
}

/* Whether the arrays of a buffer, which calls write and none has read, are all of it: few parts, as
 * roll() writes them. */
static bool cover_buffer(const tni_entry *entry) {
    enum { MOST_PARTS = 4 };
    int64_t bytes = 0;
    int parts = 0;
    for (tni_slot *slot = entry->slots; slot; slot = slot->next) {
        const tn_array *array = tni_slot_array(slot);
        if (++parts > MOST_PARTS || !tni_place_is_spread(array)) return false;
        for (tni_slot *other = slot->next; other; other = other->next)
            if (tni_array_may_meet(array, tni_slot_array(other))) return false;
        bytes += array->size * tni_dtype_size((tn_dtype)array->dtype);
    }
    return bytes == entry->buffer->bytes;
}

static void note_arrays(tni_backlog *b, tni_waiting_call *call) {
    const int inputs = call->input_count, count = inputs + call->output_count;
    const uint64_t after = tni_backlog_after(b, tni_backlog_count(b));
    int64_t largest = 0;
    bool is_packed = true;
    for (int k = 0; k < count; k++) {
        tni_slot *slot = call->arguments[k].slot;
        if (!slot) continue;
        tni_entry *entry = slot->entry;
        if (tni_slot_array(slot)->size > largest) largest = tni_slot_array(slot)->size;
        is_packed &= (tni_slot_array(slot)->flags & TNI_C_CONTIGUOUS) != 0;
        if (k < inputs) {
            entry->last_read = after;
        } else {
            if (!entry->last_read && !entry->has_run) entry->is_made = cover_buffer(entry);
            entry->last_write = after;
        }
    }
    call->made |= is_packed;
    b->elements += largest;
}

static void leave(tni_backlog *b, tni_waiting_call *call) {
    if (call) {
        note_arrays(b, call);
        call->known = tni_backlog_known(b);
        atomic_store_explicit(&b->count, tni_backlog_count(b) + 1, memory_order_relaxed);
        if (tni_backlog_count(b) == 1) tni_idle_note(b->stream);
        tni_backlog_add(&tni_backlog_counted.joined, 1);
    }
    pthread_mutex_unlock(&b->lock);
}

bool tni_join_elementwise(tni_backlog *b, const tni_elementwise *call,
                          const tn_array *const *arrays, bool made, tn_stream *stream) {
    const int count = call->input_count + call->output_count;
    tni_slot *slots[TNI_WAITING_ARGUMENTS];
    if (count > TNI_WAITING_ARGUMENTS) return false;
    tni_wait_lock(&b->lock);
    tni_waiting_call *waiting = enter(slots, b, count, arrays, stream);
    if (waiting) {
        waiting->is_reduction = false;
        waiting->made = made;
        waiting->op = call->op;
        waiting->dtype = call->dtype;
        waiting->input_count = (int8_t)call->input_count;
        waiting->output_count = (int8_t)call->output_count;
        for (int k = 0; k < count; k++) {
            tni_waiting_argument *to = &waiting->arguments[k];
            const tni_argument *from = &call->arguments[k];
            to->slot = slots[k];
            to->dtype = (int8_t)from->dtype;
            to->loop_dtype = (int8_t)from->loop_dtype;
            if (!slots[k]) memcpy(to->value, from->value, sizeof to->value);
        }
    }
    leave(b, waiting);
    return waiting != NULL;
}

/* --- Reductions --- */

static int find_name(const tni_reduce_request *r) {
    static const struct {
        tn_op op;
        tn_reduction name;
    } folds[] = {{TN_OP_ADD, TN_REDUCE_SUM},         {TN_OP_MULTIPLY, TN_REDUCE_PROD},
                 {TN_OP_MAXIMUM, TN_REDUCE_MAX},     {TN_OP_MINIMUM, TN_REDUCE_MIN},
                 {TN_OP_LOGICAL_AND, TN_REDUCE_ALL}, {TN_OP_LOGICAL_OR, TN_REDUCE_ANY}};
    if (r->flags) return -1;
    switch (r->statistic) {
    case TNI_STATISTIC_MEAN: return TN_REDUCE_MEAN;
    case TNI_STATISTIC_VAR: return TN_REDUCE_VAR;
    case TNI_STATISTIC_STD: return TN_REDUCE_STD;
    case TNI_STATISTIC_FOLD: break;
    default: return -1;
    }
    for (size_t k = 0; k < sizeof folds / sizeof *folds; k++)
        if (folds[k].op == r->op) return (int)folds[k].name;
    return -1;
}

/* The reduction's name if a graph decides of it as was decided for the call; -1: it runs alone. */
static int decide_name(const tni_reduce_request *r, const tn_array *output) {
    const int name = find_name(r);
    const tn_reduce_options *options = r->options;
    tni_reduce_request again;
    bool is_single;
    if (name < 0 || options->initial || options->without_identity) return -1;
    if (tni_reduction_decide(&again, &is_single, (tn_reduction)name, (tn_dtype)r->array->dtype,
                             options, NULL) != TN_OK)
        return -1;
    bool is_same = is_single && again.op == r->op && again.statistic == r->statistic &&
                   again.flags == r->flags && again.loop == r->loop &&
                   again.accumulator == r->accumulator && again.output == r->output;
    return is_same && output->dtype == (int16_t)r->output ? name : -1;
}

static void note_reduction(tni_waiting_reduction *of, const tni_reduce_request *r,
                           const tn_array *output) {
    const tn_reduce_options *options = r->options;
    of->reduction = (int8_t)decide_name(r, output);
    of->request = *r;
    of->request.array = NULL;
    of->request.options = NULL;
    of->keepdims = options->keepdims;
    of->without_identity = options->without_identity;
    of->has_initial = options->initial != NULL;
    if (options->initial) of->initial = *options->initial;
    of->axis_count = (int8_t)options->axis_count;
    for (int k = 0; k < options->axis_count; k++)
        of->axes[k] = options->axes[k];
    of->dtype = options->dtype;
    of->correction = options->correction;
}

bool tni_join_reduce(tni_backlog *b, const tni_reduce_request *request, const tn_array *output,
                     tn_stream *stream) {
    const tn_array *arrays[2] = {request->array, output};
    tni_slot *slots[2];
    if (request->options->axis_count > TNI_WAITING_AXES || output->size == 0) return false;
    tni_wait_lock(&b->lock);
    tni_waiting_call *waiting = enter(slots, b, 2, arrays, stream);
    if (waiting) {
        waiting->is_reduction = true;
        waiting->made = true;
        waiting->op = request->op;
        waiting->dtype = request->loop;
        waiting->input_count = waiting->output_count = 1;
        for (int k = 0; k < 2; k++) {
            waiting->arguments[k].slot = slots[k];
            waiting->arguments[k].dtype = waiting->arguments[k].loop_dtype =
                (int8_t)arrays[k]->dtype;
        }
        note_reduction(&waiting->of, request, output);
    }
    leave(b, waiting);
    return waiting != NULL;
}
