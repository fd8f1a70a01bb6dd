/* Algorithm: a group is noted right before it is queued, so that what the stream launches from
 * there to the next note is the group's. The buffers of the arrays that were made show which groups
 * it reads; it had to wait for the latest of these. */
#include "kernel/expression/notes.h"

#include "backend/backend.h"
#include "core/rules/reduce_table.h"
#include "kernel/expression/pushed.h"

#include <tenorite/elementwise.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- Making a group --- */

/* The launches of the group noted last are those since. */
void tni_note_end(tn_explanation *e) {
    if (!e || e->count == 0 || !tni_backend_of(e->stream)->stream_launches) return;
    tni_noted *last = e->groups[e->count - 1];
    unsigned count;
    tni_backend_of(e->stream)->stream_launches(e->stream, last->launched, &count,
                                               &last->shown.registers);
    last->shown.launches = (int)(count - last->launched);
}

static unsigned count_launched(const tn_explanation *e) {
    unsigned count = 0;
    int registers;
    if (tni_backend_of(e->stream)->stream_launches)
        tni_backend_of(e->stream)->stream_launches(e->stream, 0, &count, &registers);
    return count;
}

static tn_status make_room(tn_explanation *e) {
    enum { FIRST = 8 };
    if (e->count < e->capacity) return TN_OK;
    int capacity = e->capacity ? 2 * e->capacity : FIRST;
    size_t bytes = (size_t)capacity * sizeof *e->groups;
    tni_noted **groups = tni_realloc(e->groups, bytes);
    if (!groups) return tni_fail_no_memory((int64_t)bytes);
    e->groups = groups;
    e->capacity = capacity;
    return TN_OK;
}

static tn_status begin(tni_noted **result, tn_explanation *e, tn_group_form form, int operations,
                       int ndim, const int64_t *shape) {
    tni_note_end(e);
    TNI_TRY(make_room(e));
    size_t bytes = sizeof(tni_noted) + (size_t)operations * sizeof(tn_explained_operation);
    tni_noted *made = tni_calloc(1, bytes);
    if (!made) return tni_fail_no_memory((int64_t)bytes);
    memcpy(made->shape, shape, (size_t)ndim * sizeof *shape);
    made->launched = count_launched(e);
    made->shown = (tn_explained_group){.form = form,
                                       .operations = made->operations,
                                       .launches = 1,
                                       .ndim = ndim,
                                       .shape = made->shape,
                                       .why = made->why};
    e->groups[e->count++] = *result = made;
    return TN_OK;
}

static void add_operation(tni_noted *group, const char *name, tn_dtype dtype) {
    group->operations[group->shown.operation_count++] = (tn_explained_operation){name, dtype};
}

int64_t tni_note_bytes(const tn_array *array) {
    int64_t bytes = tni_dtype_size(array->dtype);
    if (array->size == 0) return 0;
    for (int axis = 0; axis < array->ndim; axis++)
        if (tni_strides(array)[axis] != 0) bytes *= tni_shape(array)[axis];
    return bytes;
}

/* --- Why it begins --- */

static void say(tni_noted *group, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to the sentence. */
static void say(tni_noted *group, const char *format, ...) {
    size_t used = strlen(group->why);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(group->why + used, sizeof group->why - used, format, arguments);
    va_end(arguments);
}

/* The latest of the groups before the last that made what lies in the buffer; -1: none. */
static int find_maker(const tn_explanation *e, const tn_buffer *buffer) {
    for (int g = e->count - 2; g >= 0; g--)
        for (int k = 0; k < e->groups[g]->made_count; k++)
            if (e->groups[g]->made[k].buffer == buffer) return g;
    return -1;
}

/* Whether an array is what a group made, and no view of it. */
static bool is_made_by(const tni_noted *group, const tn_array *array) {
    for (int k = 0; k < group->made_count; k++)
        if (group->made[k].array == array) return true;
    return false;
}

/* The latest group that made what one of the inputs shows; `is_view`: that is a view of it. */
static int find_latest(bool *is_view, const tn_explanation *e, int count,
                       const tn_array *const *inputs) {
    int latest = -1;
    for (int k = 0; k < count; k++) {
        int maker = inputs[k] ? find_maker(e, inputs[k]->buffer) : -1;
        if (maker < latest || maker < 0) continue;
        bool is_shown = !is_made_by(e->groups[maker], inputs[k]);
        *is_view = is_shown && (maker > latest || *is_view);
        latest = maker;
    }
    return latest;
}

static bool is_same_shape(const tn_explained_group *a, const tn_explained_group *b) {
    return a->ndim == b->ndim && !memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape);
}

