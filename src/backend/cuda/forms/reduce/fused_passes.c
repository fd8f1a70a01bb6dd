/* Rows that no team holds in its registers as their folds by themselves would: one launch that
 * passes over each row for each fold, and once more to store.
 *
 * Each pass computes what it needs of the arrays again, in the geometry that its fold has by
 * itself, so that no alignment, dtype or length keeps folds from being in one launch. The rows at
 * work are so few that the L2 cache holds them. */
#include "backend/cuda/forms/reduce/fused_passes.h"

#include "backend/cuda/forms/expression.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/forms/reduce/reduce.h"
#include "backend/cuda/forms/reduce/row_text.h"
#include "core/array/layout.h"

#include <string.h>

enum {
    BLOCK = 256,
    LENGTH_MAX = 1 << 30,     /* numbers of elements are ints */
    ROW_BYTES_MAX = 64 << 10, /* of rows that are fewer than multiprocessors */
    STORED_ELEMENTS = 16      /* of a thread at once, in the last pass */
};

/* Where the vectors of a row begin: with it; as those of a new array lie; as those of an argument
 * lie, AS_ARGUMENT and its number. */
enum { WITH_ROW, AS_NEW, AS_ARGUMENT };

typedef struct pass {
    tni_row_geometry geometry;
    int begins;
    uint64_t aligned; /* arguments by bits */
} pass;

/* The last pass stores elements. */
typedef struct passes {
    const tni_fused_rows *call;
    pass of[TNI_ROW_FOLDS + 1];
    bool stores; /* elements */
    int rows;    /* that a block takes together */
    int parts;   /* states of blocks that would share a row */
} passes;

typedef struct extra_key {
    uint64_t digests[4], geometry[2];
    int32_t multiprocessors;
} extra_key;
_Static_assert(sizeof(extra_key) <= TNI_FORM_EXTRA, "the key of fused passes is too long");

/* --- Geometry --- */

/* Of an input that is folded, as the reduction by itself is called. */
static bool describe_input(tni_reduce *single, const tni_fused_rows *call, int input,
                           const tni_row_fold *fold) {
    const tni_expression *graph = &call->graph;
    const tni_argument *argument = &graph->arguments[input];
    const int kept = call->kept_ndim, reduced = graph->ndim - kept;
    int64_t *strides[2] = {single->kept_input, single->reduced_input};
    memset(single, 0, offsetof(tni_reduce, kept_shape));
    single->body = NULL;
    single->op = fold->op;
    single->input_dtype = fold->input;
    single->accumulator = fold->accumulator;
    single->output_dtype = fold->output;
    single->input = argument->data;
    single->kept_size = call->rows;
    single->reduced_size = call->length;
    memcpy(single->kept_shape, graph->shape, sizeof(int64_t) * (size_t)kept);
    memcpy(strides[0], argument->strides, sizeof(int64_t) * (size_t)kept);
    memcpy(single->reduced_shape, &graph->shape[kept], sizeof(int64_t) * (size_t)reduced);
    memcpy(strides[1], &argument->strides[kept], sizeof(int64_t) * (size_t)reduced);
    single->kept_ndim = tni_layout_collapse(kept, single->kept_shape, 1, &strides[0], NULL, false);
    single->reduced_ndim =
        tni_layout_collapse(reduced, single->reduced_shape, 1, &strides[1], NULL, false);
    /* A reduction would sort other axes, and walk backwards. */
    for (int axis = 0; axis < single->reduced_ndim; axis++)
        if (strides[1][axis] <= 0 || (axis > 0 && strides[1][axis - 1] < strides[1][axis]))
            return false;
    for (int axis = 0; axis < single->kept_ndim; axis++) {
        const int64_t stride = strides[0][axis], least = strides[1][single->reduced_ndim - 1];
        if (stride && (stride < 0 ? -stride : stride) < least) return false;
    }
    return true;
}

static bool find_fold(pass *to, const tni_fused_rows *call, const tni_target *target, int input,
                      const tni_row_fold *fold) {
    const int kind = tni_row_fold_kind(fold);
    tni_reduce single;
    if (input >= call->graph.input_count) {
        tni_fold_find_geometry(&to->geometry, target, kind, (int)tn_dtype_size(fold->input),
                               call->rows, call->length, call->is_permuted);
        to->begins = to->geometry.skips ? AS_NEW : WITH_ROW;
        return true;
    }
    if (!describe_input(&single, call, input, fold)) return false;
    if (call->is_permuted && single.kept_ndim == 1) { /* its results lie apart */
        single.kept_shape[1] = 1;
        single.kept_input[1] = single.kept_input[0];
        single.kept_ndim = 2;
    }
    if (!tni_fold_find_geometry_of(&to->geometry, target, kind, &single)) return false;
    to->begins = to->geometry.skips ? AS_ARGUMENT + input : WITH_ROW;
    return true;
}

