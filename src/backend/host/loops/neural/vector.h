/* Vectors of the loops of neural networks: as long as the instruction set has them. */
#ifndef TNI_HOST_NEURAL_VECTOR_H
#define TNI_HOST_NEURAL_VECTOR_H

#if defined(__AVX512BW__)
enum { VECTOR_BYTES = 64 };
#define EVENS_f32 EVENS_16
#define EVENS_f64 EVENS_8
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#define EVENS_f32 EVENS_8
#define EVENS_f64 EVENS_4
#else
enum { VECTOR_BYTES = 16 };
#define EVENS_f32 EVENS_4
#define EVENS_f64 EVENS_2
#endif

/* The elements at even places of two vectors, of which the second begins one before the end of the
 * first, so that nothing is read after the last element. */
#define EVENS_2 0, 3
#define EVENS_4 0, 2, 5, 7
#define EVENS_8 0, 2, 4, 6, 9, 11, 13, 15
#define EVENS_16 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31

#define INLINE static inline __attribute__((always_inline))

#endif
