/* The form argreduce on the host.
 *
 * Along a row: the extremes of pieces are folded by the fast kernels, the first best piece is
 * searched. Across columns: a row of the best so far and of their positions, updated row by row.
 * Elements that are not stored as the kernels want them go through a stage (halves as f32). Where
 * few outputs have many elements each, threads share the segments of one and the first best segment
 * wins. Among bools the first that nothing beats ends the search.
 *
 * Narrow rows without gaps are searched side by side, as one wide row. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/reduce/reduce_level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <string.h>

enum {
    BLOCK = 32768,   /* elements whose extremes are found, piece by piece, before the search */
    SEGMENT = 65536, /* elements of a thread's piece of work */
    COLUMNS = 512,
    NARROW = 128, /* columns; fewer are widened */
    SHORT = 32,   /* elements of a row that is searched at once */
    FIRST = 32    /* elements of the first piece of bools */
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
    int stop;      /* the bool that nothing beats; -1: none */
    int64_t piece; /* elements of one, at most */
    int64_t width, width_stride, chunks;
    int64_t widened; /* rows side by side; 1: as they are */
    int outer_ndim;
    const char *one_input;
    best *bests;
    int64_t first; /* segment that threads share; 1: the one before it is searched alone */
} search;

static void load(const search *s, char *to, const char *input, int64_t stride, int64_t n) {
    tni_convert(s->load, input, stride, to, s->x, n);
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
    int64_t whole = n / s->piece, rest = n % s->piece, bytes = s->piece * s->x;
    if (whole) s->fold->rows(extremes, x, whole, bytes, s->piece, NULL);
    if (rest) s->fold->rows(extremes + whole * s->x, x + whole * bytes, 1, 0, rest, NULL);
    return s->positions->find(extremes, whole + (rest != 0));
}

