/* The driver of pooling. */
#include "backend/backend.h"
#include "core/neural/maps.h"

#include <string.h>

static tn_status describe(tni_pooling *p, const char *function, const tn_array *x,
                          const tn_array *y, const char *name, const tn_pooling_options *options) {
    const int64_t *of_x = tni_shape(x), *of_y = tni_shape(y);
    p->ndim = x->ndim - 2;
    if ((unsigned)options->kind > TN_POOLING_AVERAGE_INSIDE)
        TNI_FAIL(TN_ERROR_VALUE, "%s: kind %d of pooling is none", function, (int)options->kind);
    TNI_TRY(tni_maps_check_list(function, "window", p->ndim, options->window, 1));
    for (int k = 0; k < p->ndim; k++) {
        p->window[k] = options->window[k];
        p->pads[k] = options->pads ? options->pads[k] : 0;
        p->strides[k] = options->strides ? options->strides[k] : options->window[k];
    }
    TNI_TRY(tni_maps_check_list(function, "pads", p->ndim, p->pads, 0));
    TNI_TRY(tni_maps_check_list(function, "strides", p->ndim, p->strides, 1));
    if (of_x[0] != of_y[0] || of_x[1] != of_y[1]) {
        int64_t wanted[TN_SPATIAL_MAX + 2];
        memcpy(wanted, of_y, sizeof *of_y * (size_t)y->ndim);
        memcpy(wanted, of_x, 2 * sizeof *of_x);
        return tni_maps_fail_shape(function, name, y, wanted);
    }
    for (int k = 0; k < p->ndim; k++) {
        p->x_shape[k] = of_x[k + 2];
        p->y_shape[k] = of_y[k + 2];
        if (p->pads[k] >= p->window[k])
            TNI_FAIL(TN_ERROR_VALUE, "%s: pads must be smaller than the window, not %lld of %lld",
                     function, (long long)p->pads[k], (long long)p->window[k]);
        if (p->y_shape[k] > 0 && (p->y_shape[k] - 1) * p->strides[k] - p->pads[k] >= p->x_shape[k])
            TNI_FAIL(TN_ERROR_VALUE,
                     "%s: the last of %lld windows along axis %d has no element of %lld", function,
                     (long long)p->y_shape[k], k + 2, (long long)p->x_shape[k]);
    }
    p->dtype = x->dtype;
    p->kind = options->kind;
    p->propagates_nan = options->propagates_nan;
    p->batch = of_x[0];
    p->channels = of_x[1];
    p->alpha = options->alpha;
    p->beta = options->beta;
    return TN_OK;
}

static tn_status queue(tni_maps_call *call, tni_pooling *p) {
    TNI_TRY(tni_maps_open(&p->x, call, 0));
    if (p->is_backward) TNI_TRY(tni_maps_open(&p->y, call, 1));
    TNI_TRY(tni_maps_open(p->is_backward ? &p->dx : &p->y, call, 2));
    return tni_queue_pooling(p, call->stream);
}

static tn_status run(tni_maps_call *call, tni_pooling *p) {
    if (call->result->size == 0) return TN_OK;
    if (p->is_backward && call->inputs[1]->size == 0) return tni_maps_scale(call);
    tn_status status = tni_maps_hold(call);
    if (!status) status = queue(call, p);
    return tni_maps_finish(call, status);
}

tn_status tn_pooling_forward(tn_array *y, const tn_array *x, const tn_pooling_options *options,
                             tn_stream *stream) {
    static const char function[] = "pooling_forward", *const names[3] = {"x", "", "y"};
    tni_maps_call call = {function, y, {x, NULL}, options->alpha, options->beta, stream, {NULL}};
    tni_pooling p = {.is_backward = false};
    TNI_TRY(tni_maps_check(&call, names));
    TNI_TRY(describe(&p, function, x, y, names[2], options));
    return run(&call, &p);
}

tn_status tn_pooling_backward(tn_array *dx, const tn_array *x, const tn_array *dy,
                              const tn_pooling_options *options, tn_stream *stream) {
    static const char function[] = "pooling_backward", *const names[3] = {"x", "dy", "dx"};
    tni_maps_call call = {function, dx, {x, dy}, options->alpha, options->beta, stream, {NULL}};
    tni_pooling p = {.is_backward = true};
    TNI_TRY(tni_maps_check(&call, names));
    if (memcmp(tni_shape(dx), tni_shape(x), sizeof(int64_t) * (size_t)x->ndim) != 0)
        return tni_maps_fail_shape(function, names[2], dx, tni_shape(x));
    TNI_TRY(describe(&p, function, x, dy, names[1], options));
    return run(&call, &p);
}
