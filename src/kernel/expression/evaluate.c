/* Evaluating graphs: operands checked, groups run in their order (schedule.h), reductions by their
 * own driver.
 *
 * Stores go straight to their arrays where the group that makes a value may write there; else what
 * is stored is made first and assigned at the end, so that no group reads what another has
 * overwritten. Where a stored array overlaps another operand the store runs by itself, between what
 * comes before and after it in the graph. */
#include "kernel/expression/evaluate.h"

#include "kernel/expression/call.h"
#include "kernel/expression/cuts.h"
#include "kernel/expression/few.h"
#include "kernel/expression/fold.h"
#include "kernel/expression/inputs.h"
#include "kernel/expression/notes.h"
#include "kernel/expression/pushed.h"
#include "kernel/expression/room.h"
#include "kernel/expression/rows.h"
#include "kernel/expression/schedule.h"
#include "kernel/expression/shapes.h"
#include "kernel/expression/views.h"

#include "backend/backend.h"
#include "core/array/view.h"
#include "core/reduce/reductions.h"

#include <string.h>

enum { SMALL_NODES = 48 }; /* of graphs whose places lie on the stack */

/* --- Operands --- */

static tn_status check_operand(const tni_node *node, const tn_operand *operand, int k) {
    bool is_array = node->kind == TNI_NODE_INPUT;
    if (is_array != (operand->array != NULL))
        TNI_FAIL(TN_ERROR_TYPE, "operand %d of the expression must be %s", k,
                 is_array ? "an array" : "a scalar");
    tn_dtype dtype = is_array ? (tn_dtype)operand->array->dtype : operand->scalar.dtype;
    bool is_weak = !is_array && operand->scalar.weak;
    if (dtype == (tn_dtype)node->dtype && is_weak == node->is_weak &&
        (is_array || !operand->scalar.huge))
        return TN_OK;
    return tni_fail(TN_ERROR_TYPE, "operand %d of the expression must be %s%s, not %s%s", k,
                    node->is_weak ? "a weak " : "", tn_dtype_name((tn_dtype)node->dtype),
                    is_weak ? "a weak " : "", tn_dtype_name(dtype));
}

static tn_status check_operands(tni_schedule *s, const tn_operand *given, tn_stream *stream) {
    const tn_expression *e = s->expression;
    const tn_array *arrays[TN_EXPRESSION_OPERANDS];
    tn_device device;
    for (int k = 0; k < e->operand_count; k++) {
        const tni_node *node = &e->nodes[e->operands[k]];
        if (tni_node_is_derived(node)) continue;
        TNI_TRY(check_operand(node, &given[node->op], node->op));
        arrays[node->op] = given[node->op].array;
    }
    TNI_TRY(tni_device_common(&device, e->given_count, arrays));
    return tni_stream_resolve(&s->stream, stream, device);
}

/* Whether a fold reads what is stored in an array that lies, or begins, as none that is made: its
 * tree follows the memory, so it reads that. */
static bool is_folded_there(const tni_schedule *s, int place, const tn_array *to) {
    const tn_expression *e = s->expression;
    if (!e->has_reductions ||
        (to->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS) && tni_shapes_begins_as_made(s, to)))
        return false;
    for (int n = 0; n < e->count; n++) {
        const tni_node *read = &e->nodes[e->nodes[n].from[0]];
        if (e->nodes[n].kind == TNI_NODE_REDUCTION && read->kind == TNI_NODE_STORE &&
            read->place == place)
            return true;
    }
    return false;
}

/* Which of the arrays that are stored to may be read by another name meanwhile, or as they lie. */
static tn_status check_stores(tni_schedule *s) {
    const tn_expression *e = s->expression;
    uint64_t seen = 0;
    s->overlapping = 0;
    for (int n = 0, left = e->store_count; left > 0; n++) {
        if (e->nodes[n].kind != TNI_NODE_STORE) continue;
        left--;
        int place = e->nodes[n].place;
        if (seen >> place & 1) continue;
        seen |= UINT64_C(1) << place;
        const tn_array *to = s->operands[place].array;
        TNI_TRY(tni_array_check_writeable(to));
        bool overlaps = !tni_place_is_spread(to) || is_folded_there(s, place, to) ||
                        tni_cuts(s->cuts, TNI_CUT_STORES, place);
        for (int k = 0; k < e->operand_count && !overlaps; k++)
            overlaps =
                k != place && s->operands[k].array && tni_array_may_meet(to, s->operands[k].array);
        if (overlaps) s->overlapping |= UINT64_C(1) << place;
    }
    return TN_OK;
}

