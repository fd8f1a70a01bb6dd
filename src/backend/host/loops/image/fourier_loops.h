/* Products of Fourier transforms with factors of their frequencies. */
#ifndef TNI_FOURIER_LOOPS_H
#define TNI_FOURIER_LOOPS_H

#include <tenorite/dtype.h>

typedef struct tni_fourier_loops {
    /* output[i] = input[i] * (outer * inner[i]), for n elements of f32, f64, c64 or c128. */
    void (*scale)(tn_dtype dtype, void *output, const void *input, double outer,
                  const double *inner, int64_t n);
    /* The same of complex elements with complex factors, two numbers each. */
    void (*turn)(tn_dtype dtype, void *output, const void *input, const double outer[2],
                 const double *inner, int64_t n);
} tni_fourier_loops;

#endif
