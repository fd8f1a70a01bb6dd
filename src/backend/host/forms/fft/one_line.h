/* One line of any kind. */
#ifndef TNI_HOST_FFT_ONE_LINE_H
#define TNI_HOST_FFT_ONE_LINE_H

#include "backend/host/forms/fft/job.h"

tn_status tni_fft_one_line(const tni_fft_job *job, const char *input, char *output);

#endif
