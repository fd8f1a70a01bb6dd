/* Triangles of points in a plane: the drivers of what runs on the host, to which they bring the
 * points, and of the search for triangles. */
#include "core/spatial/spatial.h"
#include "core/stream/order.h"

/* Points and their turns on the host. */
typedef struct planar {
    tn_array *points, *turns;
    tni_spatial_given given[2];
    tn_stream *stream;
    tn_device device;
} planar;

static tn_status bring(planar *p, const tn_array *points, const tn_array *turns,
                       const void *points_at, const void *turns_at, tn_stream *stream) {
    const tn_device there = tn_array_device(points);
    const tn_device host = {TN_BACKEND_HOST, 0};
    p->device = there;
    const bool is_host = there.backend == TN_BACKEND_HOST;
    p->stream = is_host ? stream : NULL;
    TNI_TRY(
        tn_array_to_device(&p->points, points, is_host ? there : host, TN_COPY_IF_NEEDED, stream));
    TNI_TRY(
        tn_array_to_device(&p->turns, turns, is_host ? there : host, TN_COPY_IF_NEEDED, stream));
    if (points->ndim != 2 || tni_shape(points)[1] != 2)
        TNI_FAIL(TN_ERROR_VALUE, "points of a plane have two columns");
    if (tni_shape(points)[0] > INT32_MAX / 4)
        TNI_FAIL(TN_ERROR_OVERFLOW, "%lld points are too many", (long long)tni_shape(points)[0]);
    p->given[0] = (tni_spatial_given){
        "points", p->points, TN_F64, 2, -1, 2, (void *)(uintptr_t)points_at, NULL};
    p->given[1] = (tni_spatial_given){
        "turns", p->turns, TN_I64, 1, tni_shape(points)[0], -1, (void *)(uintptr_t)turns_at, NULL};
    return tni_spatial_open(2, p->given, &p->stream);
}

static void end(planar *p) {
    tni_spatial_close(2, p->given);
    tn_array_release(p->points);
    tn_array_release(p->turns);
}

/* A new array with a copy of these values. */
static tn_status give(tn_array **result, const planar *p, tn_dtype dtype, int ndim, int64_t rows,
                      const void *values) {
    const int64_t shape[2] = {rows, 3};
    tn_stream *stream;
    TNI_TRY(tni_stream_resolve(&stream, NULL, p->device));
    return tn_array_new_from_host(result, values, dtype, ndim, shape, NULL, TN_ORDER_C, stream);
}

static tn_status wait_for(tn_status queued, tn_stream *stream) {
    const tn_status waited = tn_stream_synchronize(stream, -1);
    return queued ? queued : waited;
}

tn_status tn_array_triangulate(tn_array **corners, tn_array **neighbors, tn_array **coplanar,
                               const tn_array *points, const tn_array *turns, tn_stream *stream) {
    tni_triangulation found = {NULL, NULL, NULL, 0, 0, false};
    tni_triangulate call = {.to = &found};
    tn_array *made[3] = {NULL, NULL, NULL};
    planar p = {0};
    tn_status status;
    TNI_TRY_OWNING(bring(&p, points, turns, &call.points, &call.turns, stream));
    call.count = tni_shape(points)[0];
    TNI_TRY_OWNING(wait_for(tni_queue_triangulate(&call, p.stream), p.stream));
    if (found.is_flat) {
        status = tni_fail(TN_ERROR_VALUE, "all %lld points are on one line", (long long)call.count);
        goto cleanup;
    }
    TNI_TRY_OWNING(give(&made[0], &p, TN_I32, 2, found.count, found.corners));
    TNI_TRY_OWNING(give(&made[1], &p, TN_I32, 2, found.count, found.neighbors));
    TNI_TRY_OWNING(give(&made[2], &p, TN_I32, 2, found.coplanar_count, found.coplanar));
    *corners = tn_array_retain(made[0]);
    *neighbors = tn_array_retain(made[1]);
    *coplanar = tn_array_retain(made[2]);
cleanup:
    end(&p);
    for (int k = 0; k < 3; k++)
        tn_array_release(made[k]);
    tni_free(found.corners);
    tni_free(found.neighbors);
    tni_free(found.coplanar);
    return status;
}

tn_status tn_array_hull(tn_array **corners, const tn_array *points, const tn_array *turns,
                        tn_stream *stream) {
    int64_t corner_count = 0;
    tni_hull call = {.corner_count = &corner_count};
    planar p = {0};
    tn_status status;
    TNI_TRY_OWNING(bring(&p, points, turns, &call.points, &call.turns, stream));
    call.count = tni_shape(points)[0];
    call.corners = tni_malloc((size_t)(call.count + 2) * sizeof *call.corners);
    if (!call.corners) {
        status = tni_fail_no_memory((call.count + 2) * (int64_t)sizeof *call.corners);
        goto cleanup;
    }
    TNI_TRY_OWNING(wait_for(tni_queue_hull(&call, p.stream), p.stream));
    if (corner_count < 3) {
        status = tni_fail(TN_ERROR_VALUE, "all %lld points are on one line", (long long)call.count);
        goto cleanup;
    }
    status = give(corners, &p, TN_I64, 1, corner_count, call.corners);
cleanup:
    end(&p);
    tni_free(call.corners);
    return status;
}

tn_status tn_array_locate(tn_array **found, const tn_array *x, const tn_array *points,
                          const tn_array *corners, const tn_array *neighbors,
                          const tn_array *starts, double eps, bool has_last, tn_stream *stream) {
    tni_locate call = {.eps = eps, .has_last = has_last};
    tni_triangles *t = &call.triangles;
    tni_spatial_given given[] = {
        {"x", x, TN_F64, 2, -1, 2, &call.x, NULL},
        {"points", points, TN_F64, 2, -1, 2, &t->points, NULL},
        {"corners", corners, TN_I32, 2, -1, 3, &t->corners, NULL},
        {"neighbors", neighbors, TN_I32, 2, -1, 3, &t->neighbors, NULL},
        {"starts", starts, TN_I32, 1, -1, -1, &call.starts, NULL},
    };
    tn_array *made = NULL;
    tn_status status;
    TNI_TRY_OWNING(tni_spatial_open(TNI_SPATIAL_COUNT(given), given, &stream));
    call.rows = tni_shape(x)[0];
    t->count = tni_shape(corners)[0];
    t->point_count = tni_shape(points)[0];
    if (tni_shape(neighbors)[0] != t->count || (starts && starts->size != call.rows)) {
        status = tni_fail(TN_ERROR_VALUE, "corners and neighbors, or x and starts, differ in size");
        goto cleanup;
    }
    TNI_TRY_OWNING(tni_spatial_new(&made, &call.found, TN_I32, 1, call.rows, 0, stream));
    status = call.rows ? tni_queue_locate(&call, stream) : TN_OK;
cleanup:
    tni_spatial_close(TNI_SPATIAL_COUNT(given), given);
    return tni_array_deliver(found, made, status);
}
