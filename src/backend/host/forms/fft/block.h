/* A block of lines. */
#ifndef TNI_HOST_FFT_BLOCK_H
#define TNI_HOST_FFT_BLOCK_H

#include "backend/host/forms/fft/job.h"

/* Transforms so many lines: at most a block's, or two blocks' of real lines whose length is odd. */
tn_status tni_fft_block(const tni_fft_job *job, const char *input, char *output, int lanes);


/* The same of so many complex lines that lie side by side and whose elements lie far apart: several
 * blocks go through the rows together, since a few numbers at a time of each row would cost more
 * than the transform. */
enum { TNI_FFT_COLUMN_BLOCKS = 4 };
tn_status tni_fft_columns(const tni_fft_job *job, const char *input, char *output, int lines);

#endif
