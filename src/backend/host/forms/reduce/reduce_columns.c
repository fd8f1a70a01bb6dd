/* Reductions whose elements lie along a kept axis: a leaf is up to TNI_LEAF_ROWS rows of columns,
 * folded into one row of partial results.
 *
 * Leaves are merged like a binary counter, a row of results per bit. Threads share chunks of
 * columns or, where there are few, segments (subtrees) of the rows. A narrow row that follows the
 * last without a gap is widened: k rows side by side are one row of k times the columns, whose
 * results are merged at the end; the rows that are left over come last. */
#include "backend/host/forms/reduce/reduce_columns.h"

#include "backend/host/forms/reduce/folding.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum {
    RESULT_BYTES = 8192, /* of a row of partial results */
    STAGE_BYTES = 65536, /* of a staged leaf */
    PART_BYTES = 16384,  /* of a part of one, of short rows, in the L1 cache */
    SHORT_BYTES = 1024,  /* of such a row, at most */
    PIECE_BYTES = 4096,  /* of a longer one, in the L1 cache with what it is merged into */
    ROW_BYTES = 65536,   /* of the longest, so that memory is read in order */
    NARROW_BYTES = 64,   /* rows below this are widened if they can be */
    WIDE_BYTES = 512,    /* to about this */
    WIDE_ROWS = 64,      /* rows that become one, at most */
    FEW_ROWS = 16,       /* shorter runs share a leaf */
    GRAIN_BYTES = 131072,
    DEPTH_MAX = 60
};

typedef struct columns {
    const tni_folding *folding;
    bool staged, is_seamless;
    bool has_parts; /* staged leaves are folded part by part: the bits are those of the whole */
    /* rows */
    int64_t run, runs, run_stride, mask_stride;
    int64_t leaves, leaves_per_run, runs_per_leaf;
    /* columns of one chunk */
    int64_t width, width_stride, width_mask; /* all columns; bytes between them */
    int64_t chunk, chunks;
    int64_t widened;  /* rows that are one; 1: as they are */
    int64_t leftover; /* rows after the last whole one */
    int outer_ndim;
    int64_t segments, segment_leaves; /* threads share these; 1: they share chunks */
    char *partial;                    /* rows of results of the segments */
    const char *one_input, *one_mask;
    int64_t one_count;
    atomic_bool is_out_of_memory;
} columns;

/* --- Leaves --- */

static void start_walk(tni_walk *walk, const columns *c, int64_t run) {
    const tni_reduce *call = c->folding->call;
    tni_walk_start(walk, call->reduced_ndim > 0 ? call->reduced_ndim - 1 : 0, call->reduced_shape,
                   call->reduced_input, call->mask ? call->reduced_mask : NULL, run);
}

/* Loads `rows` rows of a run after those that are staged already. */
static void load_rows(const columns *c, char *stage, uint8_t *marks, int64_t staged,
                      const char *input, const char *mask, int64_t rows, int64_t n) {
    const tni_folding *f = c->folding;
    if (c->is_seamless && n == c->width) { /* the rows of a run follow each other without a gap */
        char *to = stage + staged * n * f->x;
        tni_stage_run(f, to, f->x, input, c->width_stride, NULL, 0, rows * n);
        if (marks) tni_stage_mark(f, marks + staged * n, to, NULL, 0, rows * n);
        return;
    }
    for (int64_t k = 0; k < rows; k++) {
        char *to = stage + (staged + k) * n * f->x;
        const char *of_mask = mask ? mask + k * c->mask_stride : NULL;
        tni_stage_run(f, to, f->x, input + k * c->run_stride, c->width_stride, of_mask,
                      c->width_mask, n);
        if (marks) tni_stage_mark(f, marks + (staged + k) * n, to, of_mask, c->width_mask, n);
    }
}

static void fold_stage(const columns *c, const char *stage, const uint8_t *marks, int64_t rows,
                       int64_t n, char *result) {
    const tni_folding *f = c->folding;
    if (!marks)
        f->fold->columns(result, stage, rows, n * f->x, n);
    else
        f->loops->marked_columns[f->fold->input == TN_F64](result, stage, marks, rows, n);
}

