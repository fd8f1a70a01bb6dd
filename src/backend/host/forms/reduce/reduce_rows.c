/* Reductions whose elements lie along the reduced axes: a leaf is a piece of a row.
 *
 * The elements of one output are its runs (the innermost reduced axis) one after the other. A long
 * run is cut into leaves of its own; short ones are a leaf each where they lie as the kernel wants
 * them, and else packed, several a leaf. An output of few elements is a leaf, and a tile of such
 * outputs along a kept axis goes to the kernel at once. Threads share outputs or, where there are
 * few, the segments (subtrees) of one. */
#include "backend/host/forms/reduce/reduce_rows.h"

#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/run_body.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <string.h>

enum {
    SHORT_RUN = 256,    /* elements; shorter runs share a leaf if they are staged */
    BATCH = 64,         /* leaves that are merged at once */
    TILE_RESULTS = 256, /* outputs of a tile */
    TILE_ROW = 256,     /* elements of an output in a staged tile, at most */
    GRAIN_ELEMENTS = 32768,
    WORK_MAX = sizeof(tni_moment),
    DEPTH_MAX = 64
};

typedef enum how { TILES_DIRECT, TILES_STAGED, EACH } how;

/* Elements as the kernels read them, and which of them take part (moments that drop some). */
typedef struct stage {
    _Alignas(64) char x[TNI_LEAF * 16];
    uint8_t marks[TNI_LEAF];
} stage;

typedef struct rows {
    const tni_folding *folding;
    how how;
    int64_t run, runs; /* elements of the innermost reduced axis; of the others */
    int64_t run_stride, mask_stride;
    int64_t leaf;           /* elements of one, at most */
    int64_t leaves;         /* of one output */
    int64_t leaves_per_run; /* 0: runs_per_leaf counts */
    int64_t runs_per_leaf;
    bool staged, is_marked;
    /* kept axes: the batch axis is the last one */
    int outer_ndim;
    int64_t shape[TN_MAX_NDIM], output[TN_MAX_NDIM], input[TN_MAX_NDIM], mask[TN_MAX_NDIM];
    int64_t batch, batch_output, batch_input, batch_mask;
    int64_t tile, tiles; /* outputs at once; tiles of a batch */
    char *segments;      /* of one output, when threads share those */
    int64_t segment_leaves;
    const char *one_input, *one_mask;
} rows;

/* --- Leaves --- */

/* Appends a run, or a piece of one, to the stage. */
static void load_run(const rows *r, stage *s, int64_t staged, const char *input, const char *mask,
                     int64_t n) {
    const tni_folding *f = r->folding;
    char *to = s->x + staged * f->x;
    tni_stage_run(f, to, f->x, input, r->run_stride, mask, r->mask_stride, n);
    if (r->is_marked) tni_stage_mark(f, s->marks + staged, to, mask, r->mask_stride, n);
}

/* `count` rows of n elements each. */
static void fold_stage(const rows *r, const stage *s, int64_t count, int64_t n, const void *initial,
                       char *parts) {
    const tni_folding *f = r->folding;
    if (!r->is_marked)
        f->fold->rows(parts, s->x, count, n * f->x, n, initial);
    else
        f->loops->marked_rows[f->fold->input == TN_F64](parts, s->x, s->marks, count, n);
}

/* Rows of elements that a body makes and folds itself; returns how many it has done. */
static int64_t fold_in_chain(const tni_folding *f, char *results, const char *input, int64_t count,
                             int64_t stride, int64_t n, const void *initial) {
    tni_lanes nothing, lanes;
    int64_t done = 0;
    tni_fold_begin_lanes(f, &nothing);
    for (; done < count; done++, input += stride, results += f->work) {
        memcpy(lanes.running, nothing.running, sizeof lanes.running);
        if (!tni_host_body_fold(f->program, &lanes, (input - f->call->input) / f->item, n)) break;
        f->fold->close(results, &lanes, n);
        if (initial) tni_fold_begin(f, results);
    }
    return done;
}

