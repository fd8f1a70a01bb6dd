/* Device text of rows: each argument, step and fold of a graph as it is written once, whichever
 * kernel it is for. */
#include "backend/cuda/forms/reduce/row_text.h"

#include "backend/cuda/forms/expression.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/forms/reduce/reduce.h"
#include "core/rules/reduce_table.h"

#include <string.h>

/* --- How arguments lie --- */

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

/* Whether each row's elements follow each other. */
static bool is_run(const tni_fused_rows *call, const tni_argument *argument) {
    const int kept = call->kept_ndim;
    int64_t stride;
    return tni_rows_merge(&stride, call->graph.ndim - kept, &call->graph.shape[kept],
                          &argument->strides[kept]) &&
           stride == tn_dtype_size(argument->dtype);
}

tni_row_way tni_row_way_of(const tni_fused_rows *call, int k) {
    const tni_expression *graph = &call->graph;
    const tni_argument *argument = &graph->arguments[k];
    const int kept = call->kept_ndim;
    if (!argument->data) return TNI_WAY_SCALAR;
    if (call->is_row[k < graph->input_count ? k : graph->outputs[k - graph->input_count]]) {
        if (is_still(argument->strides, kept)) return TNI_WAY_ONE;
        return is_packed(call, argument, kept) ? TNI_WAY_ROWS : TNI_WAY_ROWS_APART;
    }
    if (is_packed(call, argument, graph->ndim)) return TNI_WAY_ELEMENTS;
    if (!is_run(call, argument)) return TNI_WAY_APART;
    return is_still(argument->strides, kept) ? TNI_WAY_ALONG : TNI_WAY_RUNS;
}

int tni_row_count_apart(const tni_fused_rows *call, int count) {
    int number = 0;
    for (int k = 0; k < count; k++)
        number += tni_row_way_of(call, k) >= TNI_WAY_RUNS;
    return number;
}

bool tni_row_begins_evenly(const tni_fused_rows *call, int k, int64_t bytes) {
    const tni_argument *argument = &call->graph.arguments[k];
    if ((uintptr_t)argument->data % (uintptr_t)bytes) return false;
    for (int axis = 0; axis < call->kept_ndim; axis++)
        if (argument->strides[axis] % bytes) return false;
    return true;
}

int tni_row_fold_kind(const tni_row_fold *fold) {
    return fold->statistic == TNI_STATISTIC_FOLD ? tni_fold_kind(fold->op, fold->accumulator)
                                                 : tni_fold_kind_of(fold->statistic);
}

/* --- Parameters --- */

void tni_row_set_params(tni_row_params *params, const tni_fused_rows *call) {
    const tni_expression *graph = &call->graph;
    int64_t *strides = params->strides;
    for (int k = 0; k < graph->input_count + graph->output_count; k++) {
        params->data[k] = graph->arguments[k].data;
        params->values[k] = graph->arguments[k].value;
        if (tni_row_way_of(call, k) < TNI_WAY_RUNS) continue;
        memcpy(strides, graph->arguments[k].strides, sizeof *strides * (size_t)graph->ndim);
        strides += graph->ndim;
    }
    for (int k = 0; k < call->fold_count; k++) {
        const tni_row_fold *fold = &call->folds[k];
        const bool is_moment =
            fold->statistic == TNI_STATISTIC_VAR || fold->statistic == TNI_STATISTIC_STD;
        params->corrections[k] = fold->correction;
        params->initials[k] = memset(params->identities[k], 0, sizeof params->identities[k]);
        params->has_initials[k] =
            !is_moment && tni_op_identity_value(params->identities[k], fold->op, fold->accumulator);
    }
}

