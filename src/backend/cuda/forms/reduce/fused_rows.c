/* The form "fused_rows" on CUDA: a team of threads holds a row in registers.
 *
 * All folds of a call must have one geometry, in which a team holds a row in its registers: then
 * each fold takes and merges what a reduction by itself would. Many rows of few elements are rows
 * of a thread each, which arrays reach through shared memory, as such reductions do. */
#include "forms/fused_rows.h"
#include "backend/cuda/forms/expression.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/forms/reduce/reduce.h"
#include "core/rules/reduce_table.h"

#include <limits.h>
#include <string.h>

enum {
    BLOCK = 256,
    SHORT_BLOCK = 128, /* of rows of a thread each */
    ELEMENTS_MAX = 32, /* of a thread, of each value */
    SHORT_MAX = 64,
    BYTES_MAX = 256, /* of them */
    AXES_MAX = 8
};

/* How an argument lies: packed, along the row alone, one number a row, one number; or elements, and
 * numbers of rows, that lie in any way. */
typedef enum way { ELEMENTS, ALONG, ROWS, ONE, SCALAR, APART, ROWS_APART } way;

typedef struct extra_key {
    uint64_t digests[2], folds[2];
    uint64_t aligned;               /* arguments by bits */
    uint8_t unrolls[TNI_ROW_FOLDS]; /* of short rows: elements that are folded at once */
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
    int apart;      /* arguments that lie in any way */
    extra_key extra;
} problem;

/* Whether the elements, or those along the kept axes, follow each other. */
static bool is_packed(const tni_fused_rows *call, const tni_argument *argument, int ndim) {
    int64_t stride;
    return tni_rows_merge(&stride, ndim, call->graph.shape, argument->strides) &&
           stride == tn_dtype_size(argument->dtype);
}

static bool is_still(const int64_t *strides, int ndim) {
    for (int axis = 0; axis < ndim; axis++)
        if (strides[axis]) return false;
    return true;
}

static way way_of(const tni_fused_rows *call, int k) {
    const tni_expression *graph = &call->graph;
    const tni_argument *argument = &graph->arguments[k];
    const int kept = call->kept_ndim, ndim = graph->ndim;
    int64_t stride;
    if (!argument->data) return SCALAR;
    if (call->is_row[k < graph->input_count ? k : graph->outputs[k - graph->input_count]]) {
        if (is_still(argument->strides, kept)) return ONE;
        return is_packed(call, argument, kept) ? ROWS : ROWS_APART;
    }
    if (is_packed(call, argument, ndim)) return ELEMENTS;
    bool is_run =
        tni_rows_merge(&stride, ndim - kept, &graph->shape[kept], &argument->strides[kept]) &&
        stride == tn_dtype_size(argument->dtype);
    return is_run && is_still(argument->strides, kept) ? ALONG : APART;
}

static int fold_kind(const tni_row_fold *fold) {
    return fold->statistic == TNI_STATISTIC_FOLD ? tni_fold_kind(fold->op, fold->accumulator)
                                                 : tni_fold_kind_of(fold->statistic);
}

/* --- What fits --- */

/* That of a row for each thread. */
static bool choose_short(problem *p) {
    p->width = p->team = 1;
    p->vectors = (int)p->length;
    p->is_short = p->is_whole = true;
    int group = 16;
    while (group > p->length)
        group /= 2;
    memset(p->extra.unrolls, group, sizeof p->extra.unrolls);
    return p->length <= SHORT_MAX && !p->call->is_permuted;
}

