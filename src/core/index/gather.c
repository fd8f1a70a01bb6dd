/* Indexing by several arrays: array[i0, :, i1] and its likes.
 *
 * The indexed axes become one, whose stride is the greatest common divisor of theirs: element (i0,
 * i1) lies at place i0 * (s0 / g) + i1 * (s1 / g) of it. So one take or put along this axis serves,
 * with an array of places made of the index arrays (the form "places"), and no element is moved
 * twice. Places that no tuple of indices names are never touched.
 *
 * Invariant: a place out of bounds is the size of the axis, so that the take or put refuses it,
 * too; but of two failures the first is reported, which names the index and its axis. */
#include "core/index/gather.h"

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/elementwise/operands.h"
#include "core/index/put.h"
#include "core/index/take.h"
#include "core/stream/stream.h"
#include "forms/places.h"

#include <stdlib.h>
#include <string.h>

typedef struct gather {
    const tn_array *array;
    int count;
    const int *axes, *shown;
    const tn_array *const *indices;
    tn_stream *stream;
    int ndim; /* of the indices together */
    int64_t shape[TN_MAX_NDIM];
    bool is_empty;
    tn_array *places;
    tn_array *taken; /* at once, without places: */
    const char *from;
} gather;

/* --- The view --- */

static tn_status fail_shapes(int count, const tn_array *const *indices) {
    char text[TNI_SHAPE_TEXT], all[512];
    size_t used = 0;
    all[0] = '\0';
    for (int k = 0; k < count && used + TNI_SHAPE_TEXT + 2 < sizeof all; k++) {
        tni_shape_text(text, indices[k]->ndim, tni_shape(indices[k]));
        memcpy(all + used, text, strlen(text));
        used += strlen(text);
        all[used++] = ' ';
        all[used] = '\0';
    }
    TNI_FAIL(TN_ERROR_INDEX,
             "shape mismatch: indexing arrays could not be broadcast together with shapes %s", all);
}

tn_status tni_index_together(int *ndim, int64_t *shape, int count, const tn_array *const *indices) {
    int ndims[TN_MAX_NDIM] = {0};
    const int64_t *shapes[TN_MAX_NDIM] = {NULL};
    for (int k = 0; k < count; k++) {
        tn_kind kind = tn_dtype_kind(indices[k]->dtype);
        if (kind != TN_KIND_SIGNED && kind != TN_KIND_UNSIGNED)
            TNI_FAIL(TN_ERROR_INDEX, "arrays used as indices must be of integer (or boolean) type");
        ndims[k] = indices[k]->ndim;
        shapes[k] = tni_shape(indices[k]);
    }
    return tn_shape_broadcast(ndim, shape, count, ndims, shapes) ? fail_shapes(count, indices)
                                                                 : TN_OK;
}