/* Rows of elements that a body makes, as many at a time as the stage holds. */
static __attribute__((noinline)) void fold_mapped(const tni_folding *f, char *results,
                                                  const char *input, int64_t count, int64_t stride,
                                                  int64_t n, const void *initial) {
    stage s;
    int64_t most = TNI_LEAF / n;
    if (f->program->folds && n >= TNI_SHORT_ROW) {
        const int64_t done = fold_in_chain(f, results, input, count, stride, n, initial);
        input += done * stride;
        results += done * f->work;
        count -= done;
    }
    for (int64_t now; count > 0; count -= now, input += now * stride, results += now * f->work) {
        now = count < most ? count : most;
        if (stride == n * f->item)
            tni_stage_run(f, s.x, f->x, input, f->item, NULL, 0, now * n);
        else
            for (int64_t k = 0; k < now; k++)
                tni_stage_run(f, s.x + k * n * f->x, f->x, input + k * stride, f->item, NULL, 0, n);
        f->fold->rows(results, s.x, now, n * f->x, n, initial);
    }
}

/* `count` rows of n elements each that the kernel need not have loaded. */
static void fold_direct(const tni_folding *f, char *results, const char *input, int64_t count,
                        int64_t stride, int64_t n, const void *initial) {
    if (f->is_mapped)
        fold_mapped(f, results, input, count, stride, n, initial);
    else
        f->fold->rows(results, input, count, stride, n, initial);
}

static void start_walk(tni_walk *walk, const rows *r, int64_t run) {
    const tni_reduce *call = r->folding->call;
    tni_walk_start(walk, call->reduced_ndim > 0 ? call->reduced_ndim - 1 : 0, call->reduced_shape,
                   call->reduced_input, call->mask ? call->reduced_mask : NULL, run);
}

/* Leaves [first, first + count) of long runs. */
static void fold_long(const rows *r, const char *input, const char *mask, int64_t first,
                      int64_t count, char *parts) {
    const tni_folding *f = r->folding;
    stage s;
    tni_walk walk;
    start_walk(&walk, r, first / r->leaves_per_run);
    int64_t leaf = first % r->leaves_per_run;
    while (count > 0) {
        int64_t offset = leaf * r->leaf, rest = r->run - offset, done = 1;
        const char *at = input + walk.offsets[0] + offset * r->run_stride;
        if (r->staged) {
            int64_t n = rest < r->leaf ? rest : r->leaf;
            load_run(r, &s, 0, at, mask ? mask + walk.offsets[1] + offset * r->mask_stride : NULL,
                     n);
            fold_stage(r, &s, 1, n, NULL, parts);
        } else if (rest < r->leaf) {
            fold_direct(f, parts, at, 1, 0, rest, NULL);
        } else {
            done = rest / r->leaf < count ? rest / r->leaf : count;
            fold_direct(f, parts, at, done, r->leaf * f->x, r->leaf, NULL);
        }
        parts += done * f->work;
        count -= done;
        leaf += done;
        if (leaf == r->leaves_per_run) {
            leaf = 0;
            if (count > 0) tni_walk_next(&walk);
        }
    }
}

/* Leaves that are one run each, as they lie: as many at once as the axis outside has. */
static void fold_whole(const rows *r, const char *input, int64_t first, int64_t count,
                       char *parts) {
    const tni_folding *f = r->folding;
    const tni_reduce *call = f->call;
    int outer = call->reduced_ndim - 2;
    int64_t size = call->reduced_shape[outer], stride = call->reduced_input[outer];
    int64_t at = first % size;
    tni_walk walk;
    tni_walk_start(&walk, outer, call->reduced_shape, call->reduced_input, NULL, first / size);
    while (count > 0) {
        int64_t done = size - at < count ? size - at : count;
        fold_direct(f, parts, input + walk.offsets[0] + at * stride, done, stride, r->run, NULL);
        parts += done * f->work;
        count -= done;
        at = 0;
        if (count > 0) tni_walk_next(&walk);
    }
}

