/* The form of the family "fft": discrete Fourier transforms along axes, and their kin.
 *
 * Along each axis sum over j of x[j] exp(-2 pi i jk / length), or (backward) with the other sign;
 * all of it times `scale`. An element of the input that lies beyond `given` counts as zero. The
 * last of the axes is the one that kinds other than TNI_FFT_COMPLEX treat differently:
 *   REAL       real input; of the result only elements up to length / 2 are made
 *   WHOLE      the same, and the other elements too, which mirror them
 *   HERMITIAN  the input has elements up to length / 2, the others mirror them; the result is real
 * The imaginary parts that must be 0 in such an input are not looked at. HERMITIAN has one axis.
 *   COSINE, SINE   real numbers to real ones along one axis, by the sums of `type` 1 to 4 as SciPy
 *              counts them; is_weighed: made orthogonal at the ends (but for a factor)
 *
 * No length and no extent is 0. Strides are in bytes and of any sign; elements are aligned. The
 * output may be the input where strides are equal, otherwise they lie apart. */
#ifndef TNI_FORMS_FFT_H
#define TNI_FORMS_FFT_H

#include <tenorite/array.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum tni_fft_kind {
    TNI_FFT_COMPLEX,
    TNI_FFT_REAL,
    TNI_FFT_WHOLE,
    TNI_FFT_HERMITIAN,
    TNI_FFT_COSINE,
    TNI_FFT_SINE
} tni_fft_kind;

/* An axis that is transformed, or (length is then its extent) not. */
typedef struct tni_fft_axis {
    int64_t length, given, input_stride, output_stride;
} tni_fft_axis;

typedef struct tni_fft {
    tn_dtype dtype; /* c64 or c128: that of the complex side */
    tni_fft_kind kind;
    int type; /* of cosines and sines, and whether they are weighed */
    bool is_weighed;
    bool is_backward;
    bool is_input_free; /* the backend may write the input */
    double scale;
    int ndim, batch_count;
    tni_fft_axis dims[TN_MAX_NDIM + 1]; /* batch_count that are not transformed, then the axes */
    const char *input;
    char *output;
} tni_fft;

#endif
