/* One call under way, as a machine that does what it can and never waits.
 *
 * Collectives go in pieces, which have numbers that all ranks count alike. For each piece a rank
 *   - publishes: copies its part to its next slot. A slot is free when all ranks have taken the
 *     piece that was there before;
 *   - reduces, if the call is all_reduce or reduce: its share of the piece, from all slots to the
 *     result;
 *   - takes: copies, or for reduce_scatter reduces, what it is to receive.
 * Its counters say how far it is. A rank publishes a piece while others still reduce the one
 * before.
 *
 * Invariant: a counter only grows, and is stored after what it says. All ranks do the same calls in
 * the same order, so a piece has the same number everywhere. A broadcast's other ranks publish
 * nothing, and count all the same at the end.
 *
 * Messages are streams of bytes through a ring for each pair of ranks: a header, which the receiver
 * compares with its own call, and the elements. */
#include "backend/host/collectives/step.h"

#include "backend/host/collectives/fold.h"
#include "backend/host/loops.h"
#include "core/base/error.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    [TN_ALL_REDUCE] = "allReduce", [TN_REDUCE] = "reduce",
    [TN_BROADCAST] = "broadcast",  [TN_REDUCE_SCATTER] = "reduceScatter",
    [TN_ALL_GATHER] = "allGather", [TN_SEND] = "send",
    [TN_RECEIVE] = "recv",
};

const char *tni_step_name(const tni_step *step) {
    return names[step->call.kind];
}

void tni_step_describe(char text[TNI_FAILURE_TEXT], const tni_step *step) {
    const tn_collective *call = &step->call;
    char root[48] = "";
    if (call->kind == TN_REDUCE || call->kind == TN_BROADCAST)
        snprintf(root, sizeof root, " with root %d", call->root);
    else if (call->kind >= TN_SEND)
        snprintf(root, sizeof root, call->kind == TN_SEND ? " to rank %d" : " from rank %d",
                 call->root);
    snprintf(text, TNI_FAILURE_TEXT, "%s of %lld %s%s as rank %d of %d", tni_step_name(step),
             (long long)call->count, tn_dtype_name(call->dtype), root, step->rank->rank,
             step->rank->count);
}

/* --- Members and counters --- */

static tni_member *member(const tni_step *step, int rank) {
    return &step->rank->segment.shared->members[rank];
}

static tni_member *own(const tni_step *step) {
    return member(step, step->rank->rank);
}

static void store(tni_step *step, _Atomic(uint64_t) *counter, uint64_t value) {
    atomic_store_explicit(counter, value, memory_order_release);
    tni_segment_ring(&step->rank->segment);
}

#define HAVE(step, field, value)                                                                   \
    have_all(step, offsetof(tni_member, field), value, 0, (step)->rank->count)

/* Whether the counter of all ranks from `begin` to `end` has come to `value`. */
static bool have_all(tni_step *step, size_t offset, uint64_t value, int begin, int end) {
    for (int k = begin; k < end; k++) {
        const char *at = (const char *)member(step, k) + offset;
        if (atomic_load_explicit((const _Atomic(uint64_t) *)(const void *)at,
                                 memory_order_acquire) >= value)
            continue;
        if (k != step->rank->rank && step->awaited < 0) step->awaited = k;
        return false;
    }
    return true;
}

/* --- What ranks say of a call --- */

static tni_note note_of(const tni_step *step) {
    const tn_collective *call = &step->call;
    bool reduces = call->kind <= TN_REDUCE || call->kind == TN_REDUCE_SCATTER;
    bool has_root = call->kind == TN_REDUCE || call->kind == TN_BROADCAST;
    return (tni_note){call->kind, call->dtype, reduces ? (int32_t)call->op : 0,
                      has_root ? call->root : 0, call->count};
}

/* Compares the first piece's call with that of ranks which have published it. */
static tn_status compare(tni_step *step, int begin, int end) {
    tni_note mine = note_of(step);
    char text[TNI_FAILURE_TEXT];
    for (int k = begin; k < end; k++) {
        tni_note other = member(step, k)->notes[step->rank->calls % TNI_NOTES];
        if (other.kind == mine.kind && other.dtype == mine.dtype && other.op == mine.op &&
            other.root == mine.root && other.count == mine.count)
            continue;
        tni_step_describe(text, step);
        return tni_fail_collective(
            TNI_NCCL_USAGE, "%s: rank %d calls %s of %lld %s, op %d, root %d", text, k,
            (unsigned)other.kind < sizeof names / sizeof *names ? names[other.kind] : "nothing",
            (long long)other.count, tn_dtype_name((tn_dtype)other.dtype), other.op, other.root);
    }
    return TN_OK;
}

