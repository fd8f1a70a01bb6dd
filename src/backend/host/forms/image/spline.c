/* The form "image_spline" on the host.
 *
 * Lines are cut into pieces of equal length, each with a halo beyond its ends; pieces are the
 * columns of a panel that stays in the L2 cache, and a unit of the threads' work is a panel. Where
 * many lines lie beside each other (inner), a panel's row is a row of memory; else pieces of the
 * same or of the next lines are brought together. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "forms/image_map.h"

#include <stdatomic.h>
#include <string.h>

enum { PIECE = 1024, SLOT = 0, LANES_MAX = TNI_SPLINE_ROW_BYTES / 4, HALO_MAX = 48 };

typedef struct filtering {
    const tni_image_spline *call;
    int64_t item, lanes;            /* bytes of a number, numbers of a panel's row */
    int64_t padded, pieces, length; /* of a line, with its pad; of a piece, without its halo */
    int64_t halo, rows;             /* of a panel */
    bool is_beside;                 /* a panel's row is memory's */
    bool is_short;                  /* a line's ends are found by formulas, without a halo */
    int64_t groups, lines;          /* panels of a row; pieces of all lines */
    int32_t sources[PIECE + 2 * HALO_MAX]; /* of one piece: where a row's numbers are from */
    double poles[2];
    int pole_count;
    atomic_bool is_out_of_memory;
} filtering;

/* One column of a panel. */
typedef struct piece {
    const char *from;
    char *to;
    int64_t first, length; /* on the padded line */
    int part;
} piece;

/* The place in the input of a number of the padded line; -1: it is outside[]. */
static int64_t find_source(const filtering *f, int64_t at) {
    const tni_image_spline *call = f->call;
    at = tni_spline_folded(at, f->padded, call->fold) - call->pad;
    if (at >= 0 && at < call->length) return at;
    return call->is_constant ? -1 : at < 0 ? 0 : call->length - 1;
}

static inline int64_t source(const filtering *f, int64_t first, int64_t row) {
    return f->pieces == 1 ? f->sources[row] : find_source(f, first + row);
}

static void write_number(const filtering *f, char *to, int64_t count, double value) {
    for (int64_t k = 0; k < count; k++)
        if (f->item == 4)
            ((float *)(void *)to)[k] = (float)value;
        else
            ((double *)(void *)to)[k] = value;
}

static inline void copy_column(char *to, int64_t to_step, const char *from, int64_t from_step,
                               int64_t item, int64_t count) {
    if (item == 4)
        for (int64_t k = 0; k < count; k++)
            memcpy(to + k * to_step, from + k * from_step, 4);
    else
        for (int64_t k = 0; k < count; k++)
            memcpy(to + k * to_step, from + k * from_step, 8);
}

/* Rows [begin, end) of the panel that the input has as they are. */
static void plain_rows(const filtering *f, const piece *p, int64_t *begin, int64_t *end) {
    const int64_t first = p->first - f->halo - f->call->pad; /* the input's number in row 0 */
    const int64_t last = f->call->length - first;
    *begin = first < 0 ? -first : 0;
    *end = last < f->rows ? last : f->rows;
    if (*begin > f->rows) *begin = f->rows;
    if (*end < *begin) *end = *begin;
}

static void load_piece(const filtering *f, char *column, const piece *p) {
    const int64_t step = f->call->inner * f->item, first = p->first - f->halo;
    int64_t begin, end;
    plain_rows(f, p, &begin, &end);
    copy_column(column + begin * TNI_SPLINE_ROW_BYTES, TNI_SPLINE_ROW_BYTES,
                p->from + (first + begin - f->call->pad) * step, step, f->item, end - begin);
    for (int64_t row = 0; row < f->rows; row++) {
        if (row == begin) row = end;
        if (row >= f->rows) break;
        const int64_t at = source(f, first, row);
        char *to = column + row * TNI_SPLINE_ROW_BYTES;
        if (at < 0)
            write_number(f, to, 1, f->call->outside[p->part]);
        else
            memcpy(to, p->from + at * step, (size_t)f->item);
    }
}

/* Pieces of any lines, each a column. */
static void filter_apart(const filtering *f, char *panel, int64_t first) {
    const tni_image_spline *call = f->call;
    const int64_t count = f->lines - first < f->lanes ? f->lines - first : f->lanes;
    piece pieces[LANES_MAX];
    memset(panel, 0, count < f->lanes ? (size_t)(f->rows * TNI_SPLINE_ROW_BYTES) : 0);
    for (int64_t k = 0; k < count; k++) {
        const int64_t line = (first + k) / f->pieces, number = (first + k) % f->pieces;
        const int64_t outer = line / call->inner, inner = line % call->inner;
        piece *p = &pieces[k];
        p->first = number * f->length;
        p->length = f->padded - p->first < f->length ? f->padded - p->first : f->length;
        p->part = (int)(inner % call->parts);
        p->from = call->input + (outer * call->length * call->inner + inner) * f->item;
        p->to = call->output + ((outer * f->padded + p->first) * call->inner + inner) * f->item;
        load_piece(f, panel + k * f->item, p);
    }
    const tni_prefilter_loops *loops = tni_loops_level()->prefilter;
    (f->item == 4 ? loops->filter_f32 : loops->filter_f64)(panel, f->rows, f->poles, f->pole_count,
                                                           f->is_short ? &call->fold : NULL);
    for (int64_t k = 0; k < count; k++)
        copy_column(pieces[k].to, call->inner * f->item,
                    panel + f->halo * TNI_SPLINE_ROW_BYTES + k * f->item, TNI_SPLINE_ROW_BYTES,
                    f->item, pieces[k].length);
}