/* Elements [begin, end) of the row at input: first which piece holds the best, then where. */
static void search_row(const search *s, const char *input, int64_t begin, int64_t end,
                       best *result) {
    _Alignas(64) char stage[TNI_LEAF * 16], extremes[(BLOCK / TNI_LEAF + 1) * 16];
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
        int64_t piece = best_piece(s, extremes, x, n), from = piece * s->piece;
        if (!best_at || beats(s, result->value, extremes + piece * s->x)) {
            memcpy(result->value, extremes + piece * s->x, (size_t)s->x);
            result->position = at + from;
            best_at = in_array + from * s->run_stride;
            best_length = n - from < s->piece ? n - from : s->piece;
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

/* The same of bools: the first that nothing beats, else the first of all. */
static bool search_bools(const search *s, const char *input, int64_t begin, int64_t end,
                         best *result) {
    char stage[TNI_LEAF];
    const tni_argreduce *call = s->call;
    const char stop = (char)s->stop;
    int64_t in_run = begin % s->run, limit = s->staged ? FIRST : s->run;
    tni_walk walk;
    tni_walk_start(&walk, call->reduced_ndim > 0 ? call->reduced_ndim - 1 : 0, call->reduced_shape,
                   call->reduced_input, NULL, begin / s->run);
    for (int64_t at = begin; at < end;) {
        int64_t n = s->run - in_run < end - at ? s->run - in_run : end - at;
        if (n > limit) n = limit;
        const char *x = input + walk.offsets[0] + in_run * s->run_stride;
        if (s->staged) {
            load(s, stage, x, s->run_stride, n);
            x = stage;
            if (limit < TNI_LEAF) limit *= 2;
        }
        int64_t place = s->positions->locate(x, n, &stop);
        if (place < n) {
            result->value[0] = stop;
            result->position = at + place;
            return true;
        }
        at += n;
        in_run += n;
        if (in_run == s->run && at < end) {
            in_run = 0;
            tni_walk_next(&walk);
        }
    }
    result->value[0] = !stop;
    result->position = begin;
    return false;
}

/* Whether it found what ends the search. */
static bool search_range(const search *s, const char *input, int64_t begin, int64_t end,
                         best *result) {
    if (s->stop >= 0) return search_bools(s, input, begin, end, result);
    search_row(s, input, begin, end, result);
    return false;
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

/* A row of few elements, all at once. */
static void search_short(const search *s, const char *x, best *found) {
    _Alignas(64) char stage[SHORT * 16];
    int64_t n = s->call->reduced_size;
    if (s->staged) {
        load(s, stage, x, s->run_stride, n);
        x = stage;
    }
    found->position = s->positions->find(x, n);
    memcpy(found->value, x + found->position * s->x, (size_t)s->x);
}

/* A row without gaps of one piece: its extreme, then where that is. */
static void search_piece(const search *s, const char *x, best *found) {
    const int64_t n = s->call->reduced_size;
    s->fold->rows(found->value, x, 1, 0, n, NULL);
    found->position = s->positions->locate(x, n, found->value);
}

static void search_rows(void *context, int64_t begin, int64_t end) {
    const search *s = context;
    const tni_argreduce *call = s->call;
    bool is_one = s->runs == 1 && s->stop < 0, is_short = is_one && call->reduced_size <= SHORT;
    bool is_piece = is_one && !s->staged && call->reduced_size <= s->piece;
    best found;
    tni_walk walk;
    tni_walk_start(&walk, call->kept_ndim, call->kept_shape, call->kept_input, call->kept_output,
                   begin);
    for (int64_t k = begin; k < end; k++) {
        const char *input = call->input + walk.offsets[0];
        if (is_short)
            search_short(s, input, &found);
        else if (is_piece)
            search_piece(s, input, &found);
        else
            search_range(s, input, 0, call->reduced_size, &found);
        put(s, &found, call->output + walk.offsets[1]);
        if (k + 1 < end) tni_walk_next(&walk);
    }
}

static void search_segments(void *context, int64_t begin, int64_t end) {
    const search *s = context;
    int64_t size = s->call->reduced_size;
    for (int64_t k = begin; k < end; k++) {
        int64_t from = (s->first + k) * SEGMENT, to = from + SEGMENT < size ? from + SEGMENT : size;
        search_range(s, s->one_input, from, to, &s->bests[s->first + k]);
    }
}

/* What a task of so many elements of rows takes, about. */
static int64_t ns_of(const search *s, int64_t elements) {
    return s->staged ? elements : elements * s->x / 16;
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
        const best *found = &s->bests[0];
        bool is_done = s->first && search_range(s, s->one_input, 0, SEGMENT, &s->bests[0]);
        if (!is_done)
            tni_parallel_units(segments - s->first, ns_of(s, SEGMENT), search_segments, s);
        for (int64_t j = 1; !is_done && j < segments; j++)
            if (beats(s, found->value, s->bests[j].value)) found = &s->bests[j];
        put(s, found, call->output + walk.offsets[1]);
        if (k + 1 < call->kept_size) tni_walk_next(&walk);
    }
    return TN_OK;
}

/* --- Columns --- */

/* The best of the columns that were column j before they were widened. */
static void narrow(const search *s, const char *values, const int64_t *positions, int64_t j,
                   best *found) {
    for (int64_t k = 0; k < s->widened; k++) {
        int64_t at = k * (s->width / s->widened) + j;
        int64_t position = positions[at] * s->widened + k;
        const char *value = values + at * s->x;
        bool is_better = k == 0 || beats(s, found->value, value) ||
                         (position < found->position && !beats(s, value, found->value));
        if (!is_better) continue;
        memcpy(found->value, value, (size_t)s->x);
        found->position = position;
    }
}

/* values[n], positions[n] = the best of each column of the n at `input`. */
static void search_chunk(const search *s, const char *input, int64_t n, char *values,
                         int64_t *positions) {
    const tni_argreduce *call = s->call;
    _Alignas(64) char stage[COLUMNS * 16];
    int64_t wide = s->run / s->widened, stride = s->run_stride * s->widened;
    int64_t rows = s->runs * wide, rest = (s->run - wide * s->widened) * (s->width / s->widened);
    tni_walk walk;
    tni_walk_start(&walk, call->reduced_ndim, call->reduced_shape, call->reduced_input, NULL, 0);
    load(s, values, input, s->width_stride, n);
    memset(positions, 0, sizeof *positions * (size_t)n);
    for (int64_t row = 1; row < rows + (rest > 0); row++) {
        const char *x = input + row * stride;
        if (s->widened == 1) {
            tni_walk_next(&walk);
            x = input + walk.offsets[0];
        }
        if (row == rows) n = rest;
        if (s->staged || s->width_stride != s->x) {
            load(s, stage, x, s->width_stride, n);
            x = stage;
        }
        s->positions->update(values, positions, x, n, row);
    }
}

static void search_columns(void *context, int64_t begin, int64_t end) {
    const search *s = context;
    const tni_argreduce *call = s->call;
    _Alignas(64) char values[COLUMNS * 16];
    int64_t positions[COLUMNS];
    int last = call->kept_ndim - 1;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t from = unit % s->chunks * COLUMNS;
        int64_t n = s->width - from < COLUMNS ? s->width - from : COLUMNS;
        tni_walk kept;
        tni_walk_start(&kept, s->outer_ndim, call->kept_shape, call->kept_input, call->kept_output,
                       unit / s->chunks);
        const char *input = call->input + kept.offsets[0] + from * s->width_stride;
        char *output = call->output + kept.offsets[1] + from * call->kept_output[last];
        search_chunk(s, input, n, values, positions);
        for (int64_t j = 0; j < n / s->widened; j++) {
            best found;
            narrow(s, values, positions, j, &found);
            put(s, &found, output + j * call->kept_output[last]);
        }
    }
}

/* Rows side by side, where they follow each other without a gap. */
static void widen(search *s, int64_t item) {
    int64_t rows = COLUMNS / s->width;
    s->widened = 1;
    bool can_widen = s->runs == 1 && s->width < NARROW && s->width_stride == item &&
                     s->run_stride == s->width * item && s->run >= 8 * rows;
    if (!can_widen) return;
    s->widened = rows;
    s->width *= rows;
}

/* --- Shape of the work --- */

static void tidy(tni_argreduce *call) {
    int64_t *const lists[] = {call->kept_input, call->kept_output, call->kept_shape};
    tni_axes_sort(call->kept_ndim, 3, lists);
}

static tn_status prepare(search *s, const tni_argreduce *call) {
    bool is_half = call->input_dtype == TN_F16 || call->input_dtype == TN_BF16;
    tn_dtype dtype = is_half ? TN_F32 : call->input_dtype;
    s->call = call;
    s->fold = tni_host_fold_find(call->op, dtype, dtype);
    s->positions = tni_host_position_find(call->op, dtype);
    if (!s->fold || !s->positions)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "position of %s of %s", tn_op_name(call->op),
                 tn_dtype_name(call->input_dtype));
    s->load = tni_cast_find(call->input_dtype, dtype);
    s->x = tn_dtype_size(dtype);
    s->stop = dtype == TN_B8 ? tni_deciding_truth(call->op) : -1;
    s->first = s->stop >= 0;
    s->piece = dtype < TN_F16 ? TNI_LONG_LEAF : TNI_LEAF;
    int last = call->reduced_ndim - 1;
    s->run = last >= 0 ? call->reduced_shape[last] : 1;
    s->runs = call->reduced_size / s->run;
    s->run_stride = last >= 0 ? call->reduced_input[last] : s->x;
    s->staged = is_half;
    return TN_OK;
}

