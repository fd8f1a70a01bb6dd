/* The form scan on the host.
 *
 * Sums and extremes along a row go block by block: within a block by themselves, then raised by the
 * total of the blocks before in its group, then by that of the groups before. With several threads
 * the blocks' totals are found first (the same sums, thrown away), so any number of threads gives
 * the same bits. Other operations run from left to right: products by blocks too, the rest by the
 * accumulating form of their element-wise loop. Where rows lie across the fast axis, a row of
 * running values goes from row to row. Elements stored in another dtype go through stages. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/reduce/reduce_level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <string.h>

enum { BLOCK = TNI_SCAN_BLOCK, GROUP = 64 /* blocks */, SHARED_BLOCKS = 32, COLUMNS = 1024 };

typedef struct scanning {
    const tni_scan *call;
    const tni_scan_loops *blocks; /* NULL: by the element-wise loop */
    tni_loop loop, load, store;
    int64_t size;                /* bytes of an accumulator */
    bool loads, stores, streams; /* large results bypass the caches */
    bool is_walked;              /* rows of integers in steps: by the element-wise loop in place */
    tni_folding folding;         /* for the stage, which replaces NaN */
    tni_fold fold;
    tni_reduce flags_of_call;
    char *totals; /* of the blocks of one row; then the sums before each in its group */
    char *bases;  /* the sums before each group */
    const char *one_input;
    char *one_output;
    int64_t width, chunks;
    int outer_ndim;
} scanning;

/* --- Rows --- */

/* One block of a row: out = base + (offset + running sums), each NULL where there is nothing
 * before; `output` NULL: the total alone. */
static void scan_block(const scanning *s, const char *input, char *output, int64_t n,
                       const void *offset, const void *base, void *total) {
    _Alignas(64) char in[BLOCK * 16], out[BLOCK * 16];
    const tni_scan *call = s->call;
    const char *x = input;
    if (s->loads) {
        tni_stage_run(&s->folding, in, s->size, input, call->input_stride, NULL, 0, n);
        x = in;
    }
    bool direct = output && !s->stores && !s->streams;
    s->blocks->scan(!output || direct ? output : out, x, n, offset, base, total);
    if (output && s->streams) tni_stream_copy(output, out, (size_t)(n * s->size));
    if (output && s->stores) tni_convert(s->store, out, s->size, output, call->output_stride, n);
}

/* so_far = so_far op total, or total where nothing came before. */
static void add_total(const scanning *s, char *so_far, const char *total, bool is_first) {
    if (is_first) {
        memcpy(so_far, total, (size_t)s->size);
        return;
    }
    char *arguments[3] = {so_far, (char *)(uintptr_t)total, so_far};
    const int64_t strides[3] = {s->size, s->size, s->size};
    s->loop(arguments, strides, 1);
}

/* The sums before block k as it is passed: `offset` in its group, `base` of the groups before. */
typedef struct before {
    _Alignas(16) char offset[16], base[16];
} before;

static void pass_block(const scanning *s, before *sums, int64_t k, const char *total) {
    add_total(s, sums->offset, total, k % GROUP == 0);
    if (k % GROUP == GROUP - 1) add_total(s, sums->base, sums->offset, k < GROUP);
}

static void scan_row(const scanning *s, const char *input, char *output) {
    const tni_scan *call = s->call;
    before sums;
    _Alignas(16) char total[16];
    if (s->is_walked) {
        memcpy(output, input, (size_t)s->size);
        char *arguments[3] = {output, (char *)(uintptr_t)input + call->input_stride,
                              output + call->output_stride};
        const int64_t strides[3] = {s->size, call->input_stride, s->size};
        s->loop(arguments, strides, call->length - 1);
        return;
    }
    for (int64_t i = 0, k = 0; i < call->length; i += BLOCK, k++) {
        int64_t n = call->length - i < BLOCK ? call->length - i : BLOCK;
        bool is_ordered = s->blocks->is_ordered;
        scan_block(s, input + i * call->input_stride, output + i * call->output_stride, n,
                   (is_ordered ? k : k % GROUP) ? sums.offset : NULL, k >= GROUP ? sums.base : NULL,
                   total);
        if (is_ordered)
            memcpy(sums.offset, total, (size_t)s->size);
        else
            pass_block(s, &sums, k, total);
    }
}

