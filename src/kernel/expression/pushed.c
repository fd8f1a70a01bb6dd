/* Algorithm: a value that views alone read is not made in memory where it is cheap: each view of it
 * becomes a copy of its steps over views of the arrays that they read. So `(x * 2 + 1)[1:]` reads
 * x[1:]. The graph is copied with these steps in the places of the views; what nothing reads any
 * more is not computed.
 *
 * Invariant: what is made of such a value lies as what is made of the view would (shapes.c has the
 * array that the view would be), so that bits and layouts are those of the view. A reduction that
 * reads a view itself folds that array, which is in memory then; and so are views of graphs that
 * store. */
#include "kernel/expression/pushed.h"

#include "core/array/view.h"
#include "core/base/alloc.h"
#include "kernel/expression/fold.h"
#include "kernel/expression/views.h"

#include <string.h>

enum { MOST_STEPS = 8, MOST_VIEWS = 16 /* of one value */ };

/* A value on its way. */
typedef struct pusher {
    const tni_schedule *s;
    tni_pushed *to;
    int16_t *map; /* the nodes of the graph as those of the copy */
    int added;    /* nodes that the copy has more */
    int root;     /* the value; its steps, and the views of it */
    int steps, views;
    bool is_host;
} pusher;

static const tni_node *node_of(const pusher *p, int n) {
    return &p->s->expression->nodes[n];
}

/* --- Which values --- */

static bool reads(const tni_node *node, int n) {
    for (int k = 0; k < node->count; k++)
        if (node->from[k] == n) return true;
    return false;
}

static bool permutes_or_slices(const tni_view *view) {
    return view->kind == TNI_VIEW_SLICE || view->kind == TNI_VIEW_TRANSPOSE ||
           view->kind == TNI_VIEW_SQUEEZE;
}

/* Whether all that reads a value are views that are read by steps, or shown by such views. */
static bool are_readers_fine(pusher *p, int n) {
    const tn_expression *e = p->s->expression;
    if (p->s->places[n].is_output) return false;
    for (int reader = n + 1; reader < e->count; reader++) {
        const tni_node *node = &e->nodes[reader];
        if (!p->s->places[reader].is_needed || !reads(node, n)) continue;
        if (n != p->root && tni_node_is_computed(node)) continue;
        if (node->kind != TNI_NODE_VIEW || !permutes_or_slices(node->of.view) ||
            ++p->views > MOST_VIEWS || !are_readers_fine(p, reader))
            return false;
    }
    return true;
}

/* Whether steps read a view itself. */
static bool is_read(const pusher *p, int view) {
    const tn_expression *e = p->s->expression;
    for (int n = view + 1; n < e->count; n++)
        if (p->s->places[n].is_needed && tni_node_is_computed(&e->nodes[n]) &&
            reads(&e->nodes[n], view))
            return true;
    return false;
}

/* Whether a value is made of arrays that are given, or of scalars, by few cheap steps. */
static bool is_made_cheaply(pusher *p, int n) {
    const tni_node *node = node_of(p, n);
    if (node->kind == TNI_NODE_INPUT || node->kind == TNI_NODE_SCALAR) return true;
    if ((node->kind != TNI_NODE_OPERATION && node->kind != TNI_NODE_CAST) ||
        (node->kind == TNI_NODE_OPERATION && tn_op_outputs((tn_op)node->op) > 1) ||
        node->of.computed.like || (p->is_host && !tni_fold_is_cheap(node)) ||
        ++p->steps > MOST_STEPS)
        return false;
    for (int k = 0; k < node->count; k++)
        if (!is_made_cheaply(p, node->from[k])) return false;
    return true;
}

/* On the host a pass over what the caches hold costs less than another graph. */
static bool is_pushed(pusher *p, int view) {
    enum { FEW = 8192 };
    const int root = tni_place_maker(p->s, view);
    p->root = root;
    p->steps = p->views = 0;
    return p->s->places[view].is_needed && tni_node_is_computed(node_of(p, root)) &&
           !(p->is_host && tni_place_size(p->s, root) < FEW) && is_made_cheaply(p, root) &&
           are_readers_fine(p, root) && is_read(p, view) &&
           p->added + p->steps * (1 + TNI_EXPRESSION_FROM) < TNI_PUSHED_NODES;
}

/* --- The copy --- */

/* What a view of the value, or of a view of it, shows of an array instead. */
static tn_status show(tn_array **shown, const pusher *p, int view, const tn_array *whole) {
    const int from = node_of(p, view)->from[0];
    tn_array *inner;
    if (from == p->root) return tni_view_show(shown, node_of(p, view)->of.view, whole);
    TNI_TRY(show(&inner, p, from, whole));
    tn_status status = tni_view_show(shown, node_of(p, view)->of.view, inner);
    tn_array_release(inner);
    return status;
}

