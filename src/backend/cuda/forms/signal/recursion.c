/* The form "recursion" on CUDA.
 *
 *   lines   many or short ones: a thread a line
 *   tiles   few and long ones: a block a tile, twice, and the states between them as a scan
 *   long    one section of a high order: a block a line
 *
 * A cascade is a few of these, one after the other, in place after the first. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/signal.h"

enum {
    LINES_BLOCK = 128,
    BLOCK = 128,   /* of tiles */
    BLOCK_LOG = 7, /* its logarithm */
    POWERS_BLOCK = 256,
    LONG_BLOCK = 256,
    LONG_LINES = 1024,  /* blocks of long ones at most, which bounds their room */
    MANY_LINES = 16384, /* a thread each fills a GPU */
    SHORT = 128,        /* elements of a line that one thread goes through sooner */
    SIDE_MAX = 16,      /* real numbers of the states of a part of a cascade */
    COUNT_LOG = 5,      /* of the elements that a thread of a tile has at most */
    SHARED_BYTES = 48 * 1024,
};

static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    const bool is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
    tni_source_add(source, "typedef %s Value;\ntypedef %s Wide;\n", tni_body_working(dtype),
                   tni_body_working(is_complex ? TN_C128 : TN_F64));
}

static const tni_recursion_powers_form powers_form = TNI_FORM(recursion_powers, write_body);
static const tni_recursion_tiles_form tiles_form = TNI_FORM(recursion_tiles, write_body);
static const tni_recursion_carry_form carry_form = TNI_FORM(recursion_carry, write_body);
static const tni_recursion_lines_form lines_form = TNI_FORM(recursion_lines, write_body);
static const tni_recursion_long_form long_form = TNI_FORM(recursion_long, write_body);

/* Some sections of a call. */
typedef struct part {
    tni_plan *plan;
    tni_recursion call;
    bool is_complex, is_twofold; /* twofold: the parts of elements are doubles */
    int64_t side;                /* real numbers of a line's states */
    int64_t number;              /* bytes of one of them in a scan */
    int64_t lines;
} part;

static void set_dtype(tni_form_key *key, const part *p) {
    key->dtypes[0] = (int8_t)p->call.dtype;
}

/* --- Tiles --- */

typedef struct tiling {
    int count, count_log; /* elements of a thread */
    int64_t tiles;        /* of a line */
    char *powers, *ends;
} tiling;

static void plan_powers(const part *p, const tiling *t) {
    const int levels = BLOCK_LOG + (t->tiles > 1 ? BLOCK_LOG : 0);
    tni_form_key *key =
        TNI_STEP(p->plan, recursion_powers, &powers_form,
                 MACROS(.BLOCK = POWERS_BLOCK, .COMPLEX = p->is_complex, .TWOFOLD = p->is_twofold,
                        .SECTIONS = (int16_t)p->call.sections, .ORDER = (int16_t)p->call.order),
                 PARAMS(.coefficients = p->call.coefficients, .powers = t->powers,
                        .first = t->count_log, .levels = levels));
    set_dtype(key, p);
    tni_plan_grid(p->plan, 1, POWERS_BLOCK);
}

static void plan_tiles(const part *p, const tiling *t, int phase) {
    const tni_recursion *call = &p->call;
    const int64_t jobs = p->lines * (t->tiles - (phase ? 0 : 1));
    tni_form_key *key = TNI_STEP(
        p->plan, recursion_tiles, &tiles_form,
        MACROS(.BLOCK = BLOCK, .COUNT = (int16_t)t->count, .COMPLEX = p->is_complex,
               .TWOFOLD = p->is_twofold, .SECTIONS = (int16_t)call->sections,
               .ORDER = (int16_t)call->order, .REVERSED = call->is_reversed,
               .PHASE = (int16_t)phase),
        PARAMS(.coefficients = call->coefficients, .powers = t->powers, .input = call->input,
               .initial = call->initial, .output = call->output, .final = call->final,
               .ends = t->ends, .outer = call->outer, .length = call->length, .inner = call->inner,
               .tiles = t->tiles, .jobs = jobs));
    set_dtype(key, p);
    tni_plan_grid(p->plan, jobs, BLOCK);
}

