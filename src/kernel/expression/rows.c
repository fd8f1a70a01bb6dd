/* Algorithm: all reductions must fold the same axes of one shape. Then every value is one of
 * elements (of that shape) or one of rows (of a reduction's shape); what is anything else makes the
 * graph one of several passes. Arrays lie in any way.
 *
 * Folds have the bits of the reductions by themselves, whose trees follow the memory of what they
 * read. So the form gets the axes in the order of the arrays that the schedule would make of the
 * values that are folded, which must be one order in which the reduced axes are the last. */
#include "kernel/expression/rows.h"

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/array/shape.h"
#include "core/elementwise/operands.h"
#include "core/reduce/reductions.h"
#include "core/rules/op.h"
#include "forms/fused_rows.h"
#include "kernel/expression/fold.h"
#include "kernel/expression/notes.h"
#include "kernel/expression/shapes.h"
#include "kernel/expression/views.h"

#include <string.h>

/* A call on its way. `fits` is what the form is asked. */
typedef struct builder {
    tni_schedule *s;
    int shape;             /* of elements, an entry of the schedule's shapes */
    uint64_t reduced;      /* its axes that are */
    int kept;              /* how many are not */
    int axes[TN_MAX_NDIM]; /* the kept ones, then the others, each slowest in memory first */
    int64_t rows, length;
    bool fits;
    const char *why; /* it does not fit: half a sentence for explanations */
    const tn_array *arrays[TNI_EXPRESSION_ARGUMENTS]; /* NULL: a scalar */
    int8_t readers[TNI_EXPRESSION_ARGUMENTS]; /* the shape to which what reads it broadcasts it */
    tni_fused_rows call;
} builder;

/* What one pass asks for. */
static bool needs(builder *b, bool fits, const char *why) {
    if (!fits && b->fits) b->why = why;
    return b->fits &= fits;
}

static const tni_node *node_of(const builder *b, int n) {
    return &b->s->expression->nodes[n];
}

/* --- Which shapes --- */

static tn_status find_reduced(uint64_t *reduced, const tni_shape_entry *from,
                              const tni_node_reduction *r) {
    int axes[TN_EXPRESSION_AXES];
    for (int k = 0; k < r->axis_count; k++)
        axes[k] = r->axes[k];
    *reduced = ~UINT64_C(0);
    if (r->axis_count != TN_AXES_ALL)
        TNI_TRY(tni_axes_check(reduced, r->axis_count, axes, from->ndim));
    return TN_OK;
}

/* The shape and the axes that all reductions have. */
static tn_status find_shape(bool *is_found, builder *b) {
    const tni_schedule *s = b->s;
    b->shape = -1;
    b->why = "its reductions do not all fold the same axes of one shape";
    *is_found = false;
    for (int n = 0; n < s->expression->count; n++) {
        const tni_node *node = node_of(b, n);
        if (node->kind != TNI_NODE_REDUCTION || !s->places[n].is_needed) continue;
        int shape = s->places[node->from[0]].shape;
        uint64_t reduced;
        if (s->shapes[shape].ndim == 0) return TN_OK;
        TNI_TRY(find_reduced(&reduced, &s->shapes[shape], &node->of.reduction));
        if (b->shape >= 0 && (shape != b->shape || reduced != b->reduced)) return TN_OK;
        b->shape = shape;
        b->reduced = reduced;
    }
    b->rows = b->length = 1;
    b->kept = 0;
    for (int axis = 0; b->shape >= 0 && axis < s->shapes[b->shape].ndim; axis++) {
        bool is_kept = !(b->reduced >> axis & 1);
        *(is_kept ? &b->rows : &b->length) *= s->shapes[b->shape].shape[axis];
        b->kept += is_kept;
    }
    b->why = "its rows have no two elements";
    *is_found = b->shape >= 0 && b->rows > 0 && b->length > 1;
    return TN_OK;
}

/* Whether a shape is that of one number a row: the kept axes, and the others of size 1 or not
 * there; `may_drop` allows the latter. */
static bool is_row_shape(const builder *b, int shape, bool may_drop) {
    const tni_shape_entry *of = &b->s->shapes[shape], *whole = &b->s->shapes[b->shape];
    const bool drops = of->ndim != whole->ndim;
    if (drops && !(may_drop && of->ndim == b->kept)) return false;
    for (int axis = 0, at = 0; axis < whole->ndim; axis++) {
        const bool is_reduced = b->reduced >> axis & 1;
        if (drops && is_reduced) continue;
        if (of->shape[at++] != (is_reduced ? 1 : whole->shape[axis])) return false;
    }
    return true;
}