/* The geometry that all folds have; false: they have none. */
static bool find_geometry(problem *p, const tni_target *target) {
    for (int k = 0; k < p->call->fold_count; k++) {
        const tni_row_fold *fold = &p->call->folds[k];
        tni_row_geometry g;
        const int item = (int)tn_dtype_size(fold->input);
        if (fold_kind(fold) == TNI_FOLD_FIRST) return false;
        bool is_short =
            !tni_fold_find_geometry(&g, target, fold_kind(fold), item, p->rows, p->length);
        if (k > 0 && is_short != p->is_short) return false;
        p->is_short = is_short;
        if (is_short) continue;
        if (g.shares > 1 || (k > 0 && (g.width != p->width || g.team != p->team))) return false;
        p->width = g.width;
        p->team = g.team;
        p->extra.unrolls[k] = (uint8_t)g.unroll;
    }
    if (p->is_short) return choose_short(p);
    p->skips = p->length % p->width != 0;
    int64_t reached = p->length + (p->skips ? p->width - 1 : 0);
    int64_t vectors = tni_form_ceil(tni_form_ceil(reached, p->width), p->team);
    if (vectors * p->width > ELEMENTS_MAX) return false;
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

/* Whether all rows of an input begin at multiples of 16 bytes, as those of a packed array do. */
static bool begins_evenly(const problem *p, const tni_argument *input) {
    const tni_expression *graph = &p->call->graph;
    const int kept = p->call->kept_ndim;
    int64_t stride;
    if (p->is_short || p->skips ||
        !tni_rows_merge(&stride, graph->ndim - kept, &graph->shape[kept], &input->strides[kept]) ||
        stride != tn_dtype_size(input->dtype))
        return false;
    for (int axis = 0; axis < kept; axis++)
        if (input->strides[axis] % 16) return false;
    return true;
}

/* A reduction by itself reads an input where it lies, so that must begin as its rows do here. */
static bool are_aligned(const problem *p) {
    const tni_expression *graph = &p->call->graph;
    for (int k = 0; k < graph->step_count; k++) {
        const tni_expression_step *step = &graph->steps[k];
        if (step->op != (int)TNI_OP_FOLD || step->from[0] >= graph->input_count) continue;
        const tni_argument *input = &graph->arguments[step->from[0]];
        if ((uintptr_t)input->data % 16) return false;
        if (way_of(p->call, step->from[0]) != ELEMENTS && !begins_evenly(p, input)) return false;
    }
    return true;
}

static void find_aligned(problem *p) {
    const tni_expression *graph = &p->call->graph;
    for (int k = 0; k < graph->input_count + graph->output_count; k++) {
        const tni_argument *argument = &graph->arguments[k];
        uintptr_t bytes = (uintptr_t)p->width * (uintptr_t)tn_dtype_size(argument->dtype);
        way way = way_of(p->call, k);
        bool begins = way == ELEMENTS || (way == ALONG && !p->skips);
        if (bytes > 16) bytes = 16;
        if (begins && (uintptr_t)argument->data % bytes == 0) p->extra.aligned |= UINT64_C(1) << k;
    }
}

/* --- The text --- */

static void write_fold(tni_source *source, const tni_row_fold *fold, int number) {
    tni_form_key key;
    tni_fold_key own;
    memset(&key, 0, sizeof key);
    memset(&own, 0, sizeof own);
    own.kind = (uint8_t)fold_kind(fold);
    tni_fold_set(&key, &own, fold->op, fold->input, fold->accumulator, fold->output);
    tni_source_add(source, "namespace fold%d {\n", number);
    tni_fold_write(source, &key);
    tni_source_add(source, "#undef FOLD_CUH\n#include \"fold.cuh\"\n#undef FOLD_KIND\n"
                           "#undef FOLD_SKIPS_NAN\n#undef FOLD_MASKED\n#undef FOLD_EXITS\n"
                           "#undef FOLD_INPUTS\n}\n");
}

/* Of an argument that lies in any way: which of them it is. */
static int number_of(const problem *p, int k) {
    int number = 0;
    while (k-- > 0)
        number += way_of(p->call, k) >= APART;
    return number;
}

static void write_input(tni_source *source, const problem *p, int k) {
    const tni_expression *graph = &p->call->graph;
    const char *type = tni_body_stored((tn_dtype)graph->dtypes[k]);
    const int is_aligned = (int)(p->extra.aligned >> k & 1);
    way way = way_of(p->call, k);
    if (way == ELEMENTS || way == ALONG || way == APART)
        tni_source_add(source, "    %s v%d[ELEMENTS];\n", type, k);
    switch (way) {
    case ELEMENTS:
        if (p->is_short)
            tni_source_add(source, "    load_short(v%d, p.data[%d], place, room);\n", k, k);
        else
            tni_source_add(source,
                           "    load_row<%d>(v%d, p.data[%d], place.row * place.length, place);\n",
                           is_aligned, k, k);
        break;
    case ALONG:
        tni_source_add(source, "    load_row<%d>(v%d, p.data[%d], 0, place);\n", is_aligned, k, k);
        break;
    case APART:
        tni_source_add(source,
                       "    load_apart(v%d, p.data[%d], p.sizes, p.strides + %d * ALL_AXES, "
                       "place);\n",
                       k, k, number_of(p, k));
        break;
    case SCALAR:
        tni_source_add(source, "    const %s v%d = *(const %s *)p.values[%d].bytes;\n", type, k,
                       type, k);
        break;
    case ROWS_APART:
        tni_source_add(source,
                       "    const %s v%d = *(const %s *)(p.data[%d] + "
                       "place_along<KEPT_AXES>(place.row, p.sizes, p.strides + %d * ALL_AXES));\n",
                       type, k, type, k, number_of(p, k));
        break;
    default:
        tni_source_add(source, "    const %s v%d = ((const %s *)p.data[%d])[%s];\n", type, k, type,
                       k, way == ROWS ? "place.row" : "0");
    }
}

static void write_call(tni_source *source, const problem *p, int number, char function) {
    const tni_expression_step *step = &p->call->graph.steps[number];
    tni_source_add(source, "%c%d(", function, number);
    for (int k = 0; k < step->count; k++)
        tni_source_add(source, "%sv%d%s", k ? ", " : "", step->from[k],
                       p->call->is_row[step->from[k]] ? "" : "[i]");
    tni_source_add(source, ");\n");
}

static void write_step(tni_source *source, const problem *p, int number, int value) {
    const tni_expression *graph = &p->call->graph;
    const tni_expression_step *step = &graph->steps[number];
    if (step->op == (int)TNI_OP_FOLD) {
        tni_source_add(source, "    %s(fold%d, v%d, v%d, %d, p, %d, place, room)\n",
                       p->is_short ? "FOLD_SHORT" : "FOLD_ROW", step->dtype, value, step->from[0],
                       p->extra.unrolls[step->dtype], step->dtype);
        return;
    }
    for (int made = 0; made < step->made; made++) {
        const char *type = tni_body_stored((tn_dtype)graph->dtypes[value + made]);
        if (p->call->is_row[value + made])
            tni_source_add(source, "    const %s v%d = ", type, value + made);
        else
            tni_source_add(source,
                           "    %s v%d[ELEMENTS];\n    _Pragma(\"unroll\") for (int i = 0; i < "
                           "ELEMENTS; i++) v%d[i] = ",
                           type, value + made, value + made);
        write_call(source, p, number, made ? 's' : 'r');
    }
}

static void write_output(tni_source *source, const problem *p, int k) {
    const tni_expression *graph = &p->call->graph;
    const int at = graph->input_count + k, value = graph->outputs[k];
    const char *type = tni_body_stored((tn_dtype)graph->dtypes[value]);
    switch (way_of(p->call, at)) {
    case ELEMENTS:
        if (p->is_short)
            tni_source_add(source, "    store_short(p.data[%d], v%d, place, room);\n", at, value);
        else
            tni_source_add(source, "    store_row<%d>(p.data[%d], v%d, place);\n",
                           (int)(p->extra.aligned >> at & 1), at, value);
        break;
    case ROWS_APART:
        tni_source_add(
            source,
            "    if (place.member == 0 && place.is_there) *(%s *)(p.data[%d] + "
            "place_along<KEPT_AXES>(place.row, p.sizes, p.strides + %d * ALL_AXES)) = v%d;\n",
            type, at, number_of(p, at), value);
        break;
    case ROWS:
    case ONE:
        tni_source_add(source,
                       "    if (place.member == 0 && place.is_there) ((%s *)p.data[%d])[place.row] "
                       "= v%d;\n",
                       type, at, value);
        break;
    default:
        tni_source_add(source,
                       "    store_apart(p.data[%d], v%d, p.sizes, p.strides + %d * ALL_AXES, "
                       "place);\n",
                       at, value, number_of(p, at));
    }
}

static void write_body(tni_source *source, const tni_form_key *key, const void *context) {
    problem own = {.call = context}, *p = &own;
    const tni_expression *graph = &p->call->graph;
    memcpy(&p->extra, key->extra, sizeof p->extra);
    p->is_short = p->extra.is_short;
    tni_source_add(source, "#include \"fused_rows.cuh\"\n");
    for (int k = 0; k < p->call->fold_count; k++)
        write_fold(source, &p->call->folds[k], k);
    const tni_steps steps = tni_expression_steps(graph);
    tni_graph_write_functions(source, &steps);
    tni_source_add(source, "template <typename P> __device__ __forceinline__ void fused_row(\n"
                           "    const P &p, const RowPlace &place, void *room) {\n");
    for (int k = 0; k < graph->input_count; k++)
        write_input(source, p, k);
    for (int k = 0, value = graph->input_count; k < graph->step_count; k++) {
        write_step(source, p, k, value);
        value += graph->steps[k].made;
    }
    for (int k = 0; k < graph->output_count; k++)
        write_output(source, p, k);
    tni_source_add(source, "}\n");
}

/* --- The plan --- */

static void digest(problem *p) {
    const tni_fused_rows *call = p->call;
    const tni_expression *graph = &call->graph;
    uint8_t ways[TNI_EXPRESSION_ARGUMENTS] = {0};
    const int count = graph->input_count + graph->output_count;
    for (int k = 0; k < count; k++) {
        ways[k] = (uint8_t)way_of(call, k);
        p->apart += ways[k] >= APART;
    }
    const tni_steps steps = tni_expression_steps(graph);
    tni_graph_digest_steps(p->extra.digests, &steps);
    p->extra.folds[1] = 1;
    for (int k = 0; k < call->fold_count; k++) {
        const tni_row_fold *fold = &call->folds[k];
        const int facts[5] = {(int)fold->op, (int)fold->statistic, (int)fold->input,
                              (int)fold->accumulator, (int)fold->output};
        tni_graph_digest(p->extra.folds, facts, sizeof facts);
    }
    tni_graph_digest(p->extra.folds, ways, (size_t)count);
    tni_graph_digest(p->extra.folds, call->is_row, (size_t)graph->value_count);
}

/* Of the arguments that lie in any way, one after the other. */
static void find_strides(int64_t *strides, const problem *p) {
    const tni_expression *graph = &p->call->graph;
    for (int k = 0; k < graph->input_count + graph->output_count; k++) {
        if (way_of(p->call, k) < APART) continue;
        memcpy(strides, graph->arguments[k].strides, sizeof *strides * (size_t)graph->ndim);
        strides += graph->ndim;
    }
}

tn_status tni_plan_fused_rows(tni_plan *plan, const tni_fused_rows *call) {
    static const tni_fused_rows_form form = TNI_FORM(fused_rows, NULL);
    const tni_expression *graph = &call->graph;
    problem p = {.call = call, .rows = call->rows, .length = call->length};
    *call->fits = graph->ndim <= AXES_MAX && find_geometry(&p, plan->target) &&
                  fits_registers(&p) && are_aligned(&p);
    if (!*call->fits) return TN_OK;
    plan->may_refuse = true;
    plan->asked = graph->asked;
    find_aligned(&p);
    digest(&p);
    p.extra.is_short = p.is_short;
    int64_t strides[TNI_EXPRESSION_ARGUMENTS * AXES_MAX];
    find_strides(strides, &p);
    const void *data[TNI_EXPRESSION_ARGUMENTS], *values[TNI_EXPRESSION_ARGUMENTS];
    const void *initials[TNI_ROW_FOLDS];
    unsigned char identities[TNI_ROW_FOLDS][16] = {{0}};
    int64_t has_initials[TNI_ROW_FOLDS];
    double corrections[TNI_ROW_FOLDS];
    const int count = graph->input_count + graph->output_count;
    for (int k = 0; k < count; k++) {
        data[k] = graph->arguments[k].data;
        values[k] = graph->arguments[k].value;
    }
    for (int k = 0; k < call->fold_count; k++) {
        const tni_row_fold *fold = &call->folds[k];
        const bool is_moment =
            fold->statistic == TNI_STATISTIC_VAR || fold->statistic == TNI_STATISTIC_STD;
        corrections[k] = fold->correction;
        initials[k] = identities[k];
        has_initials[k] =
            !is_moment && tni_op_identity_value(identities[k], fold->op, fold->accumulator);
    }
    const int block = p.is_short ? SHORT_BLOCK : BLOCK;
    tni_form_key *key = TNI_STEP(
        plan, fused_rows, &form,
        MACROS(.BLOCK = (int16_t)block, .TEAM = (int16_t)p.team, .WIDTH = (int16_t)p.width,
               .VECTORS = (int16_t)p.vectors, .SKIPS = p.skips, .WHOLE = p.is_whole,
               .WIDE_INDEX = 0, .ARGUMENTS = (int16_t)count, .FOLDS = (int16_t)call->fold_count,
               .KEPT_AXES = (int16_t)call->kept_ndim, .ALL_AXES = (int16_t)graph->ndim,
               .APART = (int16_t)p.apart, .ROOM = (int16_t)(p.is_short ? p.length * p.widest : 0)),
        PARAMS(.rows = p.rows, .length = p.length, .data = data, .values = values,
               .corrections = corrections, .has_initials = has_initials, .initials = initials,
               .sizes = graph->shape, .strides = strides));
    memcpy(key->extra, &p.extra, sizeof p.extra);
    plan->steps[plan->step_count - 1].body = (tni_form_body){write_body, call};
    tni_plan_grid(plan, tni_form_ceil(p.rows, block / p.team), (unsigned)block);
    return TN_OK;
}