void tni_row_digest(uint64_t digests[4], const tni_fused_rows *call) {
    const tni_expression *graph = &call->graph;
    uint8_t ways[TNI_EXPRESSION_ARGUMENTS] = {0};
    const int count = graph->input_count + graph->output_count;
    const tni_steps steps = tni_expression_steps(graph);
    tni_graph_digest_steps(digests, &steps);
    digests[2] = 0;
    digests[3] = 1;
    for (int k = 0; k < call->fold_count; k++) {
        const tni_row_fold *fold = &call->folds[k];
        const int facts[5] = {(int)fold->op, (int)fold->statistic, (int)fold->input,
                              (int)fold->accumulator, (int)fold->output};
        tni_graph_digest(digests + 2, facts, sizeof facts);
    }
    for (int k = 0; k < count; k++)
        ways[k] = (uint8_t)tni_row_way_of(call, k);
    tni_graph_digest(digests + 2, ways, (size_t)count);
    tni_graph_digest(digests + 2, call->is_row, (size_t)graph->value_count);
    tni_graph_digest_constants(digests + 2, graph);
}

/* --- Text --- */

static void write_fold(tni_source *source, const tni_row_fold *fold, int number) {
    tni_form_key key;
    tni_fold_key own;
    memset(&key, 0, sizeof key);
    memset(&own, 0, sizeof own);
    own.kind = (uint8_t)tni_row_fold_kind(fold);
    tni_fold_set(&key, &own, fold->op, fold->input, fold->accumulator, fold->output);
    tni_source_add(source, "namespace fold%d {\n", number);
    tni_fold_write(source, &key);
    tni_source_add(source, "#undef FOLD_CUH\n#include \"fold.cuh\"\n#undef FUSED_FOLD_CUH\n"
                           "#include \"fused_fold.cuh\"\n#undef FOLD_KIND\n#undef FOLD_SKIPS_NAN\n"
                           "#undef FOLD_MASKED\n#undef FOLD_EXITS\n#undef FOLD_INPUTS\n}\n");
}

void tni_row_write_head(tni_source *source, const tni_fused_rows *call) {
    const tni_steps steps = tni_expression_steps(&call->graph);
    tni_source_add(source, "#include \"fused_rows.cuh\"\n");
    for (int k = 0; k < call->fold_count; k++)
        write_fold(source, &call->folds[k], k);
    tni_graph_write_functions(source, &steps);
}

void tni_row_write_start(tni_source *source, const tni_fused_rows *call, int k, const char *row) {
    const tni_row_way way = tni_row_way_of(call, k);
    if (way == TNI_WAY_ELEMENTS)
        tni_source_add(source, "%s * p.length * %d", row,
                       (int)tn_dtype_size(call->graph.arguments[k].dtype));
    else if (way < TNI_WAY_RUNS)
        tni_source_add(source, "0");
    else
        tni_source_add(source, "place_along<KEPT_AXES>(%s, p.sizes, p.strides + %d * ALL_AXES)",
                       row, tni_row_count_apart(call, k));
}

static bool is_of_elements(tni_row_way way) {
    return way == TNI_WAY_ELEMENTS || way == TNI_WAY_ALONG || way == TNI_WAY_RUNS ||
           way == TNI_WAY_APART;
}

/* Of elements that are moved: the argument's row, and where its elements lie apart how. */
static void write_place(tni_source *source, const tni_fused_rows *call, int k) {
    tni_source_add(source, "p.data[%d] + ", k);
    tni_row_write_start(source, call, k, "place.row");
}
static void write_way(tni_source *source, const tni_fused_rows *call, int k) {
    if (tni_row_way_of(call, k) == TNI_WAY_APART)
        tni_source_add(source, "p.sizes + KEPT_AXES, p.strides + %d * ALL_AXES + KEPT_AXES, ",
                       tni_row_count_apart(call, k));
}