/* --- Stores --- */

static void keep(tni_place *place, tn_array *array) {
    if (place->is_owned) tn_array_release(place->array);
    place->array = array;
    place->is_owned = true;
}

/* The value that an input had stays for the nodes that read it later. `before`: a node before which
 * all has run; at the end only what is stored then is read. */
static tn_status save_input(tni_schedule *s, int place, int before, bool is_end) {
    const tn_expression *e = s->expression;
    int input = e->operands[place];
    if (s->places[input].array) return TN_OK;
    for (int n = before; n < e->count; n++)
        for (int k = 0; k < e->nodes[n].count && s->places[n].is_needed; k++) {
            if (e->nodes[n].from[k] != input || (is_end && e->nodes[n].kind != TNI_NODE_STORE))
                continue;
            tn_array *copy;
            TNI_TRY(tn_array_astype(&copy, s->operands[place].array,
                                    (tn_dtype)e->nodes[input].dtype, TN_ORDER_K, TN_CASTING_NO,
                                    TN_COPY_ALWAYS, s->stream));
            keep(&s->places[input], copy);
            s->places[input].last = TNI_NEVER;
            return tni_note_copy(s, copy, s->operands[place].array,
                                 "What an array held before it is stored to is read afterwards");
        }
    return TN_OK;
}

static tn_status store(tni_schedule *s, int n, bool is_end) {
    const tni_node *node = &s->expression->nodes[n];
    tn_array *to = (tn_array *)(uintptr_t)s->operands[node->place].array;
    int from = tni_place_source(s, node->from[0]);
    TNI_TRY(save_input(s, node->place, n + 1, is_end));
    const bool is_scalar = s->expression->nodes[from].kind == TNI_NODE_SCALAR;
    s->has_begun = true;
    TNI_TRY(tni_note_copy(
        s, to, is_scalar ? NULL : tni_place_array(s, from),
        is_end ? "What is stored in an array goes there when all that reads it has run"
               : "An array that is stored to overlaps another one, so the store runs by itself"));
    if (is_scalar) return tni_place_fill(to, s, &s->expression->nodes[from]);
    return tn_array_assign(to, tni_place_array(s, from), TN_CASTING_UNSAFE, s->stream);
}

/* --- Reductions --- */

/* Whether a fold of an array has the tree that one of another has, which lies as one that is made:
 * a view may be broadcast, or apart. */
static bool folds_as(const tni_schedule *s, const tn_array *array, const tn_array *other) {
    if (array == other) return true;
    return array->ndim == other->ndim &&
           !memcmp(tni_shape(array), tni_shape(other), sizeof(int64_t) * (size_t)array->ndim) &&
           array->flags & other->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS) &&
           tni_shapes_begins_as_made(s, array);
}

/* What a reduction reads, as it lies when each node runs by itself, for that decides the order of
 * a sum: a stored value has the shape and the layout of the array that it is stored to. */
static tn_status find_whole(tn_array **whole, tni_schedule *s, int read) {
    const tn_array *array, *to = tni_place_array(s, read);
    TNI_TRY(tni_place_need_array(&array, s, tni_place_source(s, read)));
    if (s->expression->nodes[read].kind != TNI_NODE_STORE || folds_as(s, array, to)) {
        *whole = tn_array_retain((tn_array *)(uintptr_t)array);
        return TN_OK;
    }
    TNI_TRY(tn_array_new_like(whole, to, (tn_dtype)array->dtype, 0, NULL, TN_ORDER_K, s->stream));
    return tn_array_assign(*whole, array, TN_CASTING_NO, s->stream);
}