/* One piece of lines that lie beside each other. */
static void filter_beside(const filtering *f, char *panel, int64_t unit) {
    const tni_image_spline *call = f->call;
    const int64_t group = unit % f->groups, number = unit / f->groups % f->pieces;
    const int64_t outer = unit / f->groups / f->pieces, inner = group * f->lanes;
    const int64_t lanes = call->inner - inner < f->lanes ? call->inner - inner : f->lanes;
    const int64_t first = number * f->length, step = call->inner * f->item;
    const int64_t length = f->padded - first < f->length ? f->padded - first : f->length;
    const char *from = call->input + (outer * call->length * call->inner + inner) * f->item;
    char *to = call->output + ((outer * f->padded + first) * call->inner + inner) * f->item;
    if (lanes < f->lanes) memset(panel, 0, (size_t)(f->rows * TNI_SPLINE_ROW_BYTES));
    for (int64_t row = 0; row < length + 2 * f->halo; row++) {
        const int64_t at = source(f, first - f->halo, row);
        char *here = panel + row * TNI_SPLINE_ROW_BYTES;
        if (at >= 0)
            memcpy(here, from + at * step, (size_t)(lanes * f->item));
        else
            for (int64_t k = 0; k < lanes; k++)
                write_number(f, here + k * f->item, 1, call->outside[(inner + k) % call->parts]);
    }
    const tni_prefilter_loops *loops = tni_loops_level()->prefilter;
    (f->item == 4 ? loops->filter_f32 : loops->filter_f64)(
        panel, length + 2 * f->halo, f->poles, f->pole_count, f->is_short ? &call->fold : NULL);
    for (int64_t row = 0; row < length; row++)
        memcpy(to + row * step, panel + (f->halo + row) * TNI_SPLINE_ROW_BYTES,
               (size_t)(lanes * f->item));
}

static void filter_units(void *context, int64_t begin, int64_t end) {
    filtering *f = context;
    char *panel = tni_scratch(SLOT, (size_t)(f->rows * TNI_SPLINE_ROW_BYTES));
    if (!panel) {
        atomic_store(&f->is_out_of_memory, true);
        return;
    }
    for (int64_t unit = begin; unit < end; unit++)
        if (f->is_beside)
            filter_beside(f, panel, unit);
        else
            filter_apart(f, panel, unit * f->lanes);
}

tn_status tni_host_run_image_spline(void *parameters) {
    const tni_image_spline *call = parameters;
    filtering f;
    f.call = call;
    f.item = call->dtype == TN_F32 ? 4 : 8;
    f.lanes = TNI_SPLINE_ROW_BYTES / f.item;
    f.padded = call->length + 2 * call->pad;
    f.pieces = (f.padded + PIECE - 1) / PIECE;
    f.length = (f.padded + f.pieces - 1) / f.pieces;
    f.pieces = (f.padded + f.length - 1) / f.length;
    f.pole_count = tni_spline_poles(call->order, f.poles);
    f.is_short = f.padded > 1 && f.padded < TNI_SPLINE_SHORT;
    f.halo = f.is_short ? 0 : tni_spline_halo(call->order, call->dtype);
    f.rows = f.length + 2 * f.halo;
    f.is_beside = call->inner >= f.lanes / 2;
    f.groups = (call->inner + f.lanes - 1) / f.lanes;
    f.lines = call->outer * call->inner * f.pieces;
    atomic_init(&f.is_out_of_memory, false);
    for (int64_t row = 0; f.pieces == 1 && row < f.rows; row++)
        f.sources[row] = (int32_t)find_source(&f, row - f.halo);
    const int64_t units =
        f.is_beside ? call->outer * f.pieces * f.groups : (f.lines + f.lanes - 1) / f.lanes;
    if (units == 1)
        filter_units(&f, 0, 1);
    else
        tni_parallel_units(units, f.rows * (f.is_beside ? 12 : 40), filter_units, &f);
    return atomic_load(&f.is_out_of_memory)
               ? tni_fail(TN_ERROR_MEMORY, "out of memory for the lines of a spline")
               : TN_OK;
}

TNI_HOST_PLAN(image_spline, call->outer * call->length * call->inner)
