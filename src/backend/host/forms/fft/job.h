/* The transforms along one axis: what is done to all lines alike. */
#ifndef TNI_HOST_FFT_JOB_H
#define TNI_HOST_FFT_JOB_H

#include "backend/host/forms/fft/plan.h"
#include "forms/fft.h"

/* Distances are in real numbers of the dtype. */
typedef struct tni_fft_job {
    tni_fft_host_plan *plan;
    tni_fft_kind kind;
    bool is_backward, is_half; /* is_half: the plan is that of length / 2 complex numbers */
    /* Of cosines and sines; `kind` and `length` are then those of the transform that they are made
     * of. A type of 0: of none. */
    int type;
    bool is_sine, is_weighed;
    int64_t count; /* of a line's real numbers */
    int64_t length, given, part, input_step, output_step;
    double scale;
    const char *input;
    char *output;
    int64_t units, lanes_apart_in, lanes_apart_out, lane_count; /* of one block: lines beside */
    int outer_count;
    struct {
        int64_t extent, input_apart, output_apart;
    } outer[TN_MAX_NDIM + 1];
} tni_fft_job;

#endif
