/* Indexing by several arrays: array[i0, :, i1] and its likes.
 *
 * The indexed axes become one, whose stride is the greatest common divisor of theirs: element (i0, i1)
 * lies at place i0 * (s0 / g) + i1 * (s1 / g) of it. So one take or put along this axis serves, with an
 * array of places made of the index arrays by element-wise operations, and no element is moved twice.
 * Places that no tuple of indices names are never touched.
 *
 * Invariant: a place out of bounds is the size of the axis, so that the take or put refuses it. Every index
 * array is looked at first, at once or in the stream's order: so the message names index and axis. */
#include "backend/backend.h"
#include "core/index.h"
#include "core/operands.h"
#include "core/stream.h"

#include <stdlib.h>
#include <string.h>
#include <tenorite/index.h>
#include <tenorite/reduce.h>

typedef struct gather {
    const tn_array *array;
    int count;
    const int *axes, *shown;
    const tn_array *const *indices;
    tn_stream *stream;
    int ndim; /* of the indices together */
    int64_t shape[TN_MAX_NDIM];
    bool is_empty;
    tn_array *places, *outside;
} gather;

/* --- Element-wise steps on arrays of i64; each result takes the place of *a --- */

static tn_status apply(tn_array **a, tn_op op, tn_operand b, tn_stream *stream) {
    tn_operand inputs[2] = {tn_operand_array(*a), b};
    tn_array *made = NULL;
    TNI_TRY(tn_elementwise(&made, op, inputs, NULL, stream));
    tn_array_release(*a);
    *a = made;
    return TN_OK;
}

static tn_status apply_int(tn_array **a, tn_op op, int64_t b, tn_stream *stream) {
    return apply(a, op, tn_operand_scalar(tn_scalar_weak_int(b)), stream);
}

static tn_status compare(tn_array **result, tn_op op, const tn_array *a, int64_t b,
                         tn_stream *stream) {
    tn_operand inputs[2] = {tn_operand_array(a), tn_operand_scalar(tn_scalar_weak_int(b))};
    *result = NULL;
    return tn_elementwise(result, op, inputs, NULL, stream);
}

/* --- Looking --- */

static tn_status extreme(int64_t *value, tn_reduction reduction, const tn_array *index,
                         tn_stream *stream) {
    tn_array *found = NULL;
    tn_scalar scalar;
    TNI_TRY(tn_reduce(&found, reduction, index, NULL, stream));
    tn_status status = tn_array_item(&scalar, found, stream);
    tn_array_release(found);
    TNI_TRY(status);
    return tn_scalar_convert(value, scalar, TN_I64);
}

static tn_status look(bool *has_negative, const gather *g, const tn_array *index, int k) {
    int64_t least, most, size = tni_shape(g->array)[g->axes[k]];
    TNI_TRY(extreme(&least, TN_REDUCE_MIN, index, g->stream));
    TNI_TRY(extreme(&most, TN_REDUCE_MAX, index, g->stream));
    if (least < -size || most >= size)
        TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                 (long long)(least < -size ? least : most), g->shown[k], (long long)size);
    *has_negative = least < 0;
    return TN_OK;
}