/* Leaves of several short runs, staged. */
static void fold_packed(const rows *r, const char *input, const char *mask, int64_t first,
                        int64_t count, char *parts) {
    stage s;
    tni_walk walk;
    int64_t run = first * r->runs_per_leaf;
    start_walk(&walk, r, run);
    for (; count > 0; count--, parts += r->folding->work) {
        int64_t n = 0, end = run + r->runs_per_leaf < r->runs ? run + r->runs_per_leaf : r->runs;
        for (; run < end; run++, n += r->run) {
            load_run(r, &s, n, input + walk.offsets[0], mask ? mask + walk.offsets[1] : NULL,
                     r->run);
            if (run + 1 < r->runs) tni_walk_next(&walk);
        }
        fold_stage(r, &s, 1, n, NULL, parts);
    }
}

/* Merges leaves [first, first + count) into one result. Batches of leaves are folded in turn; then
 * their results like a binary counter whose bits are finished subtrees. */
static void fold_leaves(const rows *r, const char *input, const char *mask, int64_t first,
                        int64_t count, char *result) {
    const tni_folding *f = r->folding;
    _Alignas(16) char parts[BATCH * WORK_MAX], stack[DEPTH_MAX * WORK_MAX];
    int64_t depth = 0, batches = 0;
    while (count > 0) {
        int64_t now = count < BATCH ? count : BATCH;
        if (!r->leaves_per_run)
            fold_packed(r, input, mask, first, now, parts);
        else if (r->staged || r->run >= SHORT_RUN || r->runs == 1)
            fold_long(r, input, mask, first, now, parts);
        else
            fold_whole(r, input, first, now, parts);
        tni_fold_batch(f, stack + depth * f->work, parts, now);
        first += now;
        count -= now;
        for (int64_t bits = ++batches; !(bits & 1); bits >>= 1, depth--)
            f->fold->merge(stack + (depth - 1) * f->work, stack + depth * f->work, 1);
        depth++;
    }
    for (; depth > 1; depth--)
        f->fold->merge(stack + (depth - 2) * f->work, stack + (depth - 1) * f->work, 1);
    memcpy(result, stack, (size_t)f->work);
}

/* --- Tiles: outputs of few elements --- */

/* Loads `count` outputs' elements, row by row, along whichever axis is longer. */
static void load_tile(const rows *r, stage *s, const char *input, const char *mask, int64_t count) {
    const tni_folding *f = r->folding;
    int64_t n = r->run * r->runs, row = n * f->x;
    if (r->runs == 1 && r->batch_input == r->run * r->run_stride && !mask) { /* no gaps */
        tni_stage_run(f, s->x, f->x, input, r->run_stride, NULL, 0, count * n);
        return;
    }
    tni_walk walk;
    start_walk(&walk, r, 0);
    for (int64_t run = 0; run < r->runs; run++) {
        const char *at = input + walk.offsets[0], *of_mask = mask ? mask + walk.offsets[1] : NULL;
        char *to = s->x + run * r->run * f->x;
        if (r->run <= count)
            for (int64_t k = 0; k < r->run; k++)
                tni_stage_run(f, to + k * f->x, row, at + k * r->run_stride, r->batch_input,
                              mask ? of_mask + k * r->mask_stride : NULL, r->batch_mask, count);
        else
            for (int64_t k = 0; k < count; k++)
                tni_stage_run(f, to + k * row, f->x, at + k * r->batch_input, r->run_stride,
                              mask ? of_mask + k * r->batch_mask : NULL, r->mask_stride, r->run);
        if (run + 1 < r->runs) tni_walk_next(&walk);
    }
}

static void fold_tile(const rows *r, const char *input, const char *mask, int64_t count,
                      char *results) {
    const tni_folding *f = r->folding;
    int64_t n = r->run * r->runs;
    if (r->how == TILES_DIRECT) {
        fold_direct(f, results, input, count, r->batch_input, n, f->initial);
        return;
    }
    stage s;
    load_tile(r, &s, input, mask, count);
    fold_stage(r, &s, count, n, f->initial, results);
}

