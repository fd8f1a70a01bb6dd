/* The shape of each value, and how its array would lie if each node ran by itself.
 *
 * The latter is what an element-wise call makes of its operands: C or F where all that are not
 * broadcast lie so, else order K; of a copy the order of its strides, in which an axis that is
 * broadcast is the fastest. Folds follow it, so that it is known for arrays that are never made,
 * too. */
#include "kernel/expression/shapes.h"

#include "core/array/layout.h"
#include "core/array/shape.h"
#include "core/array/view.h"
#include "kernel/expression/views.h"

#include <string.h>

/* --- Shapes --- */

static tn_status find_shape(int8_t *result, tni_schedule *s, int ndim, const int64_t *shape) {
    size_t bytes = (size_t)ndim * sizeof *shape;
    for (int k = 0; k < s->shape_count; k++)
        if (s->shapes[k].ndim == ndim && !memcmp(s->shapes[k].shape, shape, bytes)) {
            *result = (int8_t)k;
            return TN_OK;
        }
    if (s->shape_count == TNI_SHAPES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "an expression over more than %d shapes", TNI_SHAPES);
    s->shapes[s->shape_count].ndim = ndim;
    memcpy(s->shapes[s->shape_count].shape, shape, bytes);
    *result = (int8_t)s->shape_count++;
    return TN_OK;
}

static tn_status broadcast(int8_t *result, tni_schedule *s, int a, int b) {
    int ndim, ndims[2] = {s->shapes[a].ndim, s->shapes[b].ndim};
    const int64_t *shapes[2] = {s->shapes[a].shape, s->shapes[b].shape};
    int64_t shape[TN_MAX_NDIM];
    TNI_TRY(tn_shape_broadcast(&ndim, shape, 2, ndims, shapes));
    return find_shape(result, s, ndim, shape);
}

static tn_status shape_of_operation(int8_t *result, tni_schedule *s, const tni_node *node) {
    int8_t shape = -1;
    for (int k = 0; k < node->count; k++) {
        int8_t other = s->places[node->from[k]].shape;
        if (other < 0 || other == shape) continue;
        if (shape < 0)
            shape = other;
        else
            TNI_TRY(broadcast(&shape, s, shape, other));
    }
    *result = shape;
    return TN_OK;
}

static tn_status shape_of_reduction(int8_t *result, tni_schedule *s, const tni_node *node) {
    const tni_shape_entry *from = &s->shapes[s->places[node->from[0]].shape];
    const tni_node_reduction *r = &node->of.reduction;
    uint64_t reduced = ~UINT64_C(0);
    int64_t shape[TN_MAX_NDIM];
    int ndim = 0, axes[TN_EXPRESSION_AXES];
    for (int k = 0; k < r->axis_count; k++)
        axes[k] = r->axes[k];
    if (r->axis_count != TN_AXES_ALL && from->ndim > 0)
        TNI_TRY(tni_axes_check(&reduced, r->axis_count, axes, from->ndim));
    for (int axis = 0; axis < from->ndim; axis++) {
        bool is_kept = !(reduced >> axis & 1);
        if (is_kept || r->keepdims) shape[ndim++] = is_kept ? from->shape[axis] : 1;
    }
    return find_shape(result, s, ndim, shape);
}

/* What is stored has the array's shape, or broadcasts to it. */
static tn_status shape_of_store(int8_t *result, tni_schedule *s, const tni_node *node) {
    int from = s->places[node->from[0]].shape;
    const tn_array *to = s->operands[node->place].array;
    int8_t shape, both;
    TNI_TRY(find_shape(&shape, s, to->ndim, tni_shape(to)));
    *result = shape;
    if (from < 0 || from == shape) return TN_OK;
    TNI_TRY(broadcast(&both, s, from, shape));
    if (both == shape) return TN_OK;
    char a[TNI_SHAPE_TEXT], b[TNI_SHAPE_TEXT];
    return tni_fail(TN_ERROR_VALUE, "could not broadcast input array from shape %s into shape %s",
                    tni_shape_text(a, s->shapes[from].ndim, s->shapes[from].shape),
                    tni_shape_text(b, to->ndim, tni_shape(to)));
}

/* What takes the place of a value has its shape. */
static tn_status check_match(const tni_schedule *s, int shape, int like) {
    char text[2][TNI_SHAPE_TEXT];
    const int shapes[2] = {shape, s->places[like].shape};
    if (shapes[0] == shapes[1]) return TN_OK;
    for (int k = 0; k < 2; k++)
        if (shapes[k] < 0)
            tni_shape_text(text[k], 0, NULL);
        else
            tni_shape_text(text[k], s->shapes[shapes[k]].ndim, s->shapes[shapes[k]].shape);
    return tni_fail(TN_ERROR_VALUE, "shapes %s and %s of an expression differ", text[0], text[1]);
}

