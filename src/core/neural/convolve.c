/* The driver of convolutions: checks shapes, turns filters round where it is no correlation, and
 * hands one description over, whichever of the three arrays is the result. */
#include "backend/backend.h"
#include "core/neural/maps.h"

#include <string.h>

static const tn_convolve_options defaults = TN_CONVOLVE_DEFAULTS;

/* Sizes and lists of a call. x and y are the maps that the forward call reads and writes. */
static tn_status describe(tni_convolve *c, const char *function, const char *const names[3],
                          const tn_array *x, const tn_array *w, const tn_array *y,
                          const tn_convolve_options *options) {
    const int64_t *of_x = tni_shape(x), *of_w = tni_shape(w), *of_y = tni_shape(y);
    const size_t bytes = sizeof(int64_t) * (size_t)(c->ndim = x->ndim - 2);
    int64_t wanted[TN_SPATIAL_MAX + 2] = {of_x[0], of_w[0]};
    for (int k = 0; k < c->ndim; k++) {
        c->pads[k] = options->pads ? options->pads[k] : 0;
        c->strides[k] = options->strides ? options->strides[k] : 1;
        c->dilations[k] = options->dilations ? options->dilations[k] : 1;
    }
    TNI_TRY(tni_maps_check_list(function, "pads", c->ndim, c->pads, 0));
    TNI_TRY(tni_maps_check_list(function, "strides", c->ndim, c->strides, 1));
    TNI_TRY(tni_maps_check_list(function, "dilations", c->ndim, c->dilations, 1));
    if (options->groups < 1)
        TNI_FAIL(TN_ERROR_VALUE, "%s: groups must be at least 1, not %lld", function,
                 (long long)options->groups);
    if (of_w[1] > of_x[1] || of_x[1] != of_w[1] * options->groups || of_w[0] % options->groups)
        TNI_FAIL(TN_ERROR_VALUE,
                 "%s: %lld channels of %s in %lld groups do not fit %s with %lld outputs and %lld "
                 "inputs",
                 function, (long long)of_x[1], names[0], (long long)options->groups, names[1],
                 (long long)of_w[0], (long long)of_w[1]);
    memcpy(c->x_shape, of_x + 2, bytes);
    memcpy(c->w_shape, of_w + 2, bytes);
    memcpy(c->y_shape, of_y + 2, bytes);
    for (int k = 0; k < c->ndim; k++) {
        if (c->w_shape[k] < 1)
            TNI_FAIL(TN_ERROR_VALUE, "%s: %s have no elements along axis %d", function, names[1],
                     k + 2);
        const int64_t reach = (int64_t)c->dilations[k] * (c->w_shape[k] - 1);
        const int64_t left = c->x_shape[k] + 2 * c->pads[k] - reach - 1;
        wanted[k + 2] = left < 0 ? 0 : left / c->strides[k] + 1;
    }
    if (memcmp(of_y, wanted, sizeof(int64_t) * (size_t)y->ndim) != 0)
        return tni_maps_fail_shape(function, names[2], y, wanted);
    c->dtype = x->dtype;
    c->batch = of_x[0];
    c->groups = options->groups;
    c->inputs = of_w[1];
    c->outputs = of_w[0] / options->groups;
    c->alpha = options->alpha;
    c->beta = options->beta;
    return TN_OK;
}

static void reverse_filters(tni_convolve *c) {
    for (int k = 0; k < c->ndim; k++) {
        c->w.data += (c->w_shape[k] - 1) * c->w.strides[k];
        c->w.strides[k] = -c->w.strides[k];
    }
}

/* Opens the inputs at `first` and `second` and the result at `third`. */
static tn_status queue(tni_maps_call *call, tni_convolve *c, bool is_convolution, tni_maps *first,
                       tni_maps *second, tni_maps *third) {
    TNI_TRY(tni_maps_open(first, call, 0));
    TNI_TRY(tni_maps_open(second, call, 1));
    TNI_TRY(tni_maps_open(third, call, 2));
    if (is_convolution) reverse_filters(c);
    return tni_queue_convolve(c, call->stream);
}

static tn_status run(tni_maps_call *call, tni_convolve *c, bool is_convolution, tni_maps *first,
                     tni_maps *second, tni_maps *third) {
    if (call->result->size == 0) return TN_OK;
    if (call->inputs[0]->size == 0 || call->inputs[1]->size == 0) return tni_maps_scale(call);
    tn_status status = tni_maps_hold(call);
    if (!status) status = queue(call, c, is_convolution, first, second, third);
    return tni_maps_finish(call, status);
}

static tni_maps_call begin(const char *function, tn_array *result, const tn_array *first,
                           const tn_array *second, const tn_convolve_options *options,
                           tn_stream *stream) {
    return (tni_maps_call){.function = function,
                           .result = result,
                           .inputs = {first, second},
                           .alpha = options->alpha,
                           .beta = options->beta,
                           .stream = stream};
}

tn_status tn_convolve_forward(tn_array *y, const tn_array *x, const tn_array *w,
                              const tn_convolve_options *options, tn_stream *stream) {
    static const char function[] = "convolve_forward", *const names[3] = {"x", "w", "y"};
    if (!options) options = &defaults;
    tni_maps_call call = begin(function, y, x, w, options, stream);
    tni_convolve c = {.result = TNI_CONVOLVE_Y};
    TNI_TRY(tni_maps_check(&call, names));
    TNI_TRY(describe(&c, function, names, x, w, y, options));
    return run(&call, &c, options->is_convolution, &c.x, &c.w, &c.y);
}

tn_status tn_convolve_backward_data(tn_array *dx, const tn_array *dy, const tn_array *w,
                                    const tn_convolve_options *options, tn_stream *stream) {
    static const char function[] = "convolve_backward_data";
    static const char *const order[3] = {"dy", "w", "dx"}, *const names[3] = {"dx", "w", "dy"};
    if (!options) options = &defaults;
    tni_maps_call call = begin(function, dx, dy, w, options, stream);
    tni_convolve c = {.result = TNI_CONVOLVE_DX};
    TNI_TRY(tni_maps_check(&call, order));
    TNI_TRY(describe(&c, function, names, dx, w, dy, options));
    return run(&call, &c, options->is_convolution, &c.y, &c.w, &c.x);
}

tn_status tn_convolve_backward_filter(tn_array *dw, const tn_array *x, const tn_array *dy,
                                      const tn_convolve_options *options, tn_stream *stream) {
    static const char function[] = "convolve_backward_filter";
    static const char *const order[3] = {"x", "dy", "dw"}, *const names[3] = {"x", "dw", "dy"};
    if (!options) options = &defaults;
    tni_maps_call call = begin(function, dw, x, dy, options, stream);
    tni_convolve c = {.result = TNI_CONVOLVE_DW};
    TNI_TRY(tni_maps_check(&call, order));
    TNI_TRY(describe(&c, function, names, x, dw, dy, options));
    return run(&call, &c, options->is_convolution, &c.x, &c.y, &c.w);
}
