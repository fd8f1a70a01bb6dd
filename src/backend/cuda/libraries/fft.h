/* Fourier transforms through cuFFT, on the device's addresses of a call of a form. */
#ifndef TNI_CUDA_FFT_H
#define TNI_CUDA_FFT_H

#include "forms/fft.h"

#include <tenorite/device.h>
#include <tenorite/status.h>

enum { TNI_CUFFT_AXES = 3 };

/* Where elements lie, in bytes: strides of the transformed axes, and from a transform to the
 * next. */
typedef struct tni_cufft_side {
    char *address;
    int64_t strides[TNI_CUFFT_AXES], apart;
} tni_cufft_side;

/* `count` transforms along `rank` axes of lengths[], which are the real side's. The last axis is
 * the halved one of the kinds REAL (always forward) and HERMITIAN (always backward, one axis).
 * WHOLE is none of cuFFT's. Nothing is scaled. A COMPLEX transform may be in place; HERMITIAN
 * destroys its input. */
typedef struct tni_cufft_call {
    tn_dtype dtype; /* c64 or c128 */
    tni_fft_kind kind;
    bool is_backward;
    int rank;
    int64_t lengths[TNI_CUFFT_AXES], count;
    tni_cufft_side input, output;
} tni_cufft_call;

/* The bytes of a complex number, to which cuFFT wants both addresses aligned, real ones too. */
static inline int64_t tni_cufft_alignment(tn_dtype dtype) {
    return dtype == TN_C64 ? 8 : 16;
}
/* Whether cuFFT has such layouts. */
bool tni_cufft_takes(const tni_cufft_call *call);
tn_status tni_cufft_run(const tni_cufft_call *call, tn_stream *stream);

#endif
