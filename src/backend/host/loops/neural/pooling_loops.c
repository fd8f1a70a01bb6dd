/* Inner loops of pooling. A fold keeps a block of places in registers while it goes over taps. */
#include "backend/host/loops/neural/pooling_loops.h"

#include "backend/host/loops/entry.h"

#if defined(__AVX512BW__)
enum { VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
enum { VECTORS = 4 }; /* of a block */

#define INLINE static inline __attribute__((always_inline))

/* The elements at even places of two vectors, of which the second begins one before the end of the
 * first, so that nothing is read after the last element. */
#define EVENS_2 0, 3
#define EVENS_4 0, 2, 5, 7
#define EVENS_8 0, 2, 4, 6, 9, 11, 13, 15
#define EVENS_16 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31

#define SUFFIX f32
#define W float
#define BITS tn_i32
#if defined(__AVX512BW__)
#define EVENS EVENS_16
#elif defined(__AVX2__)
#define EVENS EVENS_8
#else
#define EVENS EVENS_4
#endif
#include "backend/host/loops/neural/pooling_stamp.h"

#define SUFFIX f64
#define W double
#define BITS tn_i64
#if defined(__AVX512BW__)
#define EVENS EVENS_8
#elif defined(__AVX2__)
#define EVENS EVENS_4
#else
#define EVENS EVENS_2
#endif
#include "backend/host/loops/neural/pooling_stamp.h"
