/* What the drivers of the family share. */
#include "core/spatial/spatial.h"

#include "core/move/astype.h"

enum { MOST = 12 };

static tn_status check(const tni_spatial_given *g) {
    const tn_array *array = g->array;
    if (array->dtype != g->dtype)
        TNI_FAIL(TN_ERROR_TYPE, "%s must have dtype %s, not %s", g->name, tn_dtype_name(g->dtype),
                 tn_dtype_name(array->dtype));
    if (array->ndim != g->ndim)
        TNI_FAIL(TN_ERROR_VALUE, "%s must have %d dimensions, not %d", g->name, g->ndim,
                 array->ndim);
    const int64_t wanted[2] = {g->rows, g->columns}; /* of the first axes */
    for (int axis = 0; axis < g->ndim && axis < 2; axis++)
        if (wanted[axis] >= 0 && tni_shape(array)[axis] != wanted[axis])
            TNI_FAIL(TN_ERROR_VALUE, "%s must have size %lld along axis %d, not %lld", g->name,
                     (long long)wanted[axis], axis, (long long)tni_shape(array)[axis]);
    return TN_OK;
}

tn_status tni_spatial_open(int count, tni_spatial_given *given, tn_stream **stream) {
    const tn_array *arrays[MOST];
    tn_device device;
    for (int k = 0; k < count; k++)
        arrays[k] = given[k].array;
    TNI_TRY(tni_device_common(&device, count, arrays));
    TNI_TRY(tni_stream_resolve(stream, *stream, device));
    for (int k = 0; k < count; k++)
        if (given[k].array) TNI_TRY(check(&given[k]));
    for (int k = 0; k < count; k++) {
        tni_spatial_given *g = &given[k];
        void *data;
        if (!g->array) continue;
        TNI_TRY(tni_array_packed(&g->packed, g->array, g->dtype, *stream));
        TNI_TRY(tni_array_access(&data, g->packed, TNI_READ, *stream));
        *(void **)g->address = data;
    }
    return TN_OK;
}

void tni_spatial_close(int count, tni_spatial_given *given) {
    for (int k = 0; k < count; k++)
        tn_array_release(given[k].packed);
}

tn_status tni_spatial_new(tn_array **result, void *address, tn_dtype dtype, int ndim, int64_t rows,
                          int64_t columns, tn_stream *stream) {
    const int64_t shape[2] = {rows, columns};
    tn_array *made = NULL;
    void *data;
    TNI_TRY(tn_array_new(&made, dtype, ndim, shape, TN_ORDER_C, stream));
    const tn_status status = tni_array_access(&data, made, TNI_WRITE, stream);
    if (!status) *(void **)address = data;
    return tni_array_deliver(result, made, status);
}

tn_status tni_spatial_check_levels(int levels, int64_t count) {
    if (levels < 0 || levels > TNI_SPATIAL_LEVELS)
        TNI_FAIL(TN_ERROR_VALUE, "a tree has 0 to %d levels, not %d", TNI_SPATIAL_LEVELS, levels);
    if (count >= INT64_C(1) << 33)
        TNI_FAIL(TN_ERROR_OVERFLOW, "a tree of %lld points has too many", (long long)count);
    if (count >> levels == 0)
        TNI_FAIL(TN_ERROR_VALUE, "a tree of %lld points has no %d levels", (long long)count,
                 levels);
    return TN_OK;
}

tn_status tni_spatial_tree(tni_spatial_given *given, tni_tree *to, const tn_tree *tree) {
    if (tree->points->ndim != 2 || tni_shape(tree->points)[1] < 1)
        TNI_FAIL(TN_ERROR_VALUE, "the points of a tree have two dimensions and a column at least");
    const int64_t count = tni_shape(tree->points)[0], axes = tni_shape(tree->points)[1];
    TNI_TRY(tni_spatial_check_levels(tree->levels, count));
    if (tree->boxes->size != (INT64_C(4) << tree->levels) * axes || tree->boxes->ndim != 3)
        TNI_FAIL(TN_ERROR_VALUE, "the boxes are not those of the tree");
    const tni_spatial_given all[TNI_SPATIAL_TREE] = {
        {"points", tree->points, TN_F64, 2, count, axes, &to->points, NULL},
        {"boxes", tree->boxes, TN_F64, 3, -1, -1, &to->boxes, NULL},
        {"order", tree->order, TN_I64, 1, count, -1, &to->order, NULL},
        {"periods", tree->periods, TN_F64, 1, axes, -1, &to->periods, NULL},
    };
    *to = (tni_tree){.count = count, .axes = (int)axes, .levels = tree->levels};
    for (int k = 0; k < TNI_SPATIAL_TREE; k++)
        given[k] = all[k];
    return TN_OK;
}