/* The view of an array that was broadcast to the value's shape, as an operand. */
static tn_status add_array(int *made, pusher *p, int input, int view) {
    tn_expression *e = p->to->expression;
    const tni_shape_entry *shape = &p->s->shapes[p->s->places[p->root].shape];
    tni_node node = tni_graph_begin(TNI_NODE_INPUT, (tn_dtype)node_of(p, input)->dtype);
    tn_array *whole, *shown;
    const tn_array *array = p->s->operands[node_of(p, input)->place].array;
    TNI_TRY(tn_array_broadcast_to(&whole, array, shape->ndim, shape->shape));
    tn_status status = show(&shown, p, view, whole);
    tn_array_release(whole);
    if (status) return status;
    node.op = -1;
    const int at = e->operand_count;
    status = tni_graph_add_operand(made, e, &node);
    if (status) {
        tn_array_release(shown);
        return status;
    }
    p->to->operands[at].array = shown;
    p->to->made_count++;
    return TN_OK;
}

static tn_status copy_node(int *made, pusher *p, int n) {
    tni_node node = *node_of(p, n);
    for (int k = 0; k < node.count || (k == 0 && node.kind == TNI_NODE_SCALAR); k++)
        node.from[k] = p->map[node.from[k]];
    if (tni_node_is_computed(&node) && node.of.computed.like)
        node.of.computed.like = p->map[node.of.computed.like];
    TNI_TRY(tni_graph_add(made, p->to->expression, &node));
    if (node.kind == TNI_NODE_INPUT || node.kind == TNI_NODE_PARAMETER)
        p->to->expression->operands[node.place] = (int16_t)*made;
    return TN_OK;
}

/* The steps of a value over what a view shows of their operands. */
static tn_status copy_steps(int *made, pusher *p, int n, int view) {
    tni_node node = *node_of(p, n);
    if (node.kind == TNI_NODE_SCALAR) {
        *made = p->map[n];
        return TN_OK;
    }
    if (node.kind == TNI_NODE_INPUT) return add_array(made, p, n, view);
    for (int k = 0; k < node.count; k++) {
        int from;
        TNI_TRY(copy_steps(&from, p, node.from[k], view));
        node.from[k] = (int16_t)from;
        for (int j = k + 1; j < node.count && node_of(p, n)->from[j] == node_of(p, n)->from[k]; j++)
            node.from[++k] = (int16_t)from; /* x * x */
    }
    return tni_graph_add(made, p->to->expression, &node);
}

static tn_status copy(pusher *p) {
    const tn_expression *e = p->s->expression;
    tni_pushed *to = p->to;
    for (int n = 0; n < e->count; n++) {
        int made;
        const int before = to->expression->count;
        const bool is_view = e->nodes[n].kind == TNI_NODE_VIEW;
        if (is_view && to->count < TNI_PUSHED_NODES && is_pushed(p, n)) {
            TNI_TRY(copy_steps(&made, p, p->root, n));
            p->added += made - before;
            to->nodes[to->count] = (int16_t)made;
            to->shown[to->count++] = tn_array_retain(p->s->places[n].shown);
        } else {
            TNI_TRY(copy_node(&made, p, n));
        }
        p->map[n] = (int16_t)made;
    }
    for (int k = 0; k < e->output_count; k++)
        to->expression->outputs[k] = p->map[e->outputs[k]];
    return TN_OK;
}

static bool has_some(pusher *p) {
    for (int n = 0; n < p->s->expression->count; n++)
        if (node_of(p, n)->kind == TNI_NODE_VIEW && is_pushed(p, n)) return true;
    return false;
}

tn_status tni_pushed_open(tni_pushed *pushed, const tni_schedule *s) {
    const tn_expression *e = s->expression;
    pusher p = {.s = s, .to = pushed};
    const size_t bytes = (size_t)e->count * sizeof *p.map;
    pushed->expression = NULL;
    pushed->made_count = pushed->count = 0;
    p.is_host = tn_stream_device(s->stream).backend == TN_BACKEND_HOST;
    if (!has_some(&p)) return TN_OK;
    p.map = tni_malloc(bytes);
    if (!p.map) return tni_fail_no_memory((int64_t)bytes);
    tn_status status = tn_expression_new(&pushed->expression);
    if (!status) {
        tn_expression *made = pushed->expression;
        memcpy(pushed->operands, s->operands, sizeof *s->operands * (size_t)e->operand_count);
        made->operand_count = e->operand_count;
        made->given_count = e->given_count;
        made->output_count = e->output_count;
        made->has_reductions = e->has_reductions;
        made->has_views = true;
        atomic_init(&made->is_prepared, atomic_load(&((tn_expression *)(uintptr_t)e)->is_prepared));
        status = copy(&p);
    }
    tni_free(p.map);
    if (status || !pushed->count) tni_pushed_close(pushed);
    return status == TN_ERROR_NOT_IMPLEMENTED ? TN_OK : status; /* too many operands or nodes */
}

void tni_pushed_close(tni_pushed *pushed) {
    tn_expression *made = pushed->expression;
    if (!made) return;
    for (int k = 0; k < pushed->made_count; k++)
        tn_array_release(
            (tn_array *)(uintptr_t)pushed->operands[made->operand_count - 1 - k].array);
    for (int k = 0; k < pushed->count; k++)
        tn_array_release(pushed->shown[k]);
    for (int n = 0; n < made->count; n++) /* views belong to the graph that was copied */
        if (made->nodes[n].kind == TNI_NODE_VIEW || tni_node_is_derived(&made->nodes[n]))
            made->nodes[n].of.view = NULL;
    tn_expression_release(made);
    pushed->expression = NULL;
}
