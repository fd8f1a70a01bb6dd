/* The driver of distances of rows: a metric as what is summed and what becomes of the sums. */
#include "core/move/astype.h"
#include "core/spatial/spatial.h"

typedef struct metric {
    tn_metric_sum sum;
    tn_metric_end end;
    double scale;
    tn_metric_norm norm;
} metric;

static const metric metrics[tn_metric_count] = {
    [TN_METRIC_EUCLIDEAN] = {TN_SUM_SQUARE, TN_END_ROOT, 1, TN_NORM_NONE},
    [TN_METRIC_SQEUCLIDEAN] = {TN_SUM_SQUARE, TN_END_SUM, 1, TN_NORM_NONE},
    [TN_METRIC_CITYBLOCK] = {TN_SUM_ABSOLUTE, TN_END_SUM, 1, TN_NORM_NONE},
    [TN_METRIC_CHEBYSHEV] = {TN_SUM_LARGEST, TN_END_SUM, 1, TN_NORM_NONE},
    [TN_METRIC_MINKOWSKI] = {TN_SUM_POWER, TN_END_POWER, 1, TN_NORM_NONE},
    [TN_METRIC_COSINE] = {TN_SUM_DOT, TN_END_COSINE, 1, TN_NORM_SQUARE},
    [TN_METRIC_CANBERRA] = {TN_SUM_CANBERRA, TN_END_SUM, 1, TN_NORM_NONE},
    [TN_METRIC_BRAYCURTIS] = {TN_SUM_TWO, TN_END_QUOTIENT, 1, TN_NORM_NONE},
    [TN_METRIC_HAMMING] = {TN_SUM_MATCH, TN_END_MEAN, 1, TN_NORM_NONE},
    [TN_METRIC_MAHALANOBIS] = {TN_SUM_QUADRATIC, TN_END_ROOT, 1, TN_NORM_NONE},
    [TN_METRIC_HELLINGER] = {TN_SUM_SQUARE, TN_END_ROOT, 0.5, TN_NORM_NONE},
    [TN_METRIC_JENSENSHANNON] = {TN_SUM_JENSEN, TN_END_ABOVE, 0.5, TN_NORM_NONE},
    [TN_METRIC_ENTROPY] = {TN_SUM_ENTROPY, TN_END_SUM, 1, TN_NORM_NONE},
    [TN_METRIC_INNER] = {TN_SUM_DOT, TN_END_SUM, 1, TN_NORM_NONE},
    [TN_METRIC_JACCARD] = {TN_SUM_FLAGS, TN_END_JACCARD, 1, TN_NORM_FLAG},
    [TN_METRIC_DICE] = {TN_SUM_DOT, TN_END_DICE, 1, TN_NORM_LINEAR},
    [TN_METRIC_ROGERSTANIMOTO] = {TN_SUM_FLAGS, TN_END_ROGERS, 1, TN_NORM_FLAG},
    [TN_METRIC_RUSSELLRAO] = {TN_SUM_FLAGS, TN_END_RUSSELL, 1, TN_NORM_FLAG},
    [TN_METRIC_SOKALSNEATH] = {TN_SUM_FLAGS, TN_END_SOKAL, 1, TN_NORM_FLAG},
    [TN_METRIC_YULE] = {TN_SUM_FLAGS, TN_END_YULE, 1, TN_NORM_FLAG},
};

/* The sums of exponents that have one of their own. */
static void describe(tni_distances *call, tn_metric which, double p, bool is_weighted) {
    const metric *m = &metrics[which];
    *call =
        (tni_distances){.sum = m->sum, .end = m->end, .norm = m->norm, .p = p, .scale = m->scale};
    if (which == TN_METRIC_MINKOWSKI) {
        if (p == 1) call->sum = TN_SUM_ABSOLUTE, call->end = TN_END_SUM;
        if (p == 2) call->sum = TN_SUM_SQUARE, call->end = TN_END_ROOT;
        if (p > 1.7e308) call->sum = TN_SUM_LARGEST, call->end = TN_END_SUM;
    }
    if (which == TN_METRIC_DICE && is_weighted)
        call->sum = TN_SUM_MATCH, call->end = TN_END_DICE_MATCH;
}

