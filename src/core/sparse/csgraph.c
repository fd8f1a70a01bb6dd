/* Walks through graphs: the driver, which brings arrays to the host. */
#include "core/base/alloc.h"
#include "core/sparse/csr.h"
#include "forms/graph.h"

#include <tenorite/csgraph.h>

#include <string.h>

/* A graph on the host, of f64 weights. */
typedef struct walking {
    tn_array *arrays[3];
    tni_csr_held held;
    bool is_wide;
    tn_device device, host; /* device: that of the graph */
    tn_stream *stream;
} walking;

static void end(walking *w) {
    tni_csr_release(&w->held);
    for (int k = 0; k < 3; k++)
        tn_array_release(w->arrays[k]);
}

static tn_status begin(walking *w, const tn_csr *graph, tn_stream *stream) {
    const tn_array *const given[3] = {graph->data, graph->indices, graph->indptr};
    tn_status status;
    memset(w, 0, sizeof *w);
    if (graph->rows != graph->columns)
        TNI_FAIL(TN_ERROR_VALUE, "compressed-sparse graph must be shape (N, N), not (%lld, %lld)",
                 (long long)graph->rows, (long long)graph->columns);
    if (graph->rows > INT32_MAX / 2)
        TNI_FAIL(TN_ERROR_OVERFLOW, "a graph of %lld nodes has too many", (long long)graph->rows);
    w->device = w->host = tn_array_device(graph->data);
    if (w->host.backend != TN_BACKEND_HOST) w->host = (tn_device){TN_BACKEND_HOST, 0};
    w->stream = tn_device_is_equal(w->device, w->host) ? stream : NULL;
    for (int k = 0; k < 3; k++)
        TNI_TRY_OWNING(
            tn_array_to_device(&w->arrays[k], given[k], w->host, TN_COPY_IF_NEEDED, NULL));
    const tn_csr there = {graph->rows, graph->columns, w->arrays[0], w->arrays[1], w->arrays[2]};
    const tn_csr *one = &there;
    TNI_TRY_OWNING(tni_csr_begin(&w->stream, &w->is_wide, 1, &one, NULL));
    TNI_TRY_OWNING(tni_csr_hold(&w->held, one, TN_F64, w->is_wide, w->stream));
    return TN_OK;
cleanup:
    end(w);
    return status;
}

/* The status of work that was queued. */
static tn_status settle(tn_status status, tn_stream *stream) {
    const tn_status waited = tn_stream_synchronize(stream, -1);
    return status ? status : waited;
}

/* Values of C's heap as a new array on the graph's device. */
static tn_status give(tn_array **result, const walking *w, tn_dtype dtype, int ndim,
                      const int64_t *shape, const void *values) {
    tn_stream *stream;
    TNI_TRY(tni_stream_resolve(&stream, NULL, w->device));
    return tn_array_new_from_host(result, values, dtype, ndim, shape, NULL, TN_ORDER_C, stream);
}

/* --- Paths --- */

/* The sources as numbers of C's heap, checked. */
static tn_status read_sources(int64_t **numbers, const tn_array *sources, int64_t n) {
    tn_array *wide = NULL;
    tn_status status;
    *numbers = tni_malloc((size_t)(sources->size + 1) * sizeof **numbers);
    if (!*numbers) return tni_fail_no_memory(sources->size * 8);
    TNI_TRY_OWNING(tn_array_astype(&wide, sources, TN_I64, TN_ORDER_C, TN_CASTING_SAME_KIND,
                                   TN_COPY_IF_NEEDED, NULL));
    TNI_TRY_OWNING(tn_array_read(*numbers, NULL, wide, NULL));
    TNI_TRY_OWNING(tn_device_synchronize(tn_array_device(wide), -1));
    for (int64_t k = 0; k < sources->size; k++)
        if ((*numbers)[k] < 0 || (*numbers)[k] >= n) {
            status = tni_fail(TN_ERROR_INDEX, "node %lld is none of a graph of %lld nodes",
                              (long long)(*numbers)[k], (long long)n);
            break;
        }
cleanup:
    tn_array_release(wide);
    return status;
}

static tn_status give_paths(tn_array **distances, tn_array **before, tn_array **origins,
                            const walking *w, const tni_csr_paths *call) {
    const int64_t shape[2] = {call->is_merged ? 1 : call->count, w->held.csr.rows};
    const int skipped = call->is_merged; /* axes */
    tn_array *made[3] = {NULL, NULL, NULL};
    tn_status status;
    TNI_TRY_OWNING(give(&made[0], w, TN_F64, 2 - skipped, shape + skipped, call->distances));
    TNI_TRY_OWNING(give(&made[1], w, TN_I32, 2 - skipped, shape + skipped, call->before));
    if (call->is_merged) TNI_TRY_OWNING(give(&made[2], w, TN_I32, 1, shape + 1, call->origins));
    *distances = made[0];
    *before = made[1];
    *origins = made[2];
    return TN_OK;
cleanup:
    for (int k = 0; k < 3; k++)
        tn_array_release(made[k]);
    return status;
}

