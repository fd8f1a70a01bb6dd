/* Views are described once, and made of arrays by the functions of arrays.
 *
 * Of an input a view is an operand more, whose array each evaluation makes: so all that looks for
 * arrays that overlap sees it. Of what a node makes it is a node, which no group computes: what it
 * is a view of is in memory before it is read (regroup.c), and its array is made then. */
#include "kernel/expression/views.h"

#include "core/array/array.h"
#include "core/base/alloc.h"

#include <string.h>

/* --- Building --- */

static tn_status new_view(tni_view **result, int kind, int count, const tn_index *items) {
    size_t bytes = sizeof **result + (size_t)(count > 0 ? count : 0) * sizeof *items;
    tni_view *made = tni_calloc(1, bytes);
    if (!made) return tni_fail_no_memory((int64_t)bytes);
    made->kind = kind;
    made->count = count;
    for (int k = 0; k < count && items; k++)
        made->numbers[k] = items[k];
    *result = made;
    return TN_OK;
}

/* A node that shows a value; it takes the view over, also where it fails. */
static tn_status add_view(int *value, tn_expression *e, int from, tni_view *view) {
    const tni_node *shown = &e->nodes[from];
    const bool is_memory = shown->kind == TNI_NODE_INPUT || shown->kind == TNI_NODE_STORE;
    const bool is_part = view->kind == TNI_VIEW_REAL || view->kind == TNI_VIEW_IMAGINARY;
    const tn_dtype dtype = (tn_dtype)shown->dtype;
    tni_node node = tni_graph_begin(is_memory ? TNI_NODE_INPUT : TNI_NODE_VIEW,
                                    is_part ? tn_dtype_real(dtype) : dtype);
    node.from[0] = (int16_t)(is_memory ? e->operands[shown->place] : from);
    node.of.view = view;
    tn_status status;
    if (is_memory) {
        node.op = e->nodes[node.from[0]].op;
        status = tni_graph_add_operand(value, e, &node);
    } else {
        node.count = 1;
        status = tni_graph_add(value, e, &node);
    }
    if (status)
        tni_free(view);
    else
        e->has_views |= !is_memory;
    return status;
}

static tn_status check(const tn_expression *e, int from, int count) {
    TNI_TRY(tni_graph_check(e, from));
    if (tni_node_is_scalar(&e->nodes[from]))
        TNI_FAIL(TN_ERROR_VALUE, "a view of a scalar in an expression");
    if (count > TN_MAX_NDIM * 2)
        TNI_FAIL(TN_ERROR_VALUE, "a view of %d axes in an expression", count);
    return TN_OK;
}

/* Of numbers, as `start` of items; of none (NULL) all axes. */
static tn_status add_numbers(int *value, tn_expression *e, int from, int kind, int count,
                             const int *axes, const int64_t *sizes) {
    tni_view *view = NULL;
    TNI_TRY(check(e, from, count));
    TNI_TRY(new_view(&view, kind, axes || sizes ? count : -1, NULL));
    for (int k = 0; k < view->count; k++)
        view->numbers[k].start = axes ? axes[k] : sizes[k];
    return add_view(value, e, from, view);
}

tn_status tn_expression_slice(int *value, tn_expression *expression, int from, int count,
                              const tn_index *items) {
    tni_view *view = NULL;
    TNI_TRY(check(expression, from, count));
    TNI_TRY(new_view(&view, TNI_VIEW_SLICE, count, items));
    return add_view(value, expression, from, view);
}

tn_status tn_expression_transpose(int *value, tn_expression *expression, int from, int count,
                                  const int *axes) {
    return add_numbers(value, expression, from, TNI_VIEW_TRANSPOSE, count, axes, NULL);
}

tn_status tn_expression_squeeze(int *value, tn_expression *expression, int from, int count,
                                const int *axes) {
    return add_numbers(value, expression, from, TNI_VIEW_SQUEEZE, count, axes, NULL);
}

tn_status tn_expression_reshape(int *value, tn_expression *expression, int from, int ndim,
                                const int64_t *shape) {
    static const int64_t none[1];
    return add_numbers(value, expression, from, TNI_VIEW_RESHAPE, ndim, NULL, shape ? shape : none);
}

tn_status tn_expression_broadcast_to(int *value, tn_expression *expression, int from, int ndim,
                                     const int64_t *shape) {
    static const int64_t none[1];
    return add_numbers(value, expression, from, TNI_VIEW_BROADCAST, ndim, NULL,
                       shape ? shape : none);
}