/* A staged leaf part by part: what the parts before gave is the first row of the next. */
static void fold_parts(const columns *c, char *stage, const char *input, const char *mask,
                       int64_t rows, int64_t n, char *result) {
    const int64_t row = n * c->folding->x, most = PART_BYTES / row;
    for (int64_t given = 0, now; rows > 0; given = 1, rows -= now) {
        now = most - given < rows ? most - given : rows;
        load_rows(c, stage, NULL, given, input, mask, now, n);
        fold_stage(c, stage, NULL, given + now, n, result);
        input += now * c->run_stride;
        if (mask) mask += now * c->mask_stride;
        if (now < rows) memcpy(stage, result, (size_t)row);
    }
}

/* A staged leaf of long rows, each merged into those before a piece at a time. */
static void fold_rows(const columns *c, char *stage, const char *input, const char *mask,
                      int64_t rows, int64_t n, char *result) {
    const int64_t x = c->folding->x, most = PIECE_BYTES / x;
    load_rows(c, result, NULL, 0, input, mask, 1, n);
    for (int64_t k = 1; k < rows; k++)
        for (int64_t at = 0; at < n; at += most) {
            const int64_t now = n - at < most ? n - at : most;
            load_rows(c, stage, NULL, 0, input + k * c->run_stride + at * c->width_stride,
                      mask ? mask + k * c->mask_stride + at * c->width_mask : NULL, 1, now);
            c->folding->fold->merge(result + at * x, stage, now);
        }
}

/* Leaf number `leaf` of n columns; walk stands at its first run. */
static void fold_leaf(const columns *c, char *stage, uint8_t *marks, tni_walk *walk,
                      const char *input, const char *mask, int64_t leaf, int64_t n, char *result) {
    const tni_folding *f = c->folding;
    if (c->leaves_per_run) {
        int64_t row = leaf % c->leaves_per_run * TNI_LEAF_ROWS, rest = c->run - row;
        int64_t rows = rest < TNI_LEAF_ROWS ? rest : TNI_LEAF_ROWS;
        const char *at = input + walk->offsets[0] + row * c->run_stride;
        const char *of_mask = mask ? mask + walk->offsets[1] + row * c->mask_stride : NULL;
        if (c->has_parts) {
            (n * f->x > SHORT_BYTES ? fold_rows : fold_parts)(c, stage, at, of_mask, rows, n,
                                                              result);
        } else if (c->staged) {
            load_rows(c, stage, marks, 0, at, of_mask, rows, n);
            fold_stage(c, stage, marks, rows, n, result);
        } else {
            f->fold->columns(result, at, rows, c->run_stride, n);
        }
        if (row + rows == c->run && leaf + 1 < c->leaves) tni_walk_next(walk);
        return;
    }
    int64_t run = leaf * c->runs_per_leaf, end = run + c->runs_per_leaf, rows = 0;
    if (end > c->runs) end = c->runs;
    for (; run < end; run++, rows += c->run) {
        load_rows(c, stage, marks, rows, input + walk->offsets[0],
                  mask ? mask + walk->offsets[1] : NULL, c->run, n);
        if (run + 1 < c->runs) tni_walk_next(walk);
    }
    fold_stage(c, stage, marks, rows, n, result);
}

static int64_t depth_of(int64_t leaves) {
    int64_t depth = 2;
    while (leaves >>= 1)
        depth++;
    return depth;
}

/* result[n] = the subtree of leaves [first, first + count). False when memory is out. */
static bool fold_leaves(const columns *c, const char *input, const char *mask, int64_t first,
                        int64_t count, int64_t n, char *result) {
    const tni_folding *f = c->folding;
    int64_t row = n * f->work, depth = 0;
    if (c->leaves == 1 && !c->staged) {
        f->fold->columns(result, input, c->run, c->run_stride, n);
        return true;
    }
    char *stack = tni_scratch(TNI_SLOT_PARTS, (size_t)(depth_of(count) * row));
    int64_t rows = c->leaves_per_run ? TNI_LEAF_ROWS : c->runs_per_leaf * c->run;
    char *stage = NULL;
    uint8_t *marks = NULL;
    if (c->staged) {
        stage = tni_scratch(TNI_SLOT_STAGE, (size_t)(rows * n * (f->x + 1)));
        if (!stage) return false;
        if (f->is_moment && f->drops) marks = (uint8_t *)stage + rows * n * f->x;
    }
    if (!stack) return false;
    tni_walk walk;
    start_walk(&walk, c, c->leaves_per_run ? first / c->leaves_per_run : first * c->runs_per_leaf);
    for (int64_t k = 0; k < count; k++) {
        fold_leaf(c, stage, marks, &walk, input, mask, first + k, n, stack + depth * row);
        for (int64_t bits = k + 1; !(bits & 1); bits >>= 1, depth--)
            f->fold->merge(stack + (depth - 1) * row, stack + depth * row, n);
        depth++;
    }
    for (; depth > 1; depth--)
        f->fold->merge(stack + (depth - 2) * row, stack + (depth - 1) * row, n);
    memcpy(result, stack, (size_t)row);
    return true;
}