static tn_status note_reduction(tni_schedule *s, int n, const tn_array *array,
                                const tn_reduce_options *options) {
    const tni_node *node = &s->expression->nodes[n];
    tni_reduce_request request;
    bool is_single;
    if (!s->explanation && !s->cost) return TN_OK;
    TNI_TRY(tni_reduction_decide(&request, &is_single, (tn_reduction)node->op,
                                 (tn_dtype)array->dtype, options, NULL));
    return tni_note_fold(s, n, is_single, array, NULL);
}

/* The array that the group stores to; NULL: it makes one. */
static tn_array *find_target(const tni_schedule *s, int group) {
    const tn_expression *e = s->expression;
    for (int k = 0; k < e->operand_count && e->store_count; k++)
        if (s->last_store[k] >= 0 && s->stored_by[k] == group)
            return (tn_array *)(uintptr_t)s->operands[k].array;
    return NULL;
}

/* What enters a reduction does so where that is one pass. */
static tn_status run_reduction(tni_schedule *s, int group) {
    const int n = s->groups[group].alone;
    const tni_node *node = &s->expression->nodes[n];
    tni_fold_options options;
    tn_array *const to = find_target(s, group);
    tn_array *made = to, *whole = NULL;
    bool is_done = false, has_chain = s->groups[group].count > 0;
    tn_status status;
    s->has_begun |= to != NULL;
    tni_fold_set_options(&options, node);
    if (has_chain) TNI_TRY(tni_fold_reduce(&made, &is_done, s, group, &options.options));
    if (!is_done) {
        if (has_chain)
            TNI_TRY_OWNING(tni_call_folded(&whole, s, group));
        else
            TNI_TRY_OWNING(find_whole(&whole, s, node->from[0]));
        TNI_TRY_OWNING(note_reduction(s, n, whole, &options.options));
        TNI_TRY_OWNING(
            tn_reduce(&made, (tn_reduction)node->op, whole, &options.options, s->stream));
    }
    keep(&s->places[n], to ? tn_array_retain(to) : made);
    tni_note_result(s, made);
    status = made->dtype == node->dtype ? TN_OK
                                        : tni_fail(TN_ERROR_TYPE, "%s gives %s, not %s",
                                                   tn_reduction_name((tn_reduction)node->op),
                                                   tn_dtype_name((tn_dtype)made->dtype),
                                                   tn_dtype_name((tn_dtype)node->dtype));
cleanup:
    tn_array_release(whole);
    return status;
}

/* --- Running --- */

/* Gives back the memory of what no later group reads. */
static void drop_read(tni_schedule *s, int at) {
    for (int n = 0; n < s->expression->count; n++) {
        tni_place *place = &s->places[n];
        if (!place->is_owned || place->last > at) continue;
        tn_array_release(place->array);
        place->array = NULL;
        place->is_owned = false;
    }
}

/* What of a group is a program that its first call would wait for. */
static tn_status ask_for_group(tni_schedule *s, int group) {
    const tni_group *of = &s->groups[group];
    tni_fold_options options;
    tn_array *made = NULL;
    bool is_done = false;
    if (of->alone < 0) return tni_call_group(s, group);
    if (s->expression->nodes[of->alone].kind == TNI_NODE_STORE) return TN_OK;
    tni_fold_set_options(&options, &s->expression->nodes[of->alone]);
    if (of->count) TNI_TRY(tni_fold_reduce(&made, &is_done, s, group, &options.options));
    if (of->count && !is_done) { /* a pass of what it reads, and one that folds */
        tn_array *whole;
        TNI_TRY(tni_call_folded(&whole, s, group));
        tn_array_release(whole);
    }
    if (!is_done) TNI_TRY(tni_shapes_new_array(&made, s, of->alone));
    keep(&s->places[of->alone], made);
    return TN_OK;
}

static tn_status run_group(tni_schedule *s, int group) {
    const int alone = s->groups[group].alone;
    if (s->explanation) s->explanation->floor = s->groups[group].floor;
    if (alone < 0) {
        const int stored = s->groups[group].stores;
        if (stored >= 0)
            TNI_TRY(save_input(s, s->expression->nodes[stored].place, stored + 1, false));
        return tni_call_group(s, group);
    }
    if (s->groups[group].stores >= 0) return TN_OK; /* the group before it has written */
    if (s->expression->nodes[alone].kind == TNI_NODE_STORE) return store(s, alone, false);
    return run_reduction(s, group);
}

