/* Cosine and sine transforms: a step before a Fourier transform of about the same length, and one
 * behind it, over lines in memory of the pool. */
#ifndef TNI_CUDA_FORMS_COSINE_H
#define TNI_CUDA_FORMS_COSINE_H

#include "forms/fft.h"

#include <tenorite/device.h>
#include <tenorite/status.h>

/* `transform` is how a call that is no cosine is run. */
tn_status tni_cuda_cosine(const tni_fft *call,
                          tn_status (*transform)(const void *call, tn_stream *stream),
                          tn_stream *stream);

#endif