void tni_row_write_input(tni_source *source, const tni_row_text *t, int k) {
    const tni_row_way way = tni_row_way_of(t->call, k);
    const char *type = tni_body_stored((tn_dtype)t->call->graph.dtypes[k]);
    const int is_aligned = (int)(t->aligned >> k & 1);
    if (is_of_elements(way)) {
        tni_source_add(source, "    %s v%d[G::elements];\n", type, k);
        if (way == TNI_WAY_ELEMENTS && t->is_short) {
            tni_source_add(source, "    load_short(v%d, p.data[%d], place, room);\n", k, k);
            return;
        }
        if (way == TNI_WAY_APART)
            tni_source_add(source, "    load_apart<ALL_AXES - KEPT_AXES>(v%d, ", k);
        else
            tni_source_add(source, "    load_row<%d>(v%d, ", is_aligned, k);
        write_place(source, t->call, k);
        tni_source_add(source, ", ");
        write_way(source, t->call, k);
        tni_source_add(source, "place);\n");
    } else if (tni_graph_write_constant(source, &t->call->graph, k)) {
        return;
    } else if (way == TNI_WAY_SCALAR) {
        tni_source_add(source, "    const %s v%d = *(const %s *)p.values[%d].bytes;\n", type, k,
                       type, k);
    } else if (way == TNI_WAY_ROWS_APART) {
        tni_source_add(source, "    const %s v%d = *(const %s *)(", type, k, type);
        write_place(source, t->call, k);
        tni_source_add(source, ");\n");
    } else {
        tni_source_add(source, "    const %s v%d = ((const %s *)p.data[%d])[%s];\n", type, k, type,
                       k, way == TNI_WAY_ROWS ? "place.row" : "0");
    }
}

static void write_call(tni_source *source, const tni_fused_rows *call, int number, char function) {
    const tni_expression_step *step = &call->graph.steps[number];
    tni_source_add(source, "%c%d(", function, number);
    for (int k = 0; k < step->count; k++)
        tni_source_add(source, "%sv%d%s", k ? ", " : "", step->from[k],
                       call->is_row[step->from[k]] ? "" : "[i]");
    tni_source_add(source, ");\n");
}

void tni_row_write_step(tni_source *source, const tni_row_text *t, int number, int value) {
    const tni_expression *graph = &t->call->graph;
    for (int made = 0; made < graph->steps[number].made; made++) {
        const char *type = tni_body_stored((tn_dtype)graph->dtypes[value + made]);
        if (t->call->is_row[value + made])
            tni_source_add(source, "    const %s v%d = ", type, value + made);
        else
            tni_source_add(source,
                           "    %s v%d[G::elements];\n    _Pragma(\"unroll\") for (int i = 0; "
                           "i < G::elements; i++) v%d[i] = ",
                           type, value + made, value + made);
        write_call(source, t->call, number, made ? 's' : 'r');
    }
}

void tni_row_write_output(tni_source *source, const tni_row_text *t, int k) {
    const tni_expression *graph = &t->call->graph;
    const int at = graph->input_count + k, value = graph->outputs[k];
    const char *type = tni_body_stored((tn_dtype)graph->dtypes[value]);
    const tni_row_way way = tni_row_way_of(t->call, at);
    if (!is_of_elements(way)) {
        tni_source_add(source, "    if (place.member == 0 && place.is_there) *(%s *)(p.data[%d] + ",
                       type, at);
        if (way == TNI_WAY_ROWS_APART)
            tni_row_write_start(source, t->call, at, "place.row");
        else
            tni_source_add(source, "place.row * (tn_i64)sizeof(%s)", type);
        tni_source_add(source, ") = v%d;\n", value);
        return;
    }
    if (way == TNI_WAY_ELEMENTS && t->is_short) {
        tni_source_add(source, "    store_short(p.data[%d], v%d, place, room);\n", at, value);
        return;
    }
    if (way == TNI_WAY_APART)
        tni_source_add(source, "    store_apart<ALL_AXES - KEPT_AXES>(");
    else
        tni_source_add(source, "    store_row<%d>(", (int)(t->aligned >> at & 1));
    write_place(source, t->call, at);
    tni_source_add(source, ", v%d, ", value);
    write_way(source, t->call, at);
    tni_source_add(source, "place);\n");
}
