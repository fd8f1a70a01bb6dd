/* The form "recursion" on the host: lines are shared out among the threads, in groups of as many as
 * a vector has numbers. Lines that stand beside each other are computed where they are; others pass
 * through a block in the L1 cache, transposed. One or two lines are computed one by one, as complex
 * ones are.
 *
 * The order of a line's operations is that of its definition, so no result depends on groups. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"
#include "forms/signal.h"

#include <stdatomic.h>
#include <string.h>

enum { STEPS = 64, FEW = 2 }; /* elements of a block; lines that are computed one by one */

typedef struct filtering {
    const tni_recursion *call;
    const tni_recursion_loops *loops;
    void *coefficients; /* as the loops take them */
    int64_t size;       /* bytes of an element */
    int64_t lines, lanes;
    int64_t groups; /* of an outer place, where lines stand beside each other; else of all lines */
    bool is_beside;
    atomic_bool has_failed;
} filtering;

/* Bytes of the states of `lanes` lines. */
static int64_t state_bytes(const filtering *f, int64_t lanes) {
    return f->call->sections * (f->call->order + 1) * lanes * f->size;
}

/* --- Coefficients --- */

#define STAMP_REAL(name, T)                                                                        \
    static void write_##name(void *to, int64_t at, double re, double im) {                         \
        (void)im;                                                                                  \
        ((T *)to)[at] = (T)re;                                                                     \
    }
#define STAMP_COMPLEX(name, T)                                                                     \
    static void write_##name(void *to, int64_t at, double re, double im) {                         \
        ((T *)to)[2 * at] = (T)re;                                                                 \
        ((T *)to)[2 * at + 1] = (T)im;                                                             \
    }
STAMP_REAL(f32, float)
STAMP_REAL(f64, double)
STAMP_COMPLEX(c64, float)
STAMP_COMPLEX(c128, double)

/* Divided by a[0]; a cascade has b[0], then pairs of b[k] and a[k]. */
static void write_coefficients(const filtering *f) {
    static void (*const writers[tni_dtype_count])(void *, int64_t, double, double) = {
        [TN_F32] = write_f32, [TN_F64] = write_f64, [TN_C64] = write_c64, [TN_C128] = write_c128};
    const tni_recursion *call = f->call;
    const int64_t order = call->order, parts = f->loops->lanes ? 1 : 2;
    for (int64_t s = 0; s < call->sections; s++) {
        const double *b =
            (const double *)(const void *)call->coefficients + s * 2 * (order + 1) * parts;
        const double *a = b + (order + 1) * parts;
        const double re = a[0], im = parts == 2 ? a[1] : 0, square = re * re + im * im;
        for (int64_t k = 0; k <= 2 * order; k++) {
            const double *from = (k % 2 || k == 0 ? b : a) + (k + 1) / 2 * parts;
            const int64_t at = s * (2 * order + 1) + k;
            if (parts == 1)
                writers[call->dtype](f->coefficients, at, from[0] / re, 0);
            else
                writers[call->dtype](f->coefficients, at, (from[0] * re + from[1] * im) / square,
                                     (from[1] * re - from[0] * im) / square);
        }
    }
}

/* --- States and elements of a group --- */

/* A group: `count` lines from `first` on, numbered outer first. */
typedef struct group {
    int64_t first, count;
    char *state, *blocks[2];
} group;

/* Where a line begins among elements that lie [outer][length][inner]. */
static int64_t line_at(const filtering *f, int64_t line, int64_t length) {
    const int64_t inner = f->call->inner;
    return line / inner * length * inner + line % inner;
}

/* All numbers of the states of a group, from core's or to them: [section][outer][order][inner]. */
static void move_states(const filtering *f, const group *g, int64_t lanes, char *kept, bool reads) {
    const tni_recursion *call = f->call;
    const int64_t order = call->order;
    for (int64_t s = 0; s < call->sections; s++)
        for (int64_t k = 0; k < order; k++)
            for (int64_t lane = 0; lane < g->count; lane++) {
                const int64_t line = s * f->lines + g->first + lane;
                char *there = kept + (line_at(f, line, order) + k * call->inner) * f->size;
                char *here = g->state + ((s * (order + 1) + k) * lanes + lane) * f->size;
                memcpy(reads ? here : there, reads ? there : here, (size_t)f->size);
            }
}

#define STAMP_COPY(name, T)                                                                        \
    static void copy_##name(void *to, int64_t to_step, const void *from, int64_t from_step,        \
                            int64_t count) {                                                       \
        for (int64_t k = 0; k < count; k++)                                                        \
            ((T *)to)[k * to_step] = ((const T *)from)[k * from_step];                             \
    }
STAMP_COPY(4, uint32_t)
STAMP_COPY(8, uint64_t)

/* `steps` elements of each line of a group: between where they are and a block with the lanes
 * beside each other. */