/* --- Pieces --- */

static void begin_pieces(tni_step *step) {
    const tn_collective *call = &step->call;
    tni_rank *rank = step->rank;
    int parts = call->kind == TN_REDUCE_SCATTER ? rank->count : 1;
    step->piece_elements = TNI_CHUNK / step->item / parts;
    step->pieces = (uint64_t)((call->count + step->piece_elements - 1) / step->piece_elements);
    step->first = rank->pieces;
    own(step)->notes[rank->calls % TNI_NOTES] = note_of(step);
}

static int64_t elements_of(const tni_step *step, uint64_t piece) {
    int64_t left = step->call.count - (int64_t)piece * step->piece_elements;
    return left < step->piece_elements ? left : step->piece_elements;
}

static int64_t offset_of(const tni_step *step, uint64_t piece) {
    return (int64_t)piece * step->piece_elements * step->item;
}

static bool publishes(const tni_step *step) {
    return step->call.kind != TN_BROADCAST || step->call.root == step->rank->rank;
}

/* A rank's part of the elements of a piece, cut where cache lines begin. */
static void share_of(int64_t *begin, int64_t *end, int64_t elements, const tni_step *step) {
    int64_t line = 64 / step->item, lines = (elements + line - 1) / line;
    int64_t each = (lines + step->rank->count - 1) / step->rank->count * line;
    *begin = each * step->rank->rank < elements ? each * step->rank->rank : elements;
    *end = *begin + each < elements ? *begin + each : elements;
}

static bool reduces_shares(const tni_step *step) {
    return step->call.kind <= TN_REDUCE;
}

static bool publish(tni_step *step) {
    uint64_t piece = step->published, at = step->first + piece;
    if (piece == step->pieces || !publishes(step)) return false;
    if (at >= TNI_SLOTS && !HAVE(step, taken, at - TNI_SLOTS + 1)) return false;
    int64_t offset = offset_of(step, piece), elements = elements_of(step, piece), begin, end;
    int64_t bytes = elements * step->item;
    int parts = step->call.kind == TN_REDUCE_SCATTER ? step->rank->count : 1;
    const char *from = (const char *)step->call.send + offset;
    char *slot = tni_segment_slot(&step->rank->segment, step->rank->rank, at);
    if (reduces_shares(step)) { /* its own share no other rank reads */
        share_of(&begin, &end, elements, step);
        memcpy(slot, from, (size_t)(begin * step->item));
        memcpy(slot + end * step->item, from + end * step->item,
               (size_t)(bytes - end * step->item));
    }
    for (int part = 0; part < parts && !reduces_shares(step); part++)
        memcpy(slot + part * bytes, from + part * step->call.count * step->item, (size_t)bytes);
    step->published++;
    store(step, &own(step)->published, at + 1);
    return true;
}

/* `mine`: the rank's own part, which need not be in its slot; NULL: it is there. */
static void fold(tni_step *step, char *out, uint64_t at, int64_t offset, int64_t elements,
                 const char *mine) {
    enum { FEW = 32 };
    const char *few[FEW];
    const tn_collective *call = &step->call;
    int count = step->rank->count;
    tn_collective_op op = call->op == TN_AVG && count > FEW ? TN_SUM : call->op;
    int done = count < FEW ? count : FEW;
    for (int k = 0; k < done; k++)
        few[k] = mine && k == step->rank->rank
                     ? mine
                     : tni_segment_slot(&step->rank->segment, k, at) + offset;
    tni_collective_fold(out, few, done, elements, call->dtype, op);
    for (; done < count; done++) {
        few[0] = out;
        few[1] = mine && done == step->rank->rank
                     ? mine
                     : tni_segment_slot(&step->rank->segment, done, at) + offset;
        tni_collective_fold(out, few, 2, elements, call->dtype, op);
    }
    if (op != call->op) tni_collective_divide(out, count, elements, call->dtype);
}