/* --- From a row of results to outputs --- */

/* initial op results, in place; the stack's memory is free again. */
static bool begin_with_initial(const tni_folding *f, char *results, int64_t n) {
    if (!f->initial) return true;
    char *first = tni_scratch(TNI_SLOT_PARTS, (size_t)(n * f->work));
    if (!first) return false;
    int64_t bytes = n * f->work;
    memcpy(first, f->initial, (size_t)f->work);
    for (int64_t done = f->work; done < bytes; done *= 2)
        memcpy(first + done, first, (size_t)(done < bytes - done ? done : bytes - done));
    f->fold->merge(first, results, n);
    memcpy(results, first, (size_t)(n * f->work));
    return true;
}

/* Widened columns become what they were, and the rows left over come after them. */
static bool narrow(const columns *c, char *results, const char *input) {
    const tni_folding *f = c->folding;
    int64_t n = c->width / c->widened;
    tni_fold_tree(f->fold, results, c->widened, n * f->work, n);
    if (c->leftover == 0) return true;
    char *rest = tni_scratch(TNI_SLOT_PARTS, (size_t)(n * f->work));
    const char *at = input + c->run * c->run_stride;
    if (!rest) return false;
    if (c->staged) {
        char *stage = tni_scratch(TNI_SLOT_STAGE, (size_t)(c->leftover * n * (f->x + 1)));
        uint8_t *marks = NULL;
        if (!stage) return false;
        if (f->is_moment && f->drops) marks = (uint8_t *)stage + c->leftover * n * f->x;
        tni_stage_run(f, stage, f->x, at, c->width_stride, NULL, 0, c->leftover * n);
        if (marks) tni_stage_mark(f, marks, stage, NULL, 0, c->leftover * n);
        fold_stage(c, stage, marks, c->leftover, n, rest);
    } else {
        f->fold->columns(rest, at, c->leftover, n * f->x, n);
    }
    f->fold->merge(results, rest, n);
    return true;
}

/* The last steps for one chunk of n columns whose results are complete. */
static bool deliver(const columns *c, char *results, const char *input, int64_t n, char *output) {
    const tni_reduce *call = c->folding->call;
    if (c->widened > 1) {
        if (!narrow(c, results, input)) return false;
        n = c->width / c->widened;
    }
    if (!begin_with_initial(c->folding, results, n)) return false;
    if (results != output)
        tni_folding_finish(c->folding, results, n, output, call->kept_output[call->kept_ndim - 1]);
    return true;
}

/* --- Sharing out --- */

