/* Arrays as objects: making, counting and looking at them, and the door to their storage.
 *
 * An array is one block of memory: the struct, then shape and strides. Blocks for up to
 * SMALL_NDIM dimensions come from a list of the calling thread, because a program makes and drops
 * them all the time; larger ones come from the heap.
 * Invariant: flags and size always agree with shape and strides, and every element lies inside
 * the buffer. */
#include "core/array/array.h"

#include "core/array/layout.h"
#include "core/array/shape.h"
#include "core/base/counts.h"
#include "core/base/thread.h"
#include "core/base/threadkeep.h"
#include "core/memory/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_NDIM = 4, KEPT = TNI_KEPT(64) };

/* Freed small blocks of this thread (tni_self.kept_arrays) are linked through `buffer`. Blocks may
 * change threads; those of a thread that ends go back to the heap. */

static size_t block_bytes(int ndim) {
    return sizeof(tn_array) + sizeof(int64_t) * 2 * (size_t)(ndim > SMALL_NDIM ? ndim : SMALL_NDIM);
}

static tn_array *take_kept(void) {
    tn_array *array = tni_self.kept_arrays;
    tni_self.kept_arrays = (tn_array *)(void *)array->buffer;
    tni_self.kept_array_count--;
    return array;
}

static tn_array *block_new(int ndim) {
    if (ndim <= SMALL_NDIM && tni_self.kept_arrays) return take_kept();
    tni_counts_begin();
    return tni_malloc(block_bytes(ndim));
}

static void drop_kept(void) {
    while (tni_self.kept_arrays)
        tni_free(take_kept());
    tni_self.keeps_arrays = false;
}

static bool begin_keeping(void) {
    tni_counts_begin();
    return tni_self.keeps_arrays = tni_thread_keeps(drop_kept);
}

static void block_free(tn_array *array) {
    if ((!tni_self.keeps_arrays && !begin_keeping()) || array->ndim > SMALL_NDIM ||
        tni_self.kept_array_count >= KEPT) {
        tni_free(array);
        return;
    }
    array->buffer = (tn_buffer *)(void *)tni_self.kept_arrays;
    tni_self.kept_arrays = array;
    tni_self.kept_array_count++;
}

/* Contiguity in NumPy's sense: axes of size 1 don't count, and an empty array is both. */
static uint8_t contiguity(int ndim, const int64_t *shape, const int64_t *strides,
                          int64_t item_bytes, int64_t size) {
    if (size == 0) return TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS;
    uint8_t flags = 0;
    int64_t stride = item_bytes;
    int axis = ndim - 1;
    for (; axis >= 0; axis--) {
        if (shape[axis] == 1) continue;
        if (strides[axis] != stride) break;
        stride *= shape[axis];
    }
    if (axis < 0) flags |= TNI_C_CONTIGUOUS;
    if (ndim <= 1) return flags ? TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS : 0;
    stride = item_bytes;
    for (axis = 0; axis < ndim; axis++) {
        if (shape[axis] == 1) continue;
        if (strides[axis] != stride) break;
        stride *= shape[axis];
    }
    if (axis == ndim) flags |= TNI_F_CONTIGUOUS;
    return flags;
}

static uint8_t alignment(const tn_buffer *buffer, int64_t offset, tn_dtype dtype, int ndim,
                         const int64_t *strides) {
    if (tn_dtype_is_stored(dtype)) return 0;
    int64_t bits = (int64_t)(intptr_t)buffer->data + offset;
    for (int axis = 0; axis < ndim; axis++)
        bits |= strides[axis];
    return bits & (tni_dtype_size(dtype) - 1) ? 0 : TNI_ALIGNED;
}

/* As tni_array_make, but the array takes over the caller's reference to the buffer, if it is
 * made. */
static tn_status make(tn_array **result, tn_buffer *buffer, int64_t offset, tn_dtype dtype,
                      int ndim, const int64_t *shape, const int64_t *strides, bool writeable) {
    tn_array *array = block_new(ndim);
    if (!array) return tni_fail_no_memory((int64_t)block_bytes(ndim));
    atomic_init(&array->references, 1);
    array->dtype = (int16_t)dtype;
    array->ndim = (uint8_t)ndim;
    array->buffer = buffer;
    array->offset = offset;
    array->size = 1;
    bool is_too_big = false; /* with strides of 0 a view may have any shape */
    for (int axis = 0; axis < ndim; axis++) {
        is_too_big |= __builtin_mul_overflow(array->size, shape[axis], &array->size);
        array->dims[axis] = shape[axis];
        array->dims[ndim + axis] = strides[axis];
    }
    array->flags = contiguity(ndim, shape, strides, tni_dtype_size(dtype), array->size) |
                   (writeable ? TNI_WRITEABLE : 0) |
                   alignment(buffer, offset, dtype, ndim, strides);
    int64_t bytes;
    if (is_too_big || __builtin_mul_overflow(array->size, tni_dtype_size(dtype), &bytes)) {
        block_free(array);
        return tni_fail_too_big();
    }
    tni_count(TNI_ARRAYS, 1);
    *result = array;
    return TN_OK;
}

