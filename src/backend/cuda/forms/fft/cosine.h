/* Cosine and sine transforms: a step before a Fourier transform of about the same length, and one
 * after it, over lines in memory of the pool. */
#ifndef TNI_CUDA_FORMS_COSINE_H
#define TNI_CUDA_FORMS_COSINE_H

#include "forms/fft.h"

#include <tenorite/device.h>
#include <tenorite/status.h>

/* How a call that is no cosine is run. */
typedef tn_status tni_cuda_transform(const void *call, tn_stream *stream);

tn_status tni_cuda_cosine(const tni_fft *call, tni_cuda_transform *transform, tn_stream *stream);

#endif
