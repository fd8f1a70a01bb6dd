/* Single elements: by their place among all of them, in order C, or by an index of integers. On a
 * stream that runs at once they are moved without a view. */
#include "core/array/array.h"
#include "core/elementwise/copy.h"

#include <tenorite/index.h>

#include <string.h>

/* Bytes from the beginning of the buffer. */
static tn_status find_place(int64_t *offset, const tn_array *array, int64_t place) {
    if (place < 0 || place >= array->size)
        TNI_FAIL(TN_ERROR_INDEX, "index %lld is out of bounds for size %lld", (long long)place,
                 (long long)array->size);
    *offset = array->offset;
    if (array->flags & TNI_C_CONTIGUOUS) {
        *offset += place * tni_dtype_size(array->dtype);
        return TN_OK;
    }
    for (int axis = array->ndim - 1; axis >= 0; axis--) {
        const int64_t size = tni_shape(array)[axis];
        *offset += place % size * tni_strides(array)[axis];
        place /= size;
    }
    return TN_OK;
}

static tn_status copy_view(tn_array *to, const tn_array *array, int64_t offset, tn_stream *stream) {
    tn_array *view;
    TNI_TRY(tni_array_make(&view, array->buffer, offset, array->dtype, 0, NULL, NULL, false));
    tn_status status = tni_copy_same(to, view, stream);
    tn_array_release(view);
    return status;
}

static tn_status copy_element(tn_array *to, const tn_array *array, int64_t offset,
                              tn_stream *stream) {
    void *target, *source;
    if (!stream->is_immediate) return copy_view(to, array, offset, stream);
    TNI_TRY(tni_array_access(&source, array, TNI_READ, stream));
    TNI_TRY(tni_array_access(&target, to, TNI_WRITE, stream));
    tni_element_move(target, (const char *)source + (offset - array->offset), array->dtype);
    return TN_OK;
}

tn_status tn_array_element(tn_array **result, const tn_array *array, int64_t place,
                           tn_stream *stream) {
    int64_t offset;
    tn_array *made;
    TNI_TRY(find_place(&offset, array, place));
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(tn_array_new(&made, array->dtype, 0, NULL, TN_ORDER_C, stream));
    return tni_array_deliver(result, made, copy_element(made, array, offset, stream));
}

/* Room for one more element of the array in a block. */
static tn_status make_room(tn_array **block, int64_t *used, const tn_array *array,
                           tn_stream *stream) {
    enum { BLOCK_BYTES = 512 }; /* the pool gives no less for one element */
    const tn_array *old = *block;
    tn_array *made;
    if (old && *used < old->size && old->dtype == array->dtype &&
        tn_device_is_equal(old->buffer->device, array->buffer->device))
        return TN_OK;
    const int64_t bytes = tni_dtype_size(array->dtype);
    const int64_t size = bytes < BLOCK_BYTES ? BLOCK_BYTES / bytes : 1;
    TNI_TRY(tn_array_new(&made, array->dtype, 1, &size, TN_ORDER_C, stream));
    tn_array_release(*block); /* not `old`: a hook of the allocation may have come here, too */
    *block = made;
    *used = 0;
    return TN_OK;
}

tn_status tn_array_element_of_block(tn_array **result, tn_array **block, int64_t *used,
                                    const tn_array *array, int64_t place, tn_stream *stream) {
    int64_t offset;
    void *target, *source;
    TNI_TRY(find_place(&offset, array, place));
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    if (!stream->is_immediate) return tn_array_element(result, array, place, stream);
    TNI_TRY(make_room(block, used, array, stream));
    const int64_t bytes = tni_dtype_size(array->dtype), at = *used * bytes;
    TNI_TRY(tni_array_access(&source, array, TNI_READ, stream));
    TNI_TRY(tni_array_access(&target, *block, TNI_WRITE, stream));
    TNI_TRY(tni_array_make(result, (*block)->buffer, at, array->dtype, 0, NULL, NULL, true));
    tni_element_move((char *)target + at, (const char *)source + (offset - array->offset),
                     array->dtype);
    ++*used;
    return TN_OK;
}

static tn_status fill_view(const tn_array *array, int64_t offset, tn_scalar value,
                           tn_stream *stream) {
    tn_array *view;
    TNI_TRY(tni_array_make(&view, array->buffer, offset, array->dtype, 0, NULL, NULL, true));
    tn_status status = tn_array_fill(view, value, stream);
    tn_array_release(view);
    return status;
}

static tn_status set_element(tn_array *array, int64_t offset, tn_scalar value, tn_stream *stream) {
    void *data;
    tn_scalar element;
    TNI_TRY(tni_array_check_writeable(array));
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    if (!stream->is_immediate) return fill_view(array, offset, value, stream);
    TNI_TRY(tn_scalar_convert(element.value.bytes, value, array->dtype));
    TNI_TRY(tni_array_access(&data, array, TNI_WRITE, stream));
    tni_element_move((char *)data + (offset - array->offset), element.value.bytes, array->dtype);
    return TN_OK;
}

tn_status tn_array_set_element(tn_array *array, int64_t place, tn_scalar value, tn_stream *stream) {
    int64_t offset;
    TNI_TRY(find_place(&offset, array, place));
    return set_element(array, offset, value, stream);
}

/* Whether the items are integers within bounds that name one element. */
static bool find_indexed(int64_t *offset, const tn_array *array, int count, const tn_index *items) {
    if (count != array->ndim) return false;
    *offset = array->offset;
    for (int axis = 0; axis < count; axis++) {
        const int64_t size = tni_shape(array)[axis], at = items[axis].start;
        if (items[axis].kind != TN_INDEX_INTEGER || at < -size || at >= size) return false;
        *offset += (at < 0 ? at + size : at) * tni_strides(array)[axis];
    }
    return true;
}

/* Whether the items name one element, and `from` is another of the same dtype. */
static bool is_element(int64_t *offset, const tn_array *array, int count, const tn_index *items,
                       const tn_array *from) {
    return from->ndim == 0 && from->dtype == array->dtype &&
           tn_device_is_equal(from->buffer->device, array->buffer->device) &&
           find_indexed(offset, array, count, items);
}

tn_status tn_array_assign_slice(tn_array *array, int count, const tn_index *items,
                                const tn_array *from, tn_stream *stream) {
    int64_t offset;
    tn_array *view;
    void *target, *source;
    TNI_TRY(tni_array_check_writeable(array));
    if (is_element(&offset, array, count, items, from)) {
        tn_stream *on;
        TNI_TRY(tni_stream_resolve(&on, stream, array->buffer->device));
        if (on->is_immediate) {
            TNI_TRY(tni_array_access(&source, from, TNI_READ, on));
            TNI_TRY(tni_array_access(&target, array, TNI_WRITE, on));
            tni_element_move((char *)target + (offset - array->offset), source, array->dtype);
            return TN_OK;
        }
    }
    TNI_TRY(tn_array_slice(&view, array, count, items));
    tn_status status = tn_array_assign(view, from, TN_CASTING_UNSAFE, stream);
    tn_array_release(view);
    return status;
}

tn_status tn_array_fill_slice(tn_array *array, int count, const tn_index *items, tn_scalar value,
                              tn_stream *stream) {
    int64_t offset;
    tn_array *view;
    if (find_indexed(&offset, array, count, items))
        return set_element(array, offset, value, stream);
    TNI_TRY(tn_array_slice(&view, array, count, items));
    tn_status status = tn_array_fill(view, value, stream);
    tn_array_release(view);
    return status;
}
