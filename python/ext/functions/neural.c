/* What tenorite.cudnn computes by where cuDNN is not there. Each function writes into its last
 * array. */
#include "functions/neural.h"

#include "base/object.h"
#include "values/kinds.h"

#include <tenorite/neural.h>

static tn_status fail_list(const char *name) {
    tn_error_set(name);
    return TN_ERROR_VALUE;
}

/* There is a number for each spatial axis. */
static bool fits(const tn_array *array, const ext_given_shape *list) {
    return list->count == tn_array_ndim(array) - 2;
}

/* (first, second, result, pads, strides, dilations, groups, is_convolution, alpha, beta) */
#define CONVOLVE(name, first, second, result)                                                      \
    EXT_CALL(name, EXT_LONG, (array, first), (array, second), (array, result), (shape, pads),      \
             (shape, strides), (shape, dilations), (int64, groups), (truth, is_convolution),       \
             (real, alpha), (real, beta)) {                                                        \
        const tn_convolve_options options = {                                                      \
            call->pads.at,        call->strides.at, call->dilations.at, call->groups,              \
            call->is_convolution, call->alpha,      call->beta};                                   \
        if (!fits(call->first, &call->pads) || !fits(call->first, &call->strides) ||               \
            !fits(call->first, &call->dilations))                                                  \
            return fail_list(#name ": pads, strides and dilations must have a number for each "    \
                                   "spatial axis");                                                \
        return tn_##name(call->result, call->first, call->second, &options, NULL);                 \
    }

CONVOLVE(convolve_forward, x, w, y)
CONVOLVE(convolve_backward_data, dy, w, dx)
CONVOLVE(convolve_backward_filter, x, dy, dw)

static tn_status pool(tn_array *result, const tn_array *x, const tn_array *dy, int kind,
                      const ext_given_shape *window, const ext_given_shape *pads,
                      const ext_given_shape *strides, bool propagates_nan, double alpha,
                      double beta) {
    const tn_pooling_options options = {.kind = (tn_pooling_kind)kind,
                                        .propagates_nan = propagates_nan,
                                        .window = window->at,
                                        .pads = pads->at,
                                        .strides = strides->at,
                                        .alpha = alpha,
                                        .beta = beta};
    if (!fits(x, window) || !fits(x, pads) || !fits(x, strides))
        return fail_list("pooling: window, pads and strides must have a number for each spatial "
                         "axis");
    return dy ? tn_pooling_backward(result, x, dy, &options, NULL)
              : tn_pooling_forward(result, x, &options, NULL);
}

/* Kinds: 0 the largest, 1 the mean with zeros around, 2 the mean of what is there. */
EXT_FORWARD(pooling_forward,
            pool(call->y, call->x, NULL, call->kind, &call->window, &call->pads, &call->strides,
                 call->propagates_nan, call->alpha, call->beta),
            EXT_LONG, (array, x), (array, y), (number, kind), (shape, window), (shape, pads),
            (shape, strides), (truth, propagates_nan), (real, alpha), (real, beta))
EXT_FORWARD(pooling_backward,
            pool(call->dx, call->x, call->dy, call->kind, &call->window, &call->pads,
                 &call->strides, call->propagates_nan, call->alpha, call->beta),
            EXT_LONG, (array, x), (array, dy), (array, dx), (number, kind), (shape, window),
            (shape, pads), (shape, strides), (truth, propagates_nan), (real, alpha), (real, beta))

#define OPTIONS (&(tn_batch_norm_options){call->per_activation, call->epsilon, call->factor})
EXT_FORWARD(batch_norm_forward,
            tn_batch_norm_forward(call->y, call->mean, call->inverse, call->running_mean,
                                  call->running_variance, call->x, call->scale, call->bias, OPTIONS,
                                  NULL),
            EXT_LONG, (array, x), (array, scale), (array, bias), (array, y), (array, mean),
            (array, inverse), (optional_array, running_mean), (optional_array, running_variance),
            (truth, per_activation), (real, epsilon), (real, factor))
#undef OPTIONS
#define OPTIONS (&(tn_batch_norm_options){call->per_activation, call->epsilon, 0})
EXT_FORWARD(batch_norm_given,
            tn_batch_norm_given(call->y, call->x, call->scale, call->bias, call->mean,
                                call->variance, OPTIONS, NULL),
            EXT_LONG, (array, x), (array, scale), (array, bias), (array, mean), (array, variance),
            (array, y), (truth, per_activation), (real, epsilon))
#undef OPTIONS
#define OPTIONS (&(tn_batch_norm_options){call->per_activation, 0, 0})
EXT_FORWARD(batch_norm_backward,
            tn_batch_norm_backward(call->dx, call->dscale, call->dbias, call->x, call->dy,
                                   call->scale, call->mean, call->inverse, OPTIONS, NULL),
            EXT_LONG, (array, x), (array, dy), (array, scale), (array, mean), (array, inverse),
            (array, dx), (array, dscale), (array, dbias), (truth, per_activation))

PyMethodDef ext_neural_functions[] = {
    EXT_ENTRY(convolve_forward),
    EXT_ENTRY(convolve_backward_data),
    EXT_ENTRY(convolve_backward_filter),
    EXT_ENTRY(pooling_forward),
    EXT_ENTRY(pooling_backward),
    EXT_ENTRY(batch_norm_forward),
    EXT_ENTRY(batch_norm_given),
    EXT_ENTRY(batch_norm_backward),
    {NULL, NULL, 0, NULL},
};