tn_status tni_array_make(tn_array **result, tn_buffer *buffer, int64_t offset, tn_dtype dtype,
                         int ndim, const int64_t *shape, const int64_t *strides, bool writeable) {
    TNI_TRY(make(result, buffer, offset, dtype, ndim, shape, strides, writeable));
    tn_buffer_retain(buffer);
    return TN_OK;
}

/* Strides of arrays without elements, as NumPy has them. */
static const int64_t strides_of_nothing[TN_MAX_NDIM];

static tn_status make_fresh(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                            const int64_t *strides, int64_t size, tn_stream *stream) {
    tn_buffer *buffer;
    TNI_TRY(tn_buffer_new(&buffer, size * tn_dtype_size(dtype), stream));
    if (size == 0) strides = strides_of_nothing;
    tn_status status = make(result, buffer, 0, dtype, ndim, shape, strides, true);
    if (status != TN_OK) tn_buffer_release(buffer);
    return status;
}

tn_status tni_array_new_element(tn_array **result, tn_dtype dtype, tn_stream *stream) {
    return make_fresh(result, dtype, 0, NULL, NULL, 1, stream);
}

static tn_status check_dtype(tn_dtype dtype) {
    if ((unsigned)dtype < TN_DTYPE_COUNT || tni_stored_find(dtype)) return TN_OK;
    return tni_fail(TN_ERROR_TYPE, "invalid dtype %d", (int)dtype);
}

tn_status tn_array_new(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                       tn_order order, tn_stream *stream) {
    int64_t size, strides[TN_MAX_NDIM];
    TNI_TRY(check_dtype(dtype));
    TNI_TRY(tni_shape_size(&size, ndim, shape, tn_dtype_size(dtype)));
    tni_strides_make(strides, ndim, shape, tn_dtype_size(dtype), order);
    return make_fresh(result, dtype, ndim, shape, strides, size, stream);
}

tn_status tni_array_new_ordered(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                                const int *order, tn_stream *stream) {
    int64_t size, strides[TN_MAX_NDIM], stride = tn_dtype_size(dtype);
    TNI_TRY(check_dtype(dtype));
    TNI_TRY(tni_shape_size(&size, ndim, shape, stride));
    for (int k = ndim - 1; k >= 0; k--) {
        strides[order[k]] = stride;
        if (shape[order[k]] > 1) stride *= shape[order[k]];
    }
    return make_fresh(result, dtype, ndim, shape, strides, size, stream);
}

tn_status tn_array_new_like(tn_array **result, const tn_array *like, tn_dtype dtype, int ndim,
                            const int64_t *shape, tn_order order, tn_stream *stream) {
    if (!shape) {
        ndim = like->ndim;
        shape = tni_shape(like);
    }
    if (order == TN_ORDER_K && (ndim != like->ndim || like->flags & TNI_C_CONTIGUOUS))
        order = TN_ORDER_C;
    if (order == TN_ORDER_A || order == TN_ORDER_K) {
        if (like->flags & TNI_C_CONTIGUOUS)
            order = TN_ORDER_C;
        else if (like->flags & TNI_F_CONTIGUOUS)
            order = TN_ORDER_F;
        else if (order == TN_ORDER_A)
            order = TN_ORDER_C;
    }
    tn_stream *on = stream ? stream : tn_stream_get_current(like->buffer->device);
    if (order != TN_ORDER_K) return tn_array_new(result, dtype, ndim, shape, order, on);
    int axes[TN_MAX_NDIM];
    tni_layout_order_like(axes, ndim, tni_strides(like));
    return tni_array_new_ordered(result, dtype, ndim, shape, axes, on);
}