static void fold_chunks(void *context, int64_t begin, int64_t end) {
    columns *c = context;
    const tni_reduce *call = c->folding->call;
    int64_t outer = begin / c->chunks, chunk = begin % c->chunks;
    int last = call->kept_ndim - 1;
    bool in_place =
        c->folding->is_final && c->widened == 1 && call->kept_output[last] == c->folding->work;
    char *buffer = tni_scratch(TNI_SLOT_RESULTS, (size_t)(c->chunk * c->folding->work));
    bool ok = buffer != NULL;
    tni_walk in, out;
    tni_walk_start(&in, c->outer_ndim, call->kept_shape, call->kept_input,
                   call->mask ? call->kept_mask : NULL, outer);
    tni_walk_start(&out, c->outer_ndim, call->kept_shape, call->kept_output, NULL, outer);
    for (int64_t unit = begin; ok && unit < end; unit++) {
        int64_t from = chunk * c->chunk;
        int64_t n = c->width - from < c->chunk ? c->width - from : c->chunk;
        const char *input = call->input + in.offsets[0] + from * c->width_stride;
        const char *mask = call->mask ? call->mask + in.offsets[1] + from * c->width_mask : NULL;
        char *output = call->output + out.offsets[0] + from * call->kept_output[last];
        char *results = in_place ? output : buffer;
        ok = fold_leaves(c, input, mask, 0, c->leaves, n, results) &&
             deliver(c, results, input, n, output);
        if (++chunk == c->chunks) {
            chunk = 0;
            if (unit + 1 < end) tni_walk_next(&in), tni_walk_next(&out);
        }
    }
    if (!ok) atomic_store(&c->is_out_of_memory, true);
}

static void fold_segments(void *context, int64_t begin, int64_t end) {
    columns *c = context;
    int64_t row = c->one_count * c->folding->work;
    for (int64_t k = begin; k < end; k++) {
        int64_t first = k * c->segment_leaves, count = c->leaves - first;
        if (count > c->segment_leaves) count = c->segment_leaves;
        if (!fold_leaves(c, c->one_input, c->one_mask, first, count, c->one_count,
                         c->partial + k * row))
            atomic_store(&c->is_out_of_memory, true);
    }
}

/* What a task of so many elements takes, about. */
static int64_t ns_of(const columns *c, int64_t elements) {
    return c->staged ? elements : elements * c->folding->item / 32;
}

/* Threads share the rows of each chunk. */
static tn_status fold_shared(columns *c) {
    const tni_folding *f = c->folding;
    const tni_reduce *call = f->call;
    int64_t outer_size = call->kept_size / (c->width / c->widened), bytes;
    int last = call->kept_ndim - 1;
    bytes = c->segments * c->chunk * f->work;
    c->partial = tni_scratch(TNI_SLOT_SEGMENTS, (size_t)bytes);
    if (!c->partial) return tni_fail_no_memory(bytes);
    tni_walk in, out;
    tni_walk_start(&in, c->outer_ndim, call->kept_shape, call->kept_input,
                   call->mask ? call->kept_mask : NULL, 0);
    tni_walk_start(&out, c->outer_ndim, call->kept_shape, call->kept_output, NULL, 0);
    int64_t ns = ns_of(c, (c->leaves_per_run ? TNI_LEAF_ROWS : c->runs_per_leaf * c->run) *
                              c->segment_leaves * c->chunk);
    for (int64_t outer = 0; outer < outer_size; outer++) {
        for (int64_t from = 0; from < c->width; from += c->chunk) {
            c->one_count = c->width - from < c->chunk ? c->width - from : c->chunk;
            c->one_input = call->input + in.offsets[0] + from * c->width_stride;
            c->one_mask = call->mask ? call->mask + in.offsets[1] + from * c->width_mask : NULL;
            tni_parallel_units(c->segments, ns, fold_segments, c);
            if (atomic_load(&c->is_out_of_memory)) return tni_fail_no_memory(RESULT_BYTES);
            tni_fold_tree(f->fold, c->partial, c->segments, c->one_count * f->work, c->one_count);
            if (!deliver(c, c->partial, c->one_input, c->one_count,
                         call->output + out.offsets[0] + from * call->kept_output[last]))
                return tni_fail_no_memory(RESULT_BYTES);
        }
        if (outer + 1 < outer_size) tni_walk_next(&in), tni_walk_next(&out);
    }
    return TN_OK;
}

/* --- Plan --- */

static void plan_rows(columns *c) {
    const tni_folding *f = c->folding;
    const tni_reduce *call = f->call;
    int last = call->reduced_ndim - 1, kept = call->kept_ndim - 1;
    c->run = last >= 0 ? call->reduced_shape[last] : 1;
    c->runs = call->reduced_size / c->run;
    c->run_stride = last >= 0 ? call->reduced_input[last] : 0;
    c->mask_stride = call->mask && last >= 0 ? call->reduced_mask[last] : 0;
    c->width = call->kept_shape[kept];
    c->width_stride = call->kept_input[kept];
    c->width_mask = call->mask ? call->kept_mask[kept] : 0;
    c->outer_ndim = kept;
    c->staged = f->staged || f->is_mapped || c->width_stride != f->item;
    c->is_seamless = !call->mask && c->run_stride == c->width * c->width_stride;
}

