/* Sorting elements of one or two bytes by counting: how often each key comes, then each key so
 * often. Neither needs room for a second row, and the output may be the input.
 *
 * Rows are shared out among the threads; a long row alone is counted by pieces and written by
 * pieces. */
#include "backend/host/forms/sort/sort_counts.h"

#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/sort/sort_order.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 1024, PIECES_MAX = 16, PIECE_LEAST = 1 << 16, ITEM_NS = 1 };

typedef struct counting {
    const tni_sort *call;
    const tni_key_loops *keys;
    int64_t values; /* how many keys there are */
    atomic_bool *is_out_of_memory;
} counting;

/* counts[key] += how many of the elements [begin, end) have that key. */
static void count(const counting *c, const char *input, int64_t begin, int64_t end,
                  int64_t *counts) {
    const tni_sort *call = c->call;
    uint16_t keys[BLOCK];
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        c->keys->load[TNI_ITEM_KEY2](keys, input + at * call->input_stride, call->input_stride, n,
                                     at, call->is_descending, 0);
        for (int64_t i = 0; i < n; i++)
            counts[keys[i]]++;
    }
}

/* Writes the ranks [begin, end): key k has those before ends[k] that no smaller key has. */
static void write_ranks(const counting *c, char *output, int64_t begin, int64_t end,
                        const int64_t *ends) {
    const tni_sort *call = c->call;
    uint16_t keys[BLOCK];
    int64_t low = 0, high = c->values - 1;
    while (low < high) { /* the key of rank `begin` */
        const int64_t middle = (low + high) / 2;
        if (ends[middle] > begin)
            high = middle;
        else
            low = middle + 1;
    }
    for (int64_t at = begin, key = low; at < end;) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        for (int64_t i = 0; i < n;) {
            const int64_t stop = ends[key] - at < n ? ends[key] - at : n;
            for (; i < stop; i++)
                keys[i] = (uint16_t)key;
            if (i < n) key++;
        }
        c->keys->store(output + at * call->output_stride, call->output_stride, keys, n,
                       call->is_descending);
        at += n;
    }
}

static void sum_up(int64_t *counts, int64_t values) {
    for (int64_t key = 1; key < values; key++)
        counts[key] += counts[key - 1];
}

/* --- Rows, each by one thread --- */

static void sort_rows(void *context, int64_t begin, int64_t end) {
    const counting *c = context;
    const tni_sort *call = c->call;
    const size_t bytes = (size_t)c->values * sizeof(int64_t);
    int64_t *counts = tni_scratch(TNI_SLOT_STAGE, bytes);
    if (!counts) {
        atomic_store(c->is_out_of_memory, true);
        return;
    }
    tni_walk walk;
    tni_walk_start(&walk, call->ndim, call->shape, call->input_strides, call->output_strides,
                   begin);
    for (int64_t k = begin; k < end; k++) {
        const char *input = call->input + walk.offsets[0];
        char *output = call->output + walk.offsets[1];
        if (!tni_host_sort_in_order(call, input, output)) {
            memset(counts, 0, bytes);
            count(c, input, 0, call->length, counts);
            sum_up(counts, c->values);
            write_ranks(c, output, 0, call->length, counts);
        }
        if (k + 1 < end) tni_walk_next(&walk);
    }
}

/* --- One row by all threads --- */

typedef struct row {
    const counting *c;
    const char *input;
    char *output;
    int64_t piece;   /* elements of a piece */
    int64_t *counts; /* by piece; the first becomes those of all */
} row;

static void count_pieces(void *context, int64_t begin, int64_t end) {
    const row *r = context;
    const int64_t length = r->c->call->length;
    for (int64_t k = begin; k < end; k++) {
        int64_t *counts = r->counts + k * r->c->values;
        const int64_t last = (k + 1) * r->piece;
        memset(counts, 0, (size_t)r->c->values * sizeof *counts);
        count(r->c, r->input, k * r->piece, last < length ? last : length, counts);
    }
}

static void write_pieces(void *context, int64_t begin, int64_t end) {
    const row *r = context;
    write_ranks(r->c, r->output, begin, end, r->counts);
}

static tn_status sort_row_together(const counting *c, const char *input, char *output) {
    const int64_t length = c->call->length;
    if (tni_host_sort_in_order(c->call, input, output)) return TN_OK;
    int64_t pieces = length / PIECE_LEAST, most = tni_thread_count();
    if (most > PIECES_MAX) most = PIECES_MAX;
    if (pieces > most) pieces = most;
    if (pieces < 1) pieces = 1;
    row r = {c, input, output, (length + pieces - 1) / pieces, NULL};
    pieces = (length + r.piece - 1) / r.piece;
    const int64_t bytes = pieces * c->values * (int64_t)sizeof *r.counts;
    r.counts = tni_scratch(TNI_SLOT_SEGMENTS, (size_t)bytes);
    if (!r.counts) return tni_fail_no_memory(bytes);
    tni_parallel(pieces, 1, count_pieces, &r);
    for (int64_t k = 1; k < pieces; k++)
        for (int64_t key = 0; key < c->values; key++)
            r.counts[key] += r.counts[k * c->values + key];
    sum_up(r.counts, c->values);
    tni_parallel(length, PIECE_LEAST, write_pieces, &r);
    return TN_OK;
}

tn_status tni_host_sort_counts(const tni_sort *call) {
    atomic_bool is_out_of_memory = false;
    const counting c = {call, &tni_loops_level()->sort->keys[call->dtype],
                        INT64_C(1) << 8 * tn_dtype_size(call->dtype), &is_out_of_memory};
    if (call->length < 2 * PIECE_LEAST || call->size >= 2 * tni_thread_count()) {
        tni_parallel_units(call->size, call->length * ITEM_NS, sort_rows, (void *)(uintptr_t)&c);
        return atomic_load(&is_out_of_memory) ? tni_fail_no_memory(c.values * 8) : TN_OK;
    }
    tni_walk walk;
    tni_walk_start(&walk, call->ndim, call->shape, call->input_strides, call->output_strides, 0);
    for (int64_t k = 0; k < call->size; k++) {
        TNI_TRY(
            sort_row_together(&c, call->input + walk.offsets[0], call->output + walk.offsets[1]));
        if (k + 1 < call->size) tni_walk_next(&walk);
    }
    return TN_OK;
}
