/* The common part of taking and putting: flattening indices, shapes, and the description of the
 * form. Nothing here moves data but copies of indices or values that do not fit the form. */
#include "core/index/index.h"

#include "core/array/layout.h"
#include "core/array/view.h"

#include <string.h>

bool tni_index_stride(int64_t *stride, int ndim, const int64_t *shape, const int64_t *strides) {
    if (ndim <= 1) {
        *stride = ndim == 1 && shape[0] > 1 ? strides[0] : 0;
        return true;
    }
    int64_t sizes[TN_MAX_NDIM], steps[TN_MAX_NDIM];
    memcpy(sizes, shape, (size_t)ndim * sizeof *sizes);
    memcpy(steps, strides, (size_t)ndim * sizeof *steps);
    for (int axis = 0; axis < ndim; axis++)
        if (shape[axis] == 0) ndim = 0;
    int64_t *operands[1] = {steps};
    int kept = ndim ? tni_layout_collapse(ndim, sizes, 1, operands, NULL, false) : 0;
    *stride = kept ? steps[kept - 1] : 0;
    return kept <= 1;
}

tn_status tni_index_flatten(tn_array **result, const tn_array *indices, tn_stream *stream) {
    tn_kind kind = tn_dtype_kind(indices->dtype);
    if (kind != TN_KIND_SIGNED && kind != TN_KIND_UNSIGNED)
        TNI_FAIL(TN_ERROR_INDEX, "arrays used as indices must be of integer (or boolean) type");
    int64_t stride;
    if (tni_index_stride(&stride, indices->ndim, tni_shape(indices), tni_strides(indices))) {
        *result = tn_array_retain((tn_array *)indices);
        return TN_OK;
    }
    return tn_array_astype(result, indices, indices->dtype, TN_ORDER_C, TN_CASTING_NO,
                           TN_COPY_ALWAYS, stream);
}

tn_status tni_index_shape(int *ndim, int64_t *shape, const tn_array *array, int axis,
                          int index_ndim, const int64_t *index_shape) {
    int total = array->ndim - 1 + index_ndim;
    if (total > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_INDEX,
                 "number of dimensions must be within [0, %d], indexing result would have %d",
                 TN_MAX_NDIM, total);
    const int64_t *sizes = tni_shape(array);
    memcpy(shape, sizes, (size_t)axis * sizeof *shape);
    memcpy(shape + axis, index_shape, (size_t)index_ndim * sizeof *shape);
    memcpy(shape + axis + index_ndim, sizes + axis + 1,
           (size_t)(array->ndim - axis - 1) * sizeof *shape);
    *ndim = total;
    return TN_OK;
}

/* Copies one group of axes to place `at` of the form, collapsed; the count of those left. An empty
 * group of axes is left as it is: its sizes say that there is nothing to move. */
static int add_axes(tni_indexing *form, int at, int count, const int64_t *shape,
                    const int64_t *array_strides, const int64_t *dense_strides) {
    if (count == 0) return 0;
    memcpy(form->shape + at, shape, (size_t)count * sizeof *shape);
    memcpy(form->array_strides + at, array_strides, (size_t)count * sizeof *shape);
    memcpy(form->dense_strides + at, dense_strides, (size_t)count * sizeof *shape);
    int64_t *operands[2] = {form->dense_strides + at, form->array_strides + at};
    for (int axis = 0; axis < count; axis++)
        if (shape[axis] == 0) return count;
    return tni_layout_collapse(count, form->shape + at, 2, operands, NULL, true);
}

void tni_indexing_make(tni_indexing *form, const tn_array *array, int axis, const tn_array *indices,
                       int index_ndim, const int64_t *dense_strides, int64_t dense_stride,
                       tni_index_rule rule) {
    const int64_t *shape = tni_shape(array), *strides = tni_strides(array);
    form->item_bytes = tn_dtype_size(array->dtype);
    form->axis_size = shape[axis];
    form->axis_stride = strides[axis];
    form->dense_stride = dense_stride;
    form->index_dtype = indices->dtype;
    form->index_count = indices->size;
    tni_index_stride(&form->index_stride, indices->ndim, tni_shape(indices), tni_strides(indices));
    form->mode = rule.mode;
    form->axis = rule.shown_axis >= 0 ? rule.shown_axis : axis;
    form->outer_ndim = add_axes(form, 0, axis, shape, strides, dense_strides);
    int after = axis + 1;
    form->ndim =
        form->outer_ndim + add_axes(form, form->outer_ndim, array->ndim - after, shape + after,
                                    strides + after, dense_strides + axis + index_ndim);
}

tn_status tni_index_values(tn_array **result, const tn_array *from, const tn_array *to, int ndim,
                           const int64_t *shape, tn_stream *stream) {
    if (!tni_array_is_broadcastable(from, ndim, shape)) return TN_ERROR_VALUE;
    if (from->dtype == to->dtype && tni_array_overlap(to, from) == TNI_OVERLAP_NONE)
        return tni_array_spread(result, from, ndim, shape);
    tn_array *converted;
    TNI_TRY(tn_array_astype(&converted, from, to->dtype, TN_ORDER_C, TN_CASTING_UNSAFE,
                            TN_COPY_ALWAYS, stream));
    tn_status status = tni_array_spread(result, converted, ndim, shape);
    tn_array_release(converted);
    return status;
}
