/* A block of lines. */
#ifndef TNI_HOST_FFT_BLOCK_H
#define TNI_HOST_FFT_BLOCK_H

#include "backend/host/forms/fft/job.h"

/* Transforms so many lines: at most a block's, or two blocks' of real lines whose length is odd. */
tn_status tni_fft_block(const tni_fft_job *job, const char *input, char *output, int lanes);

#endif
