/* Algorithm: all reductions must fold the same last axes of one shape. Then every value is one of
 * elements (of that shape) or one of rows (of a reduction's shape), and every array lies packed as
 * the form's arguments do; what is anything else makes the graph one of several passes.
 *
 * Values of elements are those that the schedule would make in memory, C-contiguous, so that folds
 * have the bits of the reductions. */
#include "kernel/expression/rows.h"

#include "backend/backend.h"
#include "core/array/shape.h"
#include "core/elementwise/operands.h"
#include "core/reduce/reductions.h"
#include "core/rules/op.h"
#include "forms/fused_rows.h"
#include "kernel/expression/fold.h"
#include "kernel/expression/notes.h"
#include "kernel/expression/views.h"

#include <string.h>

/* A call on its way. `fits` is what the form is asked. */
typedef struct builder {
    tni_schedule *s;
    int shape; /* of elements, an entry of the schedule's shapes */
    int kept;  /* its axes that are not reduced, the first ones */
    int64_t rows, length;
    bool fits;
    const char *why; /* it does not fit: half a sentence for explanations */
    const tn_array *arrays[TNI_EXPRESSION_ARGUMENTS]; /* NULL: a scalar */
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

static tn_status find_kept(int *kept, const tni_shape_entry *from, const tni_node_reduction *r) {
    uint64_t reduced = ~UINT64_C(0);
    int axes[TN_EXPRESSION_AXES];
    for (int k = 0; k < r->axis_count; k++)
        axes[k] = r->axes[k];
    if (r->axis_count != TN_AXES_ALL)
        TNI_TRY(tni_axes_check(&reduced, r->axis_count, axes, from->ndim));
    *kept = 0;
    while (*kept < from->ndim && !(reduced >> *kept & 1))
        ++*kept;
    for (int axis = *kept; axis < from->ndim; axis++)
        if (!(reduced >> axis & 1)) *kept = -1 - from->ndim; /* not the last axes */
    return TN_OK;
}

/* The shape and the axes that all reductions have. */
static tn_status find_shape(bool *is_found, builder *b) {
    const tni_schedule *s = b->s;
    b->shape = -1;
    b->why = "its reductions do not all fold the same last axes of one shape";
    *is_found = false;
    for (int n = 0; n < s->expression->count; n++) {
        const tni_node *node = node_of(b, n);
        if (node->kind != TNI_NODE_REDUCTION || !s->places[n].is_needed) continue;
        int shape = s->places[node->from[0]].shape, kept;
        if (s->shapes[shape].ndim == 0) return TN_OK;
        TNI_TRY(find_kept(&kept, &s->shapes[shape], &node->of.reduction));
        if (kept < 0 || (b->shape >= 0 && (shape != b->shape || kept != b->kept))) return TN_OK;
        b->shape = shape;
        b->kept = kept;
    }
    b->rows = b->length = 1;
    for (int axis = 0; b->shape >= 0 && axis < s->shapes[b->shape].ndim; axis++)
        *(axis < b->kept ? &b->rows : &b->length) *= s->shapes[b->shape].shape[axis];
    b->why = "its rows have no two elements";
    *is_found = b->shape >= 0 && b->rows > 0 && b->length > 1;
    return TN_OK;
}

/* Whether a shape is that of one number a row: the kept axes, and the others of size 1 or not
 * there; `may_drop` allows the latter. */
static bool is_row_shape(const builder *b, int shape, bool may_drop) {
    const tni_shape_entry *of = &b->s->shapes[shape], *whole = &b->s->shapes[b->shape];
    if (of->ndim != whole->ndim && !(may_drop && of->ndim == b->kept)) return false;
    for (int axis = 0; axis < of->ndim; axis++)
        if (of->shape[axis] != (axis < b->kept ? whole->shape[axis] : 1)) return false;
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

/* --- Arguments --- */

/* Strides of an array that broadcasts to the elements, or to the rows; false: it lies otherwise. */
static bool find_strides(int64_t strides[2], const builder *b, const tn_array *array, int shape,
                         bool is_for_rows) {
    const tni_shape_entry *whole = &b->s->shapes[b->shape], *own = &b->s->shapes[shape];
    const int64_t size = tni_dtype_size(array->dtype);
    strides[0] = strides[1] = 0;
    if (array->size == 1) return true;
    if (!(array->flags & TNI_C_CONTIGUOUS)) return false;
    if (!is_for_rows && shape == b->shape) {
        strides[0] = b->length * size;
        strides[1] = size;
        return true;
    }
    if (is_row_shape(b, shape, is_for_rows)) {
        strides[0] = size;
        return true;
    }
    const int reduced = whole->ndim - b->kept, extra = own->ndim - reduced;
    if (is_for_rows || extra < 0) return false;
    for (int axis = 0; axis < own->ndim; axis++)
        if (own->shape[axis] != (axis < extra ? 1 : whole->shape[b->kept + axis - extra]))
            return false;
    strides[1] = size;
    return true;
}

/* The number of a value that no step makes. */
static tn_status add_input(builder *b, int n, bool is_for_rows) {
    const tni_node *node = node_of(b, n);
    tni_expression *graph = &b->call.graph;
    tni_place *place = &b->s->places[n];
    if (place->stamp == 0) { /* of rows and of elements alike */
        needs(b, b->call.is_row[place->value] || !is_for_rows,
              "an array is read as elements and as numbers of rows");
        return TN_OK;
    }
    int at = graph->input_count;
    if (!needs(b, at < TNI_EXPRESSION_ARGUMENTS, "it has too many arrays and scalars"))
        return TN_OK;
    tni_argument *argument = &graph->arguments[at];
    argument->dtype = argument->loop_dtype = (tn_dtype)node->dtype;
    argument->strides[0] = argument->strides[1] = 0;
    if (node->kind == TNI_NODE_SCALAR) {
        TNI_TRY(tni_place_scalar(argument->value, b->s, node));
        b->arrays[at] = NULL;
    } else {
        b->arrays[at] = tni_place_array(b->s, n);
        needs(b,
              b->arrays[at] &&
                  find_strides(argument->strides, b, b->arrays[at], place->shape, is_for_rows),
              "an array does not lie packed along the rows");
    }
    b->call.is_row[at] = argument->strides[1] == 0;
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
                TNI_TRY(add_input(b, shown, is_row));
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

/* An array that lies packed becomes what a node makes. */
static void add_output_to(builder *b, int n, const tn_array *to) {
    tni_expression *graph = &b->call.graph;
    const tni_place *place = &b->s->places[n];
    const int at = graph->input_count + graph->output_count;
    tni_argument *argument = &graph->arguments[at];
    b->arrays[at] = to;
    argument->dtype = argument->loop_dtype = (tn_dtype)to->dtype;
    const int64_t size = tni_dtype_size(to->dtype);
    const bool is_row = b->call.is_row[place->value];
    argument->strides[0] = is_row ? size : b->length * size;
    argument->strides[1] = is_row ? 0 : size;
    graph->outputs[graph->output_count++] = place->value;
}

static tn_status add_output(builder *b, int n) {
    tni_place *place = &b->s->places[n];
    const tni_shape_entry *shape = &b->s->shapes[place->shape];
    TNI_TRY(tn_array_new(&place->array, (tn_dtype)node_of(b, n)->dtype, shape->ndim, shape->shape,
                         TN_ORDER_C, b->s->stream));
    place->is_owned = true;
    add_output_to(b, n, place->array);
    return TN_OK;
}

/* What is stored goes where it belongs. */
static void add_stores(builder *b) {
    const tni_schedule *s = b->s;
    for (int k = 0; k < s->expression->operand_count && s->expression->store_count; k++) {
        if (s->last_store[k] < 0) continue;
        const tn_array *to = s->operands[k].array;
        const int n = find_shown(b, s->last_store[k]);
        if (!needs(b, is_computed(node_of(b, n)), "a scalar is stored") ||
            !needs(b, to->flags & TNI_C_CONTIGUOUS && s->places[n].shape >= 0,
                   "an array that is stored to does not lie packed along the rows"))
            return;
        add_output_to(b, n, to);
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

static tn_status queue(builder *b) {
    tni_expression *graph = &b->call.graph;
    tni_operands operands;
    tn_status status;
    const tni_shape_entry *shape = &b->s->shapes[b->shape];
    TNI_TRY(
        tni_note_call(b->s->explanation, graph, b->arrays, &b->call, shape->ndim, shape->shape));
    tni_operands_init(&operands, b->s->stream);
    for (int k = 0; k < graph->input_count + graph->output_count; k++) {
        void *data = NULL;
        tni_access access = k < graph->input_count ? TNI_READ : TNI_WRITE;
        if (b->arrays[k]) TNI_TRY_OWNING(tni_operand_open(&data, &b->arrays[k], access, &operands));
        graph->arguments[k].data = data;
    }
    status = tni_queue_fused_rows(&b->call, b->s->stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* --- All of it --- */

static void begin(builder *b) {
    tni_expression *graph = &b->call.graph;
    b->call.fold_count = 0;
    b->call.fits = &b->fits;
    graph->input_count = graph->output_count = graph->step_count = 0;
    graph->ndim = 2;
    graph->shape[0] = b->rows;
    graph->shape[1] = b->length;
    graph->size = b->rows * b->length;
    b->fits = true;
}

/* Nothing of this stays: the graph is evaluated in passes. */
static void undo(tni_schedule *s) {
    for (int n = 0; n < s->expression->count; n++) {
        tni_place *place = &s->places[n];
        place->stamp = -1;
        if (!place->is_owned) continue;
        tn_array_release(place->array);
        place->array = NULL;
        place->is_owned = false;
    }
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
    TNI_TRY(add_inputs(&b));
    if (b.fits) TNI_TRY(add_steps(&b));
    if (b.fits) TNI_TRY(add_outputs(&b));
    if (b.fits) {
        b.why = "rows so long or so short are computed in passes here";
        tn_status status = queue(&b);
        if (status == TN_ERROR_NOT_IMPLEMENTED)
            needs(&b, false, "no program of one group could be made");
        else if (status)
            return status;
        if (!b.fits) tni_note_undo(s->explanation);
    }
    tni_note_why_rows(s->explanation, b.why);
    *is_done = b.fits;
    if (b.fits) return tni_views_make(s);
    undo(s);
    return TN_OK;
}