/* The node whose value a node is: what was stored, and, since views show numbers of rows row by
 * row, what they show. */
static int find_shown(builder *b, int n) {
    for (; node_of(b, n)->kind == TNI_NODE_VIEW || node_of(b, n)->kind == TNI_NODE_STORE;
         n = node_of(b, n)->from[0]) {
        if (node_of(b, n)->kind == TNI_NODE_STORE) {
            needs(b, b->s->places[n].shape == b->s->places[node_of(b, n)->from[0]].shape,
                  "a stored value is smaller than its array");
            continue;
        }
        const tni_place *place = &b->s->places[n], *of = &b->s->places[node_of(b, n)->from[0]];
        const tn_array *shown = place->shown;
        needs(b,
              is_row_shape(b, place->shape, true) && is_row_shape(b, of->shape, true) &&
                  shown->dtype == node_of(b, node_of(b, n)->from[0])->dtype && !shown->offset &&
                  shown->flags & TNI_C_CONTIGUOUS,
              "a view of what is computed shows more than a number of each row");
    }
    return n;
}

/* --- The order of axes --- */

/* Whether axes in the order of some memory are those of the call, but for axes of size 1. */
static bool is_order(const builder *b, const int *axes) {
    const tni_shape_entry *whole = &b->s->shapes[b->shape];
    int at = 0;
    for (int k = 0; k < whole->ndim; k++) {
        if (whole->shape[axes[k]] == 1) continue;
        while (whole->shape[b->axes[at]] == 1)
            at++;
        if (b->axes[at++] != axes[k]) return false;
    }
    return true;
}

static void set_order(builder *b, const int *axes) {
    int kept = 0, reduced = b->kept;
    for (int k = 0; k < b->s->shapes[b->shape].ndim; k++)
        b->axes[b->reduced >> axes[k] & 1 ? reduced++ : kept++] = axes[k];
}

/* Of what a fold reads, where that is an array, or of the array that would be made of it. */
static bool find_order(int *axes, const builder *b, int read, bool is_array) {
    int n = read, ndim = b->s->shapes[b->shape].ndim;
    while (node_of(b, n)->kind == TNI_NODE_STORE && !is_array)
        n = node_of(b, n)->from[0]; /* and of a stored value both orders count */
    const tni_node *node = node_of(b, n);
    if (is_array != (node->kind == TNI_NODE_INPUT || node->kind == TNI_NODE_STORE) ||
        b->s->places[n].shape != b->shape)
        return false;
    if (is_array)
        tni_layout_order_like(axes, ndim, tni_strides(b->s->operands[node->place].array));
    else
        tni_shapes_axes(axes, b->s, n);
    return true;
}

/* That of values which are computed, where some are folded, since how they lie decides their rows'
 * order, too; else that of the first array. */
static bool find_axes(builder *b) {
    const int count = b->s->expression->count;
    int axes[TN_MAX_NDIM];
    bool is_found = false;
    for (int of_arrays = 0; of_arrays < 2; of_arrays++)
        for (int n = 0; n < count; n++) {
            if (node_of(b, n)->kind != TNI_NODE_REDUCTION || !b->s->places[n].is_needed) continue;
            const int read = node_of(b, n)->from[0];
            if (node_of(b, read)->kind == TNI_NODE_VIEW) return false;
            if (!find_order(axes, b, read, of_arrays) ||
                (is_found && of_arrays && node_of(b, read)->kind == TNI_NODE_INPUT))
                continue; /* of a further input the form looks how it lies */
            if (!is_found) set_order(b, axes);
            is_found = true;
            if (!is_order(b, axes)) return false;
        }
    return is_found;
}

/* --- Arguments --- */

/* Strides of an array along the axes of elements, where what reads it broadcasts it to a shape:
 * that of elements, or that of numbers of rows. False: it is one number for each row. */
static bool find_strides(int64_t *strides, const builder *b, const tn_array *array, int reader) {
    const tni_shape_entry *whole = &b->s->shapes[b->shape], *to = &b->s->shapes[reader];
    const bool drops = to->ndim != whole->ndim;
    int at = array->ndim - to->ndim;
    bool is_of_elements = false;
    for (int axis = 0; axis < whole->ndim; axis++) {
        const bool is_reduced = b->reduced >> axis & 1;
        strides[axis] = 0;
        if (drops && is_reduced) continue;
        if (at >= 0 && tni_shape(array)[at] != 1) {
            strides[axis] = tni_strides(array)[at];
            is_of_elements |= is_reduced;
        }
        at++;
    }
    return is_of_elements;
}