tn_status tn_csgraph_paths(tn_array **distances, tn_array **before, tn_array **origins,
                           bool *is_negative, const tn_csr *graph, const tn_array *sources,
                           const tn_path_options *options, tn_stream *stream) {
    static const tni_path_method methods[] = {
        [TN_PATH_DIJKSTRA] = TNI_PATH_DIJKSTRA,
        [TN_PATH_BELLMAN_FORD] = TNI_PATH_BELLMAN_FORD,
        [TN_PATH_JOHNSON] = TNI_PATH_JOHNSON,
    };
    int64_t negative = 0, *numbers = NULL;
    tni_csr_paths call = {.is_both_ways = options->is_both_ways,
                          .is_merged = options->is_merged,
                          .limit = options->limit,
                          .is_negative = &negative};
    walking w;
    tn_status status;
    if ((unsigned)options->method > TN_PATH_JOHNSON)
        TNI_FAIL(TN_ERROR_VALUE, "there is no method of number %d", (int)options->method);
    if (sources->ndim != 1)
        TNI_FAIL(TN_ERROR_VALUE, "the sources have %d dimensions, not 1", sources->ndim);
    TNI_TRY(begin(&w, graph, stream));
    call.method = methods[options->method];
    const int64_t n = graph->rows, rows = call.is_merged ? 1 : sources->size;
    TNI_TRY_OWNING(read_sources(&numbers, sources, n));
    call.distances = tni_malloc((size_t)(rows * n + 1) * sizeof *call.distances);
    call.before = tni_malloc((size_t)((rows + 1) * n + 1) * sizeof *call.before);
    if (!call.distances || !call.before) {
        status = tni_fail_no_memory(rows * n * 12);
        goto cleanup;
    }
    call.origins = call.before + rows * n;
    call.a = w.held.csr;
    call.is_wide = w.is_wide;
    call.count = sources->size;
    call.sources = numbers;
    TNI_TRY_OWNING(settle(tni_queue_csr_paths(&call, w.stream), w.stream));
    *is_negative = negative;
    if (!negative) status = give_paths(distances, before, origins, &w, &call);
cleanup:
    tni_free(call.distances);
    tni_free(call.before);
    tni_free(numbers);
    end(&w);
    return status;
}

/* --- Walks and forests --- */

tn_status tn_csgraph_traverse(tn_array **order, tn_array **before, const tn_csr *graph,
                              int64_t first, bool is_deep, bool is_both_ways, tn_stream *stream) {
    int64_t count = 0;
    tni_csr_traverse call = {.is_both_ways = is_both_ways, .is_deep = is_deep, .count = &count};
    tn_array *made = NULL;
    walking w;
    tn_status status;
    const int64_t n = graph->rows;
    if (first < 0 || first >= n)
        TNI_FAIL(TN_ERROR_INDEX, "node %lld is none of a graph of %lld nodes", (long long)first,
                 (long long)n);
    TNI_TRY(begin(&w, graph, stream));
    call.order = tni_malloc((size_t)(2 * n) * sizeof *call.order);
    if (!call.order) {
        status = tni_fail_no_memory(n * 8);
        goto cleanup;
    }
    call.before = call.order + n;
    call.a = w.held.csr;
    call.a.values = NULL;
    call.is_wide = w.is_wide;
    call.first = first;
    TNI_TRY_OWNING(settle(tni_queue_csr_traverse(&call, w.stream), w.stream));
    TNI_TRY_OWNING(give(&made, &w, TN_I32, 1, &count, call.order));
    TNI_TRY_OWNING(give(before, &w, TN_I32, 1, &n, call.before));
    *order = tn_array_retain(made);
cleanup:
    tn_array_release(made);
    tni_free(call.order);
    end(&w);
    return status;
}

tn_status tn_csgraph_spanning(tn_array **is_kept, const tn_csr *graph, tn_stream *stream) {
    tni_csr_spanning call = {.is_kept = NULL};
    walking w;
    tn_status status;
    TNI_TRY(begin(&w, graph, stream));
    call.a = w.held.csr;
    call.is_wide = w.is_wide;
    call.is_kept = tni_calloc((size_t)call.a.count + 1, 1);
    if (!call.is_kept) {
        status = tni_fail_no_memory(call.a.count);
        goto cleanup;
    }
    TNI_TRY_OWNING(settle(tni_queue_csr_spanning(&call, w.stream), w.stream));
    status = give(is_kept, &w, TN_B8, 1, &call.a.count, call.is_kept);
cleanup:
    tni_free(call.is_kept);
    end(&w);
    return status;
}