static tn_status check(const tn_array *a, const tn_array *b, tn_metric which, double p) {
    if ((unsigned)which >= tn_metric_count)
        TNI_FAIL(TN_ERROR_VALUE, "there is no metric of number %d", (int)which);
    if (a->dtype != TN_F32 && a->dtype != TN_F64)
        TNI_FAIL(TN_ERROR_TYPE, "distances are of float32 or float64, not %s",
                 tn_dtype_name(a->dtype));
    if (a->ndim != 2) TNI_FAIL(TN_ERROR_VALUE, "XA must be a 2-dimensional array.");
    if (b && b->ndim != 2) TNI_FAIL(TN_ERROR_VALUE, "XB must be a 2-dimensional array.");
    if (b && tni_shape(a)[1] != tni_shape(b)[1])
        TNI_FAIL(TN_ERROR_VALUE, "XA and XB must have the same number of columns "
                                 "(i.e. feature dimension.)");
    if (which == TN_METRIC_MINKOWSKI && !(p > 0))
        TNI_FAIL(TN_ERROR_VALUE, "p must be greater than 0");
    return TN_OK;
}

static tn_status check_out(const tn_array *out, tn_dtype dtype, int ndim, const int64_t *shape) {
    bool is_same = out->ndim == ndim;
    for (int axis = 0; is_same && axis < ndim; axis++)
        is_same = tni_shape(out)[axis] == shape[axis];
    if (!is_same) TNI_FAIL(TN_ERROR_VALUE, "Output array has incorrect shape.");
    if (!(out->flags & TNI_C_CONTIGUOUS))
        TNI_FAIL(TN_ERROR_VALUE, "Output array must be C-contiguous");
    if (out->dtype != dtype)
        TNI_FAIL(TN_ERROR_VALUE, "wrong out dtype, expected %s", tn_dtype_name(dtype));
    return tni_array_check_writeable(out);
}

/* The call into `to`, which is new or the caller's. */
static tn_status run(tni_distances *call, tn_array *to, const tn_array *a, const tn_array *b,
                     const tn_array *weights, tn_stream *stream) {
    const int64_t columns = tni_shape(a)[1];
    const bool is_matrix = call->sum == TN_SUM_QUADRATIC;
    tni_spatial_given given[] = {
        {"XA", a, a->dtype, 2, -1, columns, &call->a, NULL},
        {"XB", b, a->dtype, 2, -1, columns, &call->b, NULL},
        {is_matrix ? "VI" : "w", weights, a->dtype, is_matrix ? 2 : 1, columns, columns,
         &call->weights, NULL},
    };
    void *address;
    tn_status status;
    TNI_TRY_OWNING(tni_spatial_open(TNI_SPATIAL_COUNT(given), given, &stream));
    TNI_TRY_OWNING(tni_array_access(&address, to, TNI_WRITE, stream));
    call->output = address;
    status = to->size ? tni_queue_distances(call, stream) : TN_OK;
cleanup:
    tni_spatial_close(TNI_SPATIAL_COUNT(given), given);
    return status;
}

tn_status tn_array_distances(tn_array **result, const tn_array *a, const tn_array *b,
                             tn_metric which, double p, const tn_array *weights,
                             tn_stream *stream) {
    const tn_array *const arrays[4] = {a, b, weights, *result};
    tni_distances call;
    tn_array *made = NULL;
    tn_device device;
    tn_status status;
    TNI_TRY(tni_device_common(&device, 4, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(check(a, b, which, p));
    describe(&call, which, p, weights != NULL);
    if (call.sum == TN_SUM_QUADRATIC && !weights)
        TNI_FAIL(TN_ERROR_VALUE, "the quadratic form has no matrix");
    call.dtype = a->dtype;
    call.count_a = tni_shape(a)[0];
    call.count_b = b ? tni_shape(b)[0] : call.count_a;
    call.columns = tni_shape(a)[1];
    call.total = weights ? 1 : (double)call.columns;
    const int64_t pairs = call.count_a * (call.count_a - 1) / 2;
    const int64_t shape[2] = {b ? call.count_a : pairs, call.count_b};
    if (!*result) {
        TNI_TRY(tn_array_new(&made, a->dtype, b ? 2 : 1, shape, TN_ORDER_C, stream));
        return tni_array_deliver(result, made, run(&call, made, a, b, weights, stream));
    }
    TNI_TRY(check_out(*result, a->dtype, b ? 2 : 1, shape));
    bool is_apart = true;
    for (int k = 0; k < 3; k++)
        if (arrays[k]) is_apart &= tni_array_overlap(*result, arrays[k]) == TNI_OVERLAP_NONE;
    if (is_apart) return run(&call, *result, a, b, weights, stream);
    TNI_TRY(tn_array_new(&made, a->dtype, b ? 2 : 1, shape, TN_ORDER_C, stream));
    TNI_TRY_OWNING(run(&call, made, a, b, weights, stream));
    status = tn_array_assign(*result, made, TN_CASTING_UNSAFE, stream);
cleanup:
    tn_array_release(made);
    return status;
}
