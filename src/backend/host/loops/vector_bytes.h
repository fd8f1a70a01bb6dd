/* The bytes of a vector of the instruction set that a file is compiled for. */
#ifndef TNI_HOST_VECTOR_BYTES_H
#define TNI_HOST_VECTOR_BYTES_H

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#endif
