/* Maps as the forms of the family take them: inputs that are aligned, and a result that overlaps
 * none of them. */
#ifndef TNI_NEURAL_MAPS_H
#define TNI_NEURAL_MAPS_H

#include "core/array/array.h"
#include "forms/neural.h"

/* A call from its arrays to its result. */
typedef struct tni_maps_call {
    const char *function;
    tn_array *result;          /* of the caller's */
    const tn_array *inputs[2]; /* of the caller's */
    double alpha, beta;
    tn_stream *stream;
    tn_array *held[3]; /* the inputs and the result as the form takes them */
} tni_maps_call;

/* TN_ERROR_TYPE or TN_ERROR_VALUE unless all arrays have one dtype of the family and equally many
 * axes, 1 to TN_SPATIAL_MAX of them spatial, and the result can be written. `names` are those of
 * the inputs, then that of the result. Resolves the stream. */
tn_status tni_maps_check(tni_maps_call *call, const char *const names[3]);
/* TN_ERROR_VALUE unless numbers of a list, one for each spatial axis, are at least `least`. */
tn_status tni_maps_check_list(const char *function, const char *name, int ndim,
                              const int64_t *numbers, int64_t least);
/* TN_ERROR_VALUE: an array of this name must have another shape. */
tn_status tni_maps_fail_shape(const char *function, const char *name, const tn_array *array,
                              const int64_t *wanted);

/* result *= beta, without a look at it where beta is 0. */
tn_status tni_maps_scale(const tni_maps_call *call);
/* Makes what is held; tni_maps_finish() writes the result, unless `status` is a failure, and
 * releases what is held in any case. */
tn_status tni_maps_hold(tni_maps_call *call);
tn_status tni_maps_finish(tni_maps_call *call, tn_status status);
/* The address and the strides of held array `which` (2: the result), through the door. */
tn_status tni_maps_open(tni_maps *maps, const tni_maps_call *call, int which);

#endif
