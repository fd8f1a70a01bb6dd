/* The form "fused_rows" on CUDA: a team of threads holds a row in registers.
 *
 * All folds of a call must have one geometry, in which a team holds a row in its registers: then
 * each fold takes and merges what a reduction by itself would. Many rows of few elements are rows
 * of a thread each, which arrays reach through shared memory, as in reductions of short rows. Other
 * rows take several passes (fused_passes.c). */
#include "forms/fused_rows.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/forms/reduce/fused_passes.h"
#include "backend/cuda/forms/reduce/reduce.h"
#include "backend/cuda/forms/reduce/row_text.h"

#include <string.h>

enum {
    BLOCK = 256,
    SHORT_BLOCK = 128, /* of rows of a thread each */
    ELEMENTS_MAX = 32, /* of a thread, of each value */
    SHORT_MAX = 64,
    BYTES_MAX = 256 /* of them */
};

typedef struct extra_key {
    uint64_t digests[4];
    uint64_t aligned;               /* arguments by bits */
    uint8_t unrolls[TNI_ROW_FOLDS]; /* elements, or vectors, that are folded at once */
    uint8_t is_short;
} extra_key;
_Static_assert(sizeof(extra_key) <= TNI_FORM_EXTRA, "the key of fused rows is too long");

/* A call with what is chosen for it. */
typedef struct problem {
    const tni_fused_rows *call;
    int64_t rows, length;
    int width, team, vectors;
    bool is_short, skips, is_whole;
    int64_t widest; /* bytes of an element, of all values of elements */
    extra_key extra;
} problem;

/* --- What fits --- */

/* The geometry that all folds have; false: they have none. */
static bool find_geometry(problem *p, const tni_target *target) {
    for (int k = 0; k < p->call->fold_count; k++) {
        const tni_row_fold *fold = &p->call->folds[k];
        const int item = (int)tn_dtype_size(fold->input), kind = tni_row_fold_kind(fold);
        tni_row_geometry g;
        tni_fold_find_geometry(&g, target, kind, item, p->rows, p->length, p->call->is_permuted);
        if (kind == TNI_FOLD_FIRST || g.shares > 1) return false;
        if (k > 0 && (g.width != p->width || g.team != p->team || g.is_short != p->is_short))
            return false;
        p->is_short = g.is_short;
        p->skips = g.skips;
        p->width = g.width;
        p->team = g.team;
        p->extra.unrolls[k] = (uint8_t)g.unroll;
    }
    int64_t reached = p->length + (p->skips ? p->width - 1 : 0);
    int64_t vectors = tni_form_ceil(tni_form_ceil(reached, p->width), p->team);
    if (p->is_short ? p->length > SHORT_MAX : vectors * p->width > ELEMENTS_MAX) return false;
    p->vectors = (int)vectors;
    p->is_whole = p->length == vectors * p->width * p->team;
    return true;
}

/* Whether a thread's share of the widest value is few registers. */
static bool fits_registers(problem *p) {
    const tni_expression *graph = &p->call->graph;
    p->widest = 1;
    for (int value = 0; value < graph->value_count; value++)
        if (!p->call->is_row[value] && tn_dtype_size((tn_dtype)graph->dtypes[value]) > p->widest)
            p->widest = tn_dtype_size((tn_dtype)graph->dtypes[value]);
    return p->vectors * p->width * p->widest <= BYTES_MAX;
}

/* A reduction by itself reads an input where it lies, so that must begin as its rows do here. */
static bool are_aligned(const problem *p) {
    const tni_expression *graph = &p->call->graph;
    for (int k = 0; k < graph->step_count; k++) {
        const tni_expression_step *step = &graph->steps[k];
        if (step->op != (int)TNI_OP_FOLD || step->from[0] >= graph->input_count) continue;
        const tni_row_way way = tni_row_way_of(p->call, step->from[0]);
        if (way == TNI_WAY_ELEMENTS ? (uintptr_t)graph->arguments[step->from[0]].data % 16 != 0
                                    : way == TNI_WAY_APART || p->is_short || p->skips ||
                                          !tni_row_begins_evenly(p->call, step->from[0], 16))
            return false;
    }
    return true;
}