/* Of a group that reads what group `maker` made. */
static void explain_cut(tn_explanation *e, tni_noted *group, int maker, bool is_view,
                        const char *fold_why) {
    const tn_explained_group *from = &e->groups[maker]->shown;
    char shape[TNI_SHAPE_TEXT], other[TNI_SHAPE_TEXT];
    if (from->form == TN_GROUP_FOLD) {
        say(group, "It reads the %s of group %d, which is known when all of it is folded",
            from->operations[from->operation_count - 1].name, maker + 1);
        if (e->rows_why) say(group, "; not one group of rows: %s", e->rows_why);
    } else if (group->shown.form == TN_GROUP_FOLD) {
        say(group, "Its fold does not take the operations of group %d: %s", maker + 1,
            fold_why ? fold_why : "others read what they make, too");
    } else if (is_view) {
        say(group, "It reads a view of what group %d makes, which is in memory first", maker + 1);
    } else if (!is_same_shape(&group->shown, from)) {
        say(group, "Its shape is %s, and that of group %d, which it reads, %s",
            tni_shape_text(shape, group->shown.ndim, group->shown.shape), maker + 1,
            tni_shape_text(other, from->ndim, from->shape));
    } else if (e->is_cut) {
        say(group, "TENORITE_DEBUG_CUTS cuts the graph");
    } else {
        say(group, "Group %d is full: one call has %d steps, %d arrays and %d scalars at most",
            maker + 1, TNI_EXPRESSION_STEPS, TNI_EXPRESSION_ARRAYS, TNI_EXPRESSION_SCALARS);
    }
    say(group, ".");
}

static void explain(tn_explanation *e, tni_noted *group, int count, const tn_array *const *inputs,
                    const char *fold_why) {
    bool is_view = false;
    int maker = find_latest(&is_view, e, count, inputs);
    for (int k = 0; k < count; k++)
        if (inputs[k]) group->shown.bytes_read += tni_note_bytes(inputs[k]);
    if (e->count == 1)
        say(group, "The graph begins here.");
    else if (e->floor != e->floor_before)
        say(group, "It comes after a store to an array that overlaps another one.");
    else if (maker >= 0)
        explain_cut(e, group, maker, is_view, fold_why);
    else
        say(group, "It reads nothing that an earlier group makes.");
    e->floor_before = e->floor;
}

/* --- What it costs --- */

static void begin_cost(tni_schedule *s, int launches) {
    s->noted_cost = (tn_explained_cost){launches, 0, 0};
    if (s->cost) s->cost->launches += launches;
}

static void cost_read(tni_schedule *s, const tn_array *array) {
    if (!s->cost || !array) return;
    const int64_t bytes = tni_note_bytes(array);
    s->noted_cost.bytes_read += bytes;
    s->cost->bytes_read += bytes;
}

static void cost_written(tni_schedule *s, const tn_array *array) {
    if (!s->cost) return;
    const int64_t bytes = tni_note_bytes(array);
    s->noted_cost.bytes_written += bytes;
    s->cost->bytes_written += bytes;
}

/* --- What evaluation notes --- */

static void note_made(tni_noted *group, const tn_array *made) {
    group->shown.bytes_written += tni_note_bytes(made);
    if (group->made_count < TNI_EXPRESSION_ARGUMENTS) {
        group->made[group->made_count].buffer = made->buffer;
        group->made[group->made_count++].array = made;
    }
}