/* That of what is stored: vectors of the widest array. `team`: the least that keeps all busy. */
static void find_stores(passes *p, int team) {
    const tni_fused_rows *call = p->call;
    const tni_expression *graph = &call->graph;
    pass *to = &p->of[call->fold_count];
    int64_t widest = 1, vectors;
    to->begins = AS_NEW;
    for (int k = graph->output_count - 1; k >= 0; k--) {
        const int at = graph->input_count + k;
        const tni_argument *argument = &graph->arguments[at];
        if (call->is_row[graph->outputs[k]]) continue;
        p->stores = true;
        if (tn_dtype_size(argument->dtype) > widest) widest = tn_dtype_size(argument->dtype);
        if (tni_row_way_of(call, at) == TNI_WAY_ELEMENTS)
            to->begins = (uintptr_t)argument->data % 16 ? AS_ARGUMENT + at : AS_NEW;
    }
    tni_row_geometry *g = &to->geometry;
    *g = (tni_row_geometry){.width = (int)(16 / widest), .shares = 1, .team = team};
    vectors = tni_form_ceil(call->length, g->width);
    g->unroll = STORED_ELEMENTS / g->width;
    if (vectors > 512) g->team = BLOCK;
    while (g->team < 32 && g->team * 4 < vectors)
        g->team *= 2;
    while (g->unroll > 1 && (int64_t)g->team * g->unroll > vectors)
        g->unroll /= 2;
    if (to->begins == AS_NEW && call->length % g->width == 0) to->begins = WITH_ROW;
    g->skips = to->begins != WITH_ROW;
}

/* Whether vectors of an argument are aligned in a pass. */
static bool is_aligned(const tni_fused_rows *call, const pass *pass, int k) {
    const tni_expression *graph = &call->graph;
    const tni_argument *argument = &graph->arguments[k];
    const int64_t item = tn_dtype_size(argument->dtype);
    const int64_t bytes = tni_form_min(16, pass->geometry.width * item);
    const tni_row_way way = tni_row_way_of(call, k);
    if (way != TNI_WAY_ELEMENTS && way != TNI_WAY_ALONG && way != TNI_WAY_RUNS) return false;
    if (pass->begins == WITH_ROW) return tni_row_begins_evenly(call, k, bytes);
    if (pass->begins == AS_ARGUMENT + k) return true;
    if (way != TNI_WAY_ELEMENTS) return false;
    if (pass->begins == AS_NEW) return (uintptr_t)argument->data % (uintptr_t)bytes == 0;
    const int like = pass->begins - AS_ARGUMENT;
    const tni_argument *other = &graph->arguments[like];
    const uintptr_t first = (uintptr_t)other->data / (uintptr_t)tn_dtype_size(other->dtype);
    return tni_row_way_of(call, like) == TNI_WAY_ELEMENTS &&
           ((uintptr_t)argument->data - first * (uintptr_t)item) % (uintptr_t)bytes == 0;
}

static bool find_passes(passes *p, const tni_fused_rows *call, const tni_target *target) {
    const tni_expression *graph = &call->graph;
    *p = (passes){.call = call, .parts = 1};
    int team = BLOCK;
    for (int k = 0; k < graph->step_count; k++) {
        const tni_expression_step *step = &graph->steps[k];
        if (step->op != (int)TNI_OP_FOLD) continue;
        pass *to = &p->of[step->dtype];
        if (!find_fold(to, call, target, step->from[0], &call->folds[step->dtype])) return false;
        if (to->geometry.team < team) team = to->geometry.team;
        if (to->geometry.shares > p->parts) p->parts = (int)to->geometry.shares;
    }
    find_stores(p, team);
    p->rows = BLOCK / team;
    for (int k = 0; k < call->fold_count + p->stores; k++)
        for (int argument = 0; argument < graph->input_count + graph->output_count; argument++)
            if (is_aligned(call, &p->of[k], argument)) p->of[k].aligned |= UINT64_C(1) << argument;
    return true;
}

/* --- The text --- */

