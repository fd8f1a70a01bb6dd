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