/* The bytes that a view touches before and after its first element. */
static tn_status view_extent(int64_t *before, int64_t *after, int ndim, const int64_t *shape,
                             const int64_t *strides, int64_t item_bytes) {
    bool overflow = false;
    *before = 0;
    *after = item_bytes;
    for (int axis = 0; axis < ndim; axis++) {
        int64_t reach, *end = strides[axis] < 0 ? before : after;
        overflow |= __builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach);
        if (strides[axis] < 0) overflow |= __builtin_sub_overflow(0, reach, &reach);
        overflow |= __builtin_add_overflow(*end, reach, end);
    }
    if (overflow) TNI_FAIL(TN_ERROR_VALUE, "strides reach beyond any buffer");
    return TN_OK;
}

tn_status tn_array_new_view(tn_array **result, tn_buffer *buffer, int64_t offset_bytes,
                            tn_dtype dtype, int ndim, const int64_t *shape,
                            const int64_t *strides_bytes) {
    int64_t size, made[TN_MAX_NDIM], before, after;
    TNI_TRY(check_dtype(dtype));
    int64_t item_bytes = tn_dtype_size(dtype);
    TNI_TRY(tni_shape_size(&size, ndim, shape, item_bytes));
    if (!strides_bytes) {
        tni_strides_make(made, ndim, shape, item_bytes, TN_ORDER_C);
        strides_bytes = size > 0 ? made : strides_of_nothing;
    }
    if (size > 0) {
        TNI_TRY(view_extent(&before, &after, ndim, shape, strides_bytes, item_bytes));
        if (offset_bytes < before || after > buffer->bytes - offset_bytes)
            TNI_FAIL(TN_ERROR_VALUE,
                     "strides and shape reach outside of the buffer: bytes %lld to %lld of %lld",
                     (long long)(offset_bytes - before), (long long)(offset_bytes + after),
                     (long long)buffer->bytes);
    }
    return tni_array_make(result, buffer, offset_bytes, dtype, ndim, shape, strides_bytes, true);
}

tn_array *tn_array_retain(tn_array *array) {
    atomic_fetch_add_explicit(&array->references, 1, memory_order_relaxed);
    return array;
}

void tn_array_release(tn_array *array) {
    if (!array) return;
    if (atomic_load_explicit(&array->references, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&array->references, 1, memory_order_acq_rel) != 1)
        return;
    tn_buffer_release(array->buffer);
    block_free(array);
    tni_count(TNI_ARRAYS, -1);
}

/* --- Looking --- */

tn_dtype tn_array_dtype(const tn_array *array) {
    return array->dtype;
}
int tn_array_ndim(const tn_array *array) {
    return array->ndim;
}
const int64_t *tn_array_shape(const tn_array *array) {
    return tni_shape(array);
}
const int64_t *tn_array_strides(const tn_array *array) {
    return tni_strides(array);
}
int64_t tn_array_size(const tn_array *array) {
    return array->size;
}
int64_t tn_array_bytes(const tn_array *array) {
    return array->size * tni_dtype_size(array->dtype);
}
int64_t tn_array_offset(const tn_array *array) {
    return array->offset;
}
tn_device tn_array_device(const tn_array *array) {
    return array->buffer->device;
}
tn_buffer *tn_array_buffer(const tn_array *array) {
    return array->buffer;
}
bool tn_array_is_c_contiguous(const tn_array *array) {
    return array->flags & TNI_C_CONTIGUOUS;
}
bool tn_array_is_f_contiguous(const tn_array *array) {
    return array->flags & TNI_F_CONTIGUOUS;
}
bool tn_array_is_writeable(const tn_array *array) {
    return array->flags & TNI_WRITEABLE;
}
void tn_array_set_writeable(tn_array *array, bool writeable) {
    array->flags = (uint8_t)((array->flags & ~TNI_WRITEABLE) | (writeable ? TNI_WRITEABLE : 0));
}

tn_status tni_array_check_writeable(const tn_array *array) {
    if (array->flags & TNI_WRITEABLE) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "assignment destination is read-only");
}

tn_status tni_array_check_numbers(const tn_array *array) {
    if (!tn_dtype_is_stored(array->dtype)) return TN_OK;
    return tni_fail(TN_ERROR_TYPE, "not defined for elements of dtype %s: they are only stored",
                    tn_dtype_name(array->dtype));
}

/* --- The address --- */

static char *address_of(const tn_array *array) {
    return array->buffer->data ? (char *)array->buffer->data + array->offset : NULL;
}

void *tn_array_address(const tn_array *array) {
    (void)tn_buffer_address(array->buffer); /* from now on the address is known outside */
    return address_of(array);
}

/* --- Overlap --- */