static void stage(const filtering *f, const group *g, int64_t done, int64_t steps, bool reads) {
    const tni_recursion *call = f->call;
    const int64_t step = call->is_reversed ? -call->inner : call->inner;
    const int64_t begin = call->is_reversed ? call->length - 1 - done : done;
    for (int64_t lane = 0; lane < g->count; lane++) {
        const int64_t at = line_at(f, g->first + lane, call->length) + begin * call->inner;
        char *block = g->blocks[!reads] + lane * f->size;
        if (reads)
            (f->size == 4 ? copy_4 : copy_8)(block, f->lanes, call->input + at * f->size, step,
                                             steps);
        else
            (f->size == 4 ? copy_4 : copy_8)(call->output + at * f->size, step, block, f->lanes,
                                             steps);
    }
}

/* --- Groups --- */

static void begin_run(tni_recursion_run *run, const filtering *f, const group *g) {
    const tni_recursion *call = f->call;
    const int64_t last = call->is_reversed ? (call->length - 1) * call->inner : 0;
    const int64_t at = line_at(f, g->first, call->length) + last;
    run->sections = call->sections;
    run->order = call->order;
    run->count = call->length;
    run->input_step = run->output_step = call->is_reversed ? -call->inner : call->inner;
    run->coefficients = f->coefficients;
    run->input = call->input + at * f->size;
    run->output = call->output + at * f->size;
    run->state = g->state;
}

static void filter_staged(const filtering *f, const group *g, tni_recursion_run *run) {
    memset(g->blocks[0], 0, (size_t)(STEPS * f->lanes * f->size));
    run->input_step = run->output_step = f->lanes;
    run->input = g->blocks[0];
    run->output = g->blocks[1];
    for (int64_t done = 0; done < f->call->length; done += STEPS) {
        const int64_t left = f->call->length - done;
        run->count = left < STEPS ? left : STEPS;
        stage(f, g, done, run->count, true);
        f->loops->lines(run);
        stage(f, g, done, run->count, false);
    }
}

/* One line, or a group in vectors. */
static void filter_group(const filtering *f, const group *g, bool is_line) {
    const int64_t lanes = is_line ? 1 : f->lanes;
    tni_recursion_run run;
    memset(g->state, 0, (size_t)state_bytes(f, lanes));
    if (f->call->initial) move_states(f, g, lanes, (char *)(uintptr_t)f->call->initial, true);
    begin_run(&run, f, g);
    if (is_line)
        f->loops->line(&run);
    else if (f->is_beside && g->count == f->lanes)
        f->loops->lines(&run);
    else
        filter_staged(f, g, &run);
    if (f->call->final) move_states(f, g, lanes, f->call->final, false);
}

static void filter_groups(void *context, int64_t begin, int64_t end) {
    filtering *f = context;
    enum { FIXED = 1024 };
    _Alignas(64) char blocks[2][STEPS * 64], fixed[FIXED];
    const int64_t bytes = state_bytes(f, f->lanes);
    char *state = bytes <= FIXED ? fixed : tni_malloc((size_t)bytes);
    if (!state) {
        atomic_store(&f->has_failed, true);
        return;
    }
    for (int64_t k = begin; k < end; k++) {
        const int64_t of = f->is_beside ? f->call->inner : f->lines;
        const int64_t from = k % f->groups * f->lanes;
        const int64_t left = of - from;
        group g = {k / f->groups * of + from,
                   left < f->lanes ? left : f->lanes,
                   state,
                   {blocks[0], blocks[1]}};
        if (g.count > FEW) {
            filter_group(f, &g, false);
            continue;
        }
        for (int64_t count = g.count; count > 0; count--, g.first++) {
            g.count = 1;
            filter_group(f, &g, true);
        }
    }
    if (state != fixed) tni_free(state);
}

tn_status tni_host_run_recursion(void *parameters) {
    const tni_recursion *call = parameters;
    filtering f = {.call = call, .loops = &tni_loops_level()->recursion[call->dtype]};
    f.size = tn_dtype_size(call->dtype);
    f.lines = call->outer * call->inner;
    f.lanes = f.loops->lanes ? f.loops->lanes : 1;
    f.is_beside = call->inner >= f.lanes;
    f.groups = ((f.is_beside ? call->inner : f.lines) + f.lanes - 1) / f.lanes;
    _Alignas(64) char fixed[1024];
    const int64_t bytes = call->sections * (2 * call->order + 1) * f.size;
    f.coefficients = bytes <= (int64_t)sizeof fixed ? fixed : tni_malloc((size_t)bytes);
    if (!f.coefficients) return tni_fail_no_memory(bytes);
    write_coefficients(&f);
    const int64_t count = f.is_beside ? f.groups * call->outer : f.groups;
    const int64_t ns = call->length * (2 + call->sections * (1 + call->order)) + 100;
    tni_parallel_units(count, ns, filter_groups, &f);
    if (f.coefficients != fixed) tni_free(f.coefficients);
    return f.has_failed ? tni_fail_no_memory(state_bytes(&f, f.lanes)) : TN_OK;
}

TNI_HOST_PLAN(recursion,
              call->outer * call->inner * call->length * (1 + call->sections * call->order))
