/* Roots of unity to the last bit. */
#ifndef TNI_HOST_FFT_ROOTS_H
#define TNI_HOST_FFT_ROOTS_H

#include "core/base/error.h"

#include <stdint.h>

/* Roots of unity exp(-2 pi i k / n) to the last bit, by two tables in long double. */
typedef struct tni_fft_roots {
    int64_t n, fine_count;
    long double *fine, *coarse;
} tni_fft_roots;
tn_status tni_fft_roots_begin(tni_fft_roots *roots, int64_t n);
void tni_fft_roots_end(tni_fft_roots *roots);
/* Of k in [0, n): two numbers of `part` bytes to index `at` (of complex numbers). */
void tni_fft_root(const tni_fft_roots *roots, int64_t k, void *to, int64_t at, int64_t part);

#endif