/* Addresses, not offsets: two buffers may stand for the same unowned memory. */
static void bounds(const tn_array *array, int64_t *low, int64_t *high) {
    *low = (int64_t)(intptr_t)array->buffer->data + array->offset;
    *high = *low + tni_dtype_size(array->dtype);
    for (int axis = 0; axis < array->ndim; axis++) {
        int64_t reach = (tni_shape(array)[axis] - 1) * tni_strides(array)[axis];
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
}

bool tn_array_may_overlap(const tn_array *a, const tn_array *b) {
    if (a->buffer != b->buffer && tni_buffer_home(a->buffer) && tni_buffer_home(b->buffer))
        return false;
    if (a->size == 0 || b->size == 0) return false;
    int64_t low_a, high_a, low_b, high_b;
    bounds(a, &low_a, &high_a);
    bounds(b, &low_b, &high_b);
    return low_a < high_b && low_b < high_a;
}

/* Modulo `step` the elements lie in `width` bytes from `first` on. */
static void bounds_modulo(const tn_array *array, int64_t step, int64_t *first, int64_t *width) {
    int64_t low = (int64_t)(intptr_t)array->buffer->data + array->offset;
    *width = tni_dtype_size(array->dtype);
    for (int axis = 0; axis < array->ndim; axis++) {
        int64_t stride = tni_strides(array)[axis];
        if (stride % step == 0) continue;
        int64_t reach = (tni_shape(array)[axis] - 1) * stride;
        low += reach < 0 ? reach : 0;
        *width += reach < 0 ? -reach : reach;
    }
    *first = (low % step + step) % step;
}

bool tni_array_may_meet(const tn_array *a, const tn_array *b) {
    if (!tn_array_may_overlap(a, b)) return false;
    for (int axis = 0; axis < a->ndim; axis++) {
        int64_t step = tni_strides(a)[axis], first_a, width_a, first_b, width_b;
        if (step < 0) step = -step;
        if (step <= tni_dtype_size(a->dtype) || tni_shape(a)[axis] == 1) continue;
        bounds_modulo(a, step, &first_a, &width_a);
        bounds_modulo(b, step, &first_b, &width_b);
        int64_t gap = (first_b - first_a + step) % step; /* from the first byte of a to that of b */
        if (gap >= width_a && step - gap >= width_b) return false;
    }
    return true;
}

bool tni_array_may_repeat(const tn_array *array) {
    int axes[TN_MAX_NDIM], count = 0;
    for (int axis = array->ndim - 1; axis >= 0; axis--) { /* by their strides, the least first */
        if (tni_shape(array)[axis] == 0) return false;
        if (tni_shape(array)[axis] == 1) continue;
        const int64_t stride = llabs(tni_strides(array)[axis]);
        int at = count++;
        for (; at > 0 && llabs(tni_strides(array)[axes[at - 1]]) > stride; at--)
            axes[at] = axes[at - 1];
        axes[at] = axis;
    }
    int64_t end = tni_dtype_size(array->dtype);
    for (int k = 0; k < count; k++) {
        const int64_t stride = llabs(tni_strides(array)[axes[k]]);
        if (stride < end) return true;
        end += (tni_shape(array)[axes[k]] - 1) * stride;
    }
    return false;
}

tni_overlap tni_array_overlap(const tn_array *output, const tn_array *input) {
    if (!tni_array_may_meet(output, input)) return TNI_OVERLAP_NONE;
    bool same = output->dtype == input->dtype && output->ndim == input->ndim &&
                address_of(output) == address_of(input) &&
                !memcmp(output->dims, input->dims, sizeof(int64_t) * 2 * output->ndim) &&
                !tni_array_may_repeat(output);
    return same ? TNI_OVERLAP_EXACT : TNI_OVERLAP_PARTIAL;
}

tn_status tni_device_common(tn_device *device, int count, const tn_array *const *arrays) {
    const tn_array *first = NULL;
    for (int k = 0; k < count; k++) {
        if (!arrays[k]) continue;
        if (!first) first = arrays[k];
        tn_device a = first->buffer->device, b = arrays[k]->buffer->device;
        if (!tn_device_is_equal(a, b))
            TNI_FAIL(TN_ERROR_VALUE,
                     "Array device must be the same for all operands: arrays are on %s device %d "
                     "and %s device %d; see errors/device-mismatch in the documentation",
                     tn_backend_name(a.backend), a.number, tn_backend_name(b.backend), b.number);
    }
    *device = first ? first->buffer->device : tn_device_get_current();
    return TN_OK;
}
