/* Trees of points: the drivers of queries for points within a radius. */
#include "core/spatial/spatial.h"

/* The arguments after those of the tree. */
enum { X = TNI_SPATIAL_TREE, RADII, AFTER, TURNS, WEIGHTS, STARTS, ARGUMENTS };

typedef struct ball {
    tni_tree_ball call;
    tni_spatial_given given[ARGUMENTS];
} ball;

static tn_status open_ball(ball *b, const tn_tree *tree, const tn_array *x, const tn_array *radii,
                           const tn_tree_options *options, tn_stream **stream) {
    tni_tree_ball *call = &b->call;
    if (x->ndim != 2) TNI_FAIL(TN_ERROR_VALUE, "x must have 2 dimensions, not %d", x->ndim);
    if (!(options->p > 0)) TNI_FAIL(TN_ERROR_VALUE, "p must be greater than 0");
    call->p = options->p;
    call->rows = tni_shape(x)[0];
    TNI_TRY(tni_spatial_tree(b->given, &call->tree, tree));
    const int64_t rows = call->rows, count = call->tree.count;
    const tn_array *const after = b->given[AFTER].array, *const weights = b->given[WEIGHTS].array;
    const tn_array *const starts = b->given[STARTS].array;
    const tni_spatial_given all[ARGUMENTS - X] = {
        {"x", x, TN_F64, 2, rows, call->tree.axes, &call->x, NULL},
        {"radii", radii, TN_F64, 1, rows, -1, &call->radii, NULL},
        {"after", after, TN_I64, 1, rows, -1, &call->only_after, NULL},
        {"turns", options->turns, TN_I64, 1, rows, -1, &call->turns, NULL},
        {"weights", weights, TN_F64, 1, count, -1, &call->weights, NULL},
        {"starts", starts, TN_I64, 1, rows, -1, &call->starts, NULL},
    };
    for (int k = X; k < ARGUMENTS; k++)
        b->given[k] = all[k - X];
    return tni_spatial_open(ARGUMENTS, b->given, stream);
}

tn_status tn_tree_count(tn_array **counts, const tn_tree *tree, const tn_array *x,
                        const tn_array *radii, const tn_array *after,
                        const tn_tree_options *options, tn_stream *stream) {
    ball b = {.given = {[AFTER] = {.array = after}}};
    tn_array *made = NULL;
    tn_status status;
    TNI_TRY_OWNING(open_ball(&b, tree, x, radii, options, &stream));
    TNI_TRY_OWNING(tni_spatial_new(&made, &b.call.counts, TN_I64, 1, b.call.rows, 0, stream));
    status = b.call.rows ? tni_queue_tree_ball(&b.call, stream) : TN_OK;
cleanup:
    tni_spatial_close(ARGUMENTS, b.given);
    return tni_array_deliver(counts, made, status);
}

tn_status tn_tree_weigh(tn_array **sums, const tn_tree *tree, const tn_array *x,
                        const tn_array *radii, const tn_array *weights,
                        const tn_tree_options *options, tn_stream *stream) {
    ball b = {.given = {[WEIGHTS] = {.array = weights}}};
    tn_array *made = NULL;
    tn_status status;
    TNI_TRY_OWNING(open_ball(&b, tree, x, radii, options, &stream));
    TNI_TRY_OWNING(tni_spatial_new(&made, &b.call.sums, TN_F64, 1, b.call.rows, 0, stream));
    status = b.call.rows ? tni_queue_tree_ball(&b.call, stream) : TN_OK;
cleanup:
    tni_spatial_close(ARGUMENTS, b.given);
    return tni_array_deliver(sums, made, status);
}