static tn_status reduce(tni_step *step, bool *moved) {
    uint64_t piece = step->reduced, at = step->first + piece;
    int64_t begin, end;
    if (step->call.kind > TN_REDUCE || piece == step->pieces) return TN_OK;
    if (!HAVE(step, published, at + 1)) return TN_OK;
    if (piece == 0) TNI_TRY(compare(step, 0, step->rank->count));
    share_of(&begin, &end, elements_of(step, piece), step);
    char *result = tni_segment_result(&step->rank->segment, at);
    fold(step, result + begin * step->item, at, begin * step->item, end - begin,
         (const char *)step->call.send + offset_of(step, piece) + begin * step->item);
    step->reduced++;
    store(step, &own(step)->reduced, at + 1);
    *moved = true;
    return TN_OK;
}

/* What does not fit into the caches is written past them. */
static void copy_out(tni_step *step, int64_t offset, const char *from, int64_t bytes) {
    char *to = (char *)step->call.receive + offset;
    if (step->call.count * step->item < TNI_STREAM_BYTES) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    tni_stream_copy(to, from, (size_t)bytes);
    tni_stream_finish();
}

static void take_gathered(tni_step *step, uint64_t at, int64_t offset, int64_t bytes) {
    for (int k = 0; k < step->rank->count; k++)
        copy_out(step, k * step->call.count * step->item + offset,
                 tni_segment_slot(&step->rank->segment, k, at), bytes);
}

/* Whether a piece may be taken: what it comes from is there. */
static bool may_take(tni_step *step, uint64_t piece, uint64_t at) {
    int root = step->call.root, self = step->rank->rank;
    switch (step->call.kind) {
    case TN_ALL_REDUCE: return HAVE(step, reduced, at + 1);
    case TN_REDUCE: return root == self ? HAVE(step, reduced, at + 1) : step->reduced > piece;
    case TN_BROADCAST:
        return root == self
                   ? step->published > piece
                   : have_all(step, offsetof(tni_member, published), at + 1, root, root + 1);
    default: return HAVE(step, published, at + 1);
    }
}

static tn_status take(tni_step *step, bool *moved) {
    uint64_t piece = step->taken, at = step->first + piece;
    const tn_collective *call = &step->call;
    int self = step->rank->rank;
    if (piece == step->pieces || !may_take(step, piece, at)) return TN_OK;
    bool is_broadcast = call->kind == TN_BROADCAST;
    if (piece == 0 && call->kind > TN_REDUCE)
        TNI_TRY(compare(step, is_broadcast ? call->root : 0,
                        is_broadcast ? call->root + 1 : step->rank->count));
    int64_t offset = offset_of(step, piece), elements = elements_of(step, piece);
    int64_t bytes = elements * step->item;
    if (call->kind == TN_ALL_GATHER)
        take_gathered(step, at, offset, bytes);
    else if (call->kind == TN_REDUCE_SCATTER)
        fold(step, (char *)call->receive + offset, at, self * bytes, elements, NULL);
    else if (is_broadcast && call->root == self)
        memmove((char *)call->receive + offset, (const char *)call->send + offset, (size_t)bytes);
    else if (is_broadcast)
        copy_out(step, offset, tni_segment_slot(&step->rank->segment, call->root, at), bytes);
    else if (call->kind == TN_ALL_REDUCE || call->root == self)
        copy_out(step, offset, tni_segment_result(&step->rank->segment, at), bytes);
    step->taken++;
    store(step, &own(step)->taken, at + 1);
    *moved = true;
    return TN_OK;
}

/* Counts what this call had no part in. */
static void end_pieces(tni_step *step) {
    uint64_t end = step->first + step->pieces;
    step->rank->pieces = end;
    step->rank->calls++;
    atomic_store_explicit(&own(step)->reduced, end, memory_order_release);
    store(step, &own(step)->published, end);
    step->is_done = true;
}

static tn_status advance_pieces(tni_step *step, bool *moved) {
    if (publish(step)) *moved = true;
    TNI_TRY(reduce(step, moved));
    TNI_TRY(take(step, moved));
    if (step->taken == step->pieces && (step->published == step->pieces || !publishes(step)))
        end_pieces(step);
    return TN_OK;
}

