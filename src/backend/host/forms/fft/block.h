/* A block of lines. */
#ifndef TNI_HOST_FFT_BLOCK_H
#define TNI_HOST_FFT_BLOCK_H

#include "backend/host/forms/fft/job.h"

/* Transforms so many lines: at most a block's, or two blocks' of real lines whose length is odd. */
tn_status tni_fft_block(const tni_fft_job *job, const char *input, char *output, int lanes);

/* The same of complex lines that lie side by side: at most TNI_FFT_COLUMN_BLOCKS blocks of them. */
tn_status tni_fft_beside(const tni_fft_job *job, const char *input, char *output, int64_t lines);

#endif