static tn_status ask_for_groups(tni_schedule *s) {
    for (int at = 0; at < s->order_count; at++) {
        TNI_TRY(ask_for_group(s, s->order[at]));
        TNI_TRY(tni_views_make(s));
        if (at > 0) drop_read(s, at);
    }
    return TN_OK;
}

/* The programs of a graph's groups are asked for when it is evaluated first, before one of them is
 * waited for: so they are compiled at the same time. */
static tn_status prepare(tni_schedule *s) {
    atomic_bool *is_prepared = &((tn_expression *)(uintptr_t)s->expression)->is_prepared;
    if (!tni_backend_of(s->stream)->elementwise->compiles_ahead || s->order_count < 2 ||
        atomic_load_explicit(is_prepared, memory_order_relaxed) ||
        atomic_exchange(is_prepared, true))
        return TN_OK;
    tni_asked asked = {true, 0, 0};
    tn_explanation *explanation = s->explanation;
    tn_explained_cost *cost = s->cost;
    const bool has_begun = s->has_begun;
    s->explanation = NULL;
    s->cost = NULL;
    s->asked = &asked;
    tn_status status = ask_for_groups(s);
    tni_place_forget(s);
    s->explanation = explanation;
    s->cost = cost;
    s->asked = NULL;
    s->has_begun = has_begun;
    return status;
}

static tn_status run_groups(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int at = 0; at < s->order_count; at++) {
        TNI_TRY(run_group(s, s->order[at]));
        TNI_TRY(tni_views_make(s));
        if (at > 0) drop_read(s, at);
    }
    for (int k = 0, left = e->store_count; k < e->operand_count && left; k++) {
        int n = s->last_store[k];
        if (n < 0 || s->stored_by[k] >= 0 || s->overlapping >> k & 1) continue;
        TNI_TRY(store(s, n, true));
    }
    return TN_OK;
}

/* An output; of an input's view that view. */
static tn_array *find_output(const tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    const bool is_memory = node->kind == TNI_NODE_INPUT || node->kind == TNI_NODE_STORE;
    return is_memory ? (tn_array *)(uintptr_t)s->operands[node->place].array : s->places[n].array;
}

/* The places of all nodes, and what is made of them, lie in `memory`. */
static void set_up(tni_schedule *s, const tn_expression *expression, char *memory) {
    const size_t count = (size_t)expression->count;
    memset(memory, 0, count * sizeof(tni_place));
    s->expression = expression;
    s->has_begun = false;
    s->cuts = tni_cuts_of(expression);
    s->places = (tni_place *)memory;
    s->groups = (tni_group *)(s->places + count);
    s->members = (int16_t *)(s->groups + 2 * count);
    s->order = s->members + 2 * count;
}

static void tear_down(tni_schedule *s) {
    for (int n = 0; n < s->expression->count; n++) {
        if (s->places[n].is_owned) tn_array_release(s->places[n].array);
        tn_array_release(s->places[n].shown);
    }
}

static tn_status evaluate(tn_array **outputs, tni_schedule *s);

static tn_status evaluate_copy(tn_array **outputs, tni_schedule *s, const tni_pushed *pushed) {
    const size_t bytes = (size_t)pushed->expression->count * TNI_SCHEDULE_BYTES;
    char *memory = tni_malloc(bytes);
    tni_schedule own;
    if (!memory) return tni_fail_no_memory((int64_t)bytes);
    set_up(&own, pushed->expression, memory);
    own.operands = pushed->operands;
    own.stream = s->stream;
    own.explanation = s->explanation;
    own.cost = s->cost;
    own.asked = s->asked;
    own.room = s->room;
    own.lacks_room = false;
    own.pushes = s->pushes + 1;
    for (int k = 0; k < pushed->count; k++)
        own.places[pushed->nodes[k]].shown = tn_array_retain(pushed->shown[k]);
    tn_status status = evaluate(outputs, &own);
    s->has_begun = own.has_begun;
    tear_down(&own);
    tni_free(memory);
    return status;
}