/* Whether an array is read as it was before, though the shapes to which it is broadcast differ. */
static bool is_read_alike(const builder *b, const tn_array *array, int reader, int other) {
    int64_t strides[2][TN_MAX_NDIM];
    if (reader == other) return true;
    return find_strides(strides[0], b, array, reader) ==
               find_strides(strides[1], b, array, other) &&
           !memcmp(strides[0], strides[1], sizeof(int64_t) * (size_t)b->s->shapes[b->shape].ndim);
}

/* The number of a value that no step makes; `reader`: the shape of what reads it. */
static tn_status add_input(builder *b, int n, int reader) {
    const tni_node *node = node_of(b, n);
    tni_expression *graph = &b->call.graph;
    tni_place *place = &b->s->places[n];
    int64_t strides[TN_MAX_NDIM];
    if (place->stamp == 0) { /* of rows and of elements alike */
        needs(b,
              !b->arrays[place->value] ||
                  is_read_alike(b, b->arrays[place->value], reader, b->readers[place->value]),
              "an array is read along the rows and across them");
        return TN_OK;
    }
    int at = graph->input_count;
    if (!needs(b, at < TNI_EXPRESSION_ARGUMENTS, "it has too many arrays and scalars"))
        return TN_OK;
    tni_argument *argument = &graph->arguments[at];
    argument->dtype = argument->loop_dtype = (tn_dtype)node->dtype;
    b->call.is_row[at] = true;
    b->readers[at] = (int8_t)reader;
    b->arrays[at] = NULL;
    if (node->kind == TNI_NODE_SCALAR) {
        TNI_TRY(tni_place_scalar(argument->value, b->s, node));
        graph->constants |= (uint64_t)tni_place_is_constant(b->s, node) << at;
    } else {
        b->arrays[at] = tni_place_array(b->s, n);
        if (!needs(b, b->arrays[at], "a view of what is computed is read as elements"))
            return TN_OK;
        b->call.is_row[at] = !find_strides(strides, b, b->arrays[at], reader);
    }
    graph->dtypes[at] = node->dtype;
    place->stamp = 0;
    place->value = (tni_value)at;
    graph->input_count++;
    return TN_OK;
}

static bool is_computed(const tni_node *node) {
    return tni_node_is_computed(node) || node->kind == TNI_NODE_REDUCTION;
}

static tn_status add_inputs(builder *b) {
    const tn_expression *e = b->s->expression;
    for (int n = 0; n < e->count && b->fits; n++) {
        const tni_node *node = &e->nodes[n];
        const tni_place *place = &b->s->places[n];
        if (!is_computed(node) || !place->is_needed || node->kind == TNI_NODE_SECOND) continue;
        const bool is_fold = node->kind == TNI_NODE_REDUCTION;
        const bool is_row = !is_fold && place->shape != b->shape;
        needs(b, is_fold || !is_row || is_row_shape(b, place->shape, true),
              "a value has neither the rows' shape nor one number a row");
        for (int k = 0; k < node->count && b->fits; k++) {
            const int shown = find_shown(b, node->from[k]);
            if (!is_computed(&e->nodes[shown]))
                TNI_TRY(add_input(b, shown, is_row ? place->shape : b->shape));
            else if (is_row || b->s->places[node->from[k]].shape == b->shape)
                needs(b, b->s->places[node->from[k]].shape == (is_row ? place->shape : b->shape),
                      "numbers of rows are broadcast");
            else /* a row's number beside elements: it must broadcast along them */
                needs(b, is_row_shape(b, b->s->places[node->from[k]].shape, false),
                      "a row's number does not broadcast along its row");
        }
    }
    return TN_OK;
}

/* --- Steps --- */

static tn_status add_fold(builder *b, const tni_node *node) {
    tni_fold_options options;
    tni_reduce_request request;
    bool is_single;
    tn_dtype input = (tn_dtype)node_of(b, node->from[0])->dtype;
    if (!needs(b, b->call.fold_count < TNI_ROW_FOLDS, "it has too many reductions")) return TN_OK;
    tni_fold_set_options(&options, node);
    TNI_TRY(tni_reduction_decide(&request, &is_single, (tn_reduction)node->op, input,
                                 &options.options, NULL));
    needs(b,
          is_single && !request.flags && !tni_op_is_ordered(request.op) &&
              request.output == (tn_dtype)node->dtype,
          "a reduction takes an array of these dtypes alone");
    b->call.folds[b->call.fold_count++] =
        (tni_row_fold){request.op,          request.statistic, input,
                       request.accumulator, request.output,    options.options.correction};
    return TN_OK;
}