/* From left to right: each piece begins with the last value of the one before. */
static void accumulate_row(const scanning *s, const char *input, char *output) {
    _Alignas(64) char in[BLOCK * 16], out[(BLOCK + 1) * 16];
    const tni_scan *call = s->call;
    int64_t size = s->size;
    for (int64_t i = 0; i < call->length; i += BLOCK) {
        int64_t n = call->length - i < BLOCK ? call->length - i : BLOCK, from = 0;
        tni_stage_run(&s->folding, in, size, input + i * call->input_stride, call->input_stride,
                      NULL, 0, n);
        if (i == 0) {
            memcpy(out + size, in, (size_t)size);
            from = 1;
        }
        char *arguments[3] = {out + from * size, in + from * size, out + (from + 1) * size};
        const int64_t strides[3] = {size, size, size};
        if (n > from) s->loop(arguments, strides, n - from);
        tni_convert(s->store, out + size, size, output + i * call->output_stride,
                    call->output_stride, n);
        memcpy(out, out + n * size, (size_t)size);
    }
}

static void scan_rows(void *context, int64_t begin, int64_t end) {
    const scanning *s = context;
    const tni_scan *call = s->call;
    tni_walk walk;
    tni_walk_start(&walk, call->ndim, call->shape, call->input_strides, call->output_strides,
                   begin);
    for (int64_t k = begin; k < end; k++) {
        const char *input = call->input + walk.offsets[0];
        char *output = call->output + walk.offsets[1];
        if (s->blocks)
            scan_row(s, input, output);
        else
            accumulate_row(s, input, output);
        if (k + 1 < end) tni_walk_next(&walk);
    }
    if (s->streams) tni_stream_finish();
}

/* --- One row by several threads --- */

static int64_t block_length(const scanning *s, int64_t block) {
    int64_t rest = s->call->length - block * BLOCK;
    return rest < BLOCK ? rest : BLOCK;
}

static void find_totals(void *context, int64_t begin, int64_t end) {
    const scanning *s = context;
    for (int64_t k = begin; k < end; k++)
        scan_block(s, s->one_input + k * BLOCK * s->call->input_stride, NULL, block_length(s, k),
                   NULL, NULL, s->totals + k * s->size);
}

static void scan_blocks(void *context, int64_t begin, int64_t end) {
    const scanning *s = context;
    _Alignas(16) char total[16];
    for (int64_t k = begin; k < end; k++)
        scan_block(s, s->one_input + k * BLOCK * s->call->input_stride,
                   s->one_output + k * BLOCK * s->call->output_stride, block_length(s, k),
                   k % GROUP ? s->totals + k * s->size : NULL,
                   k >= GROUP ? s->bases + k / GROUP * s->size : NULL, total);
    if (s->streams) tni_stream_finish();
}

static tn_status scan_shared(scanning *s) {
    const tni_scan *call = s->call;
    int64_t blocks = (call->length + BLOCK - 1) / BLOCK;
    int64_t bytes = (blocks + blocks / GROUP + 1) * s->size;
    s->totals = tni_scratch(TNI_SLOT_SEGMENTS, (size_t)bytes);
    if (!s->totals) return tni_fail_no_memory(bytes);
    s->bases = s->totals + blocks * s->size;
    tni_walk walk;
    tni_walk_start(&walk, call->ndim, call->shape, call->input_strides, call->output_strides, 0);
    for (int64_t row = 0; row < call->size; row++) {
        s->one_input = call->input + walk.offsets[0];
        s->one_output = call->output + walk.offsets[1];
        tni_parallel(blocks, 8, find_totals, s);
        before sums;
        for (int64_t k = 0; k < blocks; k++) { /* a total gives its place to what comes before it */
            _Alignas(16) char total[16];
            memcpy(total, s->totals + k * s->size, (size_t)s->size);
            if (k % GROUP)
                memcpy(s->totals + k * s->size, sums.offset, (size_t)s->size);
            else if (k)
                memcpy(s->bases + k / GROUP * s->size, sums.base, (size_t)s->size);
            pass_block(s, &sums, k, total);
        }
        tni_parallel(blocks, 8, scan_blocks, s);
        if (row + 1 < call->size) tni_walk_next(&walk);
    }
    return TN_OK;
}

/* --- Columns --- */

