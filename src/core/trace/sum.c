/* What a trace has kept, summed up by kind, name and place.
 *
 * Algorithm: events are visited once; a table that doubles holds the rows, found by their key. The
 * rows are sorted by their time. */
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/trace/names.h"
#include "core/trace/record.h"

#include <stdlib.h>

typedef struct row {
    uint64_t key; /* 0: free */
    int64_t events, total_ns, bytes;
} row;

typedef struct summing {
    row *rows; /* `room`, a power of two */
    size_t room, count;
    bool by_place, has_failed;
} summing;

/* 8 bits of kind and the bit inside, 16 bits each of name and place, and a one. */
static uint64_t key_of(const tni_event *event, bool by_place) {
    bool is_inside = (event->depth & TNI_EVENT_DEPTH) > 0;
    return UINT64_C(1) << 63 | (uint64_t)is_inside << 48 | (uint64_t)event->kind << 32 |
           (uint64_t)(event->name & 0xffff) << 16 | (by_place ? event->place & 0xffff : 0);
}

static row *find(row *rows, size_t room, uint64_t key) {
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
    while (rows[at].key && rows[at].key != key)
        at = (at + 1) & (room - 1);
    return &rows[at];
}

static bool grow(summing *s) {
    size_t room = s->room ? 2 * s->room : 256;
    row *rows = tni_calloc(room, sizeof *rows);
    if (!rows) return false;
    for (size_t k = 0; k < s->room; k++)
        if (s->rows[k].key) *find(rows, room, s->rows[k].key) = s->rows[k];
    tni_free(s->rows);
    s->rows = rows;
    s->room = room;
    return true;
}

static void add(void *context, const tni_event *event) {
    summing *s = context;
    if (s->has_failed) return;
    if (2 * s->count >= s->room && !grow(s)) {
        s->has_failed = true;
        return;
    }
    uint64_t key = key_of(event, s->by_place);
    row *found = find(s->rows, s->room, key);
    if (!found->key) s->count++;
    found->key = key;
    found->events++;
    found->total_ns += event->end_ns - event->begin_ns;
    found->bytes += event->bytes;
}

static int by_time(const void *a, const void *b) {
    const row *one = a, *other = b;
    if (one->total_ns != other->total_ns) return one->total_ns < other->total_ns ? 1 : -1;
    if (one->events != other->events) return one->events < other->events ? 1 : -1;
    return one->key < other->key ? -1 : one->key > other->key;
}

tn_status tn_trace_sum_up(tn_trace_sum *rows, int64_t most, int64_t *count, int64_t first,
                          bool by_place) {
    summing s = {.by_place = by_place};
    tni_record_each(first > 0 ? (uint64_t)first : 0, add, &s);
    if (s.has_failed) {
        tni_free(s.rows);
        return tni_fail_no_memory((int64_t)(2 * s.room * sizeof *s.rows));
    }
    size_t used = 0;
    for (size_t k = 0; k < s.room; k++)
        if (s.rows[k].key) s.rows[used++] = s.rows[k];
    if (used) qsort(s.rows, used, sizeof *s.rows, by_time);
    for (size_t k = 0; k < used && (int64_t)k < most; k++) {
        const row *from = &s.rows[k];
        rows[k] = (tn_trace_sum){(tn_trace_kind)(from->key >> 32 & 0xff),
                                 (from->key >> 48 & 1) != 0,
                                 tn_trace_text((uint32_t)(from->key >> 16 & 0xffff)),
                                 tn_trace_text((uint32_t)(from->key & 0xffff)),
                                 from->events,
                                 from->total_ns,
                                 from->bytes};
    }
    *count = (int64_t)used;
    tni_free(s.rows);
    return TN_OK;
}
