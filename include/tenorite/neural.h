/* What neural networks compute beside products and element-wise functions: convolutions, pooling
 * and batch normalisation of maps, forward and backward.
 *
 * Maps are arrays [batch, channels, spatial ...] of 1 to 6 spatial axes, filters [outputs, inputs
 * of a group, spatial ...]. Their strides may be any: maps whose channels lie beside each other in
 * memory are the same call. Dtypes are f16, bf16, f32 and f64, one for all arrays of a call; sums
 * of the halves are kept in f32. Each function writes into an array of the caller's:
 *
 *     result = alpha * value + beta * result
 *
 * where a beta of 0 means that the elements before are not read. It may overlap the inputs. Results
 * do not depend on the number of threads. `stream` NULL is the current one of the device.
 * TN_ERROR_TYPE for another dtype, TN_ERROR_VALUE for a shape that does not fit or a result that is
 * read-only. */
#ifndef TENORITE_NEURAL_H
#define TENORITE_NEURAL_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TN_SPATIAL_MAX = 6 };

/* Each list has a number for each spatial axis. A result is
 * (size + 2 pad - dilation (filter - 1) - 1) / stride + 1 long, rounded down. */
typedef struct tn_convolve_options {
    const int64_t *pads, *strides, *dilations; /* NULL: 0, 1 and 1 */
    int64_t groups;                            /* of channels, each with filters of its own */
    bool is_convolution; /* filters from their last element to their first; else correlation */
    double alpha, beta;
} tn_convolve_options;
#define TN_CONVOLVE_DEFAULTS                                                                       \
    { NULL, NULL, NULL, 1, false, 1, 0 }

/* y of maps x by filters w. */
TN_API tn_status tn_convolve_forward(tn_array *y, const tn_array *x, const tn_array *w,
                                     const tn_convolve_options *options, tn_stream *stream);
/* dx, the gradient of what the forward call read, of dy, the gradient of what it wrote. */
TN_API tn_status tn_convolve_backward_data(tn_array *dx, const tn_array *dy, const tn_array *w,
                                           const tn_convolve_options *options, tn_stream *stream);
/* dw, the gradient of the filters. */
TN_API tn_status tn_convolve_backward_filter(tn_array *dw, const tn_array *x, const tn_array *dy,
                                             const tn_convolve_options *options, tn_stream *stream);

typedef enum tn_pooling_kind {
    TN_POOLING_MAX,
    TN_POOLING_AVERAGE, /* of those with the pads, which count as zeros; none is beyond these */
    TN_POOLING_AVERAGE_INSIDE /* of those elements of a window that are there */
} tn_pooling_kind;

/* Each list has a number for each spatial axis. The maps y may have any number of windows, as long
 * as an element is there in each. */
typedef struct tn_pooling_options {
    tn_pooling_kind kind;
    bool propagates_nan; /* a NaN is the largest of a window; else it is none of its elements */
    const int64_t *window, *pads, *strides; /* pads NULL: 0; strides NULL: the window */
    double alpha, beta;
} tn_pooling_options;

TN_API tn_status tn_pooling_forward(tn_array *y, const tn_array *x,
                                    const tn_pooling_options *options, tn_stream *stream);
/* dx of dy. The gradient of a largest element goes to the first of them in order C; a window in
 * which there is none (of NaN alone, where they do not count) has no gradient. */
TN_API tn_status tn_pooling_backward(tn_array *dx, const tn_array *x, const tn_array *dy,
                                     const tn_pooling_options *options, tn_stream *stream);

/* Batch normalisation of maps x by the mean and the variance of each channel:
 *
 *     y = (x - mean) * scale / sqrt(variance + epsilon) + bias
 *
 * Maps of 2 axes and more have elements; all maps of a call have one shape and dtype. Parameters
 * are arrays of any shape, layout and dtype that have an element for each channel, and are computed
 * with in f32, of f64 in f64. TN_ERROR_NOT_IMPLEMENTED on the host, where expressions
 * (expression.h) do the same in as few passes. */
typedef struct tn_batch_norm_options {
    bool per_activation;    /* each element of the maps of a batch is a channel of its own */
    double epsilon, factor; /* what running values take of the new ones */
} tn_batch_norm_options;

/* y, the mean, and `inverse`, 1 / sqrt(variance + epsilon). Running values, both or none (NULL),
 * become (1 - factor) of themselves and `factor` of the mean and of the unbiased variance. */
TN_API tn_status tn_batch_norm_forward(tn_array *y, tn_array *mean, tn_array *inverse,
                                       tn_array *running_mean, tn_array *running_variance,
                                       const tn_array *x, const tn_array *scale,
                                       const tn_array *bias, const tn_batch_norm_options *options,
                                       tn_stream *stream);
/* y by a mean and a variance that are given. */
TN_API tn_status tn_batch_norm_given(tn_array *y, const tn_array *x, const tn_array *scale,
                                     const tn_array *bias, const tn_array *mean,
                                     const tn_array *variance, const tn_batch_norm_options *options,
                                     tn_stream *stream);
/* The gradients of x, scale and bias, of dy and what the forward call found. */
TN_API tn_status tn_batch_norm_backward(tn_array *dx, tn_array *dscale, tn_array *dbias,
                                        const tn_array *x, const tn_array *dy,
                                        const tn_array *scale, const tn_array *mean,
                                        const tn_array *inverse,
                                        const tn_batch_norm_options *options, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