/* The same in the stream's order. The take or put fails, too, but of two failures the first is told. */
static tn_status look_later(const gather *g, const tn_array *index, int k) {
    const tni_backend *backend = tni_backend_of(g->stream);
    tni_look call = {.axis = g->shown[k], .axis_size = tni_shape(g->array)[g->axes[k]]};
    tni_operands operands;
    void *address;
    tn_status status;
    if (!backend->look) TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "look on %s", backend->name);
    tni_operands_init(&operands, g->stream);
    TNI_TRY_OWNING(tni_operand_open(&address, &index, TNI_READ, &operands));
    call.indices = address;
    call.ndim = index->ndim;
    memcpy(call.shape, tni_shape(index), (size_t)index->ndim * sizeof call.shape[0]);
    memcpy(call.strides, tni_strides(index), (size_t)index->ndim * sizeof call.strides[0]);
    status = backend->look(&call, g->stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* --- Places --- */

/* Adds where `index` is beyond [-size, size) to g->outside. */
static tn_status note_outside(gather *g, const tn_array *index, int64_t size) {
    tn_array *below = NULL, *above = NULL;
    tn_status status;
    TNI_TRY_OWNING(compare(&below, TN_OP_LESS, index, -size, g->stream));
    TNI_TRY_OWNING(compare(&above, TN_OP_GREATER_EQUAL, index, size, g->stream));
    TNI_TRY_OWNING(apply(&above, TN_OP_LOGICAL_OR, tn_operand_array(below), g->stream));
    if (g->outside)
        TNI_TRY_OWNING(apply(&g->outside, TN_OP_LOGICAL_OR, tn_operand_array(above), g->stream));
    else
        g->outside = tn_array_retain(above);
cleanup:
    tn_array_release(below);
    tn_array_release(above);
    return status;
}

/* Negative indices count from the end. */
static tn_status wrap(tn_array **index, int64_t size, tn_stream *stream) {
    tn_array *added = NULL;
    tn_status status;
    TNI_TRY_OWNING(compare(&added, TN_OP_LESS, *index, 0, stream));
    TNI_TRY_OWNING(apply_int(&added, TN_OP_MULTIPLY, size, stream));
    TNI_TRY_OWNING(apply(index, TN_OP_ADD, tn_operand_array(added), stream));
cleanup:
    tn_array_release(added);
    return status;
}

/* Adds the k-th indices, in steps of the joint axis, to g->places. */
static tn_status add_places(gather *g, int k, int64_t divisor) {
    int64_t size = tni_shape(g->array)[g->axes[k]], stride = tni_strides(g->array)[g->axes[k]];
    bool has_negative = true;
    tn_array *index = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_array_astype(&index, g->indices[k], TN_I64, TN_ORDER_C, TN_CASTING_UNSAFE,
                                   TN_COPY_IF_NEEDED, g->stream));
    if (g->stream->is_immediate) {
        TNI_TRY_OWNING(look(&has_negative, g, index, k));
    } else {
        TNI_TRY_OWNING(look_later(g, index, k));
        TNI_TRY_OWNING(note_outside(g, index, size));
    }
    if (has_negative) TNI_TRY_OWNING(wrap(&index, size, g->stream));
    if (stride < 0) { /* the joint axis goes upwards */
        TNI_TRY_OWNING(apply_int(&index, TN_OP_MULTIPLY, -1, g->stream));
        TNI_TRY_OWNING(apply_int(&index, TN_OP_ADD, size - 1, g->stream));
    }
    int64_t step = llabs(stride) / divisor;
    if (step != 1) TNI_TRY_OWNING(apply_int(&index, TN_OP_MULTIPLY, step, g->stream));
    if (g->places)
        TNI_TRY_OWNING(apply(&g->places, TN_OP_ADD, tn_operand_array(index), g->stream));
    else
        g->places = tn_array_retain(index);
cleanup:
    tn_array_release(index);
    return status;
}

static tn_status mark_outside(gather *g, int64_t size) {
    if (!g->outside) return TN_OK;
    tn_operand inputs[3] = {tn_operand_array(g->outside),
                            tn_operand_scalar(tn_scalar_weak_int(size)),
                            tn_operand_array(g->places)};
    tn_array *made = NULL;
    TNI_TRY(tn_elementwise(&made, TN_OP_WHERE, inputs, NULL, g->stream));
    tn_array_release(g->places);
    g->places = made;
    return TN_OK;
}

/* --- The view --- */

static tn_status fail_shapes(const gather *g) {
    char text[TNI_SHAPE_TEXT], all[512];
    size_t used = 0;
    all[0] = '\0';
    for (int k = 0; k < g->count && used + TNI_SHAPE_TEXT + 2 < sizeof all; k++) {
        tni_shape_text(text, g->indices[k]->ndim, tni_shape(g->indices[k]));
        memcpy(all + used, text, strlen(text));
        used += strlen(text);
        all[used++] = ' ';
        all[used] = '\0';
    }
    TNI_FAIL(TN_ERROR_INDEX,
             "shape mismatch: indexing arrays could not be broadcast together with shapes %s", all);
}

static tn_status common_shape(gather *g) {
    int ndims[TN_MAX_NDIM];
    const int64_t *shapes[TN_MAX_NDIM];
    for (int k = 0; k < g->count; k++) {
        tn_kind kind = tn_dtype_kind(g->indices[k]->dtype);
        if (kind != TN_KIND_SIGNED && kind != TN_KIND_UNSIGNED)
            TNI_FAIL(TN_ERROR_INDEX, "arrays used as indices must be of integer (or boolean) type");
        ndims[k] = g->indices[k]->ndim;
        shapes[k] = tni_shape(g->indices[k]);
    }
    if (tn_shape_broadcast(&g->ndim, g->shape, g->count, ndims, shapes)) return fail_shapes(g);
    g->is_empty = false;
    for (int axis = 0; axis < g->ndim; axis++)
        g->is_empty |= g->shape[axis] == 0;
    return TN_OK;
}

static int64_t common_divisor(const gather *g) {
    int64_t divisor = 0;
    for (int k = 0; k < g->count; k++) {
        int64_t a = divisor, b = llabs(tni_strides(g->array)[g->axes[k]]);
        while (b) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        divisor = a;
    }
    return divisor ? divisor : 1;
}

/* The array with the joint axis at `place` among the axes that are left. */
static tn_status joint_view(tn_array **view, int64_t *size, const gather *g, int64_t divisor,
                            int place) {
    const int64_t *old_shape = tni_shape(g->array), *old_strides = tni_strides(g->array);
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM], offset = g->array->offset;
    int ndim = 0;
    *size = 1;
    for (int k = 0; k < g->count; k++) {
        int64_t count = old_shape[g->axes[k]], stride = old_strides[g->axes[k]];
        if (count == 0) *size = 0;
        if (*size > 0) *size += (count - 1) * (llabs(stride) / divisor);
        if (stride < 0 && count > 0) offset += (count - 1) * stride;
    }
    for (int axis = 0, k = 0; axis <= g->array->ndim; axis++) {
        if (ndim == place) {
            shape[ndim] = *size;
            strides[ndim++] = divisor;
        }
        if (axis == g->array->ndim) break;
        if (k < g->count && g->axes[k] == axis) {
            k++;
            continue;
        }
        shape[ndim] = old_shape[axis];
        strides[ndim++] = old_strides[axis];
    }
    return tni_array_make(view, g->array->buffer, offset, g->array->dtype, ndim, shape, strides,
                          g->array->flags & TNI_WRITEABLE);
}

