/* Moving elements: conversions, assignment, host memory, other devices.
 *
 * Everything within one device is the element-wise COPY form. Between devices, and to and from host
 * memory, bytes travel contiguous: an operand that is not contiguous goes through a copy that is. Nobody
 * waits for a stream but where host memory is the caller's again, and the driver does not see to that. */
#include "core/move/data.h"

#include "backend/backend.h"
#include "core/array/shape.h"
#include "core/elementwise/elementwise.h"
#include "core/graph/graph.h"
#include "core/memory/pool.h"
#include "core/move/staging.h"

#include <tenorite/memory.h>
#include <tenorite/reduce.h>

#include <string.h>

static tn_status check_writeable(const tn_array *array) {
    if (array->flags & TNI_WRITEABLE) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "assignment destination is read-only");
}

static tn_status check_cast(tn_dtype from, tn_dtype to, tn_casting casting) {
    if (tn_dtype_can_cast(from, to, casting)) return TN_OK;
    return tni_fail(
        TN_ERROR_TYPE,
        "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
        tn_dtype_name(from), tn_dtype_name(to), tn_casting_name(casting));
}

tn_status tn_array_astype(tn_array **result, const tn_array *array, tn_dtype dtype, tn_order order,
                          tn_casting casting, tn_copy copy, tn_stream *stream) {
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(check_cast(array->dtype, dtype, casting));
    bool ordered = order == TN_ORDER_K || order == TN_ORDER_A ||
                   array->flags & (order == TN_ORDER_C ? TNI_C_CONTIGUOUS : TNI_F_CONTIGUOUS);
    if (order == TN_ORDER_A) ordered = array->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS);
    if (copy != TN_COPY_ALWAYS && (tn_dtype)array->dtype == dtype && ordered) {
        *result = tn_array_retain((tn_array *)(uintptr_t)array);
        return TN_OK;
    }
    if (copy == TN_COPY_NEVER)
        TNI_FAIL(TN_ERROR_VALUE, "Unable to avoid copy while creating an array as requested.");
    tn_array *made;
    TNI_TRY(tn_array_new_like(&made, array, dtype, 0, NULL, order, stream));
    tn_status status = tni_copy_elements(made, array, stream);
    if (status == TN_OK)
        *result = made;
    else
        tn_array_release(made);
    return status;
}

/* `from` seen in the shape of `to`; leading axes of size 1 that are too many are dropped, as NumPy's
 * assignment does. */
static tn_status broadcast_to_target(tn_array **result, const tn_array *from, const tn_array *to) {
    int extra = 0;
    while (from->ndim - extra > to->ndim && tni_shape(from)[extra] == 1)
        extra++;
    int ndim = from->ndim - extra;
    bool fits = ndim <= to->ndim;
    const int64_t *shape = tni_shape(from) + extra;
    for (int axis = 0; fits && axis < ndim; axis++)
        fits = shape[axis] == 1 || shape[axis] == tni_shape(to)[to->ndim - ndim + axis];
    if (!fits) {
        char a[TNI_SHAPE_TEXT], b[TNI_SHAPE_TEXT];
        TNI_FAIL(TN_ERROR_VALUE, "could not broadcast input array from shape %s into shape %s",
                 tni_shape_text(a, from->ndim, tni_shape(from)),
                 tni_shape_text(b, to->ndim, tni_shape(to)));
    }
    int64_t strides[TN_MAX_NDIM];
    for (int axis = 0; axis < to->ndim; axis++) {
        int own = axis - (to->ndim - ndim);
        strides[axis] = own < 0 || shape[own] == 1 ? 0 : tni_strides(from)[extra + own];
    }
    return tni_array_make(result, from->buffer, from->offset, from->dtype, to->ndim, tni_shape(to),
                          strides, false);
}

/* --- Between devices --- */

static tn_status contiguous(tn_array **result, const tn_array *array, tn_dtype dtype,
                            tn_stream *stream) {
    return tn_array_astype(result, array, dtype, TN_ORDER_C, TN_CASTING_UNSAFE, TN_COPY_IF_NEEDED,
                           stream);
}