tn_status tn_expression_part(int *value, tn_expression *expression, int from, bool imaginary) {
    TNI_TRY(check(expression, from, 0));
    const tn_dtype dtype = (tn_dtype)expression->nodes[from].dtype;
    if (imaginary && tn_dtype_real(dtype) == dtype)
        TNI_FAIL(TN_ERROR_TYPE, "the imaginary part of a %s array is not a view",
                 tn_dtype_name(dtype));
    return add_numbers(value, expression, from, imaginary ? TNI_VIEW_IMAGINARY : TNI_VIEW_REAL, 0,
                       NULL, NULL);
}

/* Numbers: the offset and how many axes the base has; then size and stride of each axis of the
 * base, then of the view. */
tn_status tni_view_lying(int *value, tn_expression *e, int from, const tn_array *base,
                         const tn_array *shown) {
    const tn_array *arrays[2] = {base, shown};
    tni_view *view = NULL;
    int at = 0;
    TNI_TRY(check(e, from, 0));
    TNI_TRY(new_view(&view, TNI_VIEW_LYING, 1 + base->ndim + shown->ndim, NULL));
    view->numbers[at++] = (tn_index){.start = shown->offset - base->offset, .stop = base->ndim};
    for (int k = 0; k < 2; k++)
        for (int axis = 0; axis < arrays[k]->ndim; axis++)
            view->numbers[at++] = (tn_index){.start = tni_shape(arrays[k])[axis],
                                             .stop = tni_strides(arrays[k])[axis]};
    return add_view(value, e, from, view);
}

/* --- Arrays --- */

static tn_status show_lying(tn_array **result, const tni_view *view, const tn_array *array) {
    const tn_index *of = &view->numbers[1], *own = of + view->numbers[0].stop;
    const int ndim = view->count - 1 - (int)view->numbers[0].stop;
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    bool is_same = array->ndim == view->numbers[0].stop;
    for (int axis = 0; axis < array->ndim && is_same; axis++)
        is_same = tni_shape(array)[axis] == of[axis].start &&
                  (of[axis].start == 1 || tni_strides(array)[axis] == of[axis].stop);
    if (!is_same)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "a view of a value that lies otherwise than was said");
    for (int axis = 0; axis < ndim; axis++) {
        shape[axis] = own[axis].start;
        strides[axis] = own[axis].stop;
    }
    return tni_array_make(result, array->buffer, array->offset + view->numbers[0].start,
                          (tn_dtype)array->dtype, ndim, shape, strides, true);
}

tn_status tni_view_show(tn_array **result, const tni_view *view, const tn_array *array) {
    const int count = view->count;
    int axes[TN_MAX_NDIM * 2];
    int64_t sizes[TN_MAX_NDIM * 2];
    if (view->kind == TNI_VIEW_LYING) return show_lying(result, view, array);
    for (int k = 0; k < count; k++) {
        sizes[k] = view->numbers[k].start;
        axes[k] = (int)view->numbers[k].start;
    }
    const int *named = count >= 0 ? axes : NULL;
    switch (view->kind) {
    case TNI_VIEW_SLICE: return tn_array_slice(result, array, count, view->numbers);
    case TNI_VIEW_TRANSPOSE: return tn_array_transpose(result, array, count, named);
    case TNI_VIEW_SQUEEZE: return tn_array_squeeze(result, array, count, named);
    case TNI_VIEW_BROADCAST: return tn_array_broadcast_to(result, array, count, sizes);
    case TNI_VIEW_RESHAPE:
        return tn_array_reshape(result, array, count, sizes, TN_ORDER_C, TN_COPY_NEVER, NULL);
    default: return tn_array_part(result, array, view->kind == TNI_VIEW_IMAGINARY);
    }
}

tn_status tni_views_make(tni_schedule *s) {
    const tn_expression *e = s->expression;
    for (int n = 0; n < e->count && e->has_views; n++) {
        tni_place *place = &s->places[n];
        if (e->nodes[n].kind != TNI_NODE_VIEW || !place->is_needed || place->array) continue;
        const tn_array *shown = s->places[e->nodes[n].from[0]].array;
        if (!shown) continue;
        TNI_TRY(tni_view_show(&place->array, e->nodes[n].of.view, shown));
        place->is_owned = true;
    }
    return TN_OK;
}