/* Scalars are tried out, so that none fails when something is written already. */
static tn_status check_scalar(const tni_schedule *s, const tni_node *node) {
    unsigned char value[16];
    const tni_node *from = &s->expression->nodes[node->from[0]];
    if (from->kind == TNI_NODE_CONSTANT) return TN_OK;
    return tni_node_convert(value, s->operands[from->place].scalar, node);
}

static void make_strides(int64_t *strides, const tni_schedule *s, int n);

/* The array that a node makes, in memory of another: only how it lies is looked at. */
static tn_status make_lying(tn_array **result, const tni_schedule *s, int n) {
    const tn_expression *e = s->expression;
    const tni_shape_entry *shape = &s->shapes[s->places[n].shape];
    int64_t strides[TN_MAX_NDIM];
    int k = 0;
    while (!s->operands[k].array)
        k++; /* there is an array: nothing is made of scalars alone */
    make_strides(strides, s, n);
    return tni_array_make(result, s->operands[k].array->buffer, 0, (tn_dtype)e->nodes[n].dtype,
                          shape->ndim, shape->shape, strides, true);
}

static tn_status shape_of_view(int8_t *result, tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    tn_array *of = s->places[node->from[0]].shown, *made = of;
    if (!of) TNI_TRY(make_lying(&made, s, node->from[0]));
    tn_status status = tni_view_show(&s->places[n].shown, node->of.view, made);
    if (!of) tn_array_release(made);
    if (status) return status;
    made = s->places[n].shown;
    return find_shape(result, s, made->ndim, tni_shape(made));
}

static tn_status shape_of(int8_t *result, tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    const tn_array *array;
    *result = -1;
    switch (node->kind) {
    case TNI_NODE_INPUT:
        array = s->operands[node->place].array;
        return find_shape(result, s, array->ndim, tni_shape(array));
    case TNI_NODE_OPERATION:
    case TNI_NODE_SECOND:
    case TNI_NODE_CAST:
        TNI_TRY(shape_of_operation(result, s, node));
        return node->of.computed.like ? check_match(s, *result, node->of.computed.like) : TN_OK;
    case TNI_NODE_REDUCTION: return shape_of_reduction(result, s, node);
    case TNI_NODE_STORE: return shape_of_store(result, s, node);
    case TNI_NODE_VIEW: return shape_of_view(result, s, n);
    case TNI_NODE_SCALAR: return check_scalar(s, node);
    default: return TN_OK;
    }
}

/* --- How arrays lie --- */

/* Whether the elements follow each other in order C, or F. */
static bool is_dense(const tni_shape_entry *shape, const int64_t *strides, int64_t size, bool f) {
    for (int k = 0; k < shape->ndim; k++) {
        int axis = f ? k : shape->ndim - 1 - k;
        if (shape->shape[axis] == 1) continue;
        if (strides[axis] != size) return false;
        size *= shape->shape[axis];
    }
    return true;
}

/* The axis that is number k, slowest first. */
static int axis_at(const tni_schedule *s, const tni_place *place, int ndim, int k) {
    if (place->lies < TNI_LIES_OTHERWISE) return place->lies == TNI_LIES_C ? k : ndim - 1 - k;
    return s->orders[place->lies - TNI_LIES_OTHERWISE][k];
}

static void make_strides(int64_t *strides, const tni_schedule *s, int n) {
    const tni_place *place = &s->places[n];
    const tni_shape_entry *shape = &s->shapes[place->shape];
    int64_t stride = tni_dtype_size(s->expression->nodes[n].dtype);
    for (int k = shape->ndim - 1; k >= 0; k--) {
        int axis = axis_at(s, place, shape->ndim, k);
        strides[axis] = stride;
        if (shape->shape[axis] > 1) stride *= shape->shape[axis];
    }
}

/* The array that an operand is, or would be: its strides, and which orders it has. */
static uint8_t find_strides(int64_t *strides, const tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    const tni_shape_entry *shape = &s->shapes[s->places[n].shape];
    const tn_array *array = s->places[n].shown;
    if (node->kind == TNI_NODE_CAST && !node->of.computed.is_copy)
        return find_strides(strides, s, node->from[0]);
    if (node->kind == TNI_NODE_INPUT || node->kind == TNI_NODE_STORE || array) {
        if (!array) array = s->operands[node->place].array;
        memcpy(strides, tni_strides(array), sizeof *strides * (size_t)shape->ndim);
        return array->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS);
    }
    const int64_t size = tni_dtype_size(node->dtype);
    make_strides(strides, s, n);
    return (uint8_t)((is_dense(shape, strides, size, false) ? TNI_C_CONTIGUOUS : 0) |
                     (is_dense(shape, strides, size, true) ? TNI_F_CONTIGUOUS : 0));
}