/* Both contiguous, of one dtype and size. Backends of two kinds meet in host memory. */
static tn_status transfer(tn_array *to, const tn_array *from, tn_stream *stream) {
    tn_device source = from->buffer->device;
    tn_stream *source_stream = tn_stream_get_current(source);
    void *target_data, *source_data;
    if (to->size == 0) return TN_OK;
    TNI_TRY(tni_capture_check_common(stream, source_stream));
    TNI_TRY(tni_array_access(&source_data, from, TNI_READ, source_stream));
    TNI_TRY(tni_array_access(&target_data, to, TNI_WRITE, stream));
    int64_t bytes = tn_array_bytes(to);
    if (source.backend == to->buffer->device.backend) {
        TNI_TRY(tni_stream_order(stream, source_stream));
        TNI_TRY(tni_array_access(&source_data, from, TNI_READ, stream));
        return stream->backend->copy(target_data, source_data, bytes, TNI_DEVICE_TO_DEVICE, stream);
    }
    if (source.backend == TN_BACKEND_HOST) {
        TNI_TRY(tn_stream_synchronize(source_stream, -1));
        return tni_stage_upload(target_data, source_data, bytes, stream);
    }
    TNI_TRY(tn_stream_synchronize(stream, -1));
    return tni_stage_download(target_data, source_data, bytes, source_stream);
}

tn_status tn_array_to_device(tn_array **result, const tn_array *array, tn_device device,
                             tn_copy copy, tn_stream *stream) {
    bool same = tn_device_is_equal(array->buffer->device, device);
    if (same)
        return tn_array_astype(result, array, array->dtype, TN_ORDER_K, TN_CASTING_NO, copy,
                               stream);
    if (copy == TN_COPY_NEVER)
        TNI_FAIL(TN_ERROR_VALUE, "Unable to avoid copy: the array is on another device.");
    tn_array *source = NULL, *made = NULL;
    tn_status status;
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    bool fortran = array->flags & TNI_F_CONTIGUOUS && !(array->flags & TNI_C_CONTIGUOUS);
    tn_order order = fortran ? TN_ORDER_F : TN_ORDER_C;
    TNI_TRY_OWNING(tn_array_astype(&source, array, array->dtype, order, TN_CASTING_NO,
                                   TN_COPY_IF_NEEDED, NULL));
    TNI_TRY_OWNING(tn_array_new(&made, array->dtype, array->ndim, tni_shape(array), order, stream));
    TNI_TRY_OWNING(transfer(made, source, stream));
    *result = tn_array_retain(made);
cleanup:
    tn_array_release(source);
    tn_array_release(made);
    return status;
}

/* --- Assignment --- */

tn_status tn_array_assign(tn_array *to, const tn_array *from, tn_casting casting,
                          tn_stream *stream) {
    tn_array *source = NULL, *view = NULL;
    tn_status status;
    TNI_TRY(check_writeable(to));
    TNI_TRY(check_cast(from->dtype, to->dtype, casting));
    TNI_TRY(tni_stream_resolve(&stream, stream, to->buffer->device));
    if (!tn_device_is_equal(from->buffer->device, to->buffer->device))
        TNI_TRY_OWNING(
            tn_array_to_device(&source, from, to->buffer->device, TN_COPY_ALWAYS, stream));
    else if (tni_array_overlap(to, from) == TNI_OVERLAP_PARTIAL)
        TNI_TRY_OWNING(tn_array_astype(&source, from, from->dtype, TN_ORDER_K, TN_CASTING_NO,
                                       TN_COPY_ALWAYS, stream));
    TNI_TRY_OWNING(broadcast_to_target(&view, source ? source : from, to));
    TNI_TRY_OWNING(tni_copy_elements(to, view, stream));
cleanup:
    tn_array_release(view);
    tn_array_release(source);
    return status;
}

/* --- Host memory --- */

