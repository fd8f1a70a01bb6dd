/* Another shape for the same elements in the same order: a view where strides allow it, else a
 * copy. */
#include "core/array/array.h"
#include "core/array/layout.h"
#include "core/array/shape.h"
#include "core/array/view.h"
#include "core/elementwise/elementwise.h"

/* Fills in the one size that is -1 and checks the total. */
static tn_status resolve_shape(int64_t *resolved, const tn_array *array, int ndim,
                               const int64_t *shape) {
    int unknown = -1;
    int64_t known = 1;
    bool fits = ndim >= 0 && ndim <= TN_MAX_NDIM;
    char text[TNI_SHAPE_TEXT];
    if (!fits)
        TNI_FAIL(TN_ERROR_VALUE,
                 "maximum supported dimension for an ndarray is currently %d, found %d",
                 TN_MAX_NDIM, ndim);
    for (int axis = 0; axis < ndim; axis++) {
        resolved[axis] = shape[axis];
        if (shape[axis] < 0) {
            if (unknown >= 0) TNI_FAIL(TN_ERROR_VALUE, "can only specify one unknown dimension");
            unknown = axis;
        } else if (__builtin_mul_overflow(known, shape[axis], &known)) {
            fits = false;
            known = 0;
        }
    }
    if (unknown >= 0) {
        fits = fits && known > 0 && array->size % known == 0;
        if (fits) resolved[unknown] = array->size / known;
    } else {
        fits = fits && known == array->size;
    }
    if (fits) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "cannot reshape array of size %lld into shape %s",
                    (long long)array->size, tni_shape_text(text, ndim, shape));
}

/* Strides of `shape` over the elements of `array` without a copy, if there are such. Runs of old
 * axes are matched with runs of new axes of equal size; each old run must be one stride. */
static bool reshape_strides(int64_t *strides, const tn_array *array, int ndim, const int64_t *shape,
                            bool fortran) {
    int64_t old_shape[TN_MAX_NDIM], old_strides[TN_MAX_NDIM];
    int old_ndim = tni_array_squeezed(old_shape, old_strides, array);
    int old_from = 0, new_from = 0, old_to = 1, new_to = 1;
    while (new_from < ndim && old_from < old_ndim) {
        int64_t new_size = shape[new_from], old_size = old_shape[old_from];
        while (new_size != old_size) {
            if (new_size < old_size)
                new_size *= shape[new_to++];
            else
                old_size *= old_shape[old_to++];
        }
        for (int axis = old_from; axis < old_to - 1; axis++) {
            int64_t expected = fortran ? old_shape[axis] * old_strides[axis]
                                       : old_shape[axis + 1] * old_strides[axis + 1];
            if (old_strides[fortran ? axis + 1 : axis] != expected) return false;
        }
        if (fortran) {
            strides[new_from] = old_strides[old_from];
            for (int axis = new_from + 1; axis < new_to; axis++)
                strides[axis] = strides[axis - 1] * shape[axis - 1];
        } else {
            strides[new_to - 1] = old_strides[old_to - 1];
            for (int axis = new_to - 1; axis > new_from; axis--)
                strides[axis - 1] = strides[axis] * shape[axis];
        }
        new_from = new_to++;
        old_from = old_to++;
    }
    int64_t last = tn_dtype_size(array->dtype);
    if (new_from > 0) last = strides[new_from - 1] * (fortran ? shape[new_from - 1] : 1);
    for (int axis = new_from; axis < ndim; axis++)
        strides[axis] = last; /* sizes of 1 */
    return true;
}

tn_status tn_array_reshape(tn_array **result, const tn_array *array, int ndim, const int64_t *shape,
                           tn_order order, tn_copy copy, tn_stream *stream) {
    int64_t resolved[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    TNI_TRY(resolve_shape(resolved, array, ndim, shape));
    bool fortran = order == TN_ORDER_F || (order == TN_ORDER_A && array->flags & TNI_F_CONTIGUOUS &&
                                           !(array->flags & TNI_C_CONTIGUOUS));
    if (copy != TN_COPY_ALWAYS) {
        bool possible = true;
        if (array->size == 0 || array->flags & (fortran ? TNI_F_CONTIGUOUS : TNI_C_CONTIGUOUS))
            tni_strides_make(strides, ndim, resolved, tn_dtype_size(array->dtype),
                             fortran ? TN_ORDER_F : TN_ORDER_C);
        else
            possible = reshape_strides(strides, array, ndim, resolved, fortran);
        if (possible)
            return tni_array_make(result, array->buffer, array->offset, array->dtype, ndim,
                                  resolved, strides, array->flags & TNI_WRITEABLE);
        if (copy == TN_COPY_NEVER)
            TNI_FAIL(TN_ERROR_VALUE, "Unable to avoid creating a copy while reshaping.");
    }
    tn_array *flat;
    TNI_TRY(tni_stream_resolve(&stream, stream, array->buffer->device));
    TNI_TRY(tn_array_new_like(&flat, array, array->dtype, 0, NULL,
                              fortran ? TN_ORDER_F : TN_ORDER_C, stream));
    tn_status status;
    TNI_TRY_OWNING(tni_copy_elements(flat, array, stream));
    tni_strides_make(strides, ndim, resolved, tn_dtype_size(array->dtype),
                     fortran ? TN_ORDER_F : TN_ORDER_C);
    status = tni_array_make(result, flat->buffer, 0, array->dtype, ndim, resolved, strides, true);
cleanup:
    tn_array_release(flat);
    return status;
}

static tn_status flatten_transposed(tn_array **result, const tn_array *array, tn_copy copy,
                                    tn_stream *stream) {
    int axes[TN_MAX_NDIM];
    const int64_t *strides = tni_strides(array), whole = -1;
    tn_array *ordered;
    tni_layout_order_like(axes, array->ndim, strides);
    TNI_TRY(tn_array_transpose(&ordered, array, array->ndim, axes));
    if (!(ordered->flags & TNI_C_CONTIGUOUS)) copy = TN_COPY_ALWAYS;
    if (copy == TN_COPY_ALWAYS) {
        tn_array_release(ordered);
        tni_layout_order(axes, array->ndim, 1, &strides);
        TNI_TRY(tn_array_transpose(&ordered, array, array->ndim, axes));
    }
    tn_status status = tn_array_reshape(result, ordered, 1, &whole, TN_ORDER_C, copy, stream);
    tn_array_release(ordered);
    return status;
}

tn_status tn_array_flatten(tn_array **result, const tn_array *array, tn_order order, tn_copy copy,
                           tn_stream *stream) {
    static const int64_t whole = -1;
    uint8_t both = array->flags & (TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS);
    if (order == TN_ORDER_K && !both) return flatten_transposed(result, array, copy, stream);
    if (order == TN_ORDER_A || order == TN_ORDER_K)
        order = both == TNI_F_CONTIGUOUS ? TN_ORDER_F : TN_ORDER_C;
    if (!(both & (order == TN_ORDER_F ? TNI_F_CONTIGUOUS : TNI_C_CONTIGUOUS)))
        copy = TN_COPY_ALWAYS;
    return tn_array_reshape(result, array, 1, &whole, order, copy, stream);
}
