/* Folds of truths that one element may decide: any and all, and the extremes of bools.
 *
 * Elements are read in pieces that grow, from a few on, until one decides: most answers stand at
 * the beginning. What is not decided yet is the value that says nothing, so no tree is needed.
 * Threads share outputs or, of few, the segments of one, after the first has been read alone; a
 * segment that decides ends those that have not begun. */
#include "backend/host/forms/reduce/reduce_until.h"

#include "backend/host/forms/reduce/folding.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum {
    FIRST = 32,             /* elements of the first piece */
    DIRECT = 16384,         /* of the longest one that is read where it lies */
    GRAIN_ELEMENTS = 32768, /* of a task: those that go through the stage */
    DIRECT_GRAIN = 8 * GRAIN_ELEMENTS
};

typedef struct search {
    const tni_folding *folding;
    bool staged;
    int64_t run, run_stride, mask_stride, limit, segment;
    const char *one_input, *one_mask; /* where threads share one output */
    atomic_bool is_decided;
} search;

/* Whether an element in [begin, end) of one output decides. */
static bool decides(const search *s, const char *input, const char *mask, int64_t begin,
                    int64_t end) {
    const tni_folding *f = s->folding;
    const tni_reduce *call = f->call;
    _Alignas(64) char stage[TNI_LEAF * 16];
    int64_t piece = FIRST, in_run = begin % s->run;
    tni_walk walk;
    tni_walk_start(&walk, call->reduced_ndim > 0 ? call->reduced_ndim - 1 : 0, call->reduced_shape,
                   call->reduced_input, mask ? call->reduced_mask : NULL, begin / s->run);
    for (int64_t at = begin; at < end;) {
        int64_t n = s->run - in_run < end - at ? s->run - in_run : end - at;
        if (n > piece) n = piece;
        const char *x = input + walk.offsets[0] + in_run * s->run_stride;
        if (s->staged) {
            const char *of_mask = mask ? mask + walk.offsets[1] + in_run * s->mask_stride : NULL;
            tni_stage_run(f, stage, f->x, x, s->run_stride, of_mask, s->mask_stride, n);
            x = stage;
        }
        unsigned char value;
        f->fold->rows(&value, x, 1, 0, n, NULL);
        if ((value != 0) == f->stop) return true;
        if (piece < s->limit) piece *= 2;
        at += n;
        in_run += n;
        if (in_run == s->run && at < end) {
            in_run = 0;
            tni_walk_next(&walk);
        }
    }
    return false;
}

/* --- Sharing out --- */

/* Whether the initial value decides. */
static bool begins_decided(const tni_folding *f) {
    return f->initial && (*(const unsigned char *)f->initial != 0) == f->stop;
}

static void put(const tni_folding *f, bool is_decided, char *output) {
    unsigned char value = (is_decided || begins_decided(f)) == f->stop;
    tni_folding_finish(f, &value, 1, output, 0);
}

static void fold_outputs(void *context, int64_t begin, int64_t end) {
    const search *s = context;
    const tni_reduce *call = s->folding->call;
    tni_walk in, out;
    tni_walk_start(&in, call->kept_ndim, call->kept_shape, call->kept_input,
                   call->mask ? call->kept_mask : NULL, begin);
    tni_walk_start(&out, call->kept_ndim, call->kept_shape, call->kept_output, NULL, begin);
    for (int64_t k = begin; k < end; k++) {
        const char *mask = call->mask ? call->mask + in.offsets[1] : NULL;
        put(s->folding, decides(s, call->input + in.offsets[0], mask, 0, call->reduced_size),
            call->output + out.offsets[0]);
        if (k + 1 < end) tni_walk_next(&in), tni_walk_next(&out);
    }
}

static void search_segments(void *context, int64_t begin, int64_t end) {
    search *s = context;
    int64_t size = s->folding->call->reduced_size;
    for (int64_t k = begin; k < end; k++) {
        if (atomic_load_explicit(&s->is_decided, memory_order_relaxed)) return;
        int64_t from = (k + 1) * s->segment,
                to = from + s->segment < size ? from + s->segment : size;
        if (decides(s, s->one_input, s->one_mask, from, to))
            atomic_store_explicit(&s->is_decided, true, memory_order_relaxed);
    }
}

/* What a task of so many elements takes, about, if none decides. */
static int64_t ns_of(const search *s, int64_t elements) {
    return s->staged ? elements : elements * s->folding->item / 32;
}

static void fold_shared(search *s) {
    const tni_reduce *call = s->folding->call;
    int64_t others = (call->reduced_size - 1) / s->segment;
    tni_walk in, out;
    tni_walk_start(&in, call->kept_ndim, call->kept_shape, call->kept_input,
                   call->mask ? call->kept_mask : NULL, 0);
    tni_walk_start(&out, call->kept_ndim, call->kept_shape, call->kept_output, NULL, 0);
    for (int64_t k = 0; k < call->kept_size; k++) {
        s->one_input = call->input + in.offsets[0];
        s->one_mask = call->mask ? call->mask + in.offsets[1] : NULL;
        atomic_store(&s->is_decided, decides(s, s->one_input, s->one_mask, 0, s->segment));
        if (!atomic_load(&s->is_decided))
            tni_parallel_units(others, ns_of(s, s->segment), search_segments, s);
        put(s->folding, atomic_load(&s->is_decided), call->output + out.offsets[0]);
        if (k + 1 < call->kept_size) tni_walk_next(&in), tni_walk_next(&out);
    }
}

void tni_fold_until(const tni_folding *folding) {
    const tni_reduce *call = folding->call;
    int last = call->reduced_ndim - 1;
    search s = {.folding = folding};
    s.run = last >= 0 ? call->reduced_shape[last] : 1;
    s.run_stride = last >= 0 ? call->reduced_input[last] : folding->item;
    s.mask_stride = call->mask && last >= 0 ? call->reduced_mask[last] : 0;
    s.staged = folding->staged || folding->is_mapped || s.run_stride != folding->item;
    s.limit = s.staged ? TNI_LEAF : DIRECT;
    s.segment = s.staged ? GRAIN_ELEMENTS : DIRECT_GRAIN;
    int64_t threads = call->reduced_size > 2 * s.segment ? tni_thread_count() : 1;
    if (threads > 1 && call->kept_size < 4 * threads) {
        fold_shared(&s);
        return;
    }
    tni_parallel_units(call->kept_size, ns_of(&s, call->reduced_size), fold_outputs, &s);
}