static tn_status add_step(builder *b, int n) {
    const tni_node *node = node_of(b, n);
    tni_expression *graph = &b->call.graph;
    tni_place *place = &b->s->places[n];
    place->stamp = 0;
    if (node->kind == TNI_NODE_SECOND) {
        place->value = (tni_value)(b->s->places[node->from[0]].value + 1);
        return TN_OK;
    }
    if (!needs(b, graph->step_count < TNI_EXPRESSION_STEPS, "it has too many steps")) return TN_OK;
    tni_expression_step *step = &graph->steps[graph->step_count++];
    const bool is_fold = node->kind == TNI_NODE_REDUCTION, is_cast = node->kind == TNI_NODE_CAST;
    step->op = (int16_t)(is_fold ? (int)TNI_OP_FOLD : is_cast ? (int)TNI_OP_COPY : node->op);
    step->dtype = is_fold ? (int8_t)b->call.fold_count : node->loop;
    step->count = node->count;
    step->made = (int8_t)(is_fold || is_cast ? 1 : tn_op_outputs((tn_op)node->op));
    for (int k = 0; k < node->count; k++)
        step->from[k] = b->s->places[find_shown(b, node->from[k])].value;
    if (is_fold) TNI_TRY(add_fold(b, node));
    place->value = (tni_value)graph->value_count;
    for (int k = 0; k < step->made; k++) {
        b->call.is_row[graph->value_count] = is_fold || place->shape != b->shape;
        graph->dtypes[graph->value_count++] = node_of(b, n + k)->dtype;
    }
    return TN_OK;
}

static tn_status add_steps(builder *b) {
    b->call.graph.value_count = b->call.graph.input_count;
    for (int n = 0; n < b->s->expression->count && b->fits; n++)
        if (is_computed(node_of(b, n)) && b->s->places[n].is_needed) TNI_TRY(add_step(b, n));
    return TN_OK;
}

/* An array of a shape becomes what a node makes. */
static void add_output_to(builder *b, int n, const tn_array *to, int shape) {
    tni_expression *graph = &b->call.graph;
    const int at = graph->input_count + graph->output_count;
    tni_argument *argument = &graph->arguments[at];
    b->arrays[at] = to;
    b->readers[at] = (int8_t)shape;
    argument->dtype = argument->loop_dtype = (tn_dtype)to->dtype;
    graph->outputs[graph->output_count++] = b->s->places[n].value;
}

static tn_status add_output(builder *b, int n) {
    tni_place *place = &b->s->places[n];
    TNI_TRY(tni_shapes_new_array(&place->array, b->s, n));
    place->is_owned = true;
    add_output_to(b, n, place->array, place->shape);
    return TN_OK;
}

/* Whether an array that is stored to is read element for element, or not at all. */
static bool is_read_in_place(const builder *b, const tn_array *to, int shape) {
    for (int k = 0; k < b->call.graph.input_count; k++)
        if (b->arrays[k] == to && !is_read_alike(b, to, b->readers[k], shape)) return false;
    return true;
}

/* What is stored goes where it belongs; the array may have the shape of a view of the value. */
static void add_stores(builder *b) {
    const tni_schedule *s = b->s;
    for (int k = 0; k < s->expression->operand_count && s->expression->store_count; k++) {
        if (s->last_store[k] < 0) continue;
        const tn_array *to = s->operands[k].array;
        const int n = find_shown(b, s->last_store[k]), shape = s->places[s->last_store[k]].shape;
        if (!needs(b, is_computed(node_of(b, n)), "a scalar is stored") ||
            !needs(b, is_read_in_place(b, to, shape), "an array is stored to as it is not read"))
            return;
        add_output_to(b, n, to, shape);
    }
}

/* What views show is made once, and the views of it afterwards. */
static tn_status add_outputs(builder *b) {
    const tn_expression *e = b->s->expression;
    needs(b,
          b->call.graph.input_count + e->output_count + e->store_count <= TNI_EXPRESSION_ARGUMENTS,
          "it has too many arrays and scalars");
    if (b->fits) add_stores(b);
    for (int k = 0; k < e->output_count && b->fits; k++) {
        const int n = tni_place_maker(b->s, e->outputs[k]);
        if (is_computed(node_of(b, n)) && !b->s->places[n].array) TNI_TRY(add_output(b, n));
    }
    return TN_OK;
}

