/* The form "upfirdn" on the host: outputs of lines are shared out among the threads in pieces. Taps
 * are sorted by phases once. A line that keeps its rate is the form "correlate". */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"
#include "forms/samples.h"
#include "forms/signal.h"

#include <string.h>

enum { PIECE = 4096 }; /* outputs of a line that a thread takes */

typedef struct resampling {
    const tni_upfirdn *call;
    const tni_upfirdn_loops *loops;
    int64_t size, width;
    int64_t pieces, groups; /* of a line; of an outer place: lines one by one, or in vectors */
    char *taps;
} resampling;

/* Rows of taps for each phase, each from the last to the first. */
static void sort_taps(const resampling *r) {
    const tni_upfirdn *call = r->call;
    memset(r->taps, 0, (size_t)(r->width * call->up * r->size));
    for (int64_t k = 0; k < call->tap_count; k++) {
        const int64_t at = k % call->up * r->width + r->width - 1 - k / call->up;
        memcpy(r->taps + at * r->size, call->taps + k * r->size, (size_t)r->size);
    }
}

static void filter_piece(const resampling *r, tni_upfirdn_run *run, int64_t at, int64_t lines) {
    const tni_upfirdn *call = r->call;
    const int64_t piece = at % r->pieces, outer = at / r->pieces / r->groups;
    const int64_t group = at / r->pieces % r->groups, first = piece * PIECE;
    const int64_t inner = group * lines, left = call->count - first;
    run->first = call->first + first * call->down;
    run->count = left < PIECE ? left : PIECE;
    for (int64_t k = 0; k < lines && inner + k < call->inner;) {
        const bool is_vector = lines > 1 && inner + lines <= call->inner;
        run->input = call->input + (outer * call->length * call->inner + inner + k) * r->size;
        run->output =
            call->output + ((outer * call->count + first) * call->inner + inner + k) * r->size;
        (is_vector ? r->loops->lines : r->loops->line)(run);
        k += is_vector ? lines : 1;
    }
}

static void filter_pieces(void *context, int64_t begin, int64_t end) {
    const resampling *r = context;
    const tni_upfirdn *call = r->call;
    const int64_t lines = call->inner >= r->loops->lanes ? r->loops->lanes : 1;
    tni_upfirdn_run run = {.width = r->width,
                           .up = call->up,
                           .down = call->down,
                           .length = call->length,
                           .step = call->inner,
                           .taps = r->taps};
    for (int64_t k = begin; k < end; k++)
        filter_piece(r, &run, k, lines);
}

/* A line that keeps its rate, with the taps from the last to the first. */
static void correlate_lines(void *context, int64_t begin, int64_t end) {
    const resampling *r = context;
    const tni_upfirdn *call = r->call;
    tni_correlate row = {.dtype = call->dtype,
                         .window = r->taps,
                         .count = call->count,
                         .length = call->length,
                         .taps = call->tap_count,
                         .lead = call->tap_count - 1 - call->first};
    for (int64_t k = begin; k < end; k++) {
        row.array = call->input + k * call->length * r->size;
        row.output = call->output + k * call->count * r->size;
        tni_host_run_correlate(&row);
    }
}

tn_status tni_host_run_upfirdn(void *parameters) {
    const tni_upfirdn *call = parameters;
    resampling r = {.call = call, .loops = &tni_loops_level()->upfirdn[call->dtype]};
    r.size = tn_dtype_size(call->dtype);
    r.width = (call->tap_count + call->up - 1) / call->up;
    _Alignas(64) char fixed[1024];
    const int64_t bytes = r.width * call->up * r.size;
    r.taps = bytes <= (int64_t)sizeof fixed ? fixed : tni_malloc((size_t)bytes);
    if (!r.taps) return tni_fail_no_memory(bytes);
    sort_taps(&r);
    const bool keeps = call->up == 1 && call->down == 1 && call->inner == 1 &&
                       call->count <= call->length + call->tap_count - 1 - call->first;
    if (keeps && call->outer == 1) {
        correlate_lines(&r, 0, 1);
    } else if (keeps) {
        tni_parallel_units(call->outer, call->count * call->tap_count / 16 + 50, correlate_lines,
                           &r);
    } else {
        const int64_t lanes = call->inner >= r.loops->lanes ? r.loops->lanes : 1;
        r.pieces = (call->count + PIECE - 1) / PIECE;
        r.groups = (call->inner + lanes - 1) / lanes;
        const int64_t outputs = call->count < PIECE ? call->count : PIECE;
        tni_parallel_units(call->outer * r.groups * r.pieces, outputs * (2 + r.width / 4),
                           filter_pieces, &r);
    }
    if (r.taps != fixed) tni_free(r.taps);
    return TN_OK;
}

TNI_HOST_PLAN(upfirdn, call->outer * call->count * call->inner * (1 + call->tap_count / call->up))