/* What a pass needs for the values that it wants: all that makes them, as far as folds. */
static void find_needed(bool *needed, const tni_expression *graph) {
    int value = graph->value_count;
    for (int k = graph->step_count - 1; k >= 0; k--) {
        const tni_expression_step *step = &graph->steps[k];
        bool is_needed = false;
        value -= step->made;
        for (int made = 0; made < step->made; made++)
            is_needed |= needed[value + made];
        for (int from = 0; is_needed && step->op != (int)TNI_OP_FOLD && from < step->count; from++)
            needed[step->from[from]] = true;
    }
}

static void write_values(tni_source *source, const tni_row_text *text, const bool *needed) {
    const tni_expression *graph = &text->call->graph;
    for (int k = 0; k < graph->input_count; k++)
        if (needed[k]) tni_row_write_input(source, text, k);
    for (int k = 0, value = graph->input_count; k < graph->step_count; k++) {
        const tni_expression_step *step = &graph->steps[k];
        bool is_needed = needed[value] || (step->made == 2 && needed[value + 1]);
        if (is_needed && step->op == (int)TNI_OP_FOLD)
            tni_source_add(source,
                           "    const %s v%d = results.template get<%s>(%d, place.local);\n",
                           tni_body_stored(text->call->folds[step->dtype].output), value,
                           tni_body_stored(text->call->folds[step->dtype].output), step->dtype);
        else if (is_needed)
            tni_row_write_step(source, text, k, value);
        value += step->made;
    }
}

static void write_geometry(tni_source *source, const passes *p, const pass *pass) {
    const tni_row_geometry *g = &pass->geometry;
    tni_source_add(source, "    ROW_PASS(%d, %d, %d, %d, %d, %d)\n    ROW_SKIP(", g->team, g->width,
                   g->unroll, g->skips, g->is_short, g->shares > 1);
    if (pass->begins == WITH_ROW) {
        tni_source_add(source, "0");
    } else if (pass->begins == AS_NEW) {
        tni_source_add(source, "row * p.length %% %d", g->width);
    } else {
        const int k = pass->begins - AS_ARGUMENT;
        const int item = (int)tn_dtype_size(p->call->graph.arguments[k].dtype);
        tni_source_add(source, "(tn_u64)(p.data[%d] + ", k);
        tni_row_write_start(source, p->call, k, "row");
        tni_source_add(source, ") / %d %% %d", item, g->width);
    }
    tni_source_add(source, ")\n");
}

static void write_fold(tni_source *source, const passes *p, int number, int from) {
    const tni_row_text text = {p->call, p->of[number].aligned, false};
    bool needed[TNI_EXPRESSION_VALUES] = {false};
    needed[from] = true;
    find_needed(needed, &p->call->graph);
    tni_source_add(source, "struct Pass%d {\n", number);
    write_geometry(source, p, &p->of[number]);
    tni_source_add(source,
                   "    ROW_FUNCTION make(fold%d::Element (&to)[G::elements], ROW_PARAMETERS) {\n",
                   number);
    write_values(source, &text, needed);
    tni_source_add(source,
                   "    _Pragma(\"unroll\") for (int i = 0; i < G::elements; i++) to[i] = v%d[i];\n"
                   "    }\n};\n",
                   from);
}

/* What is stored of elements, or of rows' numbers. */
static bool write_stores(tni_source *source, const passes *p, bool of_rows) {
    const tni_fused_rows *call = p->call;
    const tni_expression *graph = &call->graph;
    const pass *last = &p->of[call->fold_count];
    const tni_row_text text = {call, of_rows ? 0 : last->aligned, false};
    bool needed[TNI_EXPRESSION_VALUES] = {false}, is_any = false;
    for (int k = 0; k < graph->output_count; k++)
        if (call->is_row[graph->outputs[k]] == of_rows) is_any = needed[graph->outputs[k]] = true;
    if (!is_any) return false;
    find_needed(needed, graph);
    tni_source_add(source, "struct %s {\n", of_rows ? "Numbers" : "Stores");
    if (!of_rows) write_geometry(source, p, last);
    tni_source_add(source, "    ROW_FUNCTION store(ROW_PARAMETERS) {\n");
    write_values(source, &text, needed);
    for (int k = 0; k < graph->output_count; k++)
        if (call->is_row[graph->outputs[k]] == of_rows) tni_row_write_output(source, &text, k);
    tni_source_add(source, "    }\n};\n");
    return true;
}