tn_status tn_tree_collect(tn_array **numbers, tn_array **distances, const tn_tree *tree,
                          const tn_array *x, const tn_array *radii, const tn_array *after,
                          const tn_array *starts, int64_t total, const tn_tree_options *options,
                          tn_stream *stream) {
    ball b = {.given = {[AFTER] = {.array = after}, [STARTS] = {.array = starts}}};
    tn_array *made[2] = {NULL, NULL};
    tn_status status;
    b.call.total = total;
    TNI_TRY_OWNING(open_ball(&b, tree, x, radii, options, &stream));
    TNI_TRY_OWNING(tni_spatial_new(&made[0], &b.call.numbers, TN_I64, 1, total, 0, stream));
    if (distances)
        TNI_TRY_OWNING(tni_spatial_new(&made[1], &b.call.distances, TN_F64, 1, total, 0, stream));
    if (total) TNI_TRY_OWNING(tni_queue_tree_ball(&b.call, stream));
    *numbers = tn_array_retain(made[0]);
    if (distances) *distances = tn_array_retain(made[1]);
cleanup:
    tni_spatial_close(ARGUMENTS, b.given);
    tn_array_release(made[0]);
    tn_array_release(made[1]);
    return status;
}

/* --- Counts and numbers at once --- */

/* What was found becomes arrays. */
static tn_status deliver_rows(const tni_tree_ball *call, tn_array **numbers, tn_array **distances,
                              tn_stream *stream) {
    const tni_tree_gathered *from = call->gathered;
    int64_t total = 0, *to;
    double *lengths = NULL;
    for (int64_t i = 0; i < call->rows; i++)
        total += call->counts[i];
    TNI_TRY(tni_spatial_new(numbers, &to, TN_I64, 1, total, 0, stream));
    if (from->distances) TNI_TRY(tni_spatial_new(distances, &lengths, TN_F64, 1, total, 0, stream));
    for (int64_t i = 0, at = 0; i < call->rows; at += call->counts[i++]) {
        const size_t bytes = (size_t)call->counts[i] * sizeof *to;
        if (!bytes) continue;
        memcpy(to + at, from->numbers[i], bytes);
        if (lengths) memcpy(lengths + at, from->distances[i], bytes);
    }
    return TN_OK;
}

static tn_status gather_on_host(ball *b, tn_array **numbers, tn_array **distances,
                                tn_stream *stream) {
    tni_tree_ball *call = &b->call;
    const size_t rows = (size_t)call->rows;
    tni_tree_gathered found = {.numbers = tni_malloc(rows * 2 * sizeof *found.numbers)};
    if (!found.numbers) return tni_fail(TN_ERROR_MEMORY, "out of memory for %zu rows", rows);
    found.distances = distances ? (double **)(found.numbers + rows) : NULL;
    call->gathered = &found;
    tn_status status = rows ? tni_queue_tree_ball(call, stream) : TN_OK;
    const tn_status waited = tn_stream_synchronize(stream, -1);
    status = status ? status : waited;
    if (!status && found.has_no_memory)
        status = tni_fail(TN_ERROR_MEMORY, "out of memory for the points of %zu rows", rows);
    if (!status) status = deliver_rows(call, numbers, distances, stream);
    for (tni_tree_block *block = found.blocks, *next; block; block = next) {
        next = block->next;
        tni_free(block);
    }
    tni_free(found.numbers);
    return status;
}

tn_status tn_tree_gather(tn_array **counts, tn_array **numbers, tn_array **distances,
                         const tn_tree *tree, const tn_array *x, const tn_array *radii,
                         const tn_array *after, const tn_tree_options *options, tn_stream *stream) {
    ball b = {.given = {[AFTER] = {.array = after}}};
    tn_array *made[3] = {NULL, NULL, NULL};
    tn_status status;
    if (tn_array_device(x).backend != TN_BACKEND_HOST)
        TNI_FAIL(TN_ERROR_DEVICE, "rows are counted before they are collected on this device");
    TNI_TRY_OWNING(open_ball(&b, tree, x, radii, options, &stream));
    TNI_TRY_OWNING(tni_spatial_new(&made[0], &b.call.counts, TN_I64, 1, b.call.rows, 0, stream));
    TNI_TRY_OWNING(gather_on_host(&b, &made[1], distances ? &made[2] : NULL, stream));
    *counts = tn_array_retain(made[0]);
    *numbers = tn_array_retain(made[1]);
    if (distances) *distances = tn_array_retain(made[2]);
cleanup:
    tni_spatial_close(ARGUMENTS, b.given);
    for (int k = 0; k < 3; k++)
        tn_array_release(made[k]);
    return status;
}