static tn_status common_shape(gather *g) {
    TNI_TRY(tni_index_together(&g->ndim, g->shape, g->count, g->indices));
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

/* --- Places --- */

/* The k-th indices as the call's next. */
static void add_indices(tni_places *call, const gather *g, int k, const tn_array *index,
                        const void *address, int64_t divisor) {
    int64_t size = tni_shape(g->array)[g->axes[k]], stride = tni_strides(g->array)[g->axes[k]];
    int at = call->count++, missing = g->ndim - index->ndim;
    call->indices[at] = address;
    call->sizes[at] = size;
    call->steps[at] = stride / divisor;
    call->axes[at] = g->shown[k];
    if (stride < 0) call->origin -= (size - 1) * call->steps[at]; /* the joint axis goes upwards */
    for (int axis = 0; axis < g->ndim; axis++)
        call->strides[at][axis] = axis < missing || tni_shape(index)[axis - missing] == 1
                                      ? 0
                                      : tni_strides(index)[axis - missing];
}

static tn_status run_places(tni_places *call, const gather *g) {
    int64_t *strides[TNI_PLACES_INDICES];
    for (int k = 0; k < call->count; k++)
        strides[k] = call->strides[k];
    memcpy(call->shape, g->shape, sizeof call->shape);
    call->ndim = tni_layout_collapse(g->ndim, call->shape, call->count, strides, NULL, false);
    return tni_queue_places(call, g->stream);
}

/* Makes the call take from the array, whose elements lie at bytes and not at places of an axis. */
static void take_at_once(tni_places *call, const gather *g) {
    call->dense = (char *)call->places;
    call->places = NULL;
    call->array = g->from;
    call->item_bytes = tn_dtype_size(g->array->dtype);
    call->origin = 0;
}

/* Adds the indices [first, last) to g->places, or takes by them from the array. */
static tn_status add_places(const gather *g, int first, int last, int64_t divisor, int64_t size) {
    tni_places call = {.outside = size, .adds = first > 0};
    tn_array *owned[TNI_PLACES_INDICES] = {NULL};
    const tn_array *made = g->taken ? g->taken : g->places;
    tni_operands operands;
    void *address;
    tn_status status;
    tni_operands_init(&operands, g->stream);
    for (int k = first; k < last; k++) {
        tn_array **index = &owned[k - first];
        TNI_TRY_OWNING(tn_array_astype(index, g->indices[k], TN_I64, TN_ORDER_C, TN_CASTING_UNSAFE,
                                       TN_COPY_IF_NEEDED, g->stream));
        const tn_array *opened = *index;
        TNI_TRY_OWNING(tni_operand_open(&address, &opened, TNI_READ, &operands));
        add_indices(&call, g, k, opened, address, divisor);
    }
    TNI_TRY_OWNING(
        tni_operand_open(&address, &made, call.adds ? TNI_READ_WRITE : TNI_WRITE, &operands));
    call.places = address;
    if (g->taken) take_at_once(&call, g);
    status = run_places(&call, g);
cleanup:
    status = tni_operands_close(&operands, status);
    for (int k = 0; k < TNI_PLACES_INDICES; k++)
        tn_array_release(owned[k]);
    return status;
}

static tn_status make_places(const gather *g, int64_t divisor, int64_t size) {
    for (int first = 0, last; first < g->count; first = last) {
        last = first + TNI_PLACES_INDICES < g->count ? first + TNI_PLACES_INDICES : g->count;
        TNI_TRY(add_places(g, first, last, divisor, size));
    }
    return TN_OK;
}

/* Makes g->places and the view that they index at axis `place`; both are the caller's to release,
 * whatever the status. */
static tn_status prepare(tn_array **view, gather *g, int place) {
    int64_t divisor = common_divisor(g), size;
    TNI_TRY(common_shape(g));
    TNI_TRY(tn_array_new(&g->places, TN_I64, g->ndim, g->shape, TN_ORDER_C, g->stream));
    if (g->is_empty) return joint_view(view, &size, g, divisor, place);
    TNI_TRY(joint_view(view, &size, g, divisor, place));
    return make_places(g, divisor, size);
}

/* Whether each tuple of indices is an element that a machine moves as one, and one call of the form
 * has all index arrays. Sets g->from. */
static tn_status look_at_elements(bool *is_one, gather *g) {
    const int64_t item = tn_dtype_size(g->array->dtype);
    void *from;
    *is_one = g->count == g->array->ndim && g->count <= TNI_PLACES_INDICES && item <= 16 &&
              (item & (item - 1)) == 0 && !tn_dtype_is_stored(g->array->dtype);
    if (!*is_one) return TN_OK;
    TNI_TRY(tni_array_access(&from, g->array, TNI_READ, g->stream));
    int64_t bits = (int64_t)(uintptr_t)from;
    for (int axis = 0; axis < g->array->ndim; axis++)
        bits |= tni_strides(g->array)[axis];
    *is_one = (bits & (item - 1)) == 0;
    g->from = from;
    return TN_OK;
}

/* Takes without places. */
static tn_status take_elements(gather *g) {
    const int64_t outside = INT64_MIN;
    TNI_TRY(common_shape(g));
    TNI_TRY(tn_array_new(&g->taken, g->array->dtype, g->ndim, g->shape, TN_ORDER_C, g->stream));
    return g->is_empty ? TN_OK : add_places(g, 0, g->count, 1, outside);
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

/* Puts an aligned copy (*whole, else NULL) in the array's place where the backend wants one:
 * elements of the view may overlap, so that the view itself can have no stand-in. */
static tn_status align(tn_array **whole, gather *g) {
    if (g->array->flags & TNI_ALIGNED || tn_dtype_is_stored(g->array->dtype) ||
        tni_backend_of(g->stream)->index->moves_unaligned)
        return TN_OK;
    TNI_TRY(tn_array_astype(whole, g->array, g->array->dtype, TN_ORDER_C, TN_CASTING_NO,
                            TN_COPY_ALWAYS, g->stream));
    g->array = *whole;
    return TN_OK;
}

static void end(gather *g) {
    tn_array_release(g->places);
    tn_array_release(g->taken);
}

/* --- Taking and putting --- */

static tni_index_rule one_axis(const int *axes, const int *shown) {
    return (tni_index_rule){TN_INDEX_RAISE, shown ? shown[0] : axes[0]};
}

tn_status tn_array_take_several(tn_array **result, const tn_array *array, int count,
                                const int *axes, const int *shown, const tn_array *const *indices,
                                int place, tn_stream *stream) {
    gather g;
    bool is_one;
    tn_array *view = NULL, *whole = NULL, *made = NULL;
    if (count == 1 && place == axes[0])
        return tni_take_axis(result, array, indices[0], place, one_axis(axes, shown), stream);
    TNI_TRY(begin(&g, array, count, axes, shown, indices, place, stream));
    tn_status status;
    TNI_TRY_OWNING(align(&whole, &g));
    TNI_TRY_OWNING(look_at_elements(&is_one, &g));
    if (is_one) {
        TNI_TRY_OWNING(take_elements(&g));
        *result = g.taken;
        g.taken = NULL;
        goto cleanup;
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
    if (count == 1 && place == axes[0])
        return tni_put_axis(to, indices[0], place, values, one_axis(axes, shown), stream);
    if (!tn_array_is_writeable(to)) TNI_FAIL(TN_ERROR_VALUE, "assignment destination is read-only");
    TNI_TRY(begin(&g, to, count, axes, shown, indices, place, stream));
    tn_status status;
    TNI_TRY_OWNING(align(&whole, &g));
    TNI_TRY_OWNING(prepare(&view, &g, place));
    TNI_TRY_OWNING(tn_array_put(view, g.places, place, values, TN_INDEX_RAISE, g.stream));
    if (whole) TNI_TRY_OWNING(tn_array_assign(to, whole, TN_CASTING_NO, g.stream));
cleanup:
    tn_array_release(view);
    tn_array_release(whole);
    end(&g);
    return status;
}
