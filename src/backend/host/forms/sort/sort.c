/* The form "sort" on the host: elements become items with keys that are unsigned integers, items
 * are sorted (loops/sort_items.c), and become elements or positions again.
 *
 * Rows are shared out among the threads. Where there are few, and long ones, each is sorted by all
 * threads together: pieces of it are counted and moved by the topmost digit in which keys differ,
 * and each thread sorts what has one digit. A digit that holds much of the row is split by all
 * again. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/sort/sort_counts.h"
#include "backend/host/forms/sort/sort_order.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { PIECE = 1 << 14, PIECES_MAX = 64, ALWAYS_SHARED = 1 << 18, ITEM_NS = 8, FEW_THREADS = 4 };

typedef struct sorting {
    const tni_sort *call;
    const tni_item_loops *items;
    const tni_key_loops *keys;
    void (*positions)(char *to, int64_t stride, const void *items, int64_t n);
    tni_loop copy; /* of elements */
    tni_item_kind kind;
    int64_t item, element; /* bytes */
    bool gathers;
    bool in_output;           /* the items of a row lie in its output */
    const tni_wanted *wanted; /* NULL: all */
    atomic_bool *is_out_of_memory;
} sorting;

/* One row at work. */
typedef struct row {
    const sorting *s;
    const char *input;
    char *output, *items, *spare;
    int step;
} row;

/* --- Parts of a row: elements [begin, end) --- */

static void load(void *context, int64_t begin, int64_t end) {
    const row *r = context;
    const tni_sort *call = r->s->call;
    const char *from = r->step ? r->input : r->input + begin * call->input_stride;
    r->s->keys->load[r->s->kind](r->items + begin * r->s->item, from, call->input_stride,
                                 end - begin, begin, call->is_descending, r->step);
}

static void store(void *context, int64_t begin, int64_t end) {
    const row *r = context;
    const sorting *s = r->s;
    const tni_sort *call = s->call;
    const char *items = r->items + begin * s->item;
    char *to = r->output + begin * call->output_stride;
    if (call->gives_positions)
        s->positions(to, call->output_stride, items, end - begin);
    else if (s->gathers) /* the input may be the output: first to the spare room */
        s->keys->gather[s->kind](r->spare + begin * s->element, items, end - begin, r->input,
                                 call->input_stride);
    else
        s->keys->store(to, call->output_stride, items, end - begin, call->is_descending);
}

static void deliver(void *context, int64_t begin, int64_t end) {
    const row *r = context;
    const sorting *s = r->s;
    const int64_t stride = s->call->output_stride;
    tni_convert(s->copy, r->spare + begin * s->element, s->element, r->output + begin * stride,
                stride, end - begin);
}

static int steps_of(const sorting *s) {
    return s->call->dtype == TN_C128 ? 2 : 1;
}

/* The last step alone may leave ranks out: others need the order of all. */
static const tni_wanted *wanted_in(const sorting *s, int step) {
    return step == steps_of(s) - 1 ? s->wanted : NULL;
}

/* --- Rows, each by one thread --- */

static void sort_row(const sorting *s, const char *input, char *output, char *room, int64_t bytes) {
    const int64_t n = s->call->length;
    row r = {s, input, output, room, room + bytes, 0};
    if (tni_host_sort_in_order(s->call, input, output)) return;
    if (s->in_output) r.items = output;
    for (; r.step < steps_of(s); r.step++) {
        load(&r, 0, n);
        s->items->sort(r.items, r.spare, n, false, wanted_in(s, r.step));
    }
    store(&r, 0, n);
    if (s->gathers) deliver(&r, 0, n);
}

static void sort_rows(void *context, int64_t begin, int64_t end) {
    const sorting *s = context;
    const tni_sort *call = s->call;
    const int64_t bytes = (call->length * s->item + 63) & -64;
    char *room = tni_scratch(TNI_SLOT_STAGE, (size_t)(2 * bytes));
    if (!room) {
        atomic_store(s->is_out_of_memory, true);
        return;
    }
    tni_walk walk;
    tni_walk_start(&walk, call->ndim, call->shape, call->input_strides, call->output_strides,
                   begin);
    for (int64_t k = begin; k < end; k++) {
        sort_row(s, call->input + walk.offsets[0], call->output + walk.offsets[1], room, bytes);
        if (k + 1 < end) tni_walk_next(&walk);
    }
}