/* Rows side by side, where they follow each other without a gap. */
static bool can_widen(const columns *c) {
    const tni_folding *f = c->folding;
    return !f->call->mask && c->runs == 1 && c->width_stride == f->item &&
           c->run_stride == c->width * f->item && c->width * f->x < NARROW_BYTES;
}

static void widen(columns *c) {
    int64_t rows = WIDE_BYTES / (c->width * c->folding->x);
    if (rows > WIDE_ROWS) rows = WIDE_ROWS;
    c->widened = 1;
    c->leftover = 0;
    if (rows > c->run / 8) rows = c->run / 8;
    if (!can_widen(c) || rows < 2) return;
    c->widened = rows;
    c->leftover = c->run % rows;
    c->run /= rows;
    c->run_stride *= rows;
    c->width *= rows;
}

static void plan_leaves(columns *c) {
    const tni_folding *f = c->folding;
    if (c->run >= FEW_ROWS || c->runs == 1) {
        c->leaves_per_run = (c->run + TNI_LEAF_ROWS - 1) / TNI_LEAF_ROWS;
        c->leaves = c->runs * c->leaves_per_run;
        c->has_parts = c->staged && !f->is_moment && f->fold->input == f->fold->accumulator;
        return;
    }
    c->staged = true;
    c->has_parts = false;
    c->leaves_per_run = 0;
    c->runs_per_leaf = TNI_LEAF_ROWS / c->run;
    c->leaves = (c->runs + c->runs_per_leaf - 1) / c->runs_per_leaf;
}

/* Long rows of a small result stay whole, so that memory is read in order. */
static void plan_chunks(columns *c) {
    const tni_folding *f = c->folding;
    c->chunk = (c->has_parts ? ROW_BYTES : RESULT_BYTES) / f->work;
    const int64_t most = STAGE_BYTES / TNI_LEAF_ROWS / f->x;
    if (c->staged && !c->has_parts && c->chunk > most) c->chunk = most;
    if (c->chunk > c->width || c->widened > 1) c->chunk = c->width;
    c->chunks = (c->width + c->chunk - 1) / c->chunk;
}

tn_status tni_fold_columns(const tni_folding *folding) {
    columns c;
    c.folding = folding;
    atomic_init(&c.is_out_of_memory, false);
    plan_rows(&c);
    widen(&c);
    plan_leaves(&c);
    plan_chunks(&c);
    int64_t units = folding->call->kept_size / (c.width / c.widened) * c.chunks;
    int64_t bytes = folding->call->reduced_size * c.chunk / c.widened * folding->item, threads = 1;
    if (c.leaves > 1 && bytes >= GRAIN_BYTES) threads = tni_thread_count();
    if (threads > 1 && units < 4 * threads) {
        c.segment_leaves = 1; /* any power of two gives the same tree */
        while (c.leaves / c.segment_leaves > 8 * threads)
            c.segment_leaves *= 2;
        c.segments = (c.leaves + c.segment_leaves - 1) / c.segment_leaves;
        return fold_shared(&c);
    }
    tni_parallel_units(units, ns_of(&c, bytes / folding->item), fold_chunks, &c);
    if (atomic_load(&c.is_out_of_memory)) return tni_fail_no_memory(RESULT_BYTES);
    return TN_OK;
}

bool tni_fold_prefers_columns(const tni_folding *folding) {
    const tni_reduce *call = folding->call;
    columns c;
    if (call->kept_ndim == 0 || call->reduced_size == 1) return false;
    c.folding = folding;
    plan_rows(&c);
    if (c.width < 2 || c.width_stride == 0) return false;
    if (c.run_stride && tni_magnitude(c.width_stride) >= tni_magnitude(c.run_stride)) return false;
    if (c.width >= 32) return true;
    if (call->reduced_size * c.width < 512 && call->reduced_ndim > 1) return false;
    return c.width * folding->x >= 32 || call->reduced_size < 512 || can_widen(&c);
}
