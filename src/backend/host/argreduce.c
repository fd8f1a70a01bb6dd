/* The form argreduce on the host.
 *
 * Along a row: the extremes of pieces are folded by the fast kernels, the first best piece is
 * searched. Across columns: a row of the best so far and of their positions, updated row by row.
 * Elements that are not stored as the kernels want them go through a stage (halves as f32). Where
 * few outputs have many elements each, threads share the segments of one and the first best segment
 * wins. */
#include "backend/host/folding.h"

#include <string.h>

enum {
    PIECE = TNI_LEAF, /* elements whose extreme is found before the search */
    BLOCK = 32 * PIECE,
    SEGMENT = 65536, /* elements of a thread's piece of work */
    COLUMNS = 512,
    GRAIN_ELEMENTS = 32768
};

/* A segment's best element and where it is. */
typedef struct best {
    _Alignas(16) char value[16];
    int64_t position;
} best;

typedef struct search {
    const tni_argreduce *call;
    const tni_fold *fold;
    const tni_position_loops *positions;
    tni_loop load;
    int64_t x; /* bytes of an element that the kernels read */
    bool staged;
    int64_t run, runs, run_stride;
    int64_t width, width_stride, chunks;
    int outer_ndim;
    const char *one_input;
    best *bests;
} search;

static void load(const search *s, char *to, const char *input, int64_t stride, int64_t n) {
    char *arguments[2] = {(char *)(uintptr_t)input, to};
    int64_t strides[2] = {stride, s->x};
    s->load(arguments, strides, n);
}

/* Whether `value` beats what was found so far; the earlier one stays if they are equal. */
static bool beats(const search *s, const char *so_far, const char *value) {
    _Alignas(16) char pair[32];
    memcpy(pair, so_far, (size_t)s->x);
    memcpy(pair + s->x, value, (size_t)s->x);
    return s->positions->find(pair, 2) == 1;
}

/* --- Rows --- */

/* The extremes of the pieces of n <= BLOCK contiguous elements; returns the best piece. */
static int64_t best_piece(const search *s, char *extremes, const char *x, int64_t n) {
    int64_t whole = n / PIECE, rest = n % PIECE;
    if (whole) s->fold->rows(extremes, x, whole, PIECE * s->x, PIECE, NULL);
    if (rest) s->fold->rows(extremes + whole * s->x, x + whole * PIECE * s->x, 1, 0, rest, NULL);
    return s->positions->find(extremes, whole + (rest != 0));
}

/* Elements [begin, end) of the row at input: first which piece holds the best, then where. */
static void search_row(const search *s, const char *input, int64_t begin, int64_t end,
                       best *result) {
    _Alignas(64) char stage[TNI_LEAF * 16], extremes[(BLOCK / PIECE + 1) * 16];
    const tni_argreduce *call = s->call;
    const char *best_at = NULL; /* the piece, in the array */
    int64_t best_length = 0, limit = s->staged ? TNI_LEAF : BLOCK;
    int64_t run = begin / s->run, in_run = begin % s->run;
    tni_walk walk;
    tni_walk_start(&walk, call->reduced_ndim > 0 ? call->reduced_ndim - 1 : 0, call->reduced_shape,
                   call->reduced_input, NULL, run);
    for (int64_t at = begin; at < end;) {
        int64_t n = s->run - in_run < end - at ? s->run - in_run : end - at;
        if (n > limit) n = limit;
        const char *in_array = input + walk.offsets[0] + in_run * s->run_stride, *x = in_array;
        if (s->staged) {
            load(s, stage, x, s->run_stride, n);
            x = stage;
        }
        int64_t piece = best_piece(s, extremes, x, n), from = piece * PIECE;
        if (!best_at || beats(s, result->value, extremes + piece * s->x)) {
            memcpy(result->value, extremes + piece * s->x, (size_t)s->x);
            result->position = at + from;
            best_at = in_array + from * s->run_stride;
            best_length = n - from < PIECE ? n - from : PIECE;
        }
        at += n;
        in_run += n;
        if (in_run == s->run && at < end) {
            in_run = 0;
            tni_walk_next(&walk);
        }
    }
    if (s->staged) {
        load(s, stage, best_at, s->run_stride, best_length);
        best_at = stage;
    }
    result->position += s->positions->locate(best_at, best_length, result->value);
}

/* Whether the best of all is NaN though NaN is skipped: then there was nothing else. */
static bool is_nothing(const search *s, const char *value) {
    if (s->call->op != TN_OP_FMAX && s->call->op != TN_OP_FMIN) return false;
    const float *f = (const void *)value;
    const double *d = (const void *)value;
    switch (s->positions->dtype) {
    case TN_F32: return f[0] != f[0];
    case TN_F64: return d[0] != d[0];
    case TN_C64: return f[0] != f[0] || f[1] != f[1];
    case TN_C128: return d[0] != d[0] || d[1] != d[1];
    default: return false;
    }
}

static void put(const search *s, const best *found, char *output) {
    int64_t position = is_nothing(s, found->value) ? -1 : found->position;
    memcpy(output, &position, sizeof position);
}

static void search_rows(void *context, int64_t begin, int64_t end) {
    const search *s = context;
    const tni_argreduce *call = s->call;
    best found;
    tni_walk walk;
    tni_walk_start(&walk, call->kept_ndim, call->kept_shape, call->kept_input, call->kept_output,
                   begin);
    for (int64_t k = begin; k < end; k++) {
        search_row(s, call->input + walk.offsets[0], 0, call->reduced_size, &found);
        put(s, &found, call->output + walk.offsets[1]);
        if (k + 1 < end) tni_walk_next(&walk);
    }
}