/* --- Sharing out --- */

static void fold_outputs(void *context, int64_t begin, int64_t end) {
    const rows *r = context;
    const tni_folding *f = r->folding;
    const tni_reduce *call = f->call;
    _Alignas(64) char buffer[TILE_RESULTS * WORK_MAX];
    tni_walk in, out;
    int64_t outer = begin / r->tiles, tile = begin % r->tiles;
    tni_walk_start(&in, r->outer_ndim, r->shape, r->input, r->mask, outer);
    tni_walk_start(&out, r->outer_ndim, r->shape, r->output, NULL, outer);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t from = tile * r->tile;
        int64_t count = r->batch - from < r->tile ? r->batch - from : r->tile;
        const char *input = call->input + in.offsets[0] + from * r->batch_input;
        const char *mask = call->mask ? call->mask + in.offsets[1] + from * r->batch_mask : NULL;
        char *output = call->output + out.offsets[0] + from * r->batch_output;
        bool in_place = f->is_final && r->batch_output == f->work;
        char *results = in_place ? output : buffer;
        if (r->how != EACH) fold_tile(r, input, mask, count, results);
        for (int64_t k = 0; r->how == EACH && k < count; k++) {
            char *result = results + k * f->work;
            fold_leaves(r, input + k * r->batch_input, mask ? mask + k * r->batch_mask : NULL, 0,
                        r->leaves, result);
            tni_fold_begin(f, result);
        }
        if (!in_place) tni_folding_finish(f, results, count, output, r->batch_output);
        if (++tile == r->tiles) {
            tile = 0;
            if (unit + 1 < end) tni_walk_next(&in), tni_walk_next(&out);
        }
    }
}

static void fold_segments(void *context, int64_t begin, int64_t end) {
    const rows *r = context;
    for (int64_t segment = begin; segment < end; segment++) {
        int64_t first = segment * r->segment_leaves, count = r->leaves - first;
        fold_leaves(r, r->one_input, r->one_mask, first,
                    count < r->segment_leaves ? count : r->segment_leaves,
                    r->segments + segment * r->folding->work);
    }
}

/* What a task of so many elements takes, about. */
static int64_t ns_of(const rows *r, int64_t elements) {
    return r->staged || r->folding->is_mapped ? elements : elements * r->folding->item / 32;
}

/* Threads share each output: few outputs of many elements. */
static tn_status fold_shared(rows *r) {
    const tni_folding *f = r->folding;
    const tni_reduce *call = f->call;
    int64_t segments = (r->leaves + r->segment_leaves - 1) / r->segment_leaves;
    r->segments = tni_scratch(TNI_SLOT_SEGMENTS, (size_t)(segments * f->work));
    if (!r->segments) return tni_fail_no_memory(segments * f->work);
    tni_walk in, out;
    tni_walk_start(&in, call->kept_ndim, call->kept_shape, call->kept_input,
                   call->mask ? call->kept_mask : NULL, 0);
    tni_walk_start(&out, call->kept_ndim, call->kept_shape, call->kept_output, NULL, 0);
    for (int64_t k = 0; k < call->kept_size; k++) {
        r->one_input = call->input + in.offsets[0];
        r->one_mask = call->mask ? call->mask + in.offsets[1] : NULL;
        tni_parallel_units(segments, ns_of(r, r->segment_leaves * r->leaf), fold_segments, r);
        tni_fold_tree(f->fold, r->segments, segments, f->work, 1);
        tni_fold_begin(f, r->segments);
        tni_folding_finish(f, r->segments, 1, call->output + out.offsets[0], 0);
        if (k + 1 < call->kept_size) tni_walk_next(&in), tni_walk_next(&out);
    }
    return TN_OK;
}

/* --- Plan --- */