/* Host memory as an array of the host backend, so that the copy form serves it. */
static tn_status wrap_host(tn_array **result, void *host, tn_dtype dtype, int ndim,
                           const int64_t *shape, const int64_t *strides_bytes) {
    int64_t size, made[TN_MAX_NDIM];
    tn_buffer *buffer;
    tn_device device = {TN_BACKEND_HOST, 0};
    TNI_TRY(tni_shape_size(&size, ndim, shape, tn_dtype_size(dtype)));
    if (!strides_bytes) {
        tni_strides_make(made, ndim, shape, tn_dtype_size(dtype), TN_ORDER_C);
        strides_bytes = made;
    }
    TNI_TRY(tn_buffer_new_unowned(&buffer, host, INT64_MAX, device, NULL, NULL));
    tn_status status = tni_array_make(result, buffer, 0, dtype, ndim, shape, strides_bytes, true);
    tn_buffer_release(buffer);
    return status;
}

/* Host memory of one call that copies from or to a device: in one piece, or gathered in another place. */
typedef struct lent {
    void *memory;    /* where the bytes are, or go */
    tn_array *place; /* NULL: that is the caller's memory */
    void *block;     /* page-locked, of the default pool; NULL: the place is plain memory */
    bool is_page_locked;
} lent;

/* Up to INLINE_BYTES the driver takes a copy with the command; much page-locked memory would stay with its
 * pool. */
enum { INLINE_BYTES = 64 << 10, BLOCK_BYTES = 32 << 20 };

/* Room for `bytes` bytes in the shape of `host`. */
static tn_status find_place(lent *lent, const tn_array *host, int64_t bytes, bool wants_block) {
    if (wants_block && bytes <= BLOCK_BYTES &&
        tn_pinned_pool_allocate(tn_pinned_pool_default(), &lent->block, bytes) == TN_OK) {
        lent->memory = lent->block;
        return wrap_host(&lent->place, lent->block, host->dtype, host->ndim, tni_shape(host), NULL);
    }
    TNI_TRY(tn_array_new(&lent->place, host->dtype, host->ndim, tni_shape(host), TN_ORDER_C,
                         tn_stream_default(host->buffer->device)));
    lent->memory = tn_array_address(lent->place);
    return TN_OK;
}

/* A block from which a copy was queued is used again when the stream has read it. */
static void give_place(const lent *lent, bool is_queued, tn_stream *stream) {
    tn_pinned_pool *pool = tn_pinned_pool_default();
    tn_array_release(lent->place);
    if (is_queued && tn_pinned_pool_free_behind(pool, lent->block, stream) == TN_OK) return;
    if (is_queued) tni_stream_drain(stream);
    tn_pinned_pool_free(pool, lent->block, NULL);
}

static bool has_flags(const tn_array *a, const tn_array *b, unsigned flag) {
    return a->flags & b->flags & flag;
}

/* Bytes lie in order C, or in F where both sides have them so. */
static bool is_in_f(const tn_array *array, const tn_array *host) {
    return has_flags(array, host, TNI_F_CONTIGUOUS) && !has_flags(array, host, TNI_C_CONTIGUOUS);
}

/* From a device. Whoever reads into page-locked memory waits for the stream himself. */
static tn_status read_device(const tn_array *array, tn_array *host, tn_stream *stream) {
    lent lent = {tn_array_address(host), NULL, NULL, false};
    tn_array *packed = NULL;
    int64_t bytes = tn_array_bytes(array);
    bool is_f = is_in_f(array, host);
    void *data;
    tn_status status = TN_OK;
    if (is_f || host->flags & TNI_C_CONTIGUOUS)
        lent.is_page_locked = tn_memory_is_page_locked(lent.memory, stream->device);
    else
        TNI_TRY_OWNING(find_place(&lent, host, bytes, false));
    if (is_f)
        packed = tn_array_retain((tn_array *)(uintptr_t)array);
    else
        TNI_TRY_OWNING(contiguous(&packed, array, array->dtype, stream));
    TNI_TRY_OWNING(tni_array_access(&data, packed, TNI_READ, stream));
    if (lent.is_page_locked)
        TNI_TRY_OWNING(stream->backend->copy(lent.memory, data, bytes, TNI_DEVICE_TO_HOST, stream));
    else
        TNI_TRY_OWNING(tni_stage_download(lent.memory, data, bytes, stream));
    if (lent.place)
        status = tni_copy_elements(host, lent.place, tn_stream_default(host->buffer->device));
cleanup:
    tn_array_release(packed);
    tn_array_release(lent.place);
    return status;
}

