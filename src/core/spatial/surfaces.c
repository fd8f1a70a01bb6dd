/* Surfaces over triangles: the drivers of their values, and of the slopes at points, which are
 * found on the host. */
#include "core/spatial/spatial.h"

enum { POINTS, CORNERS, NEIGHBORS, VALUES, COMMON };

static int64_t rows_of(const tn_array *array) {
    return array->ndim ? tni_shape(array)[0] : 0;
}

/* The arguments that both drivers have, from given[0] on; fills in the counts of `t`. */
static tn_status describe(tni_spatial_given *given, tni_triangles *t, const double **values,
                          const tn_array *const *arrays) {
    const int64_t points = rows_of(arrays[POINTS]), count = rows_of(arrays[CORNERS]);
    const tni_spatial_given all[COMMON] = {
        {"points", arrays[POINTS], TN_F64, 2, -1, 2, &t->points, NULL},
        {"corners", arrays[CORNERS], TN_I32, 2, -1, 3, &t->corners, NULL},
        {"neighbors", arrays[NEIGHBORS], TN_I32, 2, count, 3, &t->neighbors, NULL},
        {"values", arrays[VALUES], TN_F64, 2, points, -1, values, NULL},
    };
    if (points > INT32_MAX)
        TNI_FAIL(TN_ERROR_OVERFLOW, "%lld points are too many", (long long)points);
    for (int k = 0; k < COMMON; k++)
        given[k] = all[k];
    t->count = count;
    t->point_count = points;
    return TN_OK;
}

tn_status tn_array_triangle_values(tn_array **result, const tn_array *x, const tn_array *found,
                                   const tn_array *points, const tn_array *corners,
                                   const tn_array *neighbors, const tn_array *values,
                                   const tn_array *slopes, const double fill[2],
                                   tn_stream *stream) {
    const tn_array *const arrays[COMMON] = {points, corners, neighbors, values};
    tni_triangle_values call = {.rows = rows_of(x), .fill = {fill[0], fill[1]}};
    tni_spatial_given given[COMMON + 3] = {{.array = NULL}};
    tn_array *made = NULL;
    tn_status status;
    TNI_TRY(describe(given, &call.triangles, &call.values, arrays));
    call.columns = values->ndim == 2 ? tni_shape(values)[1] : 0;
    given[COMMON] = (tni_spatial_given){"x", x, TN_F64, 2, -1, 2, &call.x, NULL};
    given[COMMON + 1] =
        (tni_spatial_given){"found", found, TN_I32, 1, call.rows, -1, &call.found, NULL};
    given[COMMON + 2] = (tni_spatial_given){
        "slopes", slopes, TN_F64, 3, call.triangles.point_count, call.columns, &call.slopes, NULL};
    TNI_TRY_OWNING(tni_spatial_open(TNI_SPATIAL_COUNT(given), given, &stream));
    if (slopes && tni_shape(slopes)[2] != 2) {
        status = tni_fail(TN_ERROR_VALUE, "slopes must have size 2 along axis 2, not %lld",
                          (long long)tni_shape(slopes)[2]);
        goto cleanup;
    }
    TNI_TRY_OWNING(
        tni_spatial_new(&made, &call.output, TN_F64, 2, call.rows, call.columns, stream));
    status = made->size ? tni_queue_triangle_values(&call, stream) : TN_OK;
cleanup:
    tni_spatial_close(TNI_SPATIAL_COUNT(given), given);
    return tni_array_deliver(result, made, status);
}

/* Runs the form for arrays of the host, and waits. */
static tn_status find_slopes(tn_array **slopes, int64_t *left, const tn_array *const *arrays,
                             double tolerance, int64_t most, tn_stream *stream) {
    _Atomic(int64_t) unsettled = 0;
    tni_triangle_slopes call = {.most = most, .tolerance = tolerance, .left = &unsettled};
    tni_spatial_given given[COMMON] = {{.array = NULL}};
    tn_array *made = NULL;
    void *output;
    tn_status status;
    TNI_TRY(describe(given, &call.triangles, &call.values, arrays));
    TNI_TRY_OWNING(tni_spatial_open(COMMON, given, &stream));
    call.columns = tni_shape(arrays[VALUES])[1];
    const int64_t shape[3] = {call.triangles.point_count, call.columns, 2};
    TNI_TRY_OWNING(tn_array_new(&made, TN_F64, 3, shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(tni_array_access(&output, made, TNI_WRITE, stream));
    call.slopes = output;
    status = made->size ? tni_queue_triangle_slopes(&call, stream) : TN_OK;
    const tn_status waited = tn_stream_synchronize(stream, -1);
    status = status ? status : waited;
    *left = unsettled;
cleanup:
    tni_spatial_close(COMMON, given);
    return tni_array_deliver(slopes, made, status);
}

tn_status tn_array_triangle_slopes(tn_array **slopes, int64_t *left, const tn_array *points,
                                   const tn_array *corners, const tn_array *neighbors,
                                   const tn_array *values, double tolerance, int64_t most,
                                   tn_stream *stream) {
    const tn_array *const given[COMMON] = {points, corners, neighbors, values};
    const tn_device there = tn_array_device(points), host = {TN_BACKEND_HOST, 0};
    const bool is_host = there.backend == TN_BACKEND_HOST;
    tn_array *brought[COMMON] = {NULL, NULL, NULL, NULL}, *made = NULL;
    tn_status status;
    for (int k = 0; k < COMMON; k++)
        TNI_TRY_OWNING(tn_array_to_device(&brought[k], given[k], is_host ? there : host,
                                          TN_COPY_IF_NEEDED, stream));
    const tn_array *const arrays[COMMON] = {brought[0], brought[1], brought[2], brought[3]};
    TNI_TRY_OWNING(find_slopes(&made, left, arrays, tolerance, most, is_host ? stream : NULL));
    status = tn_array_to_device(slopes, made, there, TN_COPY_IF_NEEDED, is_host ? stream : NULL);
cleanup:
    tn_array_release(made);
    for (int k = 0; k < COMMON; k++)
        tn_array_release(brought[k]);
    return status;
}
