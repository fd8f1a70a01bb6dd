/* Cosine and sine transforms, of a block of lines or of one line. */
#ifndef TNI_HOST_FFT_COSINE_H
#define TNI_HOST_FFT_COSINE_H

#include "backend/host/forms/fft/job.h"

/* Describes the Fourier transform that cosines of job->count numbers are made of. */
void tni_fft_cosine_describe(tni_fft_job *job);
tn_status tni_fft_cosine_block(const tni_fft_job *job, const char *input, char *output, int lanes);
tn_status tni_fft_cosine_line(const tni_fft_job *job, const char *input, char *output);

#endif