/* --- Messages --- */

enum { HEADER = sizeof(tni_note), RUN = 32 << 10 };

static tni_channel *channel_of(const tni_step *step) {
    const tn_collective *call = &step->call;
    int self = step->rank->rank;
    return tni_segment_channel(&step->rank->segment, call->kind == TN_SEND ? self : call->root,
                               call->kind == TN_SEND ? call->root : self);
}

/* Copies to or from the ring, around its end. */
static void copy_ring(char *ring, int64_t size, uint64_t at, char *bytes, int64_t count,
                      bool writes) {
    int64_t place = (int64_t)(at % (uint64_t)size);
    int64_t until_end = count < size - place ? count : size - place;
    if (writes) {
        memcpy(ring + place, bytes, (size_t)until_end);
        memcpy(ring, bytes + until_end, (size_t)(count - until_end));
    } else {
        memcpy(bytes, ring + place, (size_t)until_end);
        memcpy(bytes + until_end, ring, (size_t)(count - until_end));
    }
}

static tn_status advance_send(tni_step *step, bool *moved) {
    tni_channel *channel = channel_of(step);
    int64_t size = step->rank->segment.ring, total = HEADER + step->call.count * step->item;
    uint64_t written = atomic_load_explicit(&channel->written, memory_order_relaxed);
    int64_t room =
        size - (int64_t)(written - atomic_load_explicit(&channel->read, memory_order_acquire));
    tni_note note = note_of(step);
    bool is_header = step->moved < HEADER;
    int64_t count = is_header ? HEADER : total - step->moved;
    if (count > RUN) count = RUN;
    if (is_header ? room < HEADER : room < 1) return TN_OK;
    if (count > room) count = room;
    char *from =
        is_header ? (char *)&note : (char *)(uintptr_t)step->call.send + (step->moved - HEADER);
    copy_ring(channel->data, size, written, from, count, true);
    step->moved += count;
    store(step, &channel->written, written + (uint64_t)count);
    step->is_done = step->moved == total;
    *moved = true;
    return TN_OK;
}

static tn_status check_header(const tni_step *step, const tni_note *sent) {
    char text[TNI_FAILURE_TEXT];
    if (sent->count == step->call.count && sent->dtype == (int32_t)step->call.dtype) return TN_OK;
    tni_step_describe(text, step);
    return tni_fail_collective(TNI_NCCL_USAGE, "%s: rank %d sends %lld %s", text, step->call.root,
                               (long long)sent->count, tn_dtype_name((tn_dtype)sent->dtype));
}

static tn_status advance_receive(tni_step *step, bool *moved) {
    tni_channel *channel = channel_of(step);
    int64_t size = step->rank->segment.ring, total = HEADER + step->call.count * step->item;
    uint64_t read = atomic_load_explicit(&channel->read, memory_order_relaxed);
    int64_t there = (int64_t)(atomic_load_explicit(&channel->written, memory_order_acquire) - read);
    tni_note note;
    bool is_header = step->moved < HEADER;
    int64_t count = is_header ? HEADER : total - step->moved;
    if (count > RUN) count = RUN;
    if (is_header ? there < HEADER : there < 1) return TN_OK;
    if (count > there) count = there;
    char *to = is_header ? (char *)&note : (char *)step->call.receive + (step->moved - HEADER);
    copy_ring(channel->data, size, read, to, count, false);
    if (is_header) TNI_TRY(check_header(step, &note));
    step->moved += count;
    store(step, &channel->read, read + (uint64_t)count);
    step->is_done = step->moved == total;
    *moved = true;
    return TN_OK;
}

/* --- Either --- */

tn_status tni_step_advance(tni_step *step, bool *moved) {
    bool is_message = step->call.kind >= TN_SEND;
    if (!step->has_begun) {
        step->item = tn_dtype_size(step->call.dtype);
        step->has_begun = true;
        *moved = true;
        if (!is_message) begin_pieces(step);
        if (!is_message && step->call.count == 0) {
            step->is_done = true;
            return TN_OK;
        }
    }
    step->awaited = is_message ? step->call.root : -1;
    if (step->call.kind == TN_SEND) return advance_send(step, moved);
    if (step->call.kind == TN_RECEIVE) return advance_receive(step, moved);
    return advance_pieces(step, moved);
}
