/* Folds from left to right, by the operation's element-wise loop: its reducing form along a row, or
 * its plain one from row to row of columns.
 *
 * Elements that are stored in another dtype or at any address, or that a mask drops, go through a
 * stage. A mask takes
 * elements out of rows only, so a masked fold always walks along the reduced axes. */
#include "backend/host/forms/reduce/reduce_ordered.h"

#include "backend/host/forms/convert.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/threads.h"

#include <string.h>

enum { PIECE = 1024 };

typedef struct ordered {
    const tni_reduce *call;
    tni_loop loop, load, store;
    tni_loop
        gather;   /* of elements that lie at any address and are not loaded as they are, or NULL */
    int64_t item; /* bytes of an element */
    int64_t size; /* bytes of an accumulator */
    bool staged;
    int64_t run, runs, run_stride, mask_stride;
    int64_t width, width_stride, piece, chunks; /* columns */
    int outer_ndim;
} ordered;

static void start_walk(tni_walk *walk, const ordered *o) {
    const tni_reduce *call = o->call;
    tni_walk_start(walk, call->reduced_ndim > 0 ? call->reduced_ndim - 1 : 0, call->reduced_shape,
                   call->reduced_input, call->mask ? call->reduced_mask : NULL, 0);
}

/* n elements, PIECE at most, as accumulators. */
static void load(const ordered *o, const char *from, int64_t from_stride, char *to, int64_t n) {
    _Alignas(64) char spare[PIECE * 16];
    if (o->gather) {
        tni_convert(o->gather, from, from_stride, spare, o->item, n);
        from = spare;
        from_stride = o->item;
    }
    tni_convert(o->load, from, from_stride, to, o->size, n);
}

/* --- Rows --- */

static int64_t drop_masked(const ordered *o, char *stage, const char *mask, int64_t n) {
    int64_t stay = 0;
    for (int64_t i = 0; i < n; i++)
        if (mask[i * o->mask_stride])
            memmove(stage + stay++ * o->size, stage + i * o->size, (size_t)o->size);
    return stay;
}

/* value = value op x[0] op .. x[n - 1]; the first element of all is the value. */
static void fold_piece(const ordered *o, char *value, bool *begun, const char *x, int64_t stride,
                       int64_t n) {
    if (n > 0 && !*begun) {
        memcpy(value, x, (size_t)o->size);
        *begun = true;
        x += stride;
        n--;
    }
    if (n == 0) return;
    char *arguments[3] = {value, (char *)(uintptr_t)x, value};
    int64_t strides[3] = {0, stride, 0};
    o->loop(arguments, strides, n);
}

static void fold_row(const ordered *o, const char *input, const char *mask, char *value) {
    const tni_reduce *call = o->call;
    _Alignas(64) char stage[PIECE * 16];
    bool begun = call->has_initial;
    if (begun) memcpy(value, call->initial, (size_t)o->size);
    tni_walk walk;
    start_walk(&walk, o);
    for (int64_t run = 0; run < o->runs; run++) {
        const char *at = input + walk.offsets[0], *of_mask = mask ? mask + walk.offsets[1] : NULL;
        if (!o->staged) fold_piece(o, value, &begun, at, o->run_stride, o->run);
        for (int64_t i = 0; o->staged && i < o->run; i += PIECE) {
            int64_t n = o->run - i < PIECE ? o->run - i : PIECE;
            load(o, at + i * o->run_stride, o->run_stride, stage, n);
            if (mask) n = drop_masked(o, stage, of_mask + i * o->mask_stride, n);
            fold_piece(o, value, &begun, stage, o->size, n);
        }
        if (run + 1 < o->runs) tni_walk_next(&walk);
    }
}

static void fold_rows(void *context, int64_t begin, int64_t end) {
    const ordered *o = context;
    const tni_reduce *call = o->call;
    _Alignas(16) char value[16];
    tni_walk in, out;
    tni_walk_start(&in, call->kept_ndim, call->kept_shape, call->kept_input,
                   call->mask ? call->kept_mask : NULL, begin);
    tni_walk_start(&out, call->kept_ndim, call->kept_shape, call->kept_output, NULL, begin);
    for (int64_t k = begin; k < end; k++) {
        fold_row(o, call->input + in.offsets[0], call->mask ? call->mask + in.offsets[1] : NULL,
                 value);
        tni_convert(o->store, value, 0, call->output + out.offsets[0], 0, 1);
        if (k + 1 < end) tni_walk_next(&in), tni_walk_next(&out);
    }
}

