/* Algorithm: backwards, find which calls are needed: those that write what something outside can
 * reach, or what a needed call reads. Forwards, run them: calls that follow each other as one
 * expression (segment.c), and where that is not possible each by itself, into the arrays that are
 * there. A buffer is an ordinary one again as soon as no later call names it.
 *
 * Invariant: what a call that failed should have written is lost, and so is what is computed of
 * it; everything else is as if the calls had run one by one. */
#include "kernel/backlog/run.h"

#include "core/base/wait.h"
#include "core/elementwise/elementwise.h"
#include "kernel/backlog/entries.h"
#include "kernel/backlog/figures.h"
#include "kernel/backlog/segment.h"

#include <string.h>

enum { LONG = 1 << 16 }; /* elements: what other threads of the program need not wait for */

/* --- Which calls --- */

static tni_entry *entry_of(const tni_waiting_call *call, int k) {
    return call->arguments[k].slot ? call->arguments[k].slot->entry : NULL;
}

static void find_needed(bool *needed, tni_backlog *b, int count) {
    bool living[TNI_WAITING_ENTRIES];
    for (int k = 0; k < b->used_entries; k++) {
        const tni_entry *entry = &b->entries[k];
        living[k] = entry->buffer &&
                    (!tni_entry_is_dead(entry) || entry->last_read > b->first + (uint64_t)count ||
                     entry->last_write > b->first + (uint64_t)count);
    }
    for (int c = count - 1; c >= 0; c--) {
        const tni_waiting_call *call = &b->calls[c];
        needed[c] = false;
        for (int k = 0; k < call->output_count; k++)
            needed[c] |= living[entry_of(call, call->input_count + k) - b->entries];
        for (int k = 0; k < call->input_count && needed[c]; k++)
            if (entry_of(call, k)) living[entry_of(call, k) - b->entries] = true;
    }
}

/* --- Single calls --- */

static tn_status run_reduction(tni_backlog *b, const tni_waiting_call *call) {
    const tni_waiting_reduction *of = &call->of;
    tni_reduce_request request = of->request;
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = of->axis_count;
    options.axes = of->axes;
    options.keepdims = of->keepdims;
    options.without_identity = of->without_identity;
    options.initial = of->has_initial ? &of->initial : NULL;
    options.dtype = of->dtype;
    options.correction = of->correction;
    request.options = &options;
    request.array = tni_slot_array(call->arguments[0].slot);
    tn_array *result = tni_slot_array(call->arguments[1].slot);
    return tni_reduce_run(&result, &request, b->stream);
}

static tn_status run_elementwise(tni_backlog *b, const tni_waiting_call *of) {
    tni_elementwise call;
    const tn_array *arrays[TNI_WAITING_ARGUMENTS];
    call.op = of->op;
    call.dtype = of->dtype;
    call.input_count = of->input_count;
    call.output_count = of->output_count;
    for (int k = 0; k < of->input_count + of->output_count; k++) {
        const tni_waiting_argument *argument = &of->arguments[k];
        arrays[k] = argument->slot ? tni_slot_array(argument->slot) : NULL;
        call.arguments[k].dtype = (tn_dtype)argument->dtype;
        call.arguments[k].loop_dtype = (tn_dtype)argument->loop_dtype;
        memcpy(call.arguments[k].value, argument->value, sizeof argument->value);
    }
    return tni_elementwise_again(&call, arrays, b->stream);
}

/* TN_OK, or the failure that the call or an input of it has. */
static tn_status try_single(tni_backlog *b, const tni_waiting_call *call) {
    for (int k = 0; k < call->input_count; k++)
        if (entry_of(call, k)) TNI_TRY(tni_entry_repeat(entry_of(call, k)));
    for (int k = 0; k < call->output_count; k++)
        TNI_TRY(tni_entry_need_memory(entry_of(call, call->input_count + k)));
    tni_backlog_add(&tni_backlog_counted.single_calls, 1);
    tni_figures_add_call(&b->runs[0].cost, call);
    return call->is_reduction ? run_reduction(b, call) : run_elementwise(b, call);
}