/* Of reductions that fold alike, the first of the table. */
static const char *name_of_fold(const tni_row_fold *fold) {
    int k = 0;
    for (const tni_reduction_fact *fact; k < TN_REDUCE_COUNT; k++) {
        fact = tni_reduction_get((tn_reduction)k);
        if (fact->statistic != fold->statistic) continue;
        if (fact->op == fold->op || fact->statistic != TNI_STATISTIC_FOLD) break;
    }
    return k < TN_REDUCE_COUNT ? tn_reduction_name((tn_reduction)k) : tn_op_name(fold->op);
}

static const char *name_of_step(const tni_expression_step *step, const tni_fused_rows *rows) {
    if (step->op == TNI_OP_COPY) return "copy";
    return step->op == TNI_OP_FOLD ? name_of_fold(&rows->folds[step->dtype])
                                   : tn_op_name((tn_op)step->op);
}

tn_status tni_note_call(tni_schedule *s, const tni_expression *call, const tn_array *const *arrays,
                        const tni_fused_rows *rows, int ndim, const int64_t *shape) {
    tn_explanation *e = s->explanation;
    tni_noted *group;
    begin_cost(s, 1);
    for (int k = 0; k < call->input_count; k++)
        cost_read(s, arrays[k]);
    for (int k = 0; k < call->output_count; k++)
        cost_written(s, arrays[call->input_count + k]);
    if (!e) return TN_OK;
    TNI_TRY(begin(&group, e, rows ? TN_GROUP_ROWS : TN_GROUP_ELEMENTWISE, call->step_count, ndim,
                  shape));
    int made = call->input_count;
    for (int k = 0; k < call->step_count; k++) {
        const tni_expression_step *step = &call->steps[k];
        add_operation(group, name_of_step(step, rows), (tn_dtype)call->dtypes[made]);
        made += step->made;
    }
    explain(e, group, call->input_count, arrays, NULL);
    for (int k = 0; k < call->output_count; k++)
        note_made(group, arrays[call->input_count + k]);
    return TN_OK;
}

tn_status tni_note_single(tni_schedule *s, const tni_expression_step *step, tn_dtype dtype,
                          const tn_array *const *arrays, int ndim, const int64_t *shape,
                          const char *why) {
    tn_explanation *e = s->explanation;
    tni_noted *group;
    begin_cost(s, 1);
    for (int k = 0; k < step->count; k++)
        cost_read(s, arrays[k]);
    for (int k = 0; k < step->made; k++)
        cost_written(s, arrays[step->count + k]);
    if (!e) return TN_OK;
    TNI_TRY(begin(&group, e, TN_GROUP_ELEMENTWISE, 1, ndim, shape));
    add_operation(group, name_of_step(step, NULL), dtype);
    for (int k = 0; k < step->count; k++)
        if (arrays[k]) group->shown.bytes_read += tni_note_bytes(arrays[k]);
    for (int k = 0; k < step->made; k++)
        note_made(group, arrays[step->count + k]);
    say(group, "It runs by itself, since its group has no program: %.*s", (int)strcspn(why, "\n"),
        why);
    return TN_OK;
}

tn_status tni_note_fold(tni_schedule *s, int n, bool is_single, const tn_array *array,
                        const tni_map *map) {
    tn_explanation *e = s->explanation;
    tni_noted *group;
    begin_cost(s, is_single ? 1 : 2);
    cost_read(s, array);
    for (int k = 0; map && k < map->input_count; k++)
        cost_read(s, map->inputs[k]);
    if (!e) return TN_OK;
    const tni_node *node = &s->expression->nodes[n];
    const tni_shape_entry *shape = &s->shapes[s->places[node->from[0]].shape];
    TNI_TRY(begin(&group, e, TN_GROUP_FOLD, 1 + (map ? map->step_count : 0), shape->ndim,
                  shape->shape));
    for (int k = 0; map && k < map->step_count; k++)
        add_operation(group, name_of_step(&map->steps[k], NULL),
                      (tn_dtype)map->dtypes[map->input_count + k]);
    add_operation(group, tn_reduction_name((tn_reduction)node->op), (tn_dtype)node->dtype);
    group->shown.launches = is_single ? 1 : 2;
    if (map)
        explain(e, group, map->input_count, map->inputs, e->fold_whys[n]);
    else
        explain(e, group, 1, &array, e->fold_whys[n]);
    return TN_OK;
}