/* To a device. */
static tn_status write_device(tn_array *array, tn_array *host, tn_stream *stream) {
    lent lent = {tn_array_address(host), NULL, NULL, false};
    tn_array *packed = NULL;
    int64_t bytes = tn_array_bytes(array);
    bool is_f = is_in_f(array, host), is_whole = is_f || host->flags & TNI_C_CONTIGUOUS;
    bool is_queued = false, is_staged = false;
    void *data;
    tn_status status;
    if (is_whole) {
        lent.is_page_locked = tn_memory_is_page_locked(lent.memory, stream->device);
        is_staged = !lent.is_page_locked && bytes > INLINE_BYTES;
    }
    if (!lent.is_page_locked) TNI_TRY(tni_capture_check_host(stream));
    if (!is_whole) {
        TNI_TRY_OWNING(find_place(&lent, host, bytes, true));
        TNI_TRY_OWNING(
            tni_copy_elements(lent.place, host, tn_stream_default(host->buffer->device)));
        is_f = false;
    }
    if (is_f || array->flags & TNI_C_CONTIGUOUS)
        packed = tn_array_retain(array);
    else
        TNI_TRY_OWNING(
            tn_array_new(&packed, array->dtype, array->ndim, tni_shape(array), TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_array_access(&data, packed, TNI_WRITE, stream));
    if (is_staged)
        TNI_TRY_OWNING(tni_stage_upload(data, lent.memory, bytes, stream));
    else
        TNI_TRY_OWNING(stream->backend->copy(data, lent.memory, bytes, TNI_HOST_TO_DEVICE, stream));
    is_queued = lent.block != NULL;
    if (lent.place && !lent.block) TNI_TRY_OWNING(tn_stream_synchronize(stream, -1));
    status = packed == array ? TN_OK : tni_copy_elements(array, packed, stream);
cleanup:
    tn_array_release(packed);
    give_place(&lent, is_queued, stream);
    return status;
}

/* On the host backend host memory is an operand like any other. */
static tn_status copy_host(tn_array *array, tn_array *host, bool read, tn_stream *stream) {
    if (array->size == 0) return TN_OK;
    if (array->buffer->device.backend != TN_BACKEND_HOST)
        return read ? read_device(array, host, stream) : write_device(array, host, stream);
    TNI_TRY(tni_capture_check_host(stream));
    return tni_copy_elements(read ? host : array, read ? array : host, stream);
}

/* A few bytes that lie as they are wanted are copied at once, without a description of the host's memory. */
enum { FEW_BYTES = 4 << 10 };

static bool are_few(const tn_array *array, const int64_t *strides_bytes, const tn_stream *stream) {
    return !strides_bytes && stream->is_immediate && array->flags & TNI_C_CONTIGUOUS &&
           tn_array_bytes(array) <= FEW_BYTES;
}

static tn_status read_few(void *host, const tn_array *array, tn_stream *stream) {
    void *data;
    if (array->size == 0) return TN_OK;
    TNI_TRY(tni_capture_check_host(stream));
    TNI_TRY(tni_array_access(&data, array, TNI_READ, stream));
    memcpy(host, data, (size_t)tn_array_bytes(array));
    return TN_OK;
}

tn_status tn_array_read(void *host, const int64_t *strides_bytes, const tn_array *array,
                        tn_stream *stream) {
    tn_array *wrapped;
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    if (are_few(array, strides_bytes, stream)) return read_few(host, array, stream);
    TNI_TRY(wrap_host(&wrapped, host, array->dtype, array->ndim, tni_shape(array), strides_bytes));
    tn_status status = copy_host((tn_array *)(uintptr_t)array, wrapped, true, stream);
    tn_array_release(wrapped);
    return status;
}

tn_status tn_array_write(tn_array *array, const void *host, const int64_t *strides_bytes,
                         tn_stream *stream) {
    tn_array *wrapped;
    TNI_TRY(check_writeable(array));
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(wrap_host(&wrapped, (void *)(uintptr_t)host, array->dtype, array->ndim,
                      tni_shape(array), strides_bytes));
    tn_status status = copy_host(array, wrapped, false, stream);
    tn_array_release(wrapped);
    return status;
}

tn_status tn_array_new_from_host(tn_array **result, const void *data, tn_dtype dtype, int ndim,
                                 const int64_t *shape, const int64_t *strides_bytes, tn_order order,
                                 tn_stream *stream) {
    tn_array *made;
    if (!stream) stream = tn_stream_get_current(tn_device_get_current());
    TNI_TRY(tn_array_new(&made, dtype, ndim, shape, order == TN_ORDER_F ? TN_ORDER_F : TN_ORDER_C,
                         stream));
    tn_status status = tn_array_write(made, data, strides_bytes, stream);
    if (status == TN_OK)
        *result = made;
    else
        tn_array_release(made);
    return status;
}

tn_status tn_array_new_scalar(tn_array **result, tn_scalar value, tn_dtype dtype,
                              tn_stream *stream) {
    tn_array *made;
    if (dtype == TN_DTYPE_NONE) dtype = value.dtype;
    TNI_TRY(tn_array_new(&made, dtype, 0, NULL, TN_ORDER_C, stream));
    tn_status status = tn_array_fill(made, value, stream);
    if (status == TN_OK)
        *result = made;
    else
        tn_array_release(made);
    return status;
}

tn_status tn_array_new_zeros(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                             tn_order order, tn_stream *stream) {
    tn_array *made;
    void *data;
    if (!stream) stream = tn_stream_get_current(tn_device_get_current());
    TNI_TRY(tn_array_new(&made, dtype, ndim, shape, order, stream));
    tn_status status = TN_OK;
    if (made->size) {
        status = tni_array_access(&data, made, TNI_WRITE, stream);
        if (!status) status = stream->backend->fill(data, 0, tn_array_bytes(made), stream);
    }
    if (status == TN_OK)
        *result = made;
    else
        tn_array_release(made);
    return status;
}

tn_status tn_array_item(tn_scalar *result, const tn_array *array, tn_stream *stream) {
    if (array->size != 1)
        TNI_FAIL(TN_ERROR_VALUE, "can only convert an array of size 1 to a Python scalar");
    void *data;
    tn_scalar read = {array->dtype, false, false, {0}};
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(tni_capture_check_host(stream));
    TNI_TRY(tni_array_access(&data, array, TNI_READ, stream));
    if (stream->is_immediate) {
        memcpy(read.value.bytes, data, (size_t)tn_dtype_size(array->dtype));
    } else {
        TNI_TRY(stream->backend->copy(read.value.bytes, data, tn_dtype_size(array->dtype),
                                      TNI_DEVICE_TO_HOST, stream));
        TNI_TRY(tn_stream_synchronize(stream, -1));
    }
    *result = read;
    return TN_OK;
}

tn_status tni_array_has_negative(bool *result, const tn_array *array, tn_stream *stream) {
    tn_array *smallest;
    tn_scalar value;
    *result = false;
    if (array->size == 0 || tn_dtype_kind(array->dtype) != TN_KIND_SIGNED) return TN_OK;
    smallest = NULL;
    TNI_TRY(tn_reduce(&smallest, TN_REDUCE_MIN, array, NULL, stream));
    tn_status status = tn_array_item(&value, smallest, stream);
    tn_array_release(smallest);
    TNI_TRY(status);
    int64_t least;
    TNI_TRY(tn_scalar_convert(&least, value, TN_I64));
    *result = least < 0;
    return TN_OK;
}