/* --- One row by all threads --- */

/* n items, the first of rank `base`; sorted into `to_spare` ? spare : items. */
typedef struct part {
    const row *r;
    char *items, *spare;
    int64_t n, base;
    bool to_spare;
    const tni_wanted *wanted;
} part;

/* A part at work: what its pieces found, then where they put the items of each digit. */
typedef struct splitting {
    const part *p;
    _Atomic(uint64_t) bits;
    int shift;
    int64_t piece;                 /* items of a piece */
    int64_t (*places)[TNI_DIGITS]; /* by piece */
    int64_t ends[TNI_DIGITS];
} splitting;

/* Items that are at their places for good become elements. */
static void finish(const part *p) {
    const sorting *s = p->r->s;
    if (s->gathers || p->r->step < steps_of(s) - 1) return;
    store((void *)(uintptr_t)p->r, p->base, p->base + p->n);
}

static void sort_alone(const part *p) {
    const sorting *s = p->r->s;
    tni_wanted wanted;
    if (p->wanted) {
        wanted = *p->wanted;
        wanted.base = p->base;
    }
    s->items->sort(p->items, p->spare, p->n, p->to_spare, p->wanted ? &wanted : NULL);
    finish(p);
}

static void find_bits(void *context, int64_t begin, int64_t end) {
    splitting *g = context;
    const part *p = g->p;
    const int64_t item = p->r->s->item;
    atomic_fetch_or(&g->bits,
                    p->r->s->items->differ(p->items + begin * item, end - begin, p->items));
}

static int64_t piece_length(const splitting *g, int64_t k) {
    int64_t left = g->p->n - k * g->piece;
    return left < g->piece ? left : g->piece;
}

static void count_pieces(void *context, int64_t begin, int64_t end) {
    const splitting *g = context;
    const sorting *s = g->p->r->s;
    for (int64_t k = begin; k < end; k++) {
        memset(g->places[k], 0, sizeof g->places[k]);
        s->items->count(g->p->items + k * g->piece * s->item, piece_length(g, k), g->shift,
                        g->places[k]);
    }
}

static void move_pieces(void *context, int64_t begin, int64_t end) {
    const splitting *g = context;
    const sorting *s = g->p->r->s;
    for (int64_t k = begin; k < end; k++)
        s->items->move(g->p->spare, g->p->items + k * g->piece * s->item, piece_length(g, k),
                       g->shift, g->places[k]);
}

static void copy_items(void *context, int64_t begin, int64_t end) {
    const part *p = context;
    const int64_t item = p->r->s->item;
    memcpy(p->spare + begin * item, p->items + begin * item, (size_t)((end - begin) * item));
}

/* The items of one digit, which were moved to the spare room. */
static part part_of_digit(const splitting *g, int64_t digit) {
    const part *p = g->p;
    const int64_t begin = digit ? g->ends[digit - 1] : 0, item = p->r->s->item;
    return (part){p->r,
                  p->spare + begin * item,
                  p->items + begin * item,
                  g->ends[digit] - begin,
                  p->base + begin,
                  !p->to_spare,
                  p->wanted};
}

static bool is_shared(const splitting *g, const part *of_digit) {
    return of_digit->n >= TNI_SORT_LONG && of_digit->n > g->p->n / 8;
}

static bool is_wanted(const part *p) {
    for (int k = 0; p->wanted && k < p->wanted->count; k++)
        if (p->wanted->ranges[k].first < p->base + p->n && p->base < p->wanted->ranges[k].end)
            return true;
    return !p->wanted;
}

/* Brings items that need no sorting to their side. */
static void place(part *p) {
    if (p->to_spare) tni_parallel(p->n, PIECE, copy_items, p);
    finish(p);
}