void tni_note_result(tni_schedule *s, const tn_array *made) {
    tn_explanation *e = s->explanation;
    cost_written(s, made);
    if (e) note_made(e->groups[e->count - 1], made);
}

tn_status tni_note_copy(tni_schedule *s, const tn_array *to, const tn_array *from,
                        const char *why) {
    tn_explanation *e = s->explanation;
    tni_noted *group;
    begin_cost(s, 1);
    cost_read(s, from);
    cost_written(s, to);
    if (!e) return TN_OK;
    TNI_TRY(begin(&group, e, TN_GROUP_COPY, 0, to->ndim, tni_shape(to)));
    if (from) group->shown.bytes_read = tni_note_bytes(from);
    say(group, "%s.", why);
    note_made(group, to);
    return TN_OK;
}

void tni_note_undo(tni_schedule *s) {
    tn_explanation *e = s->explanation;
    if (s->cost) {
        s->cost->launches -= s->noted_cost.launches;
        s->cost->bytes_read -= s->noted_cost.bytes_read;
        s->cost->bytes_written -= s->noted_cost.bytes_written;
    }
    if (e) tni_free(e->groups[--e->count]);
}

/* --- One by one --- */

static int64_t bytes_of_value(const tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    if (s->places[n].shape < 0) return 0;
    if (node->kind == TNI_NODE_INPUT) return tni_note_bytes(s->operands[node->place].array);
    const tni_shape_entry *shape = &s->shapes[s->places[n].shape];
    int64_t bytes = tni_dtype_size(node->dtype);
    for (int axis = 0; axis < shape->ndim; axis++)
        bytes *= shape->shape[axis];
    return bytes;
}

static void note_unfused(tn_explanation *e, const tni_schedule *s) {
    const tn_expression *graph = s->expression;
    for (int n = 0; n < graph->count; n++) {
        const tni_node *node = &graph->nodes[n];
        const bool is_store = node->kind == TNI_NODE_STORE;
        if (node->kind == TNI_NODE_SECOND) e->unfused.bytes_written += bytes_of_value(s, n);
        if (node->kind != TNI_NODE_OPERATION && node->kind != TNI_NODE_REDUCTION && !is_store)
            continue;
        int from = node->from[0];
        while (is_store && graph->nodes[from].kind == TNI_NODE_CAST)
            from = graph->nodes[from].from[0];
        if (is_store && graph->nodes[from].kind == TNI_NODE_OPERATION) continue; /* its out= */
        e->unfused.launches++;
        e->unfused.bytes_written += bytes_of_value(s, n);
        for (int k = 0; k < node->count; k++) {
            for (from = node->from[k]; graph->nodes[from].kind == TNI_NODE_CAST;)
                from = graph->nodes[from].from[0];
            bool is_new = true; /* x * x reads x once */
            for (int other = 0; other < k; other++)
                is_new &= node->from[other] != node->from[k];
            if (is_new) e->unfused.bytes_read += bytes_of_value(s, from);
        }
    }
}

tn_status tni_note_begin(tn_explanation *e, const tni_schedule *s) {
    const size_t count = (size_t)s->expression->count + TNI_PUSHED_MOST * TNI_PUSHED_NODES;
    if (!e || s->pushes) return TN_OK;
    e->fold_whys = tni_calloc(count, sizeof *e->fold_whys);
    if (!e->fold_whys) return tni_fail_no_memory((int64_t)(count * sizeof *e->fold_whys));
    e->is_cut = s->cuts != 0;
    if (s->overlapping) e->rows_why = "an array that is stored to overlaps another one";
    note_unfused(e, s);
    return TN_OK;
}