static tn_status search_run(const tni_argreduce *call) {
    search s;
    TNI_TRY(prepare(&s, call));
    int kept = call->kept_ndim - 1;
    /* Short rows are met as columns, too: vectors compare many rows where one row takes
     * branches. */
    bool is_narrow = call->reduced_size <= SHORT && s.runs == 1 && call->input_dtype < TN_C64;
    bool by_columns = kept >= 0 && call->kept_shape[kept] >= 8 && call->kept_input[kept] != 0 &&
                      (tni_magnitude(call->kept_input[kept]) < tni_magnitude(s.run_stride) ||
                       (is_narrow && call->kept_shape[kept] >= SHORT));
    if (by_columns) {
        s.width = call->kept_shape[kept];
        s.width_stride = call->kept_input[kept];
        s.outer_ndim = kept;
        int64_t outputs = call->kept_size / s.width;
        widen(&s, tn_dtype_size(call->input_dtype));
        s.chunks = (s.width + COLUMNS - 1) / COLUMNS;
        int64_t elements = s.runs * (s.run / s.widened) * (s.width < COLUMNS ? s.width : COLUMNS);
        tni_parallel_units(outputs * s.chunks, elements * s.widened, search_columns, &s);
        return TN_OK;
    }
    s.staged |= s.run_stride != s.x;
    if (call->reduced_size > 2 * SEGMENT && call->kept_size < 4 * tni_thread_count())
        return search_shared(&s);
    tni_parallel_units(call->kept_size, ns_of(&s, call->reduced_size), search_rows, &s);
    return TN_OK;
}

tn_status tni_host_run_argreduce(void *parameters) {
    const tni_argreduce *call = parameters;
    /* Where all elements of an output are one, the first is the best. */
    bool is_one = call->reduced_ndim == 1 && call->reduced_input[0] == 0;
    if (!is_one && tni_axes_are_sorted(call->kept_ndim, call->kept_input)) return search_run(call);
    tni_argreduce tidied = *call;
    tidy(&tidied);
    if (is_one) tidied.reduced_size = tidied.reduced_shape[0] = 1;
    return search_run(&tidied);
}

TNI_HOST_PLAN(argreduce, call->kept_size * call->reduced_size)