static void plan_leaves(rows *r) {
    const tni_folding *f = r->folding;
    const tni_reduce *call = f->call;
    int last = call->reduced_ndim - 1;
    r->run = last >= 0 ? call->reduced_shape[last] : 1;
    r->runs = call->reduced_size / r->run;
    r->run_stride = last >= 0 ? call->reduced_input[last] : f->item;
    r->mask_stride = call->mask && last >= 0 ? call->reduced_mask[last] : 0;
    r->staged = f->staged || r->run_stride != f->item;
    r->leaf = r->staged ? TNI_LEAF : f->leaf;
    r->is_marked = f->is_moment && f->drops;
    if (r->run >= SHORT_RUN || r->runs == 1 || !r->staged) {
        r->leaves_per_run = (r->run + r->leaf - 1) / r->leaf;
        r->leaves = r->runs * r->leaves_per_run;
    } else {
        r->leaves_per_run = 0;
        r->runs_per_leaf = TNI_LEAF / r->run;
        r->leaves = (r->runs + r->runs_per_leaf - 1) / r->runs_per_leaf;
    }
}

/* The batch axis is the innermost kept one, unless that is short and another is not. */
static void plan_kept(rows *r) {
    const tni_reduce *call = r->folding->call;
    int last = call->kept_ndim - 1, batch = last, n = 0;
    if (last >= 0 && call->kept_shape[last] < 16)
        for (int axis = 0; axis < last; axis++)
            if (call->kept_shape[axis] > call->kept_shape[batch]) batch = axis;
    for (int axis = 0; axis <= last; axis++) {
        if (axis == batch) continue;
        r->shape[n] = call->kept_shape[axis];
        r->output[n] = call->kept_output[axis];
        r->input[n] = call->kept_input[axis];
        r->mask[n++] = call->mask ? call->kept_mask[axis] : 0;
    }
    r->outer_ndim = n;
    r->batch = batch >= 0 ? call->kept_shape[batch] : 1;
    r->batch_output = batch >= 0 ? call->kept_output[batch] : 0;
    r->batch_input = batch >= 0 ? call->kept_input[batch] : 0;
    r->batch_mask = batch >= 0 && call->mask ? call->kept_mask[batch] : 0;
}

static void plan_tiles(rows *r) {
    int64_t n = r->run * r->runs;
    if (r->runs == 1 && !r->staged && n <= r->leaf)
        r->how = TILES_DIRECT;
    else if (n <= TILE_ROW && r->batch > 1 && !r->is_marked)
        r->how = TILES_STAGED;
    else
        r->how = EACH;
    if (r->how == TILES_STAGED)
        r->tile = TNI_LEAF / n;
    else
        r->tile = n >= GRAIN_ELEMENTS / 8 ? 1 : GRAIN_ELEMENTS / 8 / n;
    if (r->tile > TILE_RESULTS) r->tile = TILE_RESULTS;
    if (r->tile > r->batch) r->tile = r->batch;
    r->tiles = (r->batch + r->tile - 1) / r->tile;
}

tn_status tni_fold_rows(const tni_folding *folding) {
    rows r;
    r.folding = folding;
    plan_leaves(&r);
    int64_t kept = folding->call->kept_size, threads = 1;
    int64_t batch = BATCH * TNI_LEAF / r.leaf;
    bool is_large = r.leaves > batch && folding->call->reduced_size > GRAIN_ELEMENTS;
    if (is_large) threads = tni_thread_count();
    if (threads > 1 && kept < 4 * threads) {
        /* Whole batches, several segments a thread; any power of two gives the same tree. */
        r.segment_leaves = batch;
        while (r.leaves / r.segment_leaves > 16 * threads)
            r.segment_leaves *= 2;
        return fold_shared(&r);
    }
    plan_kept(&r);
    plan_tiles(&r);
    int64_t ns = ns_of(&r, r.tile * r.run * r.runs);
    tni_parallel_units(kept / r.batch * r.tiles, ns, fold_outputs, &r);
    return TN_OK;
}