/* Axes from number `first` on that are merged where all arguments lie so; one at least is left. */
static int merge(tni_expression *graph, int first, int ndim, int to) {
    int64_t *strides[TNI_EXPRESSION_ARGUMENTS] = {NULL};
    const int count = graph->input_count + graph->output_count;
    for (int k = 0; k < count; k++)
        strides[k] = &graph->arguments[k].strides[first];
    int left = tni_layout_collapse(ndim, &graph->shape[first], count, strides, NULL, false);
    const size_t bytes = sizeof(int64_t) * (size_t)left;
    memmove(&graph->shape[to], &graph->shape[first], bytes);
    for (int k = 0; k < count; k++)
        memmove(&graph->arguments[k].strides[to], strides[k], bytes);
    if (left > 0) return left;
    graph->shape[to] = 1;
    for (int k = 0; k < count; k++)
        graph->arguments[k].strides[to] = 0;
    return 1;
}

/* Shape and strides of the arrays that are read and written. */
static void describe(builder *b) {
    tni_expression *graph = &b->call.graph;
    const tni_shape_entry *whole = &b->s->shapes[b->shape];
    int64_t strides[TN_MAX_NDIM] = {0};
    for (int axis = 0; axis < whole->ndim; axis++)
        graph->shape[axis + 1] = whole->shape[b->axes[axis]];
    for (int k = 0; k < graph->input_count + graph->output_count; k++) {
        if (b->arrays[k])
            find_strides(strides, b, b->arrays[k], b->readers[k]);
        else
            memset(strides, 0, sizeof strides);
        for (int axis = 0; axis < whole->ndim; axis++)
            graph->arguments[k].strides[axis + 1] = strides[b->axes[axis]];
    }
    b->call.is_permuted = false;
    for (int k = 0, before = -1; k < b->kept; k++) {
        if (whole->shape[b->axes[k]] == 1) continue;
        b->call.is_permuted |= b->axes[k] < before;
        before = b->axes[k];
    }
    b->call.kept_ndim = merge(graph, 1, b->kept, 0);
    graph->ndim =
        b->call.kept_ndim + merge(graph, 1 + b->kept, whole->ndim - b->kept, b->call.kept_ndim);
}

static tn_status queue(builder *b) {
    tni_expression *graph = &b->call.graph;
    tni_operands operands;
    tn_status status;
    const tni_shape_entry *shape = &b->s->shapes[b->shape];
    TNI_TRY(tni_note_call(b->s, graph, b->arrays, &b->call, shape->ndim, shape->shape));
    tni_operands_init(&operands, b->s->stream);
    for (int k = 0; k < graph->input_count + graph->output_count; k++) {
        void *data = NULL;
        tni_access access = k < graph->input_count ? TNI_READ : TNI_WRITE;
        if (b->arrays[k]) TNI_TRY_OWNING(tni_operand_open(&data, &b->arrays[k], access, &operands));
        graph->arguments[k].data = data;
    }
    describe(b);
    status = tni_queue_fused_rows(&b->call, b->s->stream);
    b->s->has_begun |= b->fits && status != TN_ERROR_NOT_IMPLEMENTED; /* else nothing was written */
cleanup:
    return tni_operands_close(&operands, status);
}

/* --- All of it --- */

static void begin(builder *b) {
    tni_expression *graph = &b->call.graph;
    b->call.fold_count = 0;
    b->call.fits = &b->fits;
    graph->input_count = graph->output_count = graph->step_count = 0;
    graph->asked = b->s->asked;
    graph->constants = 0;
    b->call.rows = b->rows;
    b->call.length = b->length;
    graph->size = b->rows * b->length;
    b->fits = true;
}

tn_status tni_rows_evaluate(bool *is_done, tni_schedule *s) {
    builder b;
    bool is_found;
    *is_done = false;
    if (!tni_backend_of(s->stream)->reduce->fuses_rows) return TN_OK;
    b.s = s;
    TNI_TRY(find_shape(&is_found, &b));
    tni_note_why_rows(s->explanation, b.why);
    if (!is_found) return TN_OK;
    begin(&b);
    needs(&b, b.s->shapes[b.shape].ndim < TN_MAX_NDIM && find_axes(&b),
          "what is folded lies so that the reduced axes are not the fastest");
    if (b.fits) TNI_TRY(add_inputs(&b));
    if (b.fits) TNI_TRY(add_steps(&b));
    if (b.fits) TNI_TRY(add_outputs(&b));
    if (b.fits) {
        b.why = "rows so long or so short are computed in passes here";
        tn_status status = queue(&b);
        if (status == TN_ERROR_NOT_IMPLEMENTED)
            needs(&b, false, "no program of one group could be made");
        else if (status)
            return status;
        if (!b.fits) tni_note_undo(s);
    }
    tni_note_why_rows(s->explanation, b.why);
    *is_done = b.fits;
    if (b.fits) return tni_views_make(s);
    tni_place_forget(s); /* the graph is evaluated in passes */
    return TN_OK;
}