static void find_aligned(problem *p) {
    const tni_expression *graph = &p->call->graph;
    for (int k = 0; k < graph->input_count + graph->output_count; k++) {
        const tni_argument *argument = &graph->arguments[k];
        int64_t bytes = tni_form_min(16, p->width * tn_dtype_size(argument->dtype));
        tni_row_way way = tni_row_way_of(p->call, k);
        bool begins = way == TNI_WAY_ELEMENTS
                          ? (uintptr_t)argument->data % (uintptr_t)bytes == 0
                          : (way == TNI_WAY_ALONG || way == TNI_WAY_RUNS) && !p->skips &&
                                tni_row_begins_evenly(p->call, k, bytes);
        if (begins) p->extra.aligned |= UINT64_C(1) << k;
    }
}

/* --- The text --- */

static void write_fold(tni_source *source, const problem *p, const tni_expression_step *step,
                       int value) {
    const tni_row_fold *fold = &p->call->folds[step->dtype];
    const int number = step->dtype;
    tni_source_add(source, "    const %s v%d = fold%d::fold_held%s<%d>(v%d, p, %d, place%s);\n",
                   tni_body_stored(fold->output), value, number, p->is_short ? "_short" : "",
                   p->extra.unrolls[number], step->from[0], number, p->is_short ? "" : ", room");
}

static void write_body(tni_source *source, const tni_form_key *key, const void *context) {
    problem own = {.call = context}, *p = &own;
    const tni_expression *graph = &p->call->graph;
    memcpy(&p->extra, key->extra, sizeof p->extra);
    p->is_short = p->extra.is_short;
    const tni_row_text text = {p->call, p->extra.aligned, p->is_short};
    tni_row_write_head(source, p->call);
    tni_source_add(source, "template <class G, typename P> __device__ __forceinline__ void "
                           "fused_row(\n    const P &p, const RowPlace<G> &place, void *room) {\n");
    for (int k = 0; k < graph->input_count; k++)
        tni_row_write_input(source, &text, k);
    for (int k = 0, value = graph->input_count; k < graph->step_count; k++) {
        if (graph->steps[k].op == (int)TNI_OP_FOLD)
            write_fold(source, p, &graph->steps[k], value);
        else
            tni_row_write_step(source, &text, k, value);
        value += graph->steps[k].made;
    }
    for (int k = 0; k < graph->output_count; k++)
        tni_row_write_output(source, &text, k);
    tni_source_add(source, "}\n");
}

/* --- The plan --- */

static void plan_held(tni_plan *plan, problem *p) {
    static const tni_fused_rows_form form = TNI_FORM(fused_rows, NULL);
    const tni_fused_rows *call = p->call;
    const tni_expression *graph = &call->graph;
    const int count = graph->input_count + graph->output_count;
    const int apart = tni_row_count_apart(call, count);
    const int block = p->is_short ? SHORT_BLOCK : BLOCK;
    tni_row_params params;
    tni_row_set_params(&params, call);
    find_aligned(p);
    tni_row_digest(p->extra.digests, call);
    p->extra.is_short = p->is_short;
    tni_form_key *key = TNI_STEP(
        plan, fused_rows, &form,
        MACROS(.BLOCK = (int16_t)block, .TEAM = (int16_t)p->team, .WIDTH = (int16_t)p->width,
               .VECTORS = (int16_t)p->vectors, .SKIPS = p->skips, .WHOLE = p->is_whole,
               .WIDE_INDEX = 0, .ARGUMENTS = (int16_t)count, .FOLDS = (int16_t)call->fold_count,
               .KEPT_AXES = (int16_t)call->kept_ndim, .ALL_AXES = (int16_t)graph->ndim,
               .APART = (int16_t)apart, .ROOM = (int16_t)(p->is_short ? p->length * p->widest : 0)),
        PARAMS(.rows = p->rows, .length = p->length, .data = params.data, .values = params.values,
               .corrections = params.corrections, .has_initials = params.has_initials,
               .initials = params.initials, .sizes = graph->shape, .strides = params.strides));
    memcpy(key->extra, &p->extra, sizeof p->extra);
    plan->steps[plan->step_count - 1].body = (tni_form_body){write_body, call};
    tni_plan_grid(plan, tni_form_ceil(p->rows, block / p->team), (unsigned)block);
}

tn_status tni_plan_fused_rows(tni_plan *plan, const tni_fused_rows *call) {
    problem p = {.call = call, .rows = call->rows, .length = call->length};
    plan->may_refuse = true;
    plan->asked = call->graph.asked;
    if (call->graph.ndim > TNI_ROW_AXES)
        *call->fits = false;
    else if (find_geometry(&p, plan->target) && fits_registers(&p) && are_aligned(&p))
        plan_held(plan, &p);
    else
        *call->fits = tni_plan_fused_passes(plan, call);
    return TN_OK;
}