static void sort_digits(void *context, int64_t begin, int64_t end) {
    const splitting *g = context;
    for (int64_t digit = begin; digit < end; digit++) {
        part p = part_of_digit(g, digit);
        if (p.n == 0 || is_shared(g, &p)) continue;
        if (is_wanted(&p))
            sort_alone(&p);
        else
            place(&p);
    }
}

/* By the topmost digit in which keys differ. */
static tn_status split(splitting *g) {
    const part *p = g->p;
    int64_t pieces = p->n / PIECE;
    int64_t most = 4 * tni_thread_count();
    if (most > PIECES_MAX) most = PIECES_MAX;
    if (pieces > most) pieces = most;
    g->piece = (p->n + pieces - 1) / pieces;
    pieces = (p->n + g->piece - 1) / g->piece;
    int64_t bytes = pieces * (int64_t)sizeof *g->places, sum = 0;
    g->places = tni_scratch(TNI_SLOT_SEGMENTS, (size_t)bytes);
    if (!g->places) return tni_fail_no_memory(bytes);
    tni_parallel(pieces, 1, count_pieces, g);
    for (int64_t digit = 0; digit < TNI_DIGITS; digit++) {
        for (int64_t k = 0; k < pieces; k++) {
            int64_t count = g->places[k][digit];
            g->places[k][digit] = sum;
            sum += count;
        }
        g->ends[digit] = sum;
    }
    tni_parallel(pieces, 1, move_pieces, g);
    return TN_OK;
}

/* --- One row by a few threads: halved by one of them until there are parts for all --- */

static void sort_parts(void *context, int64_t begin, int64_t end) {
    const part *parts = context;
    for (int64_t k = begin; k < end; k++)
        if (parts[k].n) sort_alone(&parts[k]);
}

/* Into the two parts at `halves`; what is below keeps to the room where it is to be. */
static void halve(const part *p, part *halves) {
    char *out = p->to_spare ? p->spare : p->items, *rest = p->to_spare ? p->items : p->spare;
    const int64_t below = p->r->s->items->halve(out, rest, p->items, p->n), item = p->r->s->item,
                  above = p->n - below;
    halves[0] = (part){p->r, out, rest + above * item, below, p->base, false, p->wanted};
    halves[1] = (part){p->r, rest, out + below * item, above, p->base + below, true, p->wanted};
}

static void sort_halves(const part *p) {
    enum { PARTS = 4 * FEW_THREADS };
    part parts[PARTS] = {*p};
    int count = 1;
    for (; !p->wanted && count < 4 * tni_thread_count() && tni_thread_count() > 1; count *= 2)
        for (int k = count - 1; k >= 0; k--) {
            const part whole = parts[k];
            parts[2 * k] = whole;
            parts[2 * k + 1].n = 0;
            if (whole.n >= TNI_SORT_LONG / PARTS) halve(&whole, &parts[2 * k]);
        }
    tni_parallel(count, 1, sort_parts, parts);
}

static tn_status sort_together(part *p) {
    splitting g;
    g.p = p;
    if (!is_wanted(p)) {
        place(p);
        return TN_OK;
    }
    if (p->r->s->items->halve && tni_thread_count() <= FEW_THREADS) {
        sort_halves(p);
        return TN_OK;
    }
    atomic_init(&g.bits, 0);
    tni_parallel(p->n, PIECE, find_bits, &g);
    const uint64_t bits = atomic_load(&g.bits);
    if (bits == 0) {
        place(p);
        return TN_OK;
    }
    const int high = 63 - __builtin_clzll(bits);
    g.shift = high > 7 ? high - 7 : 0;
    TNI_TRY(split(&g));
    for (int64_t digit = 0; digit < TNI_DIGITS; digit++) {
        part next = part_of_digit(&g, digit);
        if (is_shared(&g, &next)) TNI_TRY(sort_together(&next));
    }
    tni_parallel(TNI_DIGITS, 1, sort_digits, &g);
    return TN_OK;
}

