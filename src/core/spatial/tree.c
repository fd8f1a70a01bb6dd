/* Trees of points: the drivers of what builds them and of queries for nearest points. */
#include "core/spatial/spatial.h"

tn_status tn_array_hilbert(tn_array **result, const tn_array *places, int bits, tn_stream *stream) {
    tni_hilbert call = {.bits = bits};
    tni_spatial_given given[] = {{"places", places, TN_U32, 2, -1, -1, &call.places, NULL}};
    tn_array *made = NULL;
    tn_status status;
    TNI_TRY_OWNING(tni_spatial_open(TNI_SPATIAL_COUNT(given), given, &stream));
    const int64_t axes = tni_shape(places)[1];
    if (bits < 1 || axes < 1 || axes > 63 || axes * bits > 63) {
        status = tni_fail(TN_ERROR_VALUE, "%d bits of %lld coordinates are not 1 to 63", bits,
                          (long long)axes);
        goto cleanup;
    }
    call.axes = (int)axes;
    call.count = tni_shape(places)[0];
    TNI_TRY_OWNING(tni_spatial_new(&made, &call.keys, TN_I64, 1, call.count, 0, stream));
    status = call.count ? tni_queue_hilbert(&call, stream) : TN_OK;
cleanup:
    tni_spatial_close(TNI_SPATIAL_COUNT(given), given);
    return tni_array_deliver(result, made, status);
}

tn_status tn_tree_boxes(tn_array **result, const tn_array *points, int levels, tn_stream *stream) {
    tni_tree_boxes call = {.tree = {.levels = levels}};
    tni_spatial_given given[] = {{"points", points, TN_F64, 2, -1, -1, &call.tree.points, NULL}};
    tn_array *made = NULL;
    tn_status status;
    void *address;
    TNI_TRY_OWNING(tni_spatial_open(TNI_SPATIAL_COUNT(given), given, &stream));
    const int64_t axes = tni_shape(points)[1];
    const int64_t shape[3] = {INT64_C(2) << (levels & 31), 2, axes};
    call.tree.count = tni_shape(points)[0];
    TNI_TRY_OWNING(tni_spatial_check_levels(levels, call.tree.count));
    if (axes < 1 || axes > INT32_MAX) {
        status = tni_fail(TN_ERROR_VALUE, "points of %lld coordinates", (long long)axes);
        goto cleanup;
    }
    call.tree.axes = (int)axes;
    TNI_TRY_OWNING(tn_array_new(&made, TN_F64, 3, shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_array_access(&address, made, TNI_WRITE, stream));
    call.boxes = address;
    status = tni_queue_tree_boxes(&call, stream);
cleanup:
    tni_spatial_close(TNI_SPATIAL_COUNT(given), given);
    return tni_array_deliver(result, made, status);
}

tn_status tn_tree_query(tn_array **distances, tn_array **numbers, const tn_tree *tree,
                        const tn_array *x, const tn_tree_options *options, tn_stream *stream) {
    tni_tree_query call = {
        .k = options->k, .p = options->p, .eps = options->eps, .bound = options->bound};
    tni_spatial_given given[TNI_SPATIAL_TREE + 2] = {{0}};
    tn_array *made[2] = {NULL, NULL};
    tn_status status;
    if (x->ndim != 2) TNI_FAIL(TN_ERROR_VALUE, "x must have 2 dimensions, not %d", x->ndim);
    if (!(options->p >= 1)) TNI_FAIL(TN_ERROR_VALUE, "Only p-norms with 1<=p<=infinity permitted");
    if (options->k < 1) TNI_FAIL(TN_ERROR_VALUE, "k must be an integer or a sequence of integers");
    TNI_TRY(tni_spatial_tree(given, &call.tree, tree));
    call.rows = tni_shape(x)[0];
    given[TNI_SPATIAL_TREE] =
        (tni_spatial_given){"x", x, TN_F64, 2, call.rows, call.tree.axes, &call.x, NULL};
    given[TNI_SPATIAL_TREE + 1] =
        (tni_spatial_given){"turns", options->turns, TN_I64, 1, call.rows, -1, &call.turns, NULL};
    TNI_TRY_OWNING(tni_spatial_open(TNI_SPATIAL_COUNT(given), given, &stream));
    TNI_TRY_OWNING(
        tni_spatial_new(&made[0], &call.distances, TN_F64, 2, call.rows, call.k, stream));
    TNI_TRY_OWNING(tni_spatial_new(&made[1], &call.numbers, TN_I64, 2, call.rows, call.k, stream));
    if (call.rows) TNI_TRY_OWNING(tni_queue_tree_query(&call, stream));
    *distances = tn_array_retain(made[0]);
    *numbers = tn_array_retain(made[1]);
cleanup:
    tni_spatial_close(TNI_SPATIAL_COUNT(given), given);
    tn_array_release(made[0]);
    tn_array_release(made[1]);
    return status;
}