/* False: the program interrupted it, and nothing was written. */
static bool run_single(tni_backlog *b, const tni_waiting_call *call) {
    char text[TNI_CALL_TEXT];
    const tn_status status = try_single(b, call);
    if (status == TN_ERROR_CALLBACK && tni_self.run_may_stop) return false;
    for (int k = 0; k < call->output_count && status != TN_OK; k++) {
        tni_slot *slot = call->arguments[call->input_count + k].slot;
        tni_entry_lose(slot->entry, status, tni_slot_array(slot), tni_call_text(text, call));
    }
    return true;
}

/* --- All of it --- */

static void finish(tni_backlog *b, int from, int count) {
    const uint64_t first = b->first + (uint64_t)(from + count);
    for (int c = from; c < from + count; c++)
        for (int k = 0; k < b->calls[c].input_count + b->calls[c].output_count; k++) {
            tni_entry *entry = entry_of(&b->calls[c], k);
            if (!entry || !entry->buffer) continue;
            entry->is_made = false; /* what was made is in memory for later calls */
            entry->has_run = true;
            if (entry->last_read <= first && entry->last_write <= first) tni_entry_release(entry);
        }
}

/* Calls that wait for nothing, so that the next ones like them need not. */
static void note_alone(tni_backlog *b, int at, int count, bool is_graph, const tni_timed *timed) {
    enum { LONE = 4, DECIDED = 1 };
    const bool is_decided = timed->is_single && !timed->graph;
    if (!b->stream->is_immediate || (timed->graph && !is_graph)) return;
    if (is_graph) tni_faster_note_alone(b->calls[at].known, 0);
    if (!is_graph && !is_decided && count > 1) return;
    for (int c = at; c < at + count && !is_graph; c++)
        tni_faster_note_alone(b->calls[c].known, is_decided ? DECIDED : LONE);
}

/* How many calls are done: all, unless the program interrupts one. */
static int run_calls(tni_backlog *b, int count) {
    bool needed[TNI_WAITING_CALLS];
    find_needed(needed, b, count);
    for (int at = 0, done = 1; at < count; at += done) {
        tni_timed timed = {0, false, 0};
        bool is_done = false;
        done = 1;
        if (!needed[at])
            b->runs[0].dropped++;
        else if (!tni_segment_run(&done, &is_done, &timed, b, needed, at, count))
            return at;
        for (int c = at; c < at + done; c++) {
            if (needed[c] && !is_done && !run_single(b, &b->calls[c])) return c;
            tni_figures_add_call(&b->runs[0].single, &b->calls[c]);
            if (needed[c] && !is_done) finish(b, c, 1);
        }
        note_alone(b, at, done, is_done, &timed);
        tni_faster_end(&timed);
        finish(b, at, done);
    }
    return count;
}

static void note_run(tni_backlog *b, int count, tni_look look) {
    memmove(&b->runs[1], &b->runs[0], sizeof b->runs - sizeof b->runs[0]);
    b->runs[0] = (tn_backlog_run){.look = (int)look, .calls = count};
    tni_backlog_add(&tni_backlog_counted.runs, 1);
    tni_backlog_add(&tni_backlog_counted.looks[look], 1);
}

void tni_backlog_run(tni_backlog *b, int wanted, tni_look look) {
    const bool is_long = b->elements > LONG;
    tni_break pause = {NULL, NULL};
    note_run(b, wanted, look);
    tni_self.runs_backlog = true;
    if (is_long) pause = tni_break_begin();
    const int count = run_calls(b, wanted);
    const int left = tni_backlog_count(b) - count;
    b->runs[0].calls = count;
    tni_figures_add_run(&b->runs[0]);
    tni_self.runs_backlog = false;
    memmove(b->calls, b->calls + count, (size_t)left * sizeof *b->calls);
    b->first += (uint64_t)count;
    if (count < wanted) tni_entries_release_done(b, b->first);
    atomic_store_explicit(&b->count, left, memory_order_relaxed);
    if (left == 0) {
        tn_stream *stream = b->stream;
        b->stream = NULL;
        b->elements = b->kept_bytes = 0;
        b->used_entries = 0;
        tn_stream_release(stream);
    }
    if (is_long) tni_break_end(pause);
}

tn_status tni_backlog_try(tni_backlog *b, tni_look look, bool may_stop) {
    tni_self.run_may_stop = may_stop;
    tni_backlog_run(b, tni_backlog_count(b), look);
    tni_self.run_may_stop = false;
    return tni_backlog_count(b) ? TN_ERROR_CALLBACK : TN_OK;
}
