/* Vectors of the loops of neural networks: as long as the instruction set has them. */
#ifndef TNI_HOST_NEURAL_VECTOR_H
#define TNI_HOST_NEURAL_VECTOR_H

#include "backend/host/loops/elementwise/form.h"

#if defined(__AVX512BW__)
enum { VECTOR_BYTES = 64 };
#define EVENS_f32 EVENS_16
#define EVENS_f64 EVENS_8
#define PAIRS_f32(half) PAIRS_16(16, half)
#define PAIRS_f64(half) PAIRS_8(8, half)
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#define EVENS_f32 EVENS_8
#define EVENS_f64 EVENS_4
#define PAIRS_f32(half) PAIRS_8(8, half)
#define PAIRS_f64(half) PAIRS_4(4, half)
#else
enum { VECTOR_BYTES = 16 };
#define EVENS_f32 EVENS_4
#define EVENS_f64 EVENS_2
#define PAIRS_f32(half) PAIRS_4(4, half)
#define PAIRS_f64(half) PAIRS_2(2, half)
#endif

/* The elements at even places of two vectors, of which the second begins one before the end of the
 * first, so that nothing is read after the last element. */
#define EVENS_2 0, 3
#define EVENS_4 0, 2, 5, 7
#define EVENS_8 0, 2, 4, 6, 9, 11, 13, 15
#define EVENS_16 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31

/* The elements of two vectors of n in turn, from h on: of their first halves, or (h: n / 2) of the
 * others. */
#define PAIRS_2(n, h) (h), (n) + (h)
#define PAIRS_4(n, h) PAIRS_2(n, h), PAIRS_2(n, (h) + 1)
#define PAIRS_8(n, h) PAIRS_4(n, h), PAIRS_4(n, (h) + 2)
#define PAIRS_16(n, h) PAIRS_8(n, h), PAIRS_8(n, (h) + 4)

#endif