static void plan_carry(const part *p, const tiling *t) {
    const tni_recursion *call = &p->call;
    const int64_t bytes = p->side * p->side * p->number;
    tni_form_key *key = TNI_STEP(
        p->plan, recursion_carry, &carry_form,
        MACROS(.BLOCK = BLOCK, .COMPLEX = p->is_complex, .TWOFOLD = p->is_twofold,
               .SECTIONS = (int16_t)call->sections, .ORDER = (int16_t)call->order),
        PARAMS(.powers = t->powers + BLOCK_LOG * bytes, .initial = call->initial, .ends = t->ends,
               .outer = call->outer, .inner = call->inner, .tiles = t->tiles));
    set_dtype(key, p);
    tni_plan_grid(p->plan, p->lines, BLOCK);
}

/* Memory for states and powers is one piece: a plan has few. */
static void plan_tiled(const part *p) {
    const int64_t item = tn_dtype_size(p->call.dtype);
    const int64_t powers = 2 * BLOCK_LOG * p->side * p->side * p->number;
    tiling t = {.count_log = COUNT_LOG};
    while (BLOCK * (((1 << t.count_log) + 1) * item + p->side * p->number) > SHARED_BYTES)
        t.count_log--;
    t.count = 1 << t.count_log;
    t.tiles = tni_form_ceil(p->call.length, BLOCK * t.count);
    t.powers = tni_plan_scratch(p->plan, powers + p->lines * t.tiles * p->side * p->number, -1);
    t.ends = t.powers + powers;
    plan_powers(p, &t);
    if (t.tiles > 1) {
        plan_tiles(p, &t, 0);
        plan_carry(p, &t);
    }
    plan_tiles(p, &t, 1);
}

/* --- The others --- */

static void plan_lines(const part *p) {
    const tni_recursion *call = &p->call;
    tni_form_key *key =
        TNI_STEP(p->plan, recursion_lines, &lines_form,
                 MACROS(.BLOCK = LINES_BLOCK, .COMPLEX = p->is_complex, .TWOFOLD = p->is_twofold,
                        .SECTIONS = (int16_t)call->sections, .ORDER = (int16_t)call->order,
                        .REVERSED = call->is_reversed),
                 PARAMS(.coefficients = call->coefficients, .input = call->input,
                        .initial = call->initial, .output = call->output, .final = call->final,
                        .outer = call->outer, .length = call->length, .inner = call->inner));
    set_dtype(key, p);
    tni_plan_grid(p->plan, tni_form_ceil(p->lines, LINES_BLOCK), LINES_BLOCK);
}

static void plan_long(const part *p) {
    const tni_recursion *call = &p->call;
    const int64_t blocks = tni_form_min(p->lines, LONG_LINES);
    const int64_t room = blocks * 3 * (call->order + 1) * tn_dtype_size(call->dtype);
    tni_form_key *key =
        TNI_STEP(p->plan, recursion_long, &long_form,
                 MACROS(.BLOCK = LONG_BLOCK, .COMPLEX = p->is_complex, .TWOFOLD = p->is_twofold,
                        .REVERSED = call->is_reversed),
                 PARAMS(.coefficients = call->coefficients, .input = call->input,
                        .initial = call->initial, .output = call->output, .final = call->final,
                        .room = tni_plan_scratch(p->plan, room, -1), .outer = call->outer,
                        .length = call->length, .inner = call->inner, .order = call->order));
    set_dtype(key, p);
    tni_plan_grid(p->plan, blocks, LONG_BLOCK);
}

static void plan_part(const part *p) {
    if (p->side > SIDE_MAX)
        plan_long(p);
    else if (p->lines >= MANY_LINES || p->call.length <= SHORT)
        plan_lines(p);
    else
        plan_tiled(p);
}

tn_status tni_plan_recursion(tni_plan *plan, const tni_recursion *call) {
    part p = {.plan = plan, .call = *call, .lines = call->outer * call->inner};
    p.is_complex = tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX;
    p.is_twofold = call->dtype == TN_F64 || call->dtype == TN_C128;
    p.number = p.is_twofold ? 16 : 8;
    const int64_t parts = p.is_complex ? 2 : 1, most = SIDE_MAX / parts / call->order;
    const int64_t item = tn_dtype_size(call->dtype);
    const int64_t filter = 2 * (call->order + 1) * (p.is_complex ? 16 : 8);
    const int64_t states = p.lines * call->order * item;
    for (int64_t s = 0; s < call->sections; s += p.call.sections) {
        p.call.sections = most < 1 ? 1 : tni_form_min(most, call->sections - s);
        p.call.input = s ? call->output : call->input;
        p.call.coefficients = call->coefficients + s * filter;
        p.call.initial = call->initial ? call->initial + s * states : NULL;
        p.call.final = call->final ? call->final + s * states : NULL;
        p.side = p.call.sections * call->order * parts;
        plan_part(&p);
    }
    return TN_OK;
}
