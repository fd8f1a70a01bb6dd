/* The form "correlate" on the host: blocks of outputs are shared out among the threads.
 *
 * Of a block the taps that lie on the array for all its outputs go through the level's loop;
 * the few at the ends, where one output has a tap more than its neighbour, are added output by
 * output. Complex numbers are computed as real ones: the array's parts beside each other times
 * the window's real parts, and times its imaginary ones. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "forms/samples.h"

#include <string.h>

typedef struct correlating {
    const tni_correlate *call;
    const tni_correlate_loops *loops;
    int parts;          /* 2 of complex numbers */
    int64_t part_bytes; /* of an element of the loops */
    int64_t width;      /* outputs of a block */
} correlating;

/* Outputs at work, and the taps that all of them have. */
typedef struct block {
    int64_t first, count, begin, end;
} block;

static int64_t taps_begin(const tni_correlate *call, int64_t output) {
    return output < call->lead ? call->lead - output : 0;
}

static int64_t taps_end(const tni_correlate *call, int64_t output) {
    const int64_t left = call->length - output + call->lead;
    return left < call->taps ? left : call->taps;
}

static const char *array_at(const correlating *c, int64_t output, int64_t tap) {
    return c->call->array + (output + tap - c->call->lead) * c->parts * c->part_bytes;
}

static const char *window_at(const correlating *c, int64_t tap, int part) {
    return c->call->window + (tap * c->parts + part) * c->part_bytes;
}

/* One output's taps [begin, end), times this part of the window. */
static void add_taps(const correlating *c, char *sums, const block *b, int64_t output, int part,
                     int64_t begin, int64_t end) {
    if (end <= begin) return;
    for (int k = 0; k < c->parts; k++)
        c->loops->single(sums + ((output - b->first) * c->parts + k) * c->part_bytes,
                         array_at(c, output, begin) + k * c->part_bytes, window_at(c, begin, part),
                         end - begin, c->parts);
}

/* Sums with one part of the window. */
static void sum_block(const correlating *c, char *sums, const block *b, int part) {
    memset(sums, 0, TNI_CORRELATE_BYTES);
    if (b->begin < b->end)
        c->loops->block(sums, array_at(c, b->first, b->begin), window_at(c, b->begin, part),
                        b->end - b->begin, c->parts);
    /* The first output has the latest begin of all, and the last one the earliest end. */
    if (b->begin == 0 && b->end == c->call->taps) return;
    for (int64_t output = b->first; output < b->first + b->count; output++) {
        const int64_t begin = taps_begin(c->call, output), end = taps_end(c->call, output);
        if (b->begin >= b->end) {
            add_taps(c, sums, b, output, part, begin, end);
            continue;
        }
        add_taps(c, sums, b, output, part, begin, b->begin);
        add_taps(c, sums, b, output, part, b->end, end);
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

static void correlate_blocks(void *context, int64_t begin, int64_t end) {
    const correlating *c = context;
    const tni_correlate *call = c->call;
    _Alignas(64) char sums[2][TNI_CORRELATE_BYTES];
    for (int64_t k = begin; k < end; k++) {
        block b;
        b.first = k * c->width;
        b.count = call->count - b.first < c->width ? call->count - b.first : c->width;
        b.begin = taps_begin(call, b.first);
        b.end = b.count == c->width ? taps_end(call, b.first + b.count - 1) : 0;
        char *to = call->output + b.first * c->parts * c->part_bytes;
        sum_block(c, sums[0], &b, 0);
        if (c->parts == 1) {
            memcpy(to, sums[0], (size_t)(b.count * c->part_bytes));
            continue;
        }
        sum_block(c, sums[1], &b, 1);
        (c->part_bytes == 4 ? join_f32 : join_f64)(to, sums[0], sums[1], b.count);
    }
}

tn_status tni_host_run_correlate(void *parameters) {
    const tni_correlate *call = parameters;
    correlating c;
    const tn_dtype part =
        tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX ? tn_dtype_real(call->dtype) : call->dtype;
    c.call = call;
    c.parts = part == call->dtype ? 1 : 2;
    c.part_bytes = tn_dtype_size(part);
    c.loops = &tni_loops_level()->correlate[part];
    c.width = c.loops->width / c.parts;
    const int64_t blocks = (call->count + c.width - 1) / c.width;
    tni_parallel_units(blocks, call->taps * 4 * c.parts + 20, correlate_blocks, &c);
    return TN_OK;
}

TNI_HOST_PLAN(correlate, call->count * call->taps)
