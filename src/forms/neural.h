/* The forms of the family "neural": convolutions, pooling and batch normalisation of maps.
 *
 * Elements are f16, bf16, f32 or f64 at multiples of their size, with any strides, in bytes; sums
 * of the halves are kept in f32. What is written overlaps no input, each of its elements has a
 * place of its own, and it becomes alpha * value + beta * itself; where beta is 0 it is not read.
 * All sizes are at least 1. Spatial axes are those before `ndim` of each list. */
#ifndef TNI_FORMS_NEURAL_H
#define TNI_FORMS_NEURAL_H

#include <tenorite/neural.h>

/* Maps: [batch, channels, spatial ...]. */
typedef struct tni_maps {
    char *data;
    int64_t batch_stride, channel_stride, strides[TN_SPATIAL_MAX];
} tni_maps;

typedef enum tni_convolve_result {
    TNI_CONVOLVE_Y,
    TNI_CONVOLVE_DX,
    TNI_CONVOLVE_DW
} tni_convolve_result;

/* For output channel o and input channel i of the same group:
 *
 *     y[n, o, q] = sum over i, r of x[n, i, q stride + r dilation - pad] w[o, i, r]
 *
 * where what is not there of x is 0, and the gradients of that: y or x is then that of dy or dx. */
typedef struct tni_convolve {
    tn_dtype dtype;
    tni_convolve_result result;
    int ndim;
    int64_t batch, groups, inputs, outputs; /* channels of a group */
    int64_t x_shape[TN_SPATIAL_MAX], w_shape[TN_SPATIAL_MAX], y_shape[TN_SPATIAL_MAX];
    int64_t pads[TN_SPATIAL_MAX], strides[TN_SPATIAL_MAX], dilations[TN_SPATIAL_MAX];
    double alpha, beta;
    tni_maps x, y;
    tni_maps w; /* the output channels of all groups in the place of a batch */
} tni_convolve;

/* y[n, c, q] = the largest or the mean of x[n, c, q stride + r - pad] over the places r of the
 * window, or (`is_backward`) dx of dy. An element of x is there in each window. */
typedef struct tni_pooling {
    tn_dtype dtype;
    tn_pooling_kind kind;
    bool is_backward, propagates_nan;
    int ndim;
    int64_t batch, channels;
    int64_t x_shape[TN_SPATIAL_MAX], window[TN_SPATIAL_MAX], y_shape[TN_SPATIAL_MAX];
    int64_t pads[TN_SPATIAL_MAX], strides[TN_SPATIAL_MAX];
    double alpha, beta;
    tni_maps x, y, dx; /* y is that of dy where is_backward */
} tni_pooling;

typedef enum tni_batch_norm_way {
    TNI_BATCH_NORM_FORWARD,  /* y, mean, inverse, and what the running values become */
    TNI_BATCH_NORM_BACKWARD, /* dx, dscale, dbias */
    TNI_BATCH_NORM_GIVEN     /* y by a mean and a variance that are given */
} tni_batch_norm_way;

/* Channels of dense maps [outer, channels, inner]. Parameters are one number for each channel,
 * beside each other, f64 of maps of f64, else f32; what is written overlaps nothing else, but the
 * result may be x or dy. `inverse` is 1 / sqrt(variance + epsilon), or (GIVEN) the variance. */
typedef struct tni_batch_norm {
    tn_dtype dtype;
    tni_batch_norm_way way;
    int64_t outer, channels, inner;
    double epsilon, factor; /* what the running values take of the new ones */
    const void *x, *dy;
    void *result;
    const void *scale, *bias;
    void *mean, *inverse;
    void *running_mean, *running_variance; /* or NULL */
    void *dscale, *dbias;
} tni_batch_norm;

#endif