/* --- Columns --- */

/* values[n] op= the row at x, or = where nothing came before. */
static void fold_columns_row(const ordered *o, char *values, bool begun, const char *x, int64_t n) {
    _Alignas(64) char stage[PIECE * 16];
    int64_t stride = o->width_stride;
    if (!begun) {
        load(o, x, stride, values, n);
        return;
    }
    if (o->staged) {
        load(o, x, stride, stage, n);
        x = stage;
        stride = o->size;
    }
    char *arguments[3] = {values, (char *)(uintptr_t)x, values};
    int64_t strides[3] = {o->size, stride, o->size};
    o->loop(arguments, strides, n);
}

static void fold_columns(void *context, int64_t begin, int64_t end) {
    const ordered *o = context;
    const tni_reduce *call = o->call;
    _Alignas(64) char values[PIECE * 16];
    int last = call->kept_ndim - 1;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t from = unit % o->chunks * o->piece;
        int64_t n = o->width - from < o->piece ? o->width - from : o->piece;
        tni_walk in, out, rows;
        tni_walk_start(&in, o->outer_ndim, call->kept_shape, call->kept_input, NULL,
                       unit / o->chunks);
        tni_walk_start(&out, o->outer_ndim, call->kept_shape, call->kept_output, NULL,
                       unit / o->chunks);
        const char *input = call->input + in.offsets[0] + from * o->width_stride;
        bool begun = call->has_initial;
        for (int64_t j = 0; begun && j < n; j++)
            memcpy(values + j * o->size, call->initial, (size_t)o->size);
        start_walk(&rows, o);
        for (int64_t run = 0; run < o->runs; run++) {
            for (int64_t row = 0; row < o->run; row++, begun = true)
                fold_columns_row(o, values, begun, input + rows.offsets[0] + row * o->run_stride,
                                 n);
            if (run + 1 < o->runs) tni_walk_next(&rows);
        }
        tni_convert(o->store, values, o->size,
                    call->output + out.offsets[0] + from * call->kept_output[last],
                    call->kept_output[last], n);
    }
}

/* --- Plan --- */

tn_status tni_fold_ordered(const tni_reduce *call) {
    ordered o;
    o.call = call;
    o.loop = tni_loop_find(call->op, call->accumulator);
    if (!o.loop)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s.reduce of %s", tn_op_name(call->op),
                 tn_dtype_name(call->accumulator));
    o.load = tni_cast_find(call->input_dtype, call->accumulator);
    o.store = tni_cast_find(call->accumulator, call->output_dtype);
    o.size = tn_dtype_size(call->accumulator);
    o.item = tn_dtype_size(call->input_dtype);
    o.gather = call->is_unaligned && call->input_dtype != call->accumulator
                   ? tni_cast_find(call->input_dtype, call->input_dtype)
                   : NULL;
    o.staged = call->input_dtype != call->accumulator || call->mask || call->is_unaligned;
    int last = call->reduced_ndim - 1, kept = call->kept_ndim - 1;
    o.run = last >= 0 ? call->reduced_shape[last] : 1;
    o.runs = call->reduced_size / o.run;
    o.run_stride = last >= 0 ? call->reduced_input[last] : 0;
    o.mask_stride = call->mask && last >= 0 ? call->reduced_mask[last] : 0;
    bool by_columns = kept >= 0 && !call->mask && call->kept_shape[kept] >= 8 &&
                      tni_magnitude(call->kept_input[kept]) < tni_magnitude(o.run_stride);
    if (by_columns) {
        o.width = call->kept_shape[kept];
        o.width_stride = call->kept_input[kept];
        o.outer_ndim = kept;
        o.piece = PIECE;
        int64_t outer = call->kept_size / o.width;
        /* Narrower pieces where there would not be one for each thread; columns don't mix. */
        int64_t threads = call->kept_size > 64 ? tni_thread_count() : 1;
        while (o.piece > 64 && outer * ((o.width + o.piece - 1) / o.piece) < threads)
            o.piece /= 2;
        o.chunks = (o.width + o.piece - 1) / o.piece;
        int64_t elements = call->reduced_size * (o.width < o.piece ? o.width : o.piece);
        tni_parallel_units(outer * o.chunks, elements, fold_columns, &o);
        return TN_OK;
    }
    tni_parallel_units(call->kept_size, call->reduced_size, fold_rows, &o);
    return TN_OK;
}