static tn_status sort_row_together(const sorting *s, const char *input, char *output) {
    const tni_sort *call = s->call;
    const int64_t n = call->length, bytes = (n * s->item + 63) & -64;
    row r = {s, input, output, call->workspace, call->workspace + bytes, 0};
    if (tni_host_sort_in_order(call, input, output)) return TN_OK;
    if (s->in_output) r.items = output;
    for (; r.step < steps_of(s); r.step++) {
        part all = {&r, r.items, r.spare, n, 0, false, wanted_in(s, r.step)};
        tni_parallel(n, PIECE, load, &r);
        TNI_TRY(sort_together(&all));
    }
    if (!s->gathers) return TN_OK;
    tni_parallel(n, PIECE, store, &r);
    tni_parallel(n, PIECE, deliver, &r);
    return TN_OK;
}

/* --- Plan --- */

static tn_status sort_all(const tni_sort *call) {
    if (tni_sort_counts(call)) return tni_host_sort_counts(call);
    atomic_bool is_out_of_memory = false;
    const tni_wanted wanted = {call->ranges, call->range_count, 0};
    const bool is_whole =
        call->range_count == 1 && call->ranges[0].first == 0 && call->ranges[0].end == call->length;
    const tni_sort_loops *loops = tni_loops_level()->sort;
    sorting s;
    s.call = call;
    s.kind = tni_sort_item_kind(call);
    s.items = loops->items[s.kind];
    s.keys = &loops->keys[call->dtype];
    s.positions = loops->positions[s.kind];
    s.copy = tni_cast_find(call->dtype, call->dtype);
    s.item = tni_item_bytes(s.kind);
    s.element = tn_dtype_size(call->dtype);
    s.gathers = tni_sort_gathers(call);
    s.in_output = !s.gathers && call->output_stride == s.item &&
                  (call->gives_positions ? s.item == 8 : s.item == s.element);
    s.wanted = is_whole ? NULL : &wanted;
    s.is_out_of_memory = &is_out_of_memory;
    if (call->length < TNI_SORT_LONG ||
        (call->size >= 2 * tni_thread_count() && call->length < ALWAYS_SHARED)) {
        tni_parallel_units(call->size, call->length * ITEM_NS, sort_rows, &s);
        return atomic_load(&is_out_of_memory) ? tni_fail_no_memory(2 * call->length * s.item)
                                              : TN_OK;
    }
    tni_walk walk;
    tni_walk_start(&walk, call->ndim, call->shape, call->input_strides, call->output_strides, 0);
    for (int64_t k = 0; k < call->size; k++) {
        TNI_TRY(
            sort_row_together(&s, call->input + walk.offsets[0], call->output + walk.offsets[1]));
        if (k + 1 < call->size) tni_walk_next(&walk);
    }
    return TN_OK;
}

/* --- Zeros of both signs --- */

typedef struct looking {
    const tni_sort *call;
    bool (*has_zeros)(const char *from, int64_t stride, int64_t n);
    atomic_bool found;
} looking;

static void look_at_rows(void *context, int64_t begin, int64_t end) {
    looking *l = context;
    const tni_sort *call = l->call;
    tni_walk walk;
    tni_walk_start(&walk, call->ndim, call->shape, call->input_strides, NULL, begin);
    for (int64_t k = begin; k < end && !atomic_load(&l->found); k++) {
        if (l->has_zeros(call->input + walk.offsets[0], call->input_stride, call->length))
            atomic_store(&l->found, true);
        if (k + 1 < end) tni_walk_next(&walk);
    }
}

tn_status tni_host_run_sort(void *parameters) {
    const tni_sort *call = parameters;
    looking l = {call, tni_loops_level()->sort->keys[call->dtype].has_zeros, false};
    if (!call->is_stable || call->gives_positions || !l.has_zeros) return sort_all(call);
    tni_parallel_units(call->size, call->length, look_at_rows, &l);
    if (atomic_load(&l.found)) return sort_all(call);
    tni_sort plain = *call; /* which then needs no order among equals */
    plain.is_stable = false;
    return sort_all(&plain);
}

TNI_HOST_PLAN(sort, call->size * call->length)