/* Strides as they are over more axes and a larger shape. */
static void spread(int64_t *strides, const tni_shape_entry *own, int ndim) {
    const int more = ndim - own->ndim;
    for (int axis = ndim - 1; axis >= 0; axis--)
        strides[axis] = axis < more || own->shape[axis - more] == 1 ? 0 : strides[axis - more];
}

static tn_status find_order(int8_t *lies, tni_schedule *s, int n, int count,
                            const int64_t *const *strides) {
    const tni_node *node = &s->expression->nodes[n];
    const int ndim = s->shapes[s->places[n].shape].ndim;
    int axes[TN_MAX_NDIM];
    int8_t order[TN_MAX_NDIM];
    if (node->kind == TNI_NODE_CAST && node->of.computed.is_copy)
        tni_layout_order_like(axes, ndim, strides[0]);
    else
        tni_layout_order(axes, ndim, count, strides);
    for (int axis = 0; axis < ndim; axis++)
        order[axis] = (int8_t)axes[axis];
    for (int k = 0; k < s->lies_count; k++)
        if (!memcmp(s->orders[k], order, (size_t)ndim)) {
            *lies = (int8_t)(TNI_LIES_OTHERWISE + k);
            return TN_OK;
        }
    if (s->lies_count == TNI_ORDERS)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "an expression of arrays in more than %d orders of axes",
                 TNI_ORDERS);
    memcpy(s->orders[s->lies_count], order, (size_t)ndim);
    *lies = (int8_t)(TNI_LIES_OTHERWISE + s->lies_count++);
    return TN_OK;
}

/* What core/elementwise/elementwise.c chooses for an output. */
static tn_status find_lies(int8_t *lies, tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    const int ndim = s->shapes[s->places[n].shape].ndim;
    int64_t strides[TNI_EXPRESSION_FROM][TN_MAX_NDIM];
    const int64_t *known[TNI_EXPRESSION_FROM];
    uint8_t common = TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS;
    int count = 0;
    *lies = TNI_LIES_C;
    if (ndim < 2) return TN_OK;
    for (int k = 0; k < node->count; k++) {
        const tni_place *from = &s->places[node->from[k]];
        if (from->shape < 0) continue;
        const tni_shape_entry *own = &s->shapes[from->shape];
        uint8_t has = find_strides(strides[count], s, node->from[k]);
        if (own->ndim == ndim)
            common &= has;
        else if (own->ndim)
            common &= TNI_C_CONTIGUOUS;
        spread(strides[count], own, ndim);
        known[count] = strides[count];
        count++;
    }
    if (common & TNI_C_CONTIGUOUS) return TN_OK;
    if (!common) return find_order(lies, s, n, count, known);
    *lies = TNI_LIES_F;
    return TN_OK;
}

tn_status tni_shapes_find(tni_schedule *s, int n) {
    const tni_node *node = &s->expression->nodes[n];
    tni_place *place = &s->places[n];
    TNI_TRY(shape_of(&place->shape, s, n));
    if (!tni_node_is_computed(node)) return TN_OK;
    if (node->kind == TNI_NODE_SECOND)
        place->lies = s->places[node->from[0]].lies;
    else if (node->of.computed.like)
        place->lies = s->places[node->of.computed.like].lies;
    else
        return find_lies(&place->lies, s, n);
    return TN_OK;
}

tn_status tni_shapes_new_array(tn_array **result, const tni_schedule *s, int n) {
    const tni_place *place = &s->places[n];
    const tni_shape_entry *shape = &s->shapes[place->shape];
    const tn_dtype dtype = (tn_dtype)s->expression->nodes[n].dtype;
    if (place->lies < TNI_LIES_OTHERWISE)
        return tn_array_new(result, dtype, shape->ndim, shape->shape,
                            place->lies == TNI_LIES_F ? TN_ORDER_F : TN_ORDER_C, s->stream);
    int axes[TN_MAX_NDIM];
    tni_shapes_axes(axes, s, n);
    return tni_array_new_ordered(result, dtype, shape->ndim, shape->shape, axes, s->stream);
}

void tni_shapes_axes(int *axes, const tni_schedule *s, int n) {
    const tni_place *place = &s->places[n];
    const int ndim = s->shapes[place->shape].ndim;
    for (int k = 0; k < ndim; k++)
        axes[k] = axis_at(s, place, ndim, k);
}

bool tni_shapes_lies_as(const tni_schedule *s, int n, const tn_array *array) {
    int8_t lies = s->places[n].lies;
    uint8_t wanted = lies == TNI_LIES_C ? TNI_C_CONTIGUOUS : TNI_F_CONTIGUOUS;
    return lies < TNI_LIES_OTHERWISE && array->flags & wanted && array->flags & TNI_ALIGNED;
}

bool tni_shapes_begins_as_made(const tni_schedule *s, const tn_array *array) {
    return tn_stream_device(s->stream).backend == TN_BACKEND_HOST ||
           ((uintptr_t)array->buffer->data + (uintptr_t)array->offset) % 16 == 0;
}