static void write_body(tni_source *source, const tni_form_key *key, const void *context) {
    const tni_fused_rows *call = context;
    const tni_expression *graph = &call->graph;
    extra_key extra;
    passes p;
    memcpy(&extra, key->extra, sizeof extra);
    const tni_target target = {.multiprocessors = extra.multiprocessors};
    find_passes(&p, call, &target);
    tni_row_write_head(source, call);
    for (int k = 0; k < graph->step_count; k++)
        if (graph->steps[k].op == (int)TNI_OP_FOLD)
            write_fold(source, &p, graph->steps[k].dtype, graph->steps[k].from[0]);
    const bool stores = write_stores(source, &p, false), numbers = write_stores(source, &p, true);
    tni_source_add(source, "template <typename P, class Results> __device__ __forceinline__ void "
                           "fused_passes(\n    const P &p, tn_i64 first, int count, const Results "
                           "&results) {\n");
    for (int k = 0; k < call->fold_count; k++)
        tni_source_add(source, "    fold%d::fold_pass<Pass%d>(p, %d, first, count, results);\n", k,
                       k, k);
    if (stores) tni_source_add(source, "    store_pass<Stores>(p, first, count, results);\n");
    if (numbers)
        tni_source_add(source, "    __syncthreads();\n    store_numbers<Numbers>(p, first, count, "
                               "results);\n");
    tni_source_add(source, "}\n");
}

/* --- The plan --- */

/* Bytes of a row in the arrays that have rows. */
static int64_t row_bytes(const tni_fused_rows *call) {
    int64_t bytes = 0;
    for (int k = 0; k < call->graph.input_count; k++)
        if (!call->is_row[k] && tni_row_way_of(call, k) != TNI_WAY_ALONG)
            bytes += tn_dtype_size(call->graph.arguments[k].dtype) * call->length;
    return bytes;
}

static void digest_geometry(uint64_t digests[2], const passes *p) {
    for (int k = 0; k < p->call->fold_count + p->stores; k++) {
        const pass *pass = &p->of[k];
        const tni_row_geometry *g = &pass->geometry;
        const uint64_t facts[] = {
            pass->aligned,      (uint64_t)pass->begins, g->is_short,         g->skips,
            (uint64_t)g->width, (uint64_t)g->team,      (uint64_t)g->unroll, g->shares > 1};
        tni_graph_digest(digests, facts, sizeof facts);
    }
}

bool tni_plan_fused_passes(tni_plan *plan, const tni_fused_rows *call) {
    static const tni_fused_passes_form form = TNI_FORM(fused_passes, NULL);
    const tni_expression *graph = &call->graph;
    const tni_target *target = plan->target;
    const int count = graph->input_count + graph->output_count;
    const int64_t bytes = row_bytes(call);
    passes p;
    tni_row_params params;
    extra_key extra;
    int64_t shares[TNI_ROW_FOLDS];
    if (call->length > LENGTH_MAX ||
        (call->rows < target->multiprocessors && bytes > ROW_BYTES_MAX) ||
        !find_passes(&p, call, target) || (call->fold_count == 1 && !p.stores))
        return false;
    memset(&extra, 0, sizeof extra);
    tni_row_digest(extra.digests, call);
    digest_geometry(extra.geometry, &p);
    extra.multiprocessors = target->multiprocessors;
    tni_row_set_params(&params, call);
    for (int k = 0; k < call->fold_count; k++)
        shares[k] = p.of[k].geometry.shares;
    tni_form_key *key = TNI_STEP(
        plan, fused_passes, &form,
        MACROS(.BLOCK = BLOCK, .ROWS = (int16_t)p.rows, .PARTS = (int16_t)p.parts, .WIDE_INDEX = 0,
               .ARGUMENTS = (int16_t)count, .FOLDS = (int16_t)call->fold_count,
               .KEPT_AXES = (int16_t)call->kept_ndim, .ALL_AXES = (int16_t)graph->ndim,
               .APART = (int16_t)tni_row_count_apart(call, count)),
        PARAMS(.rows = call->rows, .length = call->length, .shares = shares, .data = params.data,
               .values = params.values, .corrections = params.corrections,
               .has_initials = params.has_initials, .initials = params.initials,
               .sizes = graph->shape, .strides = params.strides));
    memcpy(key->extra, &extra, sizeof extra);
    plan->steps[plan->step_count - 1].body = (tni_form_body){write_body, call};
    /* Half of the L2 cache holds the rows at work, if two blocks a multiprocessor are so few. */
    int64_t blocks = tni_form_ceil(call->rows, p.rows), held = bytes * p.rows;
    int64_t most = held > 0 ? target->l2_bytes / 2 / held : blocks;
    if (most < 2 * target->multiprocessors) most = 2 * target->multiprocessors;
    tni_plan_grid(plan, tni_form_min(blocks, most), BLOCK);
    return true;
}