/* With views of what the steps of computed values read, where that is better. */
static __attribute__((noinline)) tn_status evaluate_pushed(bool *is_done, tn_array **outputs,
                                                           tni_schedule *s) {
    tni_pushed pushed;
    TNI_TRY(tni_pushed_open(&pushed, s));
    if (!pushed.expression) return TN_OK;
    tn_status status = evaluate_copy(outputs, s, &pushed);
    *is_done = status != TN_ERROR_NOT_IMPLEMENTED || s->has_begun; /* too many shapes, say */
    if (atomic_load(&pushed.expression->is_prepared))
        atomic_store(&((tn_expression *)(uintptr_t)s->expression)->is_prepared, true);
    tni_pushed_close(&pushed);
    return *is_done ? status : TN_OK;
}

static tn_status evaluate(tn_array **outputs, tni_schedule *s) {
    const tn_expression *e = s->expression;
    bool is_done = false;
    TNI_TRY(check_stores(s));
    TNI_TRY(tni_schedule_look(s));
    TNI_TRY(tni_note_begin(s->explanation, s));
    if (e->has_views && !e->store_count && !s->cuts && s->pushes < TNI_PUSHED_MOST) {
        TNI_TRY(evaluate_pushed(&is_done, outputs, s));
        if (is_done) return TN_OK;
    }
    if (e->has_reductions && !s->overlapping && !tni_cuts(s->cuts, TNI_CUT_ROWS, 0))
        TNI_TRY(tni_rows_evaluate(&is_done, s));
    if (!is_done) {
        TNI_TRY(tni_schedule_make(s));
        s->lacks_room = s->room && !tni_room_is_enough(s, *s->room);
        if (s->lacks_room)
            return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "no room for what is between passes");
        if (!s->asked) TNI_TRY(prepare(s));
        TNI_TRY(s->asked ? ask_for_groups(s) : run_groups(s));
    }
    if (s->asked) return TN_OK;
    tni_note_end(s->explanation);
    for (int k = 0; k < e->output_count; k++)
        outputs[k] = tn_array_retain(find_output(s, e->outputs[k]));
    return TN_OK;
}

/* The same with the operands that are views of others. */
static tn_status evaluate_views(tn_array **outputs, tni_schedule *s, const tn_operand *given) {
    tn_operand operands[TN_EXPRESSION_OPERANDS];
    tn_status status = tni_inputs_open(operands, s, given);
    if (!status) status = evaluate(outputs, s);
    tni_inputs_close(operands, s->expression);
    return status;
}

tn_status tni_expression_run(tn_array **outputs, const tn_expression *expression,
                             const tn_operand *operands, tn_stream *stream, tni_evaluation *how) {
    tni_schedule s;
    const size_t bytes = (size_t)expression->count * TNI_SCHEDULE_BYTES;
    _Alignas(8) char small[SMALL_NODES * TNI_SCHEDULE_BYTES];
    char *memory = expression->count <= SMALL_NODES ? small : tni_malloc(bytes);
    if (!memory) return tni_fail_no_memory((int64_t)bytes);
    set_up(&s, expression, memory);
    s.operands = operands;
    s.explanation = how->explanation;
    s.pushes = 0;
    s.cost = how->cost;
    s.asked = how->asked;
    s.room = how->room;
    s.lacks_room = false;
    tn_status status = check_operands(&s, operands, stream);
    if (!status && tni_few_is(&s))
        status = tni_few_evaluate(outputs, &s);
    else if (!status)
        status = expression->operand_count > expression->given_count
                     ? evaluate_views(outputs, &s, operands)
                     : evaluate(outputs, &s);
    how->has_begun = s.has_begun;
    how->lacks_room = s.lacks_room;
    tear_down(&s);
    if (memory != small) tni_free(memory);
    return status;
}

tn_status tn_expression_evaluate(tn_array **outputs, const tn_expression *expression,
                                 const tn_operand *operands, tn_stream *stream) {
    tni_evaluation how = {NULL, NULL, false, NULL, NULL, false};
    return tni_expression_run(outputs, expression, operands, stream, &how);
}
