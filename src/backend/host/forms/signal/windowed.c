/* The form "windowed" on the host: blocks of outputs along the last axis are shared out among the
 * threads. For each row of the window the block goes through the loops of correlations, with the
 * row of the array that lies beside it. Complex numbers are computed as there: the array's parts
 * beside each other times the window's real parts, and times its imaginary ones. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "forms/samples.h"
#include "forms/signal.h"

#include <string.h>

typedef struct sliding {
    const tni_windowed *call;
    const tni_correlate_loops *loops;
    int parts;          /* 2 of complex numbers */
    int64_t part_bytes; /* of an element of the loops */
    int64_t width;      /* outputs of a block */
    int64_t blocks;     /* of a row of outputs */
    int64_t row, taps;  /* outputs of a row, elements of a row of the window */
    int64_t windows;    /* rows of the window */
    int64_t elements;   /* of the array */
} sliding;

/* The place in the array of output `row` (its last axis at 0). */
static int64_t place_of(const tni_windowed *call, int64_t row) {
    int64_t place = 0, step = call->shape[call->ndim - 1];
    for (int axis = call->ndim - 2; axis >= 0; axis--) {
        const int64_t outputs = call->shape[axis] - call->window_shape[axis] + 1;
        place += row % outputs * step;
        row /= outputs;
        step *= call->shape[axis];
    }
    return place;
}

/* How far a row of the window lies from its first one, in the array. */
static int64_t reach_of(const tni_windowed *call, int64_t row) {
    int64_t place = 0, step = call->shape[call->ndim - 1];
    for (int axis = call->ndim - 2; axis >= 0; axis--) {
        place += row % call->window_shape[axis] * step;
        row /= call->window_shape[axis];
        step *= call->shape[axis];
    }
    return place;
}

/* Sums of `count` outputs with one part of the window. A block may read past its last output, but
 * not past the array. */
static void sum_block(const sliding *s, char *sums, int64_t place, int64_t count, int part) {
    const tni_windowed *call = s->call;
    memset(sums, 0, TNI_CORRELATE_BYTES);
    for (int64_t row = 0; row < s->windows; row++) {
        const int64_t at = place + reach_of(call, row);
        const char *array = call->array + at * s->parts * s->part_bytes;
        const char *window = call->window + (row * s->taps * s->parts + part) * s->part_bytes;
        if (at + s->width + s->taps <= s->elements) {
            s->loops->block(sums, array, window, s->taps, s->parts);
            continue;
        }
        for (int64_t k = 0; k < count * s->parts; k++)
            s->loops->single(sums + k * s->part_bytes, array + k * s->part_bytes, window, s->taps,
                             s->parts);
    }
}

/* (a + bi)(c + di): `real` holds ac and bc, `imaginary` ad and bd. */
#define JOIN(name, type)                                                                           \
    static void join_##name(char *to, const char *real, const char *imaginary, int64_t n) {        \
        type *output = (type *)(void *)to;                                                         \
        const type *by_real = (const type *)(const void *)real;                                    \
        const type *by_imaginary = (const type *)(const void *)imaginary;                          \
        for (int64_t k = 0; k < n; k++) {                                                          \
            output[2 * k] = by_real[2 * k] - by_imaginary[2 * k + 1];                              \
            output[2 * k + 1] = by_real[2 * k + 1] + by_imaginary[2 * k];                          \
        }                                                                                          \
    }
JOIN(f32, float)
JOIN(f64, double)

static void slide(void *context, int64_t begin, int64_t end) {
    const sliding *s = context;
    _Alignas(64) char sums[2][TNI_CORRELATE_BYTES];
    for (int64_t k = begin; k < end; k++) {
        const int64_t row = k / s->blocks, first = k % s->blocks * s->width;
        const int64_t count = s->row - first < s->width ? s->row - first : s->width;
        const int64_t place = place_of(s->call, row) + first;
        char *to = s->call->output + (row * s->row + first) * s->parts * s->part_bytes;
        sum_block(s, sums[0], place, count, 0);
        if (s->parts == 1) {
            memcpy(to, sums[0], (size_t)(count * s->part_bytes));
            continue;
        }
        sum_block(s, sums[1], place, count, 1);
        (s->part_bytes == 4 ? join_f32 : join_f64)(to, sums[0], sums[1], count);
    }
}

tn_status tni_host_run_windowed(void *parameters) {
    const tni_windowed *call = parameters;
    const tn_dtype part =
        tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX ? tn_dtype_real(call->dtype) : call->dtype;
    const int last = call->ndim - 1;
    sliding s = {.call = call, .loops = &tni_loops_level()->correlate[part], .windows = 1};
    int64_t rows = 1;
    s.parts = part == call->dtype ? 1 : 2;
    s.part_bytes = tn_dtype_size(part);
    s.width = s.loops->width / s.parts;
    s.taps = call->window_shape[last];
    s.row = call->shape[last] - s.taps + 1;
    s.elements = call->shape[last];
    for (int axis = 0; axis < last; axis++) {
        s.windows *= call->window_shape[axis];
        s.elements *= call->shape[axis];
        rows *= call->shape[axis] - call->window_shape[axis] + 1;
    }
    s.blocks = (s.row + s.width - 1) / s.width;
    const int64_t terms = s.windows * s.taps;
    tni_parallel_units(rows * s.blocks, terms * 4 * s.parts + 20, slide, &s);
    return TN_OK;
}

tni_host_plan tni_host_plan_windowed(const tni_windowed *call) {
    int64_t elements = 1;
    for (int axis = 0; axis < call->ndim; axis++)
        elements *= (call->shape[axis] - call->window_shape[axis] + 1) * call->window_shape[axis];
    return (tni_host_plan){tni_host_run_windowed, call, sizeof *call, .elements = elements};
}