static void search_segments(void *context, int64_t begin, int64_t end) {
    const search *s = context;
    int64_t size = s->call->reduced_size;
    for (int64_t k = begin; k < end; k++) {
        int64_t to = (k + 1) * SEGMENT < size ? (k + 1) * SEGMENT : size;
        search_row(s, s->one_input, k * SEGMENT, to, &s->bests[k]);
    }
}

static tn_status search_shared(search *s) {
    const tni_argreduce *call = s->call;
    int64_t segments = (call->reduced_size + SEGMENT - 1) / SEGMENT;
    int64_t bytes = segments * (int64_t)sizeof *s->bests;
    s->bests = tni_scratch(TNI_SLOT_SEGMENTS, (size_t)bytes);
    if (!s->bests) return tni_fail_no_memory(bytes);
    tni_walk walk;
    tni_walk_start(&walk, call->kept_ndim, call->kept_shape, call->kept_input, call->kept_output,
                   0);
    for (int64_t k = 0; k < call->kept_size; k++) {
        s->one_input = call->input + walk.offsets[0];
        tni_parallel(segments, 1, search_segments, s);
        const best *found = &s->bests[0];
        for (int64_t j = 1; j < segments; j++)
            if (beats(s, found->value, s->bests[j].value)) found = &s->bests[j];
        put(s, found, call->output + walk.offsets[1]);
        if (k + 1 < call->kept_size) tni_walk_next(&walk);
    }
    return TN_OK;
}

/* --- Columns --- */

static void search_columns(void *context, int64_t begin, int64_t end) {
    const search *s = context;
    const tni_argreduce *call = s->call;
    _Alignas(64) char values[COLUMNS * 16], stage[COLUMNS * 16];
    int64_t positions[COLUMNS];
    int last = call->kept_ndim - 1;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t from = unit % s->chunks * COLUMNS;
        int64_t n = s->width - from < COLUMNS ? s->width - from : COLUMNS;
        tni_walk kept, rows;
        tni_walk_start(&kept, s->outer_ndim, call->kept_shape, call->kept_input, call->kept_output,
                       unit / s->chunks);
        const char *input = call->input + kept.offsets[0] + from * s->width_stride;
        char *output = call->output + kept.offsets[1] + from * call->kept_output[last];
        tni_walk_start(&rows, call->reduced_ndim, call->reduced_shape, call->reduced_input, NULL,
                       0);
        load(s, values, input, s->width_stride, n);
        memset(positions, 0, sizeof *positions * (size_t)n);
        for (int64_t row = 1; row < call->reduced_size; row++) {
            tni_walk_next(&rows);
            const char *x = input + rows.offsets[0];
            if (s->staged || s->width_stride != s->x) {
                load(s, stage, x, s->width_stride, n);
                x = stage;
            }
            s->positions->update(values, positions, x, n, row);
        }
        for (int64_t j = 0; j < n; j++) {
            best found;
            memcpy(found.value, values + j * s->x, (size_t)s->x);
            found.position = positions[j];
            put(s, &found, output + j * call->kept_output[last]);
        }
    }
}

/* --- Plan --- */

static tn_status run(void *parameters) {
    const tni_argreduce *call = parameters;
    search s;
    s.call = call;
    tn_dtype dtype =
        call->input_dtype == TN_F16 || call->input_dtype == TN_BF16 ? TN_F32 : call->input_dtype;
    s.fold = tni_host_fold_find(call->op, dtype, dtype);
    s.positions = tni_host_position_find(call->op, dtype);
    if (!s.fold || !s.positions)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "position of %s of %s", tn_op_name(call->op),
                 tn_dtype_name(call->input_dtype));
    s.load = tni_cast_find(call->input_dtype, dtype);
    s.x = tn_dtype_size(dtype);
    int last = call->reduced_ndim - 1, kept = call->kept_ndim - 1;
    s.run = last >= 0 ? call->reduced_shape[last] : 1;
    s.runs = call->reduced_size / s.run;
    s.run_stride = last >= 0 ? call->reduced_input[last] : s.x;
    s.staged = dtype != call->input_dtype;
    bool by_columns = kept >= 0 && call->kept_shape[kept] >= 8 &&
                      tni_magnitude(call->kept_input[kept]) < tni_magnitude(s.run_stride);
    if (by_columns) {
        s.width = call->kept_shape[kept];
        s.width_stride = call->kept_input[kept];
        s.outer_ndim = kept;
        s.chunks = (s.width + COLUMNS - 1) / COLUMNS;
        int64_t elements = call->reduced_size * (s.width < COLUMNS ? s.width : COLUMNS);
        tni_parallel(call->kept_size / s.width * s.chunks, GRAIN_ELEMENTS / elements,
                     search_columns, &s);
        return TN_OK;
    }
    s.staged |= s.run_stride != s.x;
    if (call->reduced_size > 2 * SEGMENT && call->kept_size < 4 * tni_thread_count())
        return search_shared(&s);
    tni_parallel(call->kept_size, GRAIN_ELEMENTS / call->reduced_size, search_rows, &s);
    return TN_OK;
}

tn_status tni_host_argreduce(const tni_argreduce *call, tn_stream *stream) {
    return tni_host_submit_sized(stream, run, call, sizeof *call,
                                 call->kept_size * call->reduced_size);
}
