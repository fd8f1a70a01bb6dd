/* Discrete Fourier transforms with NumPy's shapes, dtypes and messages.
 *
 * Along each axis the transform of n elements x is sum over j of x[j] exp(-2 pi i jk / n), or
 * (backward) with the other sign. */
#ifndef TENORITE_FFT_H
#define TENORITE_FFT_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a transform makes. The halves of a real transform are along its last axis: n / 2 + 1
 * elements of the n that there are, the others mirror them. */
typedef enum tn_fft_kind {
    TN_FFT_COMPLEX,  /* complex (or real) numbers to complex ones */
    TN_FFT_REAL,     /* real numbers to the half */
    TN_FFT_HERMITIAN /* the half to real numbers */
} tn_fft_kind;

/* Where the factor 1/n belongs: to the backward transform, its root to both, or to the forward. */
typedef enum tn_fft_norm { TN_FFT_BACKWARD, TN_FFT_ORTHO, TN_FFT_FORWARD } tn_fft_norm;

/* Transforms `array` along `axis_count` axes (negative ones count from the last; each at most
 * once), the last of them first. lengths[k] is that of the result along axes[k] (of the real side):
 * the array is cut or filled with zeros; -1, or lengths NULL: as the array is.
 *
 * *result NULL on entry: a new array; else it is written, and may be the array itself. f32 and c64
 * are transformed in c64, the halves too, all else in c128. The result is complex, of kind
 * HERMITIAN real: f32, f64, or (along one axis) a half as the array is. TN_ERROR_VALUE: an axis of
 * no elements, a length below 1. TN_ERROR_TYPE: kind REAL of complex numbers, a result of another
 * dtype.
 *
 * `is_backward` says the sign, also of the kinds REAL (NumPy's rfft: false) and HERMITIAN (irfft:
 * true). */
TN_API tn_status tn_fft(tn_array **result, const tn_array *array, tn_fft_kind kind,
                        bool is_backward, int axis_count, const int *axes, const int64_t *lengths,
                        tn_fft_norm norm, tn_stream *stream);

/* --- Cosine and sine transforms --- */

/* Which: type 1 to 4 as SciPy counts them, or its inverse, which is of type 1, 3, 2, 4 but for the
 * factor. The norm's factor is 1 / (2 n), of type 1 that of n - 1 (sines: n + 1) instead of n.
 * is_weighed: the ends are weighed such that the matrix is orthogonal but for a factor. */
typedef struct tn_fft_cosines {
    int type;
    bool is_sine, is_inverse, is_weighed;
    tn_fft_norm norm;
} tn_fft_cosines;

/* Transforms along the axes one by one, the first of them first, into a new array: f32 of f32 and
 * halves, of complex numbers both parts, of all else f64. Axes and lengths as in tn_fft().
 * TN_ERROR_VALUE: no such type, a length below 1, or below 2 of cosines of type 1. */
TN_API tn_status tn_fft_cosine(tn_array **result, const tn_array *array,
                               const tn_fft_cosines *options, int axis_count, const int *axes,
                               const int64_t *lengths, tn_stream *stream);

/* --- The plans that a device keeps --- */

typedef struct tn_fft_cache_facts {
    int64_t plans, bytes;           /* now */
    int64_t most_plans, most_bytes; /* negative: any number */
    int64_t hits, misses;
} tn_fft_cache_facts;

TN_API void tn_fft_cache_get(tn_device device, tn_fft_cache_facts *facts);
TN_API void tn_fft_cache_limit(tn_device device, int64_t plans, int64_t bytes);
TN_API void tn_fft_cache_clear(tn_device device);

#ifdef __cplusplus
}
#endif
#endif