static void scan_columns(void *context, int64_t begin, int64_t end) {
    const scanning *s = context;
    const tni_scan *call = s->call;
    _Alignas(64) char running[COLUMNS * 16], in[COLUMNS * 16];
    int last = call->ndim - 1;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t from = unit % s->chunks * COLUMNS;
        int64_t n = s->width - from < COLUMNS ? s->width - from : COLUMNS;
        tni_walk walk;
        tni_walk_start(&walk, s->outer_ndim, call->shape, call->input_strides, call->output_strides,
                       unit / s->chunks);
        const char *input = call->input + walk.offsets[0] + from * call->input_strides[last];
        char *output = call->output + walk.offsets[1] + from * call->output_strides[last];
        for (int64_t i = 0; i < call->length; i++) {
            char *to = i == 0 ? running : in;
            tni_stage_run(&s->folding, to, s->size, input + i * call->input_stride,
                          call->input_strides[last], NULL, 0, n);
            char *arguments[3] = {running, in, running};
            const int64_t strides[3] = {s->size, s->size, s->size};
            if (i > 0) s->loop(arguments, strides, n);
            tni_convert(s->store, running, s->size, output + i * call->output_stride,
                        call->output_strides[last], n);
        }
    }
}

/* --- Shape of the work --- */

/* The stage is a folding's; only what it looks at is filled in. */
static void prepare_stage(scanning *s) {
    const tni_scan *call = s->call;
    s->flags_of_call.flags = call->flags;
    s->fold.input = (short)call->accumulator;
    s->folding.call = &s->flags_of_call;
    s->folding.fold = &s->fold;
    s->folding.convert = s->load;
    s->folding.gather = call->input_dtype != call->accumulator
                            ? tni_cast_find(call->input_dtype, call->input_dtype)
                            : NULL;
    s->folding.item = tn_dtype_size(call->input_dtype);
    s->folding.x = s->size;
    s->folding.is_moment = s->folding.is_mapped = s->folding.is_unaligned = false;
    s->folding.drops = call->flags & TNI_SKIPS_NAN;
    if (s->folding.drops) tni_op_identity_value(s->folding.neutral, call->op, call->accumulator);
}

tn_status tni_host_run_scan(void *parameters) {
    const tni_scan *call = parameters;
    scanning s;
    s.call = call;
    s.loop = tni_loop_find(call->op, call->accumulator);
    if (!s.loop)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s.accumulate of %s", tn_op_name(call->op),
                 tn_dtype_name(call->accumulator));
    s.blocks = tni_host_scan_find(call->op, call->accumulator);
    s.load = tni_cast_find(call->input_dtype, call->accumulator);
    s.store = tni_cast_find(call->accumulator, call->output_dtype);
    s.size = tn_dtype_size(call->accumulator);
    s.loads = call->input_dtype != call->accumulator || call->input_stride != s.size || call->flags;
    s.stores = call->output_dtype != call->accumulator || call->output_stride != s.size;
    s.streams = !s.stores && 2 * call->length * call->size * s.size >= TNI_STREAM_BYTES;
    s.is_walked = s.loads && call->input_dtype == call->accumulator && !s.stores && !call->flags &&
                  tn_dtype_kind(call->accumulator) < TN_KIND_FLOAT;
    prepare_stage(&s);
    int last = call->ndim - 1;
    bool by_columns = last >= 0 && call->shape[last] >= 8 &&
                      tni_magnitude(call->input_strides[last]) < tni_magnitude(call->input_stride);
    if (by_columns) {
        s.width = call->shape[last];
        s.outer_ndim = last;
        s.chunks = (s.width + COLUMNS - 1) / COLUMNS;
        int64_t elements = call->length * (s.width < COLUMNS ? s.width : COLUMNS);
        tni_parallel_units(call->size / s.width * s.chunks, elements, scan_columns, &s);
        return TN_OK;
    }
    if (s.blocks && !s.blocks->is_ordered && call->length > SHARED_BLOCKS * BLOCK) {
        int64_t threads = tni_thread_count();
        /* Finding the totals reads all of it once more. */
        if (threads > 1 + s.loads && !s.is_walked && call->size < 4 * threads)
            return scan_shared(&s);
    }
    tni_parallel_units(call->size, call->length, scan_rows, &s);
    return TN_OK;
}

TNI_HOST_PLAN(scan, call->size * call->length)