static tn_status check_axes(const gather *g, int place) {
    for (int k = 0; k < g->count; k++)
        if (g->axes[k] < 0 || g->axes[k] >= g->array->ndim || (k && g->axes[k] <= g->axes[k - 1]))
            TNI_FAIL(TN_ERROR_AXIS, "axes of indices must ascend and lie within the array's %d",
                     g->array->ndim);
    if (g->count < 1 || place < 0 || place > g->array->ndim - g->count)
        TNI_FAIL(TN_ERROR_VALUE,
                 "place %d for the axes of %d indices into an array of %d dimensions", place,
                 g->count, g->array->ndim);
    return TN_OK;
}

/* Makes g->places and the view that they index at axis `place`. */
static tn_status prepare(tn_array **view, gather *g, int place) {
    int64_t divisor = common_divisor(g), size;
    TNI_TRY(common_shape(g));
    if (g->is_empty) {
        TNI_TRY(tn_array_new(&g->places, TN_I64, g->ndim, g->shape, TN_ORDER_C, g->stream));
        return joint_view(view, &size, g, divisor, place);
    }
    for (int k = 0; k < g->count; k++)
        TNI_TRY(add_places(g, k, divisor));
    TNI_TRY(joint_view(view, &size, g, divisor, place));
    tn_status status = mark_outside(g, size);
    if (status) tn_array_release(*view);
    return status;
}

static tn_status begin(gather *g, const tn_array *array, int count, const int *axes,
                       const int *shown, const tn_array *const *indices, int place,
                       tn_stream *stream) {
    *g = (gather){.array = array, .count = count, .axes = axes, .indices = indices};
    g->shown = shown ? shown : axes;
    TNI_TRY(check_axes(g, place));
    tn_device device;
    const tn_array *arrays[TN_MAX_NDIM + 1] = {array};
    memcpy(arrays + 1, indices, (size_t)count * sizeof *indices);
    TNI_TRY(tni_device_common(&device, count + 1, arrays));
    return tni_stream_resolve(&g->stream, stream, device);
}

static void end(gather *g) {
    tn_array_release(g->places);
    tn_array_release(g->outside);
}

/* --- Taking and putting --- */

tn_status tn_array_take_several(tn_array **result, const tn_array *array, int count,
                                const int *axes, const int *shown, const tn_array *const *indices,
                                int place, tn_stream *stream) {
    gather g;
    tn_array *view = NULL, *whole = NULL, *made = NULL;
    TNI_TRY(begin(&g, array, count, axes, shown, indices, place, stream));
    tn_status status = TN_OK;
    if (!(array->flags & TNI_ALIGNED)) { /* the view's elements overlap: it must not be copied */
        TNI_TRY_OWNING(tn_array_astype(&whole, array, array->dtype, TN_ORDER_C, TN_CASTING_NO,
                                       TN_COPY_ALWAYS, g.stream));
        g.array = whole;
    }
    TNI_TRY_OWNING(prepare(&view, &g, place));
    TNI_TRY_OWNING(tn_array_take(&made, view, g.places, place, TN_INDEX_RAISE, g.stream));
    *result = made;
cleanup:
    tn_array_release(view);
    tn_array_release(whole);
    end(&g);
    return status;
}

tn_status tn_array_put_several(tn_array *to, int count, const int *axes, const int *shown,
                               const tn_array *const *indices, int place, const tn_operand *values,
                               tn_stream *stream) {
    gather g;
    tn_array *view = NULL, *whole = NULL;
    if (!tn_array_is_writeable(to)) TNI_FAIL(TN_ERROR_VALUE, "assignment destination is read-only");
    TNI_TRY(begin(&g, to, count, axes, shown, indices, place, stream));
    tn_status status = TN_OK;
    if (!(to->flags & TNI_ALIGNED)) {
        TNI_TRY_OWNING(tn_array_astype(&whole, to, to->dtype, TN_ORDER_C, TN_CASTING_NO,
                                       TN_COPY_ALWAYS, g.stream));
        g.array = whole;
    }
    TNI_TRY_OWNING(prepare(&view, &g, place));
    TNI_TRY_OWNING(tn_array_put(view, g.places, place, values, TN_INDEX_RAISE, g.stream));
    if (whole) TNI_TRY_OWNING(tn_array_assign(to, whole, TN_CASTING_NO, g.stream));
cleanup:
    tn_array_release(view);
    tn_array_release(whole);
    end(&g);
    return status;
}
